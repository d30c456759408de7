// The types of sources for a message, and the function that turns any of them into events.

import { isBytes, open } from "../chunks.js";
import type { FollowupEvent } from "../events.js";
import type { ResponseOptions } from "../options.js";
import { Gate } from "../status.js";

/** What a stream is made of: a provider's bytes or text, in chunks that end anywhere, or events. */
export type Item = Uint8Array | string | FollowupEvent;

/** A stream that can be read once. */
export type Stream = Response | ReadableStream<Item> | AsyncIterable<Item> | Iterable<Item>;

/** What can be read: a stream, a promise of one, or a function that begins one. */
export type StreamSource = Stream | PromiseLike<Stream> | ((signal: AbortSignal) => Stream | PromiseLike<Stream>);

/** Reads a stream to its end, or until the signal. Events of what was read are passed on at once. */
export async function read(
  source: StreamSource,
  options: ResponseOptions | undefined,
  signal: AbortSignal,
  push: (events: Iterable<FollowupEvent>) => void,
): Promise<void> {
  const items = open<Item>(await (typeof source === "function" ? source(signal) : source));
  const cancel = () => void items.cancel().catch(() => {});
  const gate = new Gate(items.failure);
  signal.addEventListener("abort", cancel);
  if (signal.aborted) cancel();
  const parser = lazyParser(options);
  try {
    for (let next = await items.next(); !next.done && !signal.aborted; next = await items.next()) {
      const item = next.value;
      if (typeof item === "string" || isBytes(item)) push(gate.pass((await parser.get()).feed(item)));
      else push([item]);
    }
    if (signal.aborted) return;
    push(gate.pass(parser.finish()));
    gate.end();
  } catch (error) {
    cancel();
    throw error;
  } finally {
    signal.removeEventListener("abort", cancel);
    parser.free();
  }
}

/** A parser that is loaded once there are bytes: a page that gets events needs none. */
function lazyParser(options: ResponseOptions | undefined) {
  let parser: import("../parsers.js").ResponseParser | undefined;
  return {
    get: async () => (parser ??= new (await import("followup")).ResponseParser(options)),
    finish: () => parser?.finish() ?? [],
    free: () => parser?.free(),
  };
}
