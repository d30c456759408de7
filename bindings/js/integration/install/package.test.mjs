// Tests the packed package: its files, its exports, and the examples that use it.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { emptyFolder, ENTRIES, MANIFEST, ROOT } from "../pack.mjs";
import { install, nodeFor, packed, tool } from "./help.mjs";

const folder = install();
const run = (...args) => execFileSync(process.execPath, args, { cwd: folder, encoding: "utf8" });

test("the tarball holds scripts, their types, modules, licences, and nothing else", () => {
  const expected =
    /^(dist\/.+\.(js|d\.ts|wasm|css)|dist\/guide\/.+\.md|LICENSE-(APACHE|MIT)|README\.md|package\.json)$/;
  assert.deepEqual(
    packed.files.filter((path) => !expected.test(path)),
    [],
  );
  for (const name of ["LICENSE-APACHE", "LICENSE-MIT", "README.md"])
    assert.ok(packed.files.includes(name), name);
  const scripts = packed.files.filter((path) => path.endsWith(".js"));
  assert.deepEqual(
    scripts.filter((path) => !packed.files.includes(path.replace(/\.js$/, ".d.ts"))),
    [],
  );
});

test("every path of the exports is in the tarball", () => {
  const paths = (value) =>
    typeof value === "string" ? [value] : Object.values(value).flatMap(paths);
  const missing = paths(MANIFEST.exports).filter(
    (path) => !packed.files.includes(path.replace("./", "")),
  );
  assert.deepEqual(missing, []);
});

test("it installs without other packages", () => {
  assert.equal(MANIFEST.dependencies, undefined);
  const required = Object.keys(MANIFEST.peerDependencies ?? {}).filter(
    (name) => !MANIFEST.peerDependenciesMeta?.[name]?.optional,
  );
  assert.deepEqual(required, []);
});

test("publint finds nothing", () => {
  const { status, output } = tool("publint", ["run", packed.tarball, "--strict"], folder);
  assert.equal(status, 0, output);
  assert.match(output, /All good/);
});

test("arethetypeswrong finds nothing for ECMAScript modules", () => {
  const { status, output } = tool(
    "attw",
    [packed.tarball, "--profile", "esm-only", "--no-color", "--no-emoji"],
    folder,
  );
  assert.equal(status, 0, output);
});

for (const entry of ENTRIES) {
  test(`${entry} can be imported, and required`, () => {
    const [imported, required] = [
      "await import",
      "process.getBuiltinModule('node:module').createRequire(process.cwd() + '/x.js')",
    ].map((load) =>
      run(
        "--input-type=module",
        "--no-warnings",
        "-e",
        `console.log(Object.keys(${load}(${JSON.stringify(entry)})).sort().join())`,
      ).trim(),
    );
    assert.notEqual(imported, "");
    assert.deepEqual(
      required.split(",").filter((name) => name !== "__esModule"),
      imported.split(","),
    );
  });
}

const examples = join(ROOT, "examples");
for (const name of readdirSync(examples).filter((name) => name.endsWith(".mjs"))) {
  test(`the example ${name} runs`, () => {
    cpSync(join(examples, name), join(folder, name));
    const body = join(ROOT, "../../examples/responses/openai-chat.sse");
    assert.match(
      run(name, ...(name === "terminal.mjs" ? [body] : [])),
      /ask: Where should|question: 'Tea or coffee\?'/,
    );
  });
}

// They are copied to where they are in the repository, since they read its recorded messages.
const repository = emptyFolder();
cpSync(join(ROOT, "../../examples"), join(repository, "examples"), { recursive: true });

/** The packages that support fewer versions of Node.js than this one. */
const NEEDS = { "ai-sdk": "ai" };

for (const [name, script, ...args] of [
  ["ai-sdk", "page.js"],
  ["react-chat", "main.js", "0"],
]) {
  test(
    `the example ${name} serves its page with the package from the tarball`,
    { timeout: 300_000 },
    async (t) => {
      const cwd = join(repository, "bindings/js/examples", name);
      cpSync(join(examples, name), cwd, {
        recursive: true,
        filter: (path) => !path.endsWith("node_modules"),
      });
      execFileSync(
        "npm",
        ["install", "--no-audit", "--no-fund", "--silent", "--prefer-offline", packed.tarball],
        { cwd },
      );
      assert.deepEqual(
        readdirSync(join(cwd, "node_modules/followup")).sort(),
        readdirSync(join(folder, "node_modules/followup")).sort(),
      );
      const { node, why } = NEEDS[name]
        ? nodeFor(join(cwd, "node_modules", NEEDS[name], "package.json"))
        : { node: process.execPath };
      if (why) return t.skip(why);
      const server = spawn(node, ["server.mjs", ...args], {
        cwd,
        env: { ...process.env, PORT: "0" },
        stdio: ["ignore", "pipe", "inherit"],
      });
      t.after(() => void server.removeAllListeners("exit").kill());
      const ended = once(server, "exit").then(() => assert.fail("the server has ended"));
      const [line] = await Promise.race([once(server.stdout, "data"), ended]);
      const url = /http:\S+/.exec(line)[0];
      const page = await (await fetch(url)).text();
      assert.match(page, new RegExp(`src="/?${script}"`));
      const bundle = await fetch(`${url}/${script}`);
      assert.equal(bundle.status, 200);
      assert.ok((await bundle.text()).length > 100_000);
    },
  );
}
