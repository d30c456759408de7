// Runs the tests of the package in each supported version of Node.js, in Bun and in Deno.

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { ROOT } from "../pack.mjs";

const modules = join(import.meta.dirname, "node_modules");
const files = readdirSync(join(ROOT, "test"))
  .filter((name) => name.endsWith(".test.mjs"))
  .map((name) => `./test/${name}`);

const RUNTIMES = {
  "Node 20, the oldest": [["node-20/bin/node", "--test", ...files]],
  "Node 22": [["node-22/bin/node", "--test", ...files]],
  "Node 24": [["node-24/bin/node", "--test", ...files]],
  // Bun runs all files in one process, but some look at how the module is loaded. Of itself it ends
  // a test after 5 s, which a busy machine may need.
  Bun: files.map((file) => [
    "@oven/bun-linux-x64-baseline/bin/bun",
    "test",
    "--timeout",
    "60000",
    file,
  ]),
  // Types are checked below, as a consumer does.
  Deno: [
    ["@deno/linux-x64-glibc/deno", "test", "--no-check", "--no-lock", "--allow-all", ...files],
  ],
};

/** Runs a program. Returns all it wrote. */
function run([program, ...args], cwd) {
  const env = {
    ...process.env,
    DENO_NO_UPDATE_CHECK: "1",
    NO_COLOR: "1",
    NODE_TEST_CONTEXT: undefined,
  };
  const { status, stdout, stderr, error } = spawnSync(join(modules, program), args, {
    cwd,
    env,
    encoding: "utf8",
  });
  const output = `${stdout}${stderr}${error ?? ""}`;
  assert.equal(status, 0, output);
  return output;
}

for (const [name, commands] of Object.entries(RUNTIMES)) {
  test(`the tests pass in ${name}`, () => {
    for (const command of commands)
      assert.match(run(command, ROOT), /\bpass [1-9]|\b[1-9]\d* pass/, "no test ran");
  });
}

test("what Bun builds runs away from the package, as a script and as a program", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "followup-bun-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const bun = join(modules, "@oven/bun-linux-x64-baseline/bin/bun");
  const app = join(import.meta.dirname, "asks.mjs");
  const build = (...args) =>
    execFileSync(bun, ["build", app, ...args], { cwd: import.meta.dirname, stdio: "pipe" });
  const runs = (program, ...args) =>
    assert.equal(execFileSync(program, args, { cwd: folder, encoding: "utf8" }), "text null\n");
  build("--target=bun", "--outfile", join(folder, "bun.mjs"));
  runs(bun, join(folder, "bun.mjs"));
  build("--target=node", "--conditions=module", "--outfile", join(folder, "node.mjs"));
  runs(process.execPath, join(folder, "node.mjs"));
  build("--compile", "--outfile", join(folder, "program"));
  runs(join(folder, "program"));
});

test("a consumer's types are checked by Deno", () => {
  assert.equal(
    run(
      ["@deno/linux-x64-glibc/deno", "run", "--check", "--no-lock", "--quiet", "consumer.ts"],
      import.meta.dirname,
    ),
    "text\n",
  );
});
