import type { FollowupEvent } from "./events.js";
import type { ResponseOptions } from "./options.js";
import { ResponseParser } from "./parsers.js";

/** What events can be read from: bytes or text, in chunks that end anywhere. */
export type Source =
  | Response
  | ReadableStream<Uint8Array | string>
  | AsyncIterable<Uint8Array | string>
  | Iterable<Uint8Array | string>;

/** Options of a stream of events. */
export interface StreamOptions extends ResponseOptions {
  /** Ends the stream with the signal's reason. */
  readonly signal?: AbortSignal;
}

/**
 * Returns the events of a provider's response, as they come.
 *
 * The source is read no faster than the events are taken, and it is cancelled if the loop is left.
 */
export async function* events(source: Source, options: StreamOptions = {}): AsyncGenerator<FollowupEvent, void> {
  const { signal, ...rest } = options;
  const parser = new ResponseParser(rest);
  try {
    signal?.throwIfAborted();
    for await (const chunk of chunks(source, signal)) {
      yield* parser.feed(chunk);
      signal?.throwIfAborted();
    }
    yield* parser.finish();
  } finally {
    parser.free();
  }
}

/** Turns chunks of a provider's response into events. */
export class FollowupStream extends TransformStream<Uint8Array | string, FollowupEvent> {
  constructor(options?: ResponseOptions) {
    const parser = new ResponseParser(options);
    super({
      transform: (chunk, controller) => parser.feed(chunk).forEach((event) => controller.enqueue(event)),
      flush(controller) {
        parser.finish().forEach((event) => controller.enqueue(event));
        parser.free();
      },
    });
  }
}

async function* chunks(source: Source, signal: AbortSignal | undefined): AsyncGenerator<Uint8Array | string, void> {
  const body = source instanceof Response ? (source.body ?? []) : source;
  if (!(body instanceof ReadableStream)) return yield* body;
  // Not every engine can iterate over a stream.
  const reader = (body as ReadableStream<Uint8Array | string>).getReader();
  const abort = () => void reader.cancel(signal?.reason);
  signal?.addEventListener("abort", abort);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    signal?.removeEventListener("abort", abort);
    await reader.cancel().catch(() => {});
  }
}
