// Builds the package: the modules by cargo, the rest by tsc.

import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { compile, NAMES } from "./cargo.mjs";

const here = dirname(fileURLToPath(import.meta.url));

const GUIDE = ["format.md", "question-tools.md", "dialects.md"];

rmSync(join(here, "dist"), { recursive: true, force: true });
mkdirSync(join(here, "dist"));
NAMES.forEach(buildModule);
run(process.execPath, "node_modules/typescript/bin/tsc", "--project", ".");

// The type of a module as a host imports it, and the licences.
writeFileSync(
  join(here, "dist/wasm.d.ts"),
  "declare const module: object;\nexport default module;\n",
);
for (const name of ["LICENSE-APACHE", "LICENSE-MIT"])
  copyFileSync(join(here, "../..", name), join(here, name));

// The documents that the readme and the types refer to. A link to one that is not among them
// becomes its text.
mkdirSync(join(here, "dist/guide"));
for (const name of GUIDE) {
  const text = readFileSync(join(here, "../../docs", name), "utf8");
  const linked = text.replace(/\[([^\]]*)\]\(([\w.\/-]+)(#[^)]*)?\)/g, (link, words, path) =>
    GUIDE.includes(path) ? link : words,
  );
  writeFileSync(join(here, "dist/guide", name), linked);
}

/** Builds a module, as a file and as text to be inlined. */
function buildModule(name) {
  const file = join(here, "dist", `${name}.wasm`);
  copyFileSync(compile(name), file);
  const base64 = readFileSync(file).toString("base64");
  writeFileSync(
    join(here, "src", `${name}-wasm.ts`),
    `export const BASE64: string =\n  "${base64}";\n`,
  );
}

function run(program, ...args) {
  execFileSync(program, args, { cwd: here, stdio: "inherit" });
}
