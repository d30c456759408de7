// The types of sources for a message, and the function that turns any of them into events.

import { isBytes, isReadable, open, type ResponseLike } from "../chunks.js";
import type { FollowupEvent } from "../events.js";
import { encode, kind, type ResponseOptions } from "../options.js";
import { Gate } from "../status.js";

/** What a stream is made of: a provider's bytes or text, in chunks that end anywhere, or events. */
export type StreamItem = Uint8Array | string | FollowupEvent;

/** A stream that can be read once. */
export type Stream =
  | Response
  | ResponseLike<StreamItem>
  | ReadableStream<StreamItem>
  | AsyncIterable<StreamItem>
  | Iterable<StreamItem>;

/** What can be read: a stream, a promise of one, or a function that gives one. */
export type StreamSource =
  Stream | PromiseLike<Stream> | ((signal: AbortSignal) => Stream | PromiseLike<Stream>);

/**
 * Reads a stream to its end, or until the signal. Events of what was read are passed on at once.
 */
export async function read(
  source: StreamSource,
  options: ResponseOptions | undefined,
  signal: AbortSignal,
  push: (events: Iterable<FollowupEvent>) => void,
): Promise<void> {
  const items = open<StreamItem>(await (typeof source === "function" ? source(signal) : source));
  const cancel = () => void items.cancel().catch(() => {});
  const gate = new Gate(items.failure);
  signal.addEventListener("abort", cancel);
  if (signal.aborted) cancel();
  const parser = lazyParser(options);
  try {
    for (let next = await items.next(); !next.done && !signal.aborted; next = await items.next()) {
      const item = next.value;
      if (typeof item === "string" || isBytes(item))
        push(gate.pass((await parser.get()).feed(item)));
      else if (isEvent(item)) push([item]);
      else
        throw new TypeError(
          `chunk: a string, a Uint8Array or an event was expected, not ${kind(item)}`,
        );
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

/**
 * Throws what is wrong with a source or its options, as far as that is known before the source is
 * read.
 */
export function checkSource(source: unknown, options: unknown): void {
  const isPromise = typeof source === "object" && source !== null && "then" in source;
  if (typeof source !== "function" && !isPromise && !isReadable(source)) {
    const expected =
      "a stream, a promise or a function that gives one, a FollowupStore, null or undefined";
    throw new TypeError(`source: ${expected} was expected, not ${kind(source)}`);
  }
  encode(options, "response");
}

function isEvent(item: unknown): item is FollowupEvent {
  return typeof item === "object" && item !== null && "type" in item;
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
