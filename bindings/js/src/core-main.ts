// The entry `followup/core`: the core, with its WebAssembly module already installed.

import module from "#core-module";
import { install } from "./parsers.js";

install(module);

export * from "./core.js";
