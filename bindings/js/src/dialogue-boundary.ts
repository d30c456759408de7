// Calls the WebAssembly module of the dialogue with JSON, and throws its errors.

import { withOurNames } from "./dialogue-convert.js";

/**
 * What the module of the dialogue exports. All but `input` and `free` return 1, or 0 for an error.
 */
interface DialogueExports extends Record<Action, (dialogue: number, len: number) => number> {
  memory: WebAssembly.Memory;
  input(len: number): number;
  output(): number;
  output_len(): number;
  create(len: number): number;
  messages(len: number): number;
  free(dialogue: number): void;
}

/** What can be done with a dialogue. */
export type Action =
  | "ask"
  | "correct"
  | "answer"
  | "cancel"
  | "decline"
  | "discuss"
  | "time_out"
  | "guide"
  | "state"
  | "checkpoint"
  | "history"
  | "take_history";

/**
 * Why the dialogue does not accept an answer, another end of a question, guidance, a history or a
 * checkpoint.
 *
 * ```js
 * import { Dialogue, DialogueError } from "followup/dialogue";
 *
 * try {
 *   new Dialogue().cancel(0);
 *   assert.fail("there is no question");
 * } catch (error) {
 *   if (!(error instanceof DialogueError)) throw error;
 *   assert.equal(error.code, "not_asked");
 * }
 * ```
 */
export class DialogueError extends Error {
  override readonly name = "DialogueError";

  /** Creates an error with this code. */
  constructor(
    /** The reason as one word, such as `already_answered`. */
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** The boundary between JavaScript and the dialogue: JSON in, JSON out. */
export class DialogueBoundary {
  readonly #module: object;
  readonly #wasm: DialogueExports;
  /** The error that says why this instance is not used any more. */
  #failure: Error | undefined;

  // The types of Node do not know the class of modules, so the signature does not name it.
  constructor(module: object) {
    this.#module = module;
    this.#wasm = new WebAssembly.Instance(module as WebAssembly.Module)
      .exports as unknown as DialogueExports;
  }

  /** This boundary; another one to the same module if the instance has failed. */
  get usable(): DialogueBoundary {
    return this.#failure === undefined ? this : new DialogueBoundary(this.#module);
  }

  create(options: unknown): number {
    try {
      return this.#run(options, "options", (len) => this.#wasm.create(len)) as number;
    } catch (error) {
      if (error instanceof TypeError) error.message = withOurNames(error.message);
      throw error;
    }
  }

  /** Runs an action. `what` names its argument in errors. */
  run(dialogue: number, action: Action, argument: unknown, what: string): unknown {
    return this.#run(argument, what, (len) => this.#wasm[action](dialogue, len));
  }

  messages(argument: unknown): unknown {
    return this.#run(argument, "messages", (len) => this.#wasm.messages(len));
  }

  free(dialogue: number): void {
    if (this.#failure === undefined) this.#call(() => this.#wasm.free(dialogue));
  }

  /** Runs a function of the module with this input, and returns what it makes the output. */
  #run(input: unknown, what: string, run: (len: number) => number): unknown {
    const len = this.#write(input);
    return this.#result(
      this.#call(() => run(len)),
      what,
    );
  }

  /**
   * Runs a function of the module. If that fails, the instance is given up: what it was doing is
   * half done.
   */
  #call<T>(run: () => T): T {
    if (this.#failure !== undefined) throw this.#failure;
    try {
      return run();
    } catch (cause) {
      // The usual cause is memory that could not grow.
      const message =
        "the module has failed, and with it all its dialogues, maybe for lack of memory: create a new dialogue";
      throw (this.#failure = new Error(message, { cause }));
    }
  }

  #write(value: unknown): number {
    const bytes = encoder.encode(JSON.stringify(value ?? null, plain));
    const at = bytes.length < 2 ** 31 ? this.#call(() => this.#wasm.input(bytes.length)) >>> 0 : 0;
    if (at === 0)
      throw new RangeError(`${bytes.length} bytes do not fit into the memory of the module`);
    new Uint8Array(this.#wasm.memory.buffer).set(bytes, at);
    return bytes.length;
  }

  #result(succeeded: number, what: string): unknown {
    const at = this.#wasm.output() >>> 0;
    const bytes = new Uint8Array(this.#wasm.memory.buffer, at, this.#wasm.output_len());
    const value: unknown = JSON.parse(decoder.decode(bytes));
    if (succeeded === 1) return value;
    const { code, message } = value as { code: string; message: string };
    throw code === "type"
      ? new TypeError(`${what}: ${inWords(message)}`)
      : new DialogueError(code, message);
  }
}

/** Returns an error of the module without the names of Rust's types. */
function inWords(message: string): string {
  return message
    .replace(/\bexpected (?:u32|u64|usize)\b/, "expected a whole number")
    .replace(/\bexpected a sequence\b/, "expected a list")
    .replace(/\bexpected struct \w+/, "expected an object");
}

/**
 * Returns a value as JSON can have it. Half a surrogate pair, which Rust's strings can't have,
 * becomes U+FFFD.
 */
function plain(key: string, value: unknown): unknown {
  const isPlain =
    typeof value === "number"
      ? Number.isFinite(value)
      : !["function", "symbol", "bigint"].includes(typeof value);
  if (!isPlain)
    throw new TypeError(`${key || "value"}: plain data was expected, not ${String(value)}`);
  return typeof value === "string" ? value.replace(/\p{Surrogate}/gu, "\ufffd") : value;
}
