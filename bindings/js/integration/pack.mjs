// Packs the built package, for the checks in the folders beside this file.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("..", import.meta.url));
export const MANIFEST = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));

/** The names under which the package's scripts are imported. */
export const ENTRIES = Object.keys(MANIFEST.exports)
  .filter((name) => !/\.(wasm|json|css)$/.test(name))
  .map((name) => MANIFEST.name + name.slice(1));

/** Creates an empty folder outside of the repository, which is removed when the process ends. */
export function emptyFolder() {
  const folder = mkdtempSync(join(tmpdir(), "followup-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Packs the package into a folder. Returns the tarball and the paths of its files. */
export function pack(folder) {
  const output = execFileSync("npm", ["pack", "--json", "--pack-destination", folder], {
    cwd: ROOT,
    encoding: "utf8",
  });
  const [{ filename, files }] = JSON.parse(output);
  return { tarball: join(folder, filename), files: files.map(({ path }) => path) };
}

/** Unpacks the package into `node_modules` of a folder, where npm would install it. */
export function unpack(folder) {
  const { tarball } = pack(emptyFolder());
  const target = join(folder, "node_modules", MANIFEST.name);
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  execFileSync("tar", ["-xzf", tarball, "-C", target, "--strip-components", "1"]);
}
