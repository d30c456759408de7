// For Node.js: compiles the WebAssembly module of all parsers from its file.
import { compileFile } from "./read.js";

export default compileFile(new URL("../followup.wasm", import.meta.url), "followup/host");
