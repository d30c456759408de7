// Compiles a WebAssembly module that is inlined into a script as base64.

/** What engines have to decode base64; not all have either. */
interface Decoders {
  readonly Uint8Array: { fromBase64?(base64: string): Uint8Array<ArrayBuffer> };
  readonly Buffer?: { from(base64: string, encoding: "base64"): Uint8Array<ArrayBuffer> };
}

/**
 * Compiles a module from base64. It does not wait, so that it can be bundled in any format of
 * scripts.
 */
export function compile(base64: string): WebAssembly.Module {
  const bytes = decode(base64);
  try {
    return new WebAssembly.Module(bytes);
  } catch (cause) {
    // The bytes are valid. The engine's message names 'unsafe-eval', which is more than the page
    // has to allow.
    const message =
      "the module can't be compiled: where there is a Content Security Policy, it has to " +
      "allow script-src 'wasm-unsafe-eval'";
    throw new Error(message, { cause });
  }
}

/**
 * An engine's own decoder takes a tenth of the time of a loop, which takes longer than the
 * compiler.
 */
function decode(base64: string): Uint8Array<ArrayBuffer> {
  const { Uint8Array: Bytes, Buffer } = globalThis as unknown as Decoders;
  if (Bytes.fromBase64) return Bytes.fromBase64(base64);
  if (Buffer) return Buffer.from(base64, "base64");
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}
