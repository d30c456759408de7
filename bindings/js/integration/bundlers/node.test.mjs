// Tests that scripts for Node.js built by esbuild and webpack run without other files.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import * as esbuild from "esbuild";
import webpack from "webpack";
import { emptyFolder } from "../pack.mjs";
import { EXPECTED } from "./app/asks.mjs";
import { buildFolder, IN_NODE, writeApp } from "./help.mjs";

/** Runs a script away from the package, as an extension of an editor is installed. */
function runs(script, name) {
  const folder = emptyFolder();
  cpSync(script, join(folder, name));
  assert.equal(
    execFileSync(process.execPath, [name], { cwd: folder, encoding: "utf8" }).trim(),
    EXPECTED,
  );
}

for (const [format, name] of [
  ["esm", "app.mjs"],
  ["cjs", "app.cjs"],
]) {
  test(`esbuild builds one script for Node: ${format}`, async () => {
    const folder = buildFolder(`node-${format}`);
    const outfile = join(folder, "out.js");
    const { warnings } = await esbuild.build({
      entryPoints: [writeApp(folder, IN_NODE)],
      bundle: true,
      platform: "node",
      format,
      outfile,
      logLevel: "silent",
    });
    assert.deepEqual(warnings, []);
    runs(outfile, name);
  });
}

test("webpack builds one script for Node", async () => {
  const folder = buildFolder("node-webpack");
  const output = { path: join(folder, "out"), filename: "app.cjs" };
  const stats = await promisify(webpack)({
    target: "node20",
    mode: "production",
    context: folder,
    entry: writeApp(folder, IN_NODE),
    output,
  });
  assert.equal(stats.hasErrors(), false, stats.toString());
  runs(join(output.path, output.filename), "app.cjs");
});
