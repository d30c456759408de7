import module from "#core-module";
import { install } from "./parsers.js";

install(module);

export * from "./core.js";
