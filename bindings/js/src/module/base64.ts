/** Compiles a module from base64. It does not wait, so that it can be bundled in any format of scripts. */
export function compile(base64: string): WebAssembly.Module {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return new WebAssembly.Module(bytes);
}
