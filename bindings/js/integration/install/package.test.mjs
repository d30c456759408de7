import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ENTRIES, MANIFEST, ROOT } from "../pack.mjs";
import { install, packed, tool } from "./help.mjs";

const folder = install();
const run = (...args) => execFileSync(process.execPath, args, { cwd: folder, encoding: "utf8" });

test("the tarball holds scripts, their types, modules, licences, and nothing else", () => {
  const expected = /^(dist\/.+\.(js|d\.ts|wasm|css)|dist\/guide\/.+\.md|LICENSE-(APACHE|MIT)|README\.md|package\.json)$/;
  assert.deepEqual(packed.files.filter((path) => !expected.test(path)), []);
  for (const name of ["LICENSE-APACHE", "LICENSE-MIT", "README.md"]) assert.ok(packed.files.includes(name), name);
  const scripts = packed.files.filter((path) => path.endsWith(".js"));
  assert.deepEqual(scripts.filter((path) => !packed.files.includes(path.replace(/\.js$/, ".d.ts"))), []);
});

test("every path of the exports is in the tarball", () => {
  const paths = (value) => (typeof value === "string" ? [value] : Object.values(value).flatMap(paths));
  const missing = paths(MANIFEST.exports).filter((path) => !packed.files.includes(path.replace("./", "")));
  assert.deepEqual(missing, []);
});

test("it installs without other packages", () => {
  assert.equal(MANIFEST.dependencies, undefined);
  const required = Object.keys(MANIFEST.peerDependencies ?? {}).filter((name) => !MANIFEST.peerDependenciesMeta?.[name]?.optional);
  assert.deepEqual(required, []);
});

test("publint finds nothing", () => {
  const { status, output } = tool("publint", ["run", packed.tarball, "--strict"], folder);
  assert.equal(status, 0, output);
  assert.match(output, /All good/);
});

test("arethetypeswrong finds nothing for ECMAScript modules", () => {
  const { status, output } = tool("attw", [packed.tarball, "--profile", "esm-only", "--no-color", "--no-emoji"], folder);
  assert.equal(status, 0, output);
});

for (const entry of ENTRIES) {
  test(`${entry} can be imported, and required`, () => {
    const [imported, required] = ["await import", "process.getBuiltinModule('node:module').createRequire(process.cwd() + '/x.js')"].map((load) =>
      run("--input-type=module", "--no-warnings", "-e", `console.log(Object.keys(${load}(${JSON.stringify(entry)})).sort().join())`).trim(),
    );
    assert.notEqual(imported, "");
    assert.deepEqual(required.split(",").filter((name) => name !== "__esModule"), imported.split(","));
  });
}

const examples = join(ROOT, "examples");
for (const name of readdirSync(examples).filter((name) => name.endsWith(".mjs"))) {
  test(`the example ${name} runs`, () => {
    cpSync(join(examples, name), join(folder, name));
    const body = join(ROOT, "../../examples/responses/openai-chat.sse");
    assert.match(run(name, ...(name === "terminal.mjs" ? [body] : [])), /ask: Where should|question: 'Tea or coffee\?'/);
  });
}
