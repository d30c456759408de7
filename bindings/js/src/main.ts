import module from "#module";
import { install } from "./parsers.js";

install(module);

export * from "./index.js";
