// For browsers, bundlers, Deno and Bun: compiles the inlined module of `followup/core`.
import { BASE64 } from "../followup-core-wasm.js";
import { compile } from "./base64.js";

export default compile(BASE64);
