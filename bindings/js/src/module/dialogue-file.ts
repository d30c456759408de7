import { compileFile } from "./read.js";

export default compileFile(new URL("../followup-dialogue.wasm", import.meta.url), "followup/dialogue/host");
