// For browsers, bundlers, Deno and Bun: compiles the inlined module of all parsers.
import { BASE64 } from "../followup-wasm.js";
import { compile } from "./base64.js";

export default compile(BASE64);
