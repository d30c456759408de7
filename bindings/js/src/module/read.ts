// Reads and compiles a WebAssembly file, and explains what to do if a bundler left it out.

import { readFileSync } from "node:fs";

/**
 * Compiles a module from a file of the package. `entry` is the one to which a host gives the module
 * itself.
 */
export function compileFile(file: URL, entry: string): WebAssembly.Module {
  return new WebAssembly.Module(read(file, entry));
}

function read(file: URL, entry: string): Uint8Array<ArrayBuffer> {
  try {
    return readFileSync(file);
  } catch (cause) {
    if ((cause as { code?: unknown }).code !== "ENOENT") throw cause;
    // A bundler that builds the script for Node does not copy the file.
    const remedy = `build with the condition "module", which inlines it, or give the module to install of ${entry}`;
    const message = `${file.pathname} is not there: ${remedy}`;
    throw new Error(message, { cause });
  }
}
