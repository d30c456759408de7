// Compiles the modules of the package.

import { execFileSync } from "node:child_process";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const target = process.env.CARGO_TARGET_DIR ?? join(here, "wasm/target");
const cargoHome = process.env.CARGO_HOME ?? join(homedir(), ".cargo");

// How much the compiler inlines where it compiles for size. Its own value is 5, which is 1 %
// smaller, but a delta with nothing to say takes 1.7 times as long.
const INLINE = "-Cllvm-args=-inline-threshold=50";

/** The modules: the crate of each, and what cargo and the compiler are told. */
const MODULES = {
  followup: { crate: "followup-wasm", options: [], flags: [INLINE] },
  "followup-core": { crate: "followup-wasm", options: ["--no-default-features"], flags: [INLINE] },
  // Called once a question, so only its size matters.
  "followup-dialogue": {
    crate: "followup-dialogue-wasm",
    options: ["--config", 'profile.release.opt-level="z"'],
    flags: [],
  },
};

export const NAMES = Object.keys(MODULES);

/**
 * Compiles a module. Returns the path of its file, which the next one may overwrite. `more` is for
 * cargo.
 */
export function compile(name, ...more) {
  const { crate, options, flags } = MODULES[name];
  const rustflags = [
    ...flags,
    // Numbers that the linker fills in take no more bytes than others.
    "-Clink-arg=--compress-relocations",
    // Paths in the module are those of the sources, not of this machine.
    ...[join(here, "../.."), cargoHome].map((path) => `--remap-path-prefix=${path}=`),
  ];
  const args = [
    ...["build", "--quiet", "--release", "--target", "wasm32-unknown-unknown"],
    ...["--manifest-path", "wasm/Cargo.toml", "--package", crate, ...options, ...more],
    ...["--config", `target.wasm32-unknown-unknown.rustflags=${JSON.stringify(rustflags)}`],
  ];
  execFileSync("cargo", args, { cwd: here, stdio: "inherit" });
  return join(target, `wasm32-unknown-unknown/release/${crate.replaceAll("-", "_")}.wasm`);
}
