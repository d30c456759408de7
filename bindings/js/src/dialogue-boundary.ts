/** What the module of the dialogue exports. All but `input` and `free` return 1, or 0 for an error. */
interface Exports extends Record<Action, (dialogue: number, len: number) => number> {
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
  | "history"
  | "take_history";

/** Why the dialogue does not accept an answer, another end of a question, guidance or a history. */
export class DialogueError extends Error {
  override readonly name = "DialogueError";

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
  readonly #wasm: Exports;

  constructor(module: object) {
    this.#wasm = new WebAssembly.Instance(module as WebAssembly.Module).exports as unknown as Exports;
  }

  create(options: unknown): number {
    return this.#result(this.#wasm.create(this.#write(options)), "options") as number;
  }

  /** Runs an action. `what` names its argument in errors. */
  run(dialogue: number, action: Action, argument: unknown, what: string): unknown {
    return this.#result(this.#wasm[action](dialogue, this.#write(argument)), what);
  }

  messages(argument: unknown): unknown {
    return this.#result(this.#wasm.messages(this.#write(argument)), "messages");
  }

  free(dialogue: number): void {
    this.#wasm.free(dialogue);
  }

  #write(value: unknown): number {
    const bytes = encoder.encode(JSON.stringify(value ?? null, plain));
    const at = this.#wasm.input(bytes.length);
    new Uint8Array(this.#wasm.memory.buffer).set(bytes, at);
    return bytes.length;
  }

  #result(succeeded: number, what: string): unknown {
    const at = this.#wasm.output();
    const bytes = new Uint8Array(this.#wasm.memory.buffer, at, this.#wasm.output_len());
    const value: unknown = JSON.parse(decoder.decode(bytes));
    if (succeeded === 1) return value;
    const { code, message } = value as { code: string; message: string };
    throw code === "type" ? new TypeError(`${what}: ${message}`) : new DialogueError(code, message);
  }
}

/** Returns a value as JSON can have it. Half a surrogate pair, which Rust's strings can't have, becomes U+FFFD. */
function plain(key: string, value: unknown): unknown {
  const isPlain = typeof value === "number" ? Number.isFinite(value) : !["function", "symbol", "bigint"].includes(typeof value);
  if (!isPlain) throw new TypeError(`${key || "value"}: plain data was expected, not ${String(value)}`);
  return typeof value === "string" ? value.replace(/\p{Surrogate}/gu, "\ufffd") : value;
}
