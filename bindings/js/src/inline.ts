import { BASE64 } from "./followup-wasm.js";
import { installInlined } from "./inlined.js";

installInlined(BASE64);

export * from "./index.js";
