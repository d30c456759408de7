// The parser classes: one for messages, one for native arguments, one for provider responses.

import { Boundary, type Shown } from "./boundary.js";
import { isBytes } from "./chunks.js";
import type { FollowupEvent } from "./events.js";
import { dispose, forgotten } from "./forgotten.js";
import { checkedModule } from "./module/check.js";
import { check, encode, kind, type PolicyOptions, type ResponseOptions } from "./options.js";
import { append, type CallView, emptyView } from "./view.js";

const NO_BYTES = new Uint8Array();

let installed: Boundary | undefined;

/**
 * Sets the module in which parsers run, a compiled `WebAssembly.Module`. The first one is kept;
 * only the whole module replaces that of `followup/core`, for parsers that are created later.
 *
 * Only a host that imports from `followup/host`, `followup/core/host` or `followup/ai-sdk/host` has
 * to call it: the other entries have a module. Cost: that of an instance, about 0.2 ms.
 *
 * The types of Node do not know that class, so it is not named here.
 *
 * ```js
 * import { readFileSync } from "node:fs";
 * import { install, Parser } from "followup/host";
 *
 * const file = new URL(import.meta.resolve("followup/followup.wasm"));
 * install(new WebAssembly.Module(readFileSync(file)));
 * assert.deepEqual(new Parser().feed("Hi"), [{ type: "text", text: "Hi" }]);
 * ```
 *
 * @throws TypeError if it is no module, or another one than `followup.wasm` or
 *   `followup-core.wasm`.
 */
export function install(module: object): void {
  const checked = checkedModule(module, "feed", "followup.wasm or followup-core.wasm");
  if (installed?.isWhole) return;
  const boundary = new Boundary(checked);
  if (installed === undefined || boundary.isWhole) installed = boundary;
}

function boundary(): Boundary {
  if (installed === undefined) throw new TypeError("there is no module yet: call install first");
  return (installed = installed.usable);
}

/** A parser in the module, with what JavaScript keeps of it. */
abstract class Base {
  readonly #boundary = boundary();
  #number: number;
  /** The first half of a surrogate pair in which the last string ended. */
  #pending = "";
  readonly #views = new Map<number, CallView>();

