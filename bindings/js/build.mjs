// Builds the package: the module by cargo, the rest by tsc.

import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const run = (program, ...args) => execFileSync(program, args, { cwd: here, stdio: "inherit" });
const target = process.env.CARGO_TARGET_DIR ?? join(here, "wasm/target");

run("cargo", "build", "--quiet", "--release", "--target", "wasm32-unknown-unknown", "--manifest-path", "wasm/Cargo.toml");
rmSync(join(here, "dist"), { recursive: true, force: true });
mkdirSync(join(here, "dist"));
const built = join(target, "wasm32-unknown-unknown/release/followup_wasm.wasm");
copyFileSync(built, join(here, "dist/followup.wasm"));
const base64 = readFileSync(built).toString("base64");
writeFileSync(join(here, "src/followup-wasm.ts"), `export const BASE64: string =\n  "${base64}";\n`);
run("npx", "tsc", "--project", ".");
