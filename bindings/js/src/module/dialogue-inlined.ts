// For browsers, bundlers, Deno and Bun: compiles the inlined module of `followup/dialogue`.
import { BASE64 } from "../followup-dialogue-wasm.js";
import { compile } from "./base64.js";

export default compile(BASE64);
