import { readFileSync } from "node:fs";
import { install } from "./parsers.js";

install(new WebAssembly.Module(readFileSync(new URL("./followup-core.wasm", import.meta.url))));

export * from "./core.js";
