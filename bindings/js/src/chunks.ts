// Opens a response, a stream or an iterable, and reads its chunks in one and the same way.

import { kind } from "./options.js";
import { StatusError } from "./status.js";

/**
 * A response of any library: those of undici and node-fetch have another class than that of
 * `fetch`.
 */
export interface ResponseLike<T> {
  readonly ok: boolean;
  readonly status: number;
  readonly statusText: string;
  readonly body: ReadableStream<T> | AsyncIterable<T> | Iterable<T> | null;
}

/** What can be read: a response, a stream, or what can be iterated. */
export type Readable<T> =
  Response | ResponseLike<T> | ReadableStream<T> | AsyncIterable<T> | Iterable<T>;

/** The chunks of a source, read by hand: a loop could not be left while it waits for one. */
export interface Chunks<T> {
  next(): Promise<IteratorResult<T, unknown>>;
  cancel(reason?: unknown): Promise<unknown>;
  /** The error that the status of a response means. */
  readonly failure: StatusError | undefined;
}

/**
 * Opens a source. A response and a stream are known by their shape: those of a library or another
 * realm have other classes.
 */
export function open<T>(source: Readable<T>): Chunks<T> {
  const failure = isResponse(source) && source.ok === false ? new StatusError(source) : undefined;
  // A text can be iterated, too: character by character.
  const body: unknown = isResponse(source)
    ? (source.body ?? [])
    : typeof source === "string"
      ? [source]
      : source;
  if (isStream<T>(body)) {
    // Not every engine can iterate over a stream.
    const reader = body.getReader();
    return {
      next: () => reader.read() as Promise<IteratorResult<T, unknown>>,
      cancel: (reason) => reader.cancel(reason),
      failure,
    };
  }
  const iterator = iterate<T>(body);
  return { next: async () => iterator.next(), cancel: async () => iterator.return?.(), failure };
}

/** Returns `true` if `open` accepts the value. */
export function isReadable(value: unknown): boolean {
  return typeof value === "string" || isResponse(value) || isStream(value) || isIterable(value);
}

/** Whether a value is bytes, also those of another realm. */
export function isBytes(value: unknown): value is Uint8Array {
  return (
    ArrayBuffer.isView(value) && (value as Partial<Uint8Array>)[Symbol.toStringTag] === "Uint8Array"
  );
}

function isResponse<T>(value: unknown): value is ResponseLike<T> {
  return (
    isObject(value) && "body" in value && "status" in value && typeof value.status === "number"
  );
}

function isStream<T>(value: unknown): value is ReadableStream<T> {
  return isObject(value) && "getReader" in value && typeof value.getReader === "function";
}

function isIterable(value: unknown): boolean {
  return isObject(value) && (Symbol.asyncIterator in value || Symbol.iterator in value);
}

function isObject(value: unknown): value is object {
  return Object(value) === value;
}

function iterate<T>(body: unknown): AsyncIterator<T, unknown> | Iterator<T, unknown> {
  if (isObject(body) && Symbol.asyncIterator in body)
    return (body as AsyncIterable<T>)[Symbol.asyncIterator]();
  if (isObject(body) && Symbol.iterator in body) return (body as Iterable<T>)[Symbol.iterator]();
  throw new TypeError(
    `source: a Response, a ReadableStream or an iterable was expected, not ${kind(body)}`,
  );
}
