// Validates a WebAssembly module that the host passes to `install` or `installDialogue`.

import { kind } from "../options.js";

/**
 * Returns a module that a host gives. Throws if it is none, or has no such function: then it is
 * another one than `files` name.
 */
export function checkedModule(module: unknown, name: string, files: string): WebAssembly.Module {
  // That of another realm has another class.
  if (Object.prototype.toString.call(module) !== "[object WebAssembly.Module]") {
    throw new TypeError(`module: a WebAssembly.Module was expected, not ${kind(module)}`);
  }
  if (!WebAssembly.Module.exports(module as WebAssembly.Module).some((one) => one.name === name)) {
    throw new TypeError(`module: that of ${files} was expected, and this one has no ${name}`);
  }
  return module as WebAssembly.Module;
}
