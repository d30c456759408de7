import { readFileSync } from "node:fs";

export default new WebAssembly.Module(readFileSync(new URL("../followup-dialogue.wasm", import.meta.url)));
