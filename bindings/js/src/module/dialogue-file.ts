// For Node.js: compiles the WebAssembly module of `followup/dialogue` from its file.
import { compileFile } from "./read.js";

export default compileFile(
  new URL("../followup-dialogue.wasm", import.meta.url),
  "followup/dialogue/host",
);
