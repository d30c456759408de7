// For Node.js: compiles the WebAssembly module of `followup/core` from its file.
import { compileFile } from "./read.js";

export default compileFile(new URL("../followup-core.wasm", import.meta.url), "followup/core/host");
