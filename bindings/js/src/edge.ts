// On edge functions and Workers, a module is compiled when it is deployed, and imported as it is.
import module from "./followup.wasm?module";
import { install } from "./parsers.js";

install(module);

export * from "./index.js";
