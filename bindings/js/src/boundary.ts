// Calls the WebAssembly module of the parsers, and decodes its output into event objects.

import type { Field, FollowupEvent } from "./events.js";
import type { CallView } from "./view.js";

/** What the WebAssembly module exports. */
interface ParserExports {
  memory: WebAssembly.Memory;
  input(len: number): number;
  place(): number;
  create(options: number, checkpoint: number): number;
  free(number: number): void;
  feed(number: number, len: number): number;
  finish(number: number): number;
  // Not in the module of `followup/core`.
  checkpoint?(number: number): number;
  format?(number: number): void;
}

const FIELDS: readonly Field[] = [
  "question",
  "suggestion",
  "header",
  "detail",
  "description",
  "preview",
  "title",
];

/** There is no such string or number. */
const NONE = 0xffffffff;

/**
 * The bytes of the largest slice of a chunk. The memory needs room for a slice three times: as
 * input, in the parser, and as output.
 */
const SLICE = 2 ** 20;
/** The length of the longest string that every engine can have. */
const LONGEST = 2 ** 28 - 16;
/** What two events have in common that are about the same text. */
const SAME = ["type", "tool", "id", "call", "field", "questionIndex", "suggestionIndex"];
/** A code unit has at most three bytes of UTF-8. */
const SLICE_UNITS = Math.floor(SLICE / 3);

/** Strings up to this length are copied by a loop, which costs less than a call of a coder. */
const SHORT = 48;

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

type Mutable = Record<string, unknown>;

/** A call as far as it has been shown, by the parser before the checkpoint as well. */
export interface Shown {
  readonly type: "shown";
  readonly view: CallView;
}

/**
 * Appends an event to the last one, if only the end of a slice parts them. Returns whether it did.
 */
function append(one: object | undefined, two: object): boolean {
  const [last, next] = [one as Mutable | undefined, two as Mutable];
  if (!last || !SAME.every((key) => last[key] === next[key])) return false;
  const text = { text: "text", opaque: "raw", partial: "delta" }[last["type"] as string];
  if (text === undefined || next["start"] === true) return false;
  const [start, end] = [last[text] as string, next[text] as string];
  if (start.length + end.length > LONGEST) return false;
  last[text] = start + end;
  if (next["known"]) last["known"] = { ...(last["known"] as object), ...(next["known"] as object) };
  return true;
}

/**
 * The boundary between JavaScript and the parser: numbers and bytes on one side, objects on the
 * other.
 */
export class Boundary {
  readonly #module: WebAssembly.Module;
  readonly #wasm: ParserExports;
  #bytes: Uint8Array;
  #words: Uint32Array;
  /** The index of the word that tells where the output is. */
  readonly #place: number;
  /** The input, and how many bytes it has room for. */
  #input = 0;
  #room = 0;
  /** The output that is being read: the next word, the text, and how much of it is read. */
  #at = 0;
  #text = "";
  #used = 0;
  /** The error that says why this instance is not used any more. */
  #failure: Error | undefined;

  constructor(module: WebAssembly.Module) {
    this.#module = module;
    this.#wasm = new WebAssembly.Instance(module).exports as unknown as ParserExports;
    this.#bytes = new Uint8Array(this.#wasm.memory.buffer);
    this.#words = new Uint32Array(this.#wasm.memory.buffer);
    this.#place = this.#wasm.place() >> 2;
  }

