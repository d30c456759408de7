// The options of the parsers, their validation, and their encoding for the WebAssembly module.

/** How a stream is read. */
export interface PolicyOptions {
  /** Reject calls that need a repair. */
  readonly strict?: boolean;
  /** Start no call inside code or thinking. */
  readonly outsideCode?: boolean;
  /** Decode `&lt;` and its like in questions, answers and modes. */
  readonly decodeEntities?: boolean;
  /** The models' own forms of a call to read in text: families, or `default` or `all`. */
  readonly envelopes?: readonly string[];
  /**
   * Other tools, whose calls in text are passed through, and their parameters. Default: those of
   * the agents with this format.
   */
  readonly tools?: { readonly tools: readonly string[]; readonly parameters?: readonly string[] };
  /**
   * Question tools besides `ask_followup_question`: names of built-in shapes, or texts of shapes.
   */
  readonly shapes?: readonly string[];
  /** Limits in bytes of UTF-8, or in numbers of questions and suggestions. */
  readonly limits?: CallLimits;
}

/** The limits of a call, in bytes of its text unless stated otherwise. */
export interface CallLimits {
  /** The length of a question. Default 100 KiB. A call with a longer one is rejected. */
  readonly question?: number;
  /** The length of an answer. Default 16 KiB. A call with a longer one is rejected. */
  readonly answer?: number;
  /** The number of suggestions. Default 32. Later ones are dropped, with a note. */
  readonly suggestions?: number;
  /** The length of a tag with its attributes. Default 256. A longer one is text. */
  readonly tag?: number;
  /**
   * The length of a call that is not certain yet. Default 2 KiB. If it is longer, its opening tag
   * or header is text.
   */
  readonly unconfirmed?: number;
  /** The number of questions in a call. Default 16. Later ones are dropped, with a note. */
  readonly questions?: number;
  /**
   * The length of the header, or of the id, of a question. Default 1 KiB. A call with a longer one
   * is rejected.
   */
  readonly header?: number;
  /**
   * The length of a description, of a preview, or of the text below a question. Default 16 KiB. A
   * call with a longer one is rejected.
   */
  readonly description?: number;
  /** All texts of a call of another question tool together. */
  readonly texts?: number;
}

/** How a provider's response is read. */
export interface ResponseOptions extends Omit<PolicyOptions, "limits"> {
  /** The format of the response, such as `anthropic`. Default `auto`: it is detected. */
  readonly format?: string;
  /** Also read the calls in the model's reasoning. */
  readonly reasoning?: boolean;
  /** The limits of a call, and of the stream. */
  readonly limits?: CallLimits & {
    /** The bytes of an event. Default 8 MiB. A longer one is skipped, with an error. */
    readonly event?: number;
    /**
     * The native calls that may be open at once. Default 64. Further ones are skipped, with an
     * error.
     */
    readonly openCalls?: number;
    /**
     * The bytes of the arguments of all open calls. Default 4 MiB. The call that exceeds it is
     * rejected.
     */
    readonly arguments?: number;
  };
}

const FLAGS = ["strict", "outsideCode", "decodeEntities"];
const LISTS = ["envelopes", "shapes"];
const LIMITS = [
  "question",
  "answer",
  "suggestions",
  "tag",
  "unconfirmed",
  "questions",
  "header",
  "description",
  "texts",
];

