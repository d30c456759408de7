// Helpers of these tests: they pack the package, install it, and run tools on the result.

import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { emptyFolder, MANIFEST, pack } from "../pack.mjs";

const modules = join(import.meta.dirname, "node_modules");

/** The packed package: its tarball and the paths of its files. */
export const packed = pack(emptyFolder());

/** Installs the package into an empty folder, with its optional peers beside it. */
export function install() {
  const folder = emptyFolder();
  execFileSync("npm", ["install", "--offline", "--no-audit", "--no-fund", "--silent", packed.tarball], { cwd: folder });
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
  const { status, stdout, stderr } = spawnSync(join(modules, ".bin", name), args, { cwd, encoding: "utf8" });
  return { status, output: stdout + stderr };
}