  protected constructor(options: string, checkpoint: Uint8Array | undefined) {
    let stored = checkpoint ?? NO_BYTES;
    if (checkpoint !== undefined) {
      if (!isBytes(checkpoint))
        throw new TypeError(`checkpoint: bytes were expected, not ${kind(checkpoint)}`);
      if (checkpoint.length < 3) throw new TypeError("the bytes are no checkpoint");
      const unit = new DataView(checkpoint.buffer, checkpoint.byteOffset).getUint16(0);
      if (unit !== 0 && (unit < 0xd800 || unit > 0xdbff))
        throw new TypeError("the bytes are no checkpoint");
      this.#pending = unit === 0 ? "" : String.fromCharCode(unit);
      stored = checkpoint.subarray(2);
    }
    this.#number = this.#boundary.create(options, stored);
    forgotten?.register(this, { boundary: this.#boundary, number: this.#number }, this);
  }

  /**
   * Feeds the next chunk, which may end anywhere, and returns its events.
   *
   * The events of all chunks together do not depend on where they end. A string may end inside a
   * surrogate pair, and bytes inside a character. Cost: linear in the length of the chunk, whatever
   * came before it. The chunk is copied, so its buffer can be used again.
   *
   * ```js
   * import { Parser } from "followup";
   *
   * const parser = new Parser();
   * assert.deepEqual(parser.feed("So: <ask_follow"), [{ type: "text", text: "So: " }]);
   * const [partial] = parser.feed("up_question><question>Tea or cof");
   * assert.equal(partial?.type === "partial" && partial.delta, "Tea or cof");
   * ```
   *
   * @throws TypeError if the chunk is neither a string nor a `Uint8Array`, or the parser has been
   *   freed.
   * @throws RangeError if the chunk finds no room in the module's memory. The parser is unchanged.
   * @throws Error if the module's memory is exhausted. From then on all functions of the parsers
   *   that share it throw, too. Parsers that are created later have a new one.
   */
  feed(chunk: string | Uint8Array): FollowupEvent[] {
    const number = this.#open();
    if (typeof chunk === "string") {
      let text = this.#pending === "" ? chunk : this.#pending + chunk;
      const last = text.charCodeAt(text.length - 1);
      let pending = "";
      if (last >= 0xd800 && last < 0xdc00) {
        pending = text.slice(-1);
        text = text.slice(0, -1);
      }
      const taken = this.#boundary.feed(number, text);
      // Not before: a chunk that finds no room may be fed again.
      this.#pending = pending;
      return this.#take(taken);
    }
    if (!isBytes(chunk)) throw wrongChunk(chunk);
    // The other half of a surrogate pair may come after it.
    if (chunk.length === 0) return [];
    const taken = this.#boundary.feed(
      number,
      this.#pending === "" ? chunk : afterReplacement(chunk),
    );
    this.#pending = "";
    return this.#take(taken);
  }

  /**
   * Ends the stream and returns its last events. Afterwards the parser is ready for the next one.
   *
   * A call that is still open is complete if only its end is missing, and rejected otherwise.
   *
   * ```js
   * import { Parser } from "followup";
   *
   * const parser = new Parser();
   * parser.feed("<ask_followup_question><question>Tea or cof");
   * const [rejected] = parser.finish();
   * assert.equal(rejected?.type === "rejected" && rejected.code, "truncated");
   * ```
   *
   * @throws TypeError if the parser has been freed.
   */
  finish(): FollowupEvent[] {
    const number = this.#open();
    // Half a surrogate pair that nothing completes.
    const last = this.#pending === "" ? [] : this.#boundary.feed(number, "\ufffd");
    this.#pending = "";
    const events = this.#take([...last, ...this.#boundary.finish(number)]);
    this.#views.clear();
    return events;
  }

  /**
   * Returns an open call as far as it has been shown: the one with this index, or the newest;
   * `undefined` if it is not open. A parser that continues from a checkpoint knows a call that was
   * open then from its next partial on.
   *
   * It is the sum of the partials, kept as they come, so it costs nothing. It is one object that
   * grows until the call ends: copy it to keep its present state.
   *
   * ```js
   * import { Parser } from "followup";
   *
   * const parser = new Parser();
   * parser.feed("<ask_followup_question><question>Tea or ");
   * parser.feed("coffee?</question><suggest>Te");
   * assert.equal(parser.view()?.questions[0]?.text, "Tea or coffee?");
   * assert.equal(parser.view()?.questions[0]?.suggestions[0]?.answer, "Te");
   * ```
   *
   * @throws TypeError if the index is no number, or the parser has been freed.
   */
  view(call?: number): CallView | undefined {
    this.#open();
    if (call !== undefined) return this.#views.get(check(call, "number", "call"));
    let newest: CallView | undefined;
    for (const view of this.#views.values()) newest = view;
    return newest;
  }

  /**
   * Returns the state between two chunks, as bytes with a version and a checksum. It depends only
   * on the options and on what was fed. A parser of the same class and options continues with it,
   * in another process as well. Cost: linear in the text of the open calls, which it holds.
   *
   * ```js
   * import { Parser } from "followup";
   *
   * const first = new Parser();
   * first.feed("<ask_followup_question><question>Tea or cof");
   * const second = new Parser({}, first.checkpoint());
   * const events = second.feed("fee?</question></ask_followup_question>");
   * const complete = events.find((event) => event.type === "complete");
   * assert.equal(complete?.type === "complete" && complete.question, "Tea or coffee?");
   * ```
   *
   * @throws TypeError with the module of `followup/core`, which has no checkpoints, or if the
   *   parser has been freed.
   */
  checkpoint(): Uint8Array {
    const stored = this.#boundary.checkpoint(this.#open());
    const bytes = new Uint8Array(stored.length + 2);
    new DataView(bytes.buffer).setUint16(0, this.#pending === "" ? 0 : this.#pending.charCodeAt(0));
    bytes.set(stored, 2);
    return bytes;
  }

  /**
   * Frees the memory. A parser that is used afterwards throws, also by `view()`; to free it again
   * does nothing. One that is forgotten is freed later, where the engine can tell.
   *
   * ```js
   * import { Parser } from "followup";
   *
   * const parser = new Parser();
   * parser.free();
   * parser.free();
   * assert.throws(() => parser.feed("Hi"), { name: "TypeError", message: "the parser has been freed" });
   * ```
   */
  free(): void {
    if (this.#number === 0) return;
    forgotten?.unregister(this);
    this.#boundary.free(this.#number);
    this.#number = 0;
    this.#views.clear();
  }

  /** Frees the memory, at the end of a block with `using`. */
  [dispose](): void {
    this.free();
  }

  /** Returns the format of the body; empty while it is not known. */
  protected format(): string {
    return this.#boundary.format(this.#open());
  }

  #open(): number {
    if (this.#number === 0) throw new TypeError("the parser has been freed");
    return this.#number;
  }

  #take(taken: (FollowupEvent | Shown)[]): FollowupEvent[] {
    let isShown = false;
    for (const event of taken) {
      if (event.type === "partial") {
        let view = this.#views.get(event.call);
        if (view === undefined) this.#views.set(event.call, (view = emptyView(event)));
        append(view, event);
      } else if (event.type === "complete" || event.type === "rejected") {
        this.#views.delete(event.call);
      } else if (event.type === "shown") {
        isShown = true;
        this.#views.set(event.view.call, event.view);
      }
    }
    return isShown ? taken.filter((event) => event.type !== "shown") : (taken as FollowupEvent[]);
  }
}

/**
 * Parses messages with calls as text: markup, and the models' own envelopes.
 *
 * It returns only what no later chunk can change: the events do not depend on how the message is
 * cut.
 *
 * ```js
 * import { Parser } from "followup";
 *
 * const parser = new Parser({ strict: true });
 * const asked = "<question>Tea?</question><follow_up><suggest>Yes</suggest></follow_up>";
 * const message = `So: <ask_followup_question>${asked}</ask_followup_question>`;
 * const all = [...parser.feed(message), ...parser.finish()];
 * const complete = all.find((event) => event.type === "complete");
 * assert.equal(complete?.type === "complete" && complete.question, "Tea?");
 * ```
 */
export class Parser extends Base {
  /**
   * Creates a parser, which continues from a checkpoint if there is one.
   *
   * @throws TypeError if an option is wrong, or the checkpoint is damaged, of another version, of
   * other options, or of another kind of parser.
   */
  constructor(options?: PolicyOptions, checkpoint?: Uint8Array) {
    super(encode(options, undefined), checkpoint);
  }
}

/**
 * Parses the arguments of native calls of a question tool. Each stream is one call, and `finish`
 * ends it.
 *
 * ```js
 * import { ArgumentsParser } from "followup";
 *
 * const parser = new ArgumentsParser("ask_followup_question");
 * const [partial] = parser.feed('{"question": "Tea or cof');
 * assert.equal(partial?.type === "partial" && partial.delta, "Tea or cof");
 * parser.feed('fee?", "follow_up": [{"text": "Tea"}]}');
 * const complete = parser.finish().at(-1);
 * assert.deepEqual(complete?.type === "complete" && complete.suggestions, [{ answer: "Tea" }]);
 * ```
 */
export class ArgumentsParser extends Base {
  /**
   * Creates a parser for calls of the tool with this name, which continues from a checkpoint if
   * there is one.
   *
   * @throws TypeError if the name is none of a question tool, an option is wrong, or the checkpoint
   *   is damaged, of another version, of other options or another tool, or of another kind of
   *   parser.
   */
  constructor(tool: string, options?: PolicyOptions, checkpoint?: Uint8Array) {
    super(encode(options, { tool }), checkpoint);
    if (checkpoint !== undefined) this.#checkTool(encode(options, { tool }), checkpoint);
  }

  /** Throws if the checkpoint is of another tool than the one that is given. */
  #checkTool(options: string, checkpoint: Uint8Array): void {
    const was = toolOf(options, checkpoint);
    // Where the call has ended, nothing tells, and nothing depends on it.
    if (was === undefined || was === toolOf(options, undefined)) return;
    this.free();
    throw new TypeError(
      `the checkpoint was made under another tool: resume it under ${was}, which its parser had`,
    );
  }
}

/** Returns the bytes after U+FFFD, in place of half a surrogate pair that nothing completes. */
function afterReplacement(chunk: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(chunk.length + 3);
  bytes.set([0xef, 0xbf, 0xbd]);
  bytes.set(chunk, 3);
  return bytes;
}

/**
 * Returns the error of a chunk that is neither text nor bytes. A plain object is usually what a
 * provider's SDK has parsed.
 */
function wrongChunk(chunk: unknown): TypeError {
  const isParsed = Object.prototype.toString.call(chunk) === "[object Object]";
  const hint = isParsed
    ? ": if it comes from a provider's SDK, read the response itself, which asResponse() returns"
    : "";
  return new TypeError(`a string or a Uint8Array was expected, not ${kind(chunk)}${hint}`);
}

/** A parser of any kind. */
class AnyParser extends Base {
  constructor(options: string, checkpoint: Uint8Array | undefined) {
    super(options, checkpoint);
  }
}

/** Returns the tool whose arguments a parser reads: only the end of its call names it. */
function toolOf(options: string, checkpoint: Uint8Array | undefined): string | undefined {
  const parser = new AnyParser(options, checkpoint);
  const end = parser.finish().at(-1);
  parser.free();
  return end?.type === "complete" || end?.type === "rejected" ? end.tool : undefined;
}

/**
 * Parses the bodies of a provider's responses: a stream of events, or a response as a whole.
 *
 * The calls in text and the native ones come as the same events. `events` and `FollowupStream` do
 * this for a `Response` or a stream.
 *
 * ```js
 * import { ResponseParser } from "followup";
 *
 * const parser = new ResponseParser({ format: "openai-chat" });
 * const events = parser.feed('data: {"choices":[{"delta":{"content":"Hi"}}]}\n\n');
 * assert.deepEqual(events, [{ type: "text", text: "Hi" }]);
 * ```
 */
export class ResponseParser extends Base {
  /**
   * Creates a parser, which continues from a checkpoint if there is one. Then `reasoning` is that
   * of the checkpoint.
   *
   * @throws TypeError if an option is wrong, with the module of `followup/core`, or if the
   *   checkpoint is damaged, of another version, of other options or another format, or of another
   *   kind of parser.
   */
  constructor(options?: ResponseOptions, checkpoint?: Uint8Array) {
    super(encode(options, "response"), checkpoint);
    if (checkpoint !== undefined) this.#checkFormat(options?.format);
  }

  /** Throws if the checkpoint is of another format than the one that is given. */
  #checkFormat(format: string | undefined): void {
    const resumed = this.detectedFormat;
    if (format === undefined || format === "auto" || format === resumed) return;
    this.free();
    if (resumed === undefined)
      throw new TypeError("the format of the checkpoint's body is not known yet: pass format auto");
    throw new TypeError(
      `the checkpoint was made under another format: resume it under ${resumed}, which its parser had, or auto`,
    );
  }

  /**
   * The format of the body, also after `finish` until the next chunk; `undefined` while it is not
   * known.
   *
   * ```js
   * import { ResponseParser } from "followup";
   *
   * const parser = new ResponseParser();
   * assert.equal(parser.detectedFormat, undefined);
   * parser.feed('data: {"choices":[{"delta":{"content":"Hi"}}]}\n\n');
   * assert.equal(parser.detectedFormat, "openai-chat");
   * ```
   *
   * @throws TypeError if the parser has been freed.
   */
  get detectedFormat(): string | undefined {
    return this.format() || undefined;
  }
}