/** Returns the options as the module takes them: keys and values, each ended by a NUL. */
export function encode(options: unknown, extra: "response" | { tool: string } | undefined): string {
  const pairs: [string, string][] = [];
  const isResponse = extra === "response";
  const given = object(options, "options");
  for (const [key, value] of Object.entries(given)) {
    if (value === undefined) continue;
    if (FLAGS.includes(key) || (isResponse && key === "reasoning")) {
      if (check(value, "boolean", key)) pairs.push([key, "1"]);
    } else if (LISTS.includes(key)) {
      pairs.push(...strings(value, key, key));
    } else if (key === "tools") {
      const { tools, parameters, ...rest } = object(value, "tools");
      refuse(rest, "tools");
      // Without tools, even the usual ones would be unknown.
      if (tools === undefined)
        throw new TypeError("tools.tools: a list of texts was expected, not undefined");
      pairs.push(
        ...strings(tools, "tools", "tools.tools"),
        ...strings(parameters, "parameters", "tools.parameters"),
      );
    } else if (key === "limits") {
      const limits = isResponse ? [...LIMITS, "event", "openCalls", "arguments"] : LIMITS;
      for (const [name, limit] of Object.entries(object(value, "limits"))) {
        if (!limits.includes(name))
          throw new TypeError(`limits.${name} is no option; there are: ${limits.join(", ")}`);
        if (limit !== undefined)
          pairs.push([`limits.${name}`, String(whole(limit, `limits.${name}`))]);
      }
    } else if (isResponse && key === "format") {
      // It comes first below.
    } else {
      refuse({ [key]: value }, "options");
    }
  }
  if (isResponse)
    pairs.push([
      "format",
      check(given["format"] === undefined ? "auto" : given["format"], "string", "format"),
    ]);
  else if (extra) pairs.push(["tool", check(extra.tool, "string", "tool")]);
  for (const [key, value] of pairs) {
    if (value.includes("\0")) throw new TypeError(`${key}: a text without U+0000 was expected`);
  }
  return pairs.map(([key, value]) => `${key}\0${value}\0`).join("");
}

export function object(value: unknown, name: string): Record<string, unknown> {
  if (value === undefined) return {};
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new TypeError(`${name}: an object was expected, not ${kind(value)}`);
  }
  return value as Record<string, unknown>;
}

/** Throws if there is an option that is left over. */
export function refuse(rest: Record<string, unknown>, name: string): void {
  const [key] = Object.keys(rest);
  if (key !== undefined) throw new TypeError(`${name}.${key} is no option`);
}

export function check(value: unknown, type: "boolean", name: string): boolean;
export function check(value: unknown, type: "string", name: string): string;
export function check(value: unknown, type: "number", name: string): number;
export function check(value: unknown, type: "function", name: string): unknown;
export function check(value: unknown, type: string, name: string): unknown {
  if (typeof value !== type)
    throw new TypeError(`${name}: a ${type} was expected, not ${kind(value)}`);
  return value;
}

/** Returns a list of texts, none of which is empty. */
export function texts(value: unknown, name: string): string[] {
  if (!Array.isArray(value))
    throw new TypeError(`${name}: a list of texts was expected, not ${kind(value)}`);
  return value.map((text, i) => {
    // The module takes an empty text for an empty list.
    if (text === "") throw new TypeError(`${name}[${i}]: a text that is not empty was expected`);
    return check(text, "string", `${name}[${i}]`);
  });
}

/** Returns a pair for each text of a list; an empty list, or none, is a pair with an empty text. */
function strings(value: unknown, key: string, name: string): [string, string][] {
  const pairs = texts(value === undefined ? [] : value, name).map((text): [string, string] => [
    key,
    text,
  ]);
  return pairs.length === 0 ? [[key, ""]] : pairs;
}

/** Returns a list of objects. */
export function objects<T>(value: readonly T[] | undefined, name: string): readonly T[] {
  if (!Array.isArray(value))
    throw new TypeError(`${name}: a list was expected, not ${kind(value)}`);
  value.forEach((one, i) => {
    if (typeof one !== "object" || one === null)
      throw new TypeError(`${name}[${i}]: an object was expected, not ${kind(one)}`);
  });
  return value;
}

/** Returns a whole number. */
export function whole(value: unknown, name: string): number {
  if (typeof value !== "number" || !Number.isInteger(value) || value < 0 || value > 2 ** 31) {
    throw new TypeError(
      `${name}: a whole number from 0 to 2147483648 was expected, not ${typeof value === "number" ? value : kind(value)}`,
    );
  }
  return value;
}

export function kind(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  // A common mistake: the promise of a response.
  return typeof value === "object" && "then" in value && typeof value.then === "function"
    ? "a promise"
    : typeof value;
}
