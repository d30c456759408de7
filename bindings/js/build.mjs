// Builds the package: the modules by cargo, the rest by tsc.

import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const target = process.env.CARGO_TARGET_DIR ?? join(here, "wasm/target");
const cargoHome = process.env.CARGO_HOME ?? join(homedir(), ".cargo");

const GUIDE = ["format.md", "question-tools.md", "dialects.md"];

rmSync(join(here, "dist"), { recursive: true, force: true });
mkdirSync(join(here, "dist"));
// How much the compiler inlines where it compiles for size. Its own value is 5, which is 1 % smaller, but a delta with nothing to
// say takes 1.7 times as long.
const INLINE = "-Cllvm-args=-inline-threshold=50";

buildModule("followup", "followup-wasm", [], [INLINE]);
buildModule("followup-core", "followup-wasm", ["--no-default-features"], [INLINE]);
// Called once a question, so only its size matters.
buildModule("followup-dialogue", "followup-dialogue-wasm", ["--config", 'profile.release.opt-level="z"']);
run(process.execPath, "node_modules/typescript/bin/tsc", "--project", ".");

// The type of a module as a host imports it, and the licences.
writeFileSync(join(here, "dist/wasm.d.ts"), "declare const module: object;\nexport default module;\n");
for (const name of ["LICENSE-APACHE", "LICENSE-MIT"]) copyFileSync(join(here, "../..", name), join(here, name));

// The documents that the readme and the types refer to. A link to one that is not among them becomes its text.
mkdirSync(join(here, "dist/guide"));
for (const name of GUIDE) {
  const text = readFileSync(join(here, "../../docs", name), "utf8");
  const linked = text.replace(/\[([^\]]*)\]\(([\w.\/-]+)(#[^)]*)?\)/g, (link, words, path) => (GUIDE.includes(path) ? link : words));
  writeFileSync(join(here, "dist/guide", name), linked);
}

/** Builds a module, as a file and as text to be inlined. */
function buildModule(name, crate, options, flags = []) {
  const rustflags = [
    ...flags,
    // Numbers that the linker fills in take no more bytes than others.
    "-Clink-arg=--compress-relocations",
    // Paths in the module are those of the sources, not of this machine.
    ...[join(here, "../.."), cargoHome].map((path) => `--remap-path-prefix=${path}=`),
  ];
  run(
    "cargo",
    ...["build", "--quiet", "--release", "--target", "wasm32-unknown-unknown"],
    ...["--manifest-path", "wasm/Cargo.toml", "--package", crate, ...options],
    ...["--config", `target.wasm32-unknown-unknown.rustflags=${JSON.stringify(rustflags)}`],
  );
  const file = join(here, "dist", `${name}.wasm`);
  copyFileSync(join(target, `wasm32-unknown-unknown/release/${crate.replaceAll("-", "_")}.wasm`), file);
  const base64 = readFileSync(file).toString("base64");
  writeFileSync(join(here, "src", `${name}-wasm.ts`), `export const BASE64: string =\n  "${base64}";\n`);
}

function run(program, ...args) {
  execFileSync(program, args, { cwd: here, stdio: "inherit" });
}
