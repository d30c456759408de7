// The main entry, `followup`: all parsers, with the WebAssembly module already installed.

import module from "#module";
import { install } from "./parsers.js";

install(module);

export * from "./index.js";
