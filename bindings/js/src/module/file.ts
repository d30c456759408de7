import { readFileSync } from "node:fs";

export default new WebAssembly.Module(readFileSync(new URL("../followup.wasm", import.meta.url)));
