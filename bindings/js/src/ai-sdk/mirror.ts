/** The longest that is compared at once: two escapes, of the halves of a surrogate pair. */
const LONGEST = 12;

/** How many code units a step takes from each side. */
interface Step {
  readonly given: number;
  readonly written: number;
}

/**
 * Passes the input of a native call on: first what the provider gives, and from the first difference what is written.
 *
 * Both are JSON, and are compared side by side. White space, escapes, and the white space around a text are no difference.
 * Where nothing is repaired, what comes out is thus what the provider gave, byte for byte.
 */
export class Mirror {
  /** What is not compared yet. */
  #given = "";
  #written = "";
  /** What is given after that. It waits in pieces, since to add each of them to a long text would copy it. */
  #more: string[] = [];
  #at = { given: 0, written: 0 };
  #inString = false;
  /** Only white space of the string has come. */
  #isBlank = false;
  #isApart = false;
  #passed = "";

  /** All that came out. */
  get passed(): string {
    return this.#passed;
  }

  /** Adds what the provider gives. */
  give(text: string): void {
    if (!this.#isApart) this.#more.push(text);
  }

  /** Adds what is written, and returns what comes out. */
  write(text: string): string {
    this.#written += text;
    let out = "";
    do out += this.#run();
    while (this.#refill());
    return this.#pass(this.#isApart ? out + this.#end() : out);
  }

  /** Returns the rest of what is written: nothing more is given. */
  finish(): string {
    return this.#pass(this.#end());
  }

  /** Compares as far as possible, and returns what comes out. */
  #run(): string {
    this.#at = { given: 0, written: 0 };
    while (!this.#isApart && this.#step());
    const out = this.#given.slice(0, this.#at.given);
    this.#given = this.#given.slice(this.#at.given);
    this.#written = this.#written.slice(this.#at.written);
    return out;
  }

  /** Takes what is given next. Returns `false` if there is nothing, or if it is not needed yet. */
  #refill(): boolean {
    if (this.#isApart || this.#more.length === 0 || this.#given.length >= LONGEST) return false;
    this.#given += this.#more.join("");
    this.#more = [];
    return true;
  }

  #pass(out: string): string {
    this.#passed += out;
    return out;
  }

  #end(): string {
    const rest = this.#written;
    this.#given = this.#written = "";
    this.#more = [];
    return rest;
  }

  /** Takes one step. Returns `false` if one of the sides has to come first, or if they differ. */
  #step(): boolean {
    const step = this.#inString ? this.#inText() : this.#between();
    if (step === undefined) return false;
    this.#at.given += step.given;
    this.#at.written += step.written;
    return true;
  }

  /** Returns the next step outside of strings. */
  #between(): Step | undefined {
    const given = this.#given[this.#at.given];
    const written = this.#written[this.#at.written];
    if (given !== undefined && /\s/.test(given)) return { given: 1, written: 0 };
    if (given === undefined || written === undefined) return undefined;
    if (given !== written) return this.#part();
    if (given === '"') this.#inString = this.#isBlank = true;
    return { given: 1, written: 1 };
  }

  /** Returns the next step inside a string. */
  #inText(): Step | undefined {
    const source = unit(this.#given, this.#at.given);
    if (source === undefined) return undefined;
    const isEnd = source === '"';
    const isPlain = isEnd || (source.length === 1 && source >= " ");
    const value = isPlain ? source : decode(source);
    if (value === undefined) return this.#part();
    const expected = isPlain ? source : JSON.stringify(value).slice(1, -1);
    const written = this.#written.slice(this.#at.written, this.#at.written + expected.length);
    if (written === expected) {
      if (isEnd) this.#inString = false;
      this.#isBlank &&= value.trim() === "";
      return { given: source.length, written: expected.length };
    }
    // What is written may have less white space at both ends.
    if (written !== "" && value.trim() === "" && (this.#isBlank || written.startsWith('"'))) return { given: source.length, written: 0 };
    return expected.startsWith(written) ? undefined : this.#part();
  }

  #part(): undefined {
    this.#isApart = true;
  }
}

/** Returns the source of a code point in a string of JSON, or of half a surrogate pair; `undefined` while it is not whole. */
function unit(text: string, at: number): string | undefined {
  const first = escape(text, at);
  if (first === undefined || !/^\\ud[89ab]/i.test(first)) return first;
  const second = escape(text, at + first.length);
  return second && /^\\ud[c-f]/i.test(second) ? first + second : second && first;
}

function escape(text: string, at: number): string | undefined {
  const length = text[at] !== "\\" ? 1 : text[at + 1] === "u" ? 6 : 2;
  return at + length <= text.length ? text.slice(at, at + length) : undefined;
}

/** Returns what a piece of a string means; `undefined` if that is nothing. */
function decode(source: string): string | undefined {
  try {
    return JSON.parse(`"${source}"`) as string;
  } catch {
    return undefined;
  }
}
