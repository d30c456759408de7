// Tests that pages built by Vite, esbuild and webpack can load and run the package in a browser.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import * as esbuild from "esbuild";
import { build as vite } from "vite";
import webpack from "webpack";
import { EXPECTED } from "./app/asks.mjs";
import { buildFolder, html, IN_PAGE, IN_WORKER, open, POLICY, serve, writeApp } from "./help.mjs";

/** A page whose app runs in a worker. */
const STARTS_WORKER = `
  const worker = new Worker(new URL("./app.mjs", import.meta.url), { type: "module" });
  worker.onmessage = ({ data }) => (document.querySelector("#told").textContent = data);
`;

async function runs(t, folder) {
  const { told, errors } = await open(t, await serve(t, folder));
  assert.deepEqual({ told, errors }, { told: EXPECTED, errors: [] });
}

test("Vite builds a page", async (t) => {
  const folder = buildFolder("vite");
  writeApp(folder, IN_PAGE);
  writeFileSync(join(folder, "index.html"), html("./app.mjs"));
  await vite({ root: folder, base: "./", logLevel: "warn", build: { outDir: "out" } });
  await runs(t, join(folder, "out"));
});

for (const [format, type] of [
  ["esm", "module"],
  ["iife", "text/javascript"],
]) {
  test(`esbuild builds a page: ${format}`, async (t) => {
    const folder = buildFolder(`esbuild-${format}`);
    const outfile = join(folder, "out/app.js");
    await esbuild.build({
      entryPoints: [writeApp(folder, IN_PAGE)],
      bundle: true,
      minify: true,
      format,
      outfile,
      logLevel: "warning",
    });
    writeFileSync(
      join(folder, "out/index.html"),
      html("./app.js", type).replace("<script", "<script defer"),
    );
    await runs(t, join(folder, "out"));
  });
}

for (const mode of ["production", "development"]) {
  test(`webpack builds a page: ${mode}`, async (t) => {
    const folder = buildFolder(`webpack-${mode}`);
    const output = { path: join(folder, "out"), filename: "app.js" };
    const stats = await promisify(webpack)({
      mode,
      context: folder,
      entry: writeApp(folder, IN_PAGE),
      output,
      devtool: false,
      performance: false,
    });
    assert.equal(stats.hasErrors() || stats.hasWarnings(), false, stats.toString());
    writeFileSync(join(folder, "out/index.html"), html("./app.js"));
    await runs(t, output.path);
  });
}

test("Vite builds a worker", async (t) => {
  const folder = buildFolder("vite-worker");
  writeApp(folder, IN_WORKER);
  writeFileSync(join(folder, "page.mjs"), STARTS_WORKER);
  writeFileSync(join(folder, "index.html"), html("./page.mjs"));
  await vite({ root: folder, base: "./", logLevel: "warn", build: { outDir: "out" } });
  await runs(t, join(folder, "out"));
});

test("webpack builds a worker", async (t) => {
  const folder = buildFolder("webpack-worker");
  writeApp(folder, IN_WORKER);
  writeFileSync(join(folder, "page.mjs"), STARTS_WORKER);
  const output = { path: join(folder, "out"), filename: "page.js" };
  const stats = await promisify(webpack)({
    mode: "production",
    context: folder,
    entry: join(folder, "page.mjs"),
    output,
    devtool: false,
    performance: false,
  });
  assert.equal(stats.hasErrors() || stats.hasWarnings(), false, stats.toString());
  writeFileSync(join(folder, "out/index.html"), html("./page.js"));
  await runs(t, output.path);
});

test("a policy that forbids WebAssembly is an error that names what to allow", async (t) => {
  const folder = buildFolder("esbuild-policy");
  await esbuild.build({
    entryPoints: [writeApp(folder, IN_PAGE)],
    bundle: true,
    format: "esm",
    outfile: join(folder, "out/app.js"),
    logLevel: "warning",
  });
  writeFileSync(join(folder, "out/index.html"), html("./app.js"));
  const { errors } = await open(
    t,
    await serve(t, join(folder, "out"), POLICY.replace(" 'wasm-unsafe-eval'", "")),
  );
  assert.match(errors[0], /^Error: the module can't be compiled: .* script-src 'wasm-unsafe-eval'/);
});
