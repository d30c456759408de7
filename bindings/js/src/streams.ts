import type { FollowupEvent } from "./events.js";
import { kind, object, type ResponseOptions } from "./options.js";
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
 * The source is read no faster than the events are taken. It is cancelled if the loop is left, if the signal is aborted, and if
 * the options are wrong. Once the signal is aborted no event comes any more, not even one that has been parsed already: the loop
 * throws the signal's reason.
 */
export async function* events(source: Source, options: StreamOptions = {}): AsyncGenerator<FollowupEvent, void> {
  const chunks = open(source);
  let signal: AbortSignal | undefined;
  let isOver = false;
  async function cancel(): Promise<void> {
    if (isOver) return;
    isOver = true;
    // What has broken already, as a response whose signal it is, can't be cancelled.
    await chunks.cancel(signal?.reason).catch(() => {});
  }
  // Also while the loop is busy with an event.
  const abort = () => void cancel();
  let parser: ResponseParser | undefined;
  try {
    const { signal: given, ...rest } = object(options, "options");
    signal = checkedSignal(given);
    signal?.addEventListener("abort", abort);
    parser = new ResponseParser(rest);
    for (;;) {
      signal?.throwIfAborted();
      const next = await unlessAborted(chunks.next(), signal);
      // A stream that was cancelled is done, but its message is not.
      signal?.throwIfAborted();
      if (next.done) break;
      yield* unlessAbortedBetween(parser.feed(next.value), signal);
    }
    isOver = true;
    yield* unlessAbortedBetween(parser.finish(), signal);
  } finally {
    signal?.removeEventListener("abort", abort);
    parser?.free();
    const cancelled = cancel();
    // A source that stalls may never have ended.
    if (!signal?.aborted) await cancelled;
  }
}

/** Turns chunks of a provider's response into events. */
export class FollowupStream extends TransformStream<Uint8Array | string, FollowupEvent> {
  constructor(options?: ResponseOptions) {
    const parser = new ResponseParser(options);
    // Not every engine calls `cancel`; there the parser is freed once it is collected.
    const transformer: Transformer<Uint8Array | string, FollowupEvent> & { cancel(): void } = {
      transform(chunk, controller) {
        try {
          parser.feed(chunk).forEach((event) => controller.enqueue(event));
        } catch (error) {
          parser.free();
          throw error;
        }
      },
      flush(controller) {
        try {
          parser.finish().forEach((event) => controller.enqueue(event));
        } finally {
          parser.free();
        }
      },
      cancel: () => parser.free(),
    };
    super(transformer);
  }
}

function checkedSignal(signal: unknown): AbortSignal | undefined {
  // That of another realm is no instance of this one's class. `fetch` takes null, too.
  const isSignal = typeof signal === "object" && (signal === null || ("aborted" in signal && "throwIfAborted" in signal));
  if (signal !== undefined && !isSignal) throw new TypeError(`signal: an AbortSignal was expected, not ${kind(signal)}`);
  return (signal as AbortSignal | null) ?? undefined;
}

/** The chunks of a source, read by hand: a loop could not be left while it waits for one. */
interface Chunks {
  next(): Promise<IteratorResult<Uint8Array | string, unknown>>;
  cancel(reason: unknown): Promise<unknown>;
}

function open(source: Source): Chunks {
  // A text can be iterated, too: character by character.
  const body = source instanceof Response ? (source.body ?? []) : typeof source === "string" ? [source] : source;
  if (body instanceof ReadableStream) {
    // Not every engine can iterate over a stream.
    const reader = (body as ReadableStream<Uint8Array | string>).getReader();
    return {
      next: () => reader.read() as Promise<IteratorResult<Uint8Array | string, unknown>>,
      cancel: (reason) => reader.cancel(reason),
    };
  }
  if (Object(body) !== body || !(Symbol.asyncIterator in body || Symbol.iterator in body)) {
    throw new TypeError(`source: a Response, a ReadableStream or an iterable was expected, not ${kind(body)}`);
  }
  const iterator = Symbol.asyncIterator in body ? body[Symbol.asyncIterator]() : body[Symbol.iterator]();
  return { next: async () => iterator.next(), cancel: async () => iterator.return?.() };
}

/** Yields events until the signal, which may come while the loop is busy with one of them. */
function* unlessAbortedBetween(events: readonly FollowupEvent[], signal: AbortSignal | undefined): Generator<FollowupEvent, void> {
  for (const event of events) {
    yield event;
    signal?.throwIfAborted();
  }
}

/** Returns what a promise gives, but waits for it only until the signal. */
function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener("abort", abort);
    void promise.then(resolve, reject).then(() => signal.removeEventListener("abort", abort));
  });
}
