// Helpers of the tests: the bundles, a server whose streams the test writes, and the browser.

import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { after } from "node:test";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { chromium } from "playwright-core";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
const POLICY =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; connect-src 'self'; img-src data:";
const HTML =
  '<!doctype html><html lang="en"><meta charset="utf-8"><title>Test</title>' +
  '<link rel="icon" href="data:,"><link rel="stylesheet" href="/style.css">' +
  '<div id="app"></div><script type="module" src="/main.js"></script></html>';

/** The versions of React to test with, and what their packages are called here. */
export const VERSIONS = { 18: { react: "react18", "react-dom": "react-dom18" }, 19: {} };

let launched;
after(async () => (await launched)?.close());

const bundles = {};
function bundle(version) {
  return (bundles[version] ??= build({
    entryPoints: [here("harness.tsx")],
    bundle: true,
    format: "esm",
    write: false,
    jsx: "automatic",
    alias: VERSIONS[version],
    // The package is a link, and has no react of its own.
    preserveSymlinks: true,
    define: { "process.env.NODE_ENV": '"development"' },
  }).then(({ outputFiles }) => outputFiles[0].contents));
}

/** A stream that the test writes. */
class Stream {
  #response;
  #arrived = deferred();
  requests = 0;
  isAborted = false;

  /** Answers a request. */
  begin(response) {
    this.requests++;
    this.#response = response;
    response.on("close", () => (this.isAborted = !response.writableFinished));
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
    response.flushHeaders();
    this.#arrived.resolve();
  }

  /** Writes a text of the model. */
  async text(content) {
    await this.raw(`data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`);
  }

  async raw(text) {
    await this.#arrived.promise;
    await new Promise((resolve) => this.#response.write(text, resolve));
  }

  async end() {
    await this.#arrived.promise;
    this.#response.end();
  }

  /** Breaks the connection. */
  async break() {
    await this.#arrived.promise;
    this.#response.destroy();
  }
}

function deferred() {
  const result = {};
  result.promise = new Promise((resolve) => (result.resolve = resolve));
  return result;
}

/** Opens an empty page, and records its errors and warnings. */
export async function newPage(t, options) {
  launched ??= chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: FLAGS,
  });
  const context = await (
    await launched
  ).newContext({ viewport: { width: 800, height: 900 }, ...options });
  t.after(() => context.close());
  context.setDefaultTimeout(15_000);
  const page = await context.newPage();
  const errors = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on(
    "console",
    (message) => ["error", "warning"].includes(message.type()) && errors.push(message.text()),
  );
  return { page, errors };
}

/** Opens the page with a stream that the test writes. */
export async function opened(t, version, { query = "", prepare, ...options } = {}) {
  const script = await bundle(version);
  const stream = new Stream();
  const files = {
    "/": ["text/html", HTML],
    "/main.js": ["text/javascript", script],
    "/style.css": ["text/css", readFileSync(here("../../examples/react-chat/style.css"))],
  };
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url, "http://localhost");
    if (pathname === "/stream") return stream.begin(response);
    const [type, content] = files[pathname] ?? ["text/plain", undefined];
    response
      .writeHead(content ? 200 : 404, { "content-type": type, "content-security-policy": POLICY })
      .end(content);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { page, errors } = await newPage(t, options);
  await prepare?.(page);
  await page.goto(`http://127.0.0.1:${server.address().port}/?${query}`);
  return { page, stream, errors };
}

/** Returns what the user answered so far. */
export function answers(page) {
  return page.evaluate(() => window.harness.answers);
}

/** Waits until a condition holds on the page. */
export function until(page, condition, argument) {
  return page.waitForFunction(condition, argument, { polling: 20 });
}

/** Waits until a condition holds in the test. */
export async function eventually(condition) {
  for (
    const began = Date.now();
    Date.now() - began < 15_000;
    await new Promise((resolve) => setTimeout(resolve, 10))
  ) {
    const value = await condition();
    if (value) return value;
  }
  throw new Error(`timed out: ${condition}`);
}

/** Returns what axe finds wrong with the page. */
export async function violations(page) {
  // The policy forbids a script in the page; this runs beside it.
  await page.evaluate(AXE);
  const { violations } = await page.evaluate(() => window.axe.run(document));
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" | ")}`);
}

/** The body of a provider that was recorded. */
export function recorded(name) {
  return readFileSync(here(`../../../../examples/responses/${name}.sse`), "utf8");
}