  /** Creates a parser. Throws an error that says what is wrong with the options. */
  create(options: string, checkpoint: Uint8Array): number {
    const text = encoder.encode(options);
    const at = this.#reserve(text.length + checkpoint.length);
    this.#bytes.set(text, at);
    this.#bytes.set(checkpoint, at + text.length);
    const number = this.#call(() => this.#wasm.create(text.length, checkpoint.length));
    if (number === 0) throw new TypeError(this.#readText());
    return number;
  }

  /** Whether the module has providers' streams and checkpoints; that of `followup/core` has not. */
  get isWhole(): boolean {
    return this.#wasm.checkpoint !== undefined;
  }

  /** This boundary; another one to the same module if the instance has failed. */
  get usable(): Boundary {
    return this.#failure === undefined ? this : new Boundary(this.#module);
  }

  free(number: number): void {
    if (this.#failure === undefined) this.#call(() => this.#wasm.free(number));
  }

  feed(number: number, chunk: string | Uint8Array): (FollowupEvent | Shown)[] {
    const size = typeof chunk === "string" ? SLICE_UNITS : SLICE;
    return chunk.length <= size ? this.#feed(number, chunk) : this.#feedSlices(number, chunk, size);
  }

  finish(number: number): (FollowupEvent | Shown)[] {
    return this.#events(this.#call(() => this.#wasm.finish(number)));
  }

  checkpoint(number: number): Uint8Array {
    const { checkpoint } = this.#wasm;
    if (!checkpoint) throw new TypeError("followup/core has no checkpoints: import from followup");
    const len = this.#call(() => checkpoint(number));
    this.#room = 0; // The input has moved.
    const at = this.#reserve(len);
    return this.#bytes.slice(at, at + len);
  }

  format(number: number): string {
    this.#call(() => this.#wasm.format?.(number));
    return this.#readText();
  }

  #feed(number: number, chunk: string | Uint8Array): (FollowupEvent | Shown)[] {
    const len = typeof chunk === "string" ? this.#writeString(chunk) : this.#writeBytes(chunk);
    if (this.#failure !== undefined) throw this.#failure;
    let words: number;
    try {
      // Not by `#call`, which takes a tenth of the time of a delta.
      words = this.#wasm.feed(number, len);
    } catch (cause) {
      throw this.#failed(cause);
    }
    return this.#events(words);
  }

  #feedSlices(number: number, chunk: string | Uint8Array, size: number): (FollowupEvent | Shown)[] {
    // If there is no room for a later slice, the first one is not fed.
    this.#reserve(SLICE);
    const events: (FollowupEvent | Shown)[] = [];
    for (let start = 0, end = 0; start < chunk.length; start = end) {
      end = Math.min(start + size, chunk.length);
      // A surrogate pair is not cut.
      if (
        typeof chunk === "string" &&
        end < chunk.length &&
        (chunk.charCodeAt(end - 1) & 0xfc00) === 0xd800
      )
        end -= 1;
      const slice =
        typeof chunk === "string" ? chunk.slice(start, end) : chunk.subarray(start, end);
      for (const event of this.#feed(number, slice)) {
        if (!append(events.at(-1), event)) events.push(event);
      }
    }
    return events;
  }

  /** Runs a function of the module. If that fails, the instance is given up. */
  #call<T>(run: () => T): T {
    if (this.#failure !== undefined) throw this.#failure;
    try {
      return run();
    } catch (cause) {
      throw this.#failed(cause);
    }
  }

  /**
   * Stops using the instance: its state may be half written. The usual cause is memory that could
   * not grow.
   */
  #failed(cause: unknown): Error {
    const message =
      "the module has failed, and with it all its parsers, maybe for lack of memory: create a new parser";
    return (this.#failure = new Error(message, { cause }));
  }

  /** Returns where the input begins, which has room for so many bytes. */
  #reserve(len: number): number {
    if (len > this.#room) {
      const at = len < 2 ** 31 ? this.#call(() => this.#wasm.input(len)) >>> 0 : 0;
      if (at === 0) throw new RangeError(`${len} bytes do not fit into the memory of the module`);
      this.#input = at;
      this.#room = len;
    }
    this.#refresh();
    return this.#input;
  }

