import { install } from "./parsers.js";

/** Sets the module that this text of base64 is. It does not wait, so that it can be bundled in any format of scripts. */
export function installInlined(base64: string): void {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  install(new WebAssembly.Module(bytes));
}
