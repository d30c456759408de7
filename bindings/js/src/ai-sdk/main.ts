// The entry `followup/ai-sdk`: the middleware, with the WebAssembly module already installed.

import "../core-main.js";

export * from "./index.js";
