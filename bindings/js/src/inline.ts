import { BASE64 } from "./followup-wasm.js";
import { install } from "./parsers.js";

install(await WebAssembly.compile(Uint8Array.from(atob(BASE64), (char) => char.charCodeAt(0))));

export * from "./index.js";
