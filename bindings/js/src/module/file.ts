import { compileFile } from "./read.js";

export default compileFile(new URL("../followup.wasm", import.meta.url), "followup/host");
