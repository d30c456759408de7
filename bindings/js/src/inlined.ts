import { install } from "./parsers.js";

/** Sets the module that this text of base64 is. */
export async function installInlined(base64: string): Promise<void> {
  install(await WebAssembly.compile(Uint8Array.from(atob(base64), (char) => char.charCodeAt(0))));
}
