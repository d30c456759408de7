// Apps for the bundlers, and a browser for what they build.

import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import { after } from "node:test";
import { chromium } from "playwright-core";
import { ENTRIES } from "../pack.mjs";

export const HERE = import.meta.dirname;

/** Creates a folder for what a bundler builds, in this folder, so that packages are found. */
export function buildFolder(name) {
  const folder = join(HERE, "build", name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  return folder;
}

/**
 * Writes an app that imports every entry of the package, and calls `done` with what it was told.
 *
 * The main entry is imported by name only, so that a bundler may leave out what it takes for
 * unused.
 */
export function writeApp(folder, done) {
  const names = ENTRIES.slice(1).map((name, i) => [
    `import * as entry${i} from ${JSON.stringify(name)};`,
    `entry${i}`,
  ]);
  const app = `
    import { asks } from "../../app/asks.mjs";
    ${names.map(([line]) => line).join("\n")}
    const empty = [${names.map(([, name]) => name).join()}].filter((entry) => Object.keys(entry).length === 0);
    asks().then((told) => (${done})(told + (empty.length ? " and an empty entry" : "")));
  `;
  writeFileSync(join(folder, "app.mjs"), app);
  return join(folder, "app.mjs");
}

export const IN_PAGE = "(told) => (document.querySelector('#told').textContent = told)";
export const IN_WORKER = "(told) => postMessage(told)";
export const IN_NODE = "(told) => console.log(told)";

/** Returns a page that loads a script. */
export const html = (script, type = "module") =>
  `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><p id="told"></p><script type="${type}" src="${script}"></script>`;

/** What the README tells pages to allow, and nothing else. */
export const POLICY = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; img-src data:";

const TYPES = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".mjs": "text/javascript",
  ".wasm": "application/wasm",
};

/** Serves the files of a folder, with a Content Security Policy. Returns the address. */
export async function serve(t, folder, policy = POLICY) {
  const server = createServer((request, response) => {
    const path = join(
      folder,
      new URL(request.url, "http://localhost").pathname.replace(/\/$/, "/index.html"),
    );
    try {
      const file = readFileSync(path);
      response
        .writeHead(200, {
          "content-type": TYPES[extname(path)] ?? "application/octet-stream",
          "content-security-policy": policy,
        })
        .end(file);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => new Promise((resolve) => (server.close(resolve), server.closeAllConnections())));
  return `http://127.0.0.1:${server.address().port}/`;
}

const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--no-first-run",
  "--disable-background-networking",
];
let launched;
after(async () => (await launched)?.close());

/** Opens a page. Returns what the app in it was told, and the errors of the page. */
export async function open(t, url) {
  launched ??= chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: FLAGS,
  });
  const page = await (await launched).newPage();
  t.after(() => page.close());
  const errors = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  await page.goto(url);
  const deadline = Date.now() + 15_000;
  while (errors.length === 0 && Date.now() < deadline && !(await page.textContent("#told")))
    await page.waitForTimeout(20);
  return { told: await page.textContent("#told"), errors };
}