  /** A memory that grew has another buffer; the old one is empty then. */
  #refresh(): void {
    if (this.#bytes.length === 0) {
      this.#bytes = new Uint8Array(this.#wasm.memory.buffer);
      this.#words = new Uint32Array(this.#wasm.memory.buffer);
    }
  }

  #writeString(text: string): number {
    const at = this.#reserve(text.length * 3);
    let i = 0;
    if (text.length <= SHORT) {
      for (; i < text.length; i++) {
        const code = text.charCodeAt(i);
        if (code > 0x7f) break;
        this.#bytes[at + i] = code;
      }
      if (i === text.length) return i;
    }
    return (
      i + encoder.encodeInto(i === 0 ? text : text.slice(i), this.#bytes.subarray(at + i)).written
    );
  }

  #writeBytes(chunk: Uint8Array): number {
    const at = this.#reserve(chunk.length);
    this.#bytes.set(chunk, at);
    return chunk.length;
  }

  #readText(): string {
    this.#refresh();
    const at = this.#words[this.#place + 1] as number;
    const len = this.#words[this.#place + 2] as number;
    if (len <= SHORT) {
      let text = "";
      let i = 0;
      for (; i < len; i++) {
        const code = this.#bytes[at + i] as number;
        if (code > 0x7f) break;
        text += String.fromCharCode(code);
      }
      if (i === len) return text;
    }
    return decoder.decode(this.#bytes.subarray(at, at + len));
  }

  /** Reads the events of the output. */
  #events(words: number): (FollowupEvent | Shown)[] {
    if (words === 0) return [];
    this.#text = this.#readText();
    this.#used = 0;
    this.#at = (this.#words[this.#place] as number) >>> 2;
    const end = this.#at + words;
    const events: (FollowupEvent | Shown)[] = [];
    while (this.#at < end) events.push(this.#event());
    this.#text = "";
    return events;
  }

  #event(): FollowupEvent | Shown {
    switch (this.#word()) {
      case 0:
        return { type: "text", text: this.#string() };
      case 1: {
        const start = this.#word() === 1;
        const event: Mutable = { type: "opaque", tool: this.#string(), raw: this.#string(), start };
        this.#optional(event, "id");
        return event as unknown as FollowupEvent;
      }
      case 2:
        return this.#partial();
      case 4:
        return { type: "shown", view: this.#value(this.#word()) as CallView };
      default:
        return this.#value(this.#word()) as FollowupEvent;
    }
  }

  #partial(): FollowupEvent {
    const call = this.#word();
    const field = FIELDS[this.#word()];
    const questionIndex = this.#word();
    const suggestionIndex = this.#word();
    const event: Mutable = { type: "partial", call, field, questionIndex, delta: this.#string() };
    if (suggestionIndex !== NONE) event["suggestionIndex"] = suggestionIndex;
    this.#optional(event, "id");
    this.#optional(event, "tool");
    const known = this.#word();
    if (known !== NONE) {
      const value = this.#value(known) as object;
      if (Object.keys(value).length > 0) event["known"] = value;
    }
    return event as unknown as FollowupEvent;
  }

  #word(): number {
    return this.#words[this.#at++] as number;
  }

  #string(): string {
    const start = this.#used;
    this.#used += this.#word();
    return start === 0 && this.#used === this.#text.length
      ? this.#text
      : this.#text.slice(start, this.#used);
  }

  #optional(event: Mutable, key: string): void {
    if (this.#words[this.#at] === NONE) this.#at++;
    else event[key] = this.#string();
  }

  /** Reads a value of this type. */
  #value(type: number): unknown {
    switch (type) {
      case 0:
      case 1:
        return type === 1;
      case 2: {
        const low = this.#word();
        return low + this.#word() * 2 ** 32;
      }
      case 3:
        return this.#string();
      case 4:
        return Array.from({ length: this.#word() }, () => this.#value(this.#word()));
      default: {
        const map: Mutable = {};
        for (let left = this.#word(); left > 0; left--) {
          const key = this.#string();
          map[key] = this.#value(this.#word());
        }
        return map;
      }
    }
  }
}
