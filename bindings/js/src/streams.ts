// Reads the events of a provider's response, as an async generator or as a transform stream.

import { type Chunks, open, type ResponseLike } from "./chunks.js";
import type { FollowupEvent } from "./events.js";
import { kind, object, type ResponseOptions } from "./options.js";
import { ResponseParser } from "./parsers.js";
import { Gate } from "./status.js";

/** What events can be read from: bytes or text, in chunks that end anywhere. */
export type Source =
  | Response
  | ResponseLike<Uint8Array | string>
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
 * The source is opened at once, also locked; end the generator if you do not iterate. It is read no
 * faster than the events are taken. It is cancelled if the loop is left, if the generator is ended
 * before its first event, if the signal is aborted, and if the options are wrong. Once the signal
 * is aborted no event comes any more, not even one that has been parsed already: the loop throws
 * the signal's reason.
 *
 * Of a `Response` whose status is an error, such as 502, only `error` events come, and at its end
 * the loop throws a `StatusError`, unless the provider has said what is wrong.
 *
 * ```js
 * import { events } from "followup";
 *
 * const response = new Response('data: {"choices":[{"delta":{"content":"Hi"}}]}\n\n'); // of fetch, usually
 * const abort = new AbortController();
 * let text = "";
 * for await (const event of events(response, { signal: abort.signal })) {
 *   if (event.type === "text") text += event.text;
 * }
 * assert.equal(text, "Hi");
 * ```
 *
 * @throws TypeError at once if the source can't be read or is locked, or if an option is wrong. The
 *   loop throws the error of the source, the reason of the signal, a `StatusError`, or a
 *   `TypeError` for a chunk that is neither text nor bytes.
 */
export function events(
  source: Source,
  options: StreamOptions = {},
): AsyncGenerator<FollowupEvent, void> {
  const reading = new SourceReading(source, options);
  const generator = read(reading);
  const [end, fail] = [generator.return.bind(generator), generator.throw.bind(generator)];
  // A generator that has not started would end without its `finally`.
  const closed = <T>(result: Promise<T>) =>
    reading.hasStarted ? result : result.finally(() => reading.close());
  // A generator that waits for a chunk would end only after it, and one that has not started once a
  // stalled source has ended.
  generator.return = (value) => {
    reading.leave();
    return closed(end(value));
  };
  generator.throw = (error) => {
    reading.leave();
    return closed(fail(error));
  };
  return generator;
}

/** A source that is being read. */
class SourceReading {
  readonly chunks: Chunks<Uint8Array | string>;
  readonly parser: ResponseParser;
  readonly signal: AbortSignal | undefined;
  readonly #leaving = new AbortController();
  /** Also while the loop is busy with an event. */
  readonly #abort = () => void this.#cancel();
  hasStarted = false;
  isWaiting = false;
  /** Whether the source has ended, or has been cancelled. */
  isOver = false;

  constructor(source: Source, options: StreamOptions) {
    this.chunks = open<Uint8Array | string>(source);
    try {
      const { signal, ...rest } = object(options, "options");
      this.signal = checkedSignal(signal);
      this.parser = new ResponseParser(rest);
    } catch (error) {
      void this.#cancel();
      throw error;
    }
    this.signal?.addEventListener("abort", this.#abort);
    if (this.signal?.aborted) this.#abort();
  }

  /** Ends the wait for a chunk when the events are not wanted any more. */
  get leaving(): AbortSignal {
    return this.#leaving.signal;
  }

  leave(): void {
    if (this.isWaiting || !this.hasStarted) this.#leaving.abort();
  }

  async close(): Promise<void> {
    this.isWaiting = false;
    this.signal?.removeEventListener("abort", this.#abort);
    this.parser.free();
    const cancelled = this.#cancel();
    // A source that stalls may never have ended.
    if (!this.signal?.aborted && !this.leaving.aborted) await cancelled;
  }

  async #cancel(): Promise<void> {
    if (this.isOver) return;
    this.isOver = true;
    // What has broken already, as a response whose signal it is, can't be cancelled.
    await this.chunks.cancel(this.signal?.reason).catch(() => {});
  }
}

async function* read(reading: SourceReading): AsyncGenerator<FollowupEvent, void> {
  const { chunks, parser, signal, leaving } = reading;
  reading.hasStarted = true;
  const gate = new Gate(chunks.failure);
  try {
    for (;;) {
      signal?.throwIfAborted();
      reading.isWaiting = true;
      const next = await unlessAborted(unlessAborted(chunks.next(), signal), leaving);
      reading.isWaiting = false;
      // A stream that was cancelled is done, but its message is not.
      signal?.throwIfAborted();
      if (next.done) break;
      yield* unlessAbortedBetween(gate.pass(parser.feed(next.value)), signal);
    }
    reading.isOver = true;
    yield* unlessAbortedBetween(gate.pass(parser.finish()), signal);
    gate.end();
  } catch (error) {
    if (!leaving.aborted) throw error;
  } finally {
    await reading.close();
  }
}

/**
 * Turns chunks of a provider's response into events.
 *
 * It reads at most one chunk more than its reader asks for. It knows nothing of the status of a
 * response: pass that to `events`, or check `response.ok` before. A stream that is cancelled or
 * breaks emits no final events.
 *
 * ```js
 * import { FollowupStream } from "followup";
 *
 * const { body } = new Response('data: {"choices":[{"delta":{"content":"Hi"}}]}\n\n');
 * const reader = body?.pipeThrough(new FollowupStream()).getReader();
 * assert.deepEqual(await reader?.read(), { done: false, value: { type: "text", text: "Hi" } });
 * ```
 */
export class FollowupStream extends TransformStream<Uint8Array | string, FollowupEvent> {
  /**
   * Creates a stream. Throws a `TypeError` if an option is wrong. A wrong chunk breaks the stream
   * with one.
   */
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
  const isSignal =
    typeof signal === "object" &&
    (signal === null || ("aborted" in signal && "throwIfAborted" in signal));
  if (signal !== undefined && !isSignal)
    throw new TypeError(`signal: an AbortSignal was expected, not ${kind(signal)}`);
  return (signal as AbortSignal | null) ?? undefined;
}

/** Yields events until the signal, which may come while the loop is busy with one of them. */
function* unlessAbortedBetween(
  events: readonly FollowupEvent[],
  signal: AbortSignal | undefined,
): Generator<FollowupEvent, void> {
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
    // The source itself may have aborted it, and a signal fires only once.
    if (signal.aborted) abort();
    void promise.then(resolve, reject).then(() => signal.removeEventListener("abort", abort));
  });
}
