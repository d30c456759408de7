import { BASE64 } from "./followup-core-wasm.js";
import { installInlined } from "./inlined.js";

installInlined(BASE64);

export * from "./core.js";
