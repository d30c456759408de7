// Compares a native call's input with its repaired form, and keeps the original while they agree.

/** The longest that is compared at once: two escapes, of the halves of a surrogate pair. */
const LONGEST = 12;

/** The longest name of a key that is compared. */
const LONGEST_NAME = 256;

/** The longest member that is passed on although it is not written. */
const LONGEST_MEMBER = 2 ** 14;

/** The keys that an object of the input may have besides those that are written. */
export interface Level {
  /** The keys that a call is read from. */
  readonly known: ReadonlySet<string>;
  /** The values of known keys with which they are not written, as JSON without white space. */
  readonly unwritten: ReadonlyMap<string, string>;
  /** Whether there may be other keys. */
  readonly isOpen: boolean;
  /** The key of the text without which an object is dropped; `undefined` if it never is. */
  readonly text: string | undefined;
}

/** The state of the search for the end of a member that is given and not written. */
interface Search {
  /** The offset from the start of the member. */
  at: number;
  depth: number;
  inString: boolean;
}

/** How many code units a step takes from each side. */
interface Step {
  readonly given: number;
  readonly written: number;
}

/**
 * Passes the input of a native call on: first what the provider gives, and from the first
 * difference what is written.
 *
 * Both are JSON, and are compared side by side. White space, escapes, and the white space around a
 * text are no difference. Nor is a member that is not written, since the call is not read from it,
 * or since its value is the usual one: it is passed on once it is whole, if it is well-formed and
 * cannot be that of a question or option that is dropped. Where nothing is repaired, the result is
 * thus what the provider gave, byte for byte.
 */
export class Mirror {
  /** What is not compared yet. */
  #given = "";
  #written = "";
  /**
   * What is given after that. It waits in pieces, since to add each of them to a long text would
   * copy it.
   */
  #more: string[] = [];
  #at = { given: 0, written: 0 };
  #inString = false;
  /** Only white space of the string has come. */
  #isBlank = false;
  #isApart = false;
  #passed = "";
  /** The open brackets, and whether the name of a member comes next. */
  #open = "";
  #isName = false;
  readonly #levels: readonly Level[];
  #search: Search | undefined;
  /** Whether the string is the text of the object, and whether some of that was the same. */
  #isText = false;
  #hasText = false;
  /** A comma has to come before what is written next. */
  #needsComma = false;
  /** More of what is given decides the next step. */
  #isShort = false;

  /** `levels` are those of the objects in each other, the outermost first. */
  constructor(levels: readonly Level[]) {
    this.#levels = levels;
  }

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
    this.#isShort = false;
    while (!this.#isApart && this.#step());
    const out = this.#given.slice(0, this.#at.given);
    this.#given = this.#given.slice(this.#at.given);
    this.#written = this.#written.slice(this.#at.written);
    return out;
  }

  /** Takes what is given next. Returns `false` if there is nothing, or if it is not needed yet. */
  #refill(): boolean {
    if (
      this.#isApart ||
      this.#more.length === 0 ||
      (this.#given.length >= LONGEST && !this.#isShort)
    )
      return false;
    this.#given += this.#more.join("");
    this.#more = [];
    return true;
  }

  #pass(out: string): string {
    this.#passed += out;
    return out;
  }

  #end(): string {
    const rest = this.#needsComma && this.#written !== "" ? `,${this.#written}` : this.#written;
    if (this.#written !== "") this.#needsComma = false;
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
    if (given !== undefined && /[ \t\n\r]/.test(given)) return { given: 1, written: 0 };
    if (given === undefined || written === undefined) return undefined;
    if (this.#needsComma) return this.#comma(given);
    if (given === '"' && this.#isName) return this.#name();
    if (given === "," && written === "}") return this.#last();
    if (given !== written) return this.#part();
    if (given === '"') this.#inString = this.#isBlank = true;
    else this.#bracket(given);
    return { given: 1, written: 1 };
  }

  #bracket(given: string): void {
    if (given === "{" || given === "[") this.#open += given;
    if (given === "}" || given === "]") this.#open = this.#open.slice(0, -1);
    // What an object has around the end of an inner one is its own.
    if (given === "{" || given === "}") this.#hasText = given === "}";
    this.#isName = given === "{" || (given === "," && this.#open.endsWith("{"));
  }

  /**
   * Returns the step to a member's name: that of the next one that is written, or that of one that
   * is not.
   */
  #name(): Step | undefined {
    const { given, written } = this.#at;
    const name = string(this.#given, given);
    if (name === undefined) return this.#wait();
    const expected = string(this.#written, written);
    if (name.value === expected?.value) {
      this.#isName = false;
      this.#isText = name.value === this.#level?.text;
      return { given: name.length, written: expected.length };
    }
    if (this.#written[written] !== '"') return this.#part();
    const length = this.#extra(given);
    if (length === undefined) return undefined;
    this.#needsComma = true;
    return { given: length, written: 0 };
  }

  /**
   * Returns the step to the comma after the last member that is written, and past the member after
   * that.
   */
  #last(): Step | undefined {
    const at = this.#given.slice(this.#at.given + 1).search(/[^ \t\n\r]/);
    if (at < 0) return this.#wait();
    const length = this.#extra(this.#at.given + 1 + at);
    return length === undefined ? undefined : { given: 1 + at + length, written: 0 };
  }

  get #level(): Level | undefined {
    return this.#levels[this.#open.replaceAll("[", "").length - 1];
  }

  /**
   * Returns the length of a member if it is passed on although it is not written; `undefined` if
   * not, or not yet.
   */
  #extra(start: number): number | undefined {
    const level = this.#level;
    if (this.#given[start] !== '"' || level === undefined) return this.#part();
    const name = string(this.#given, start)?.value;
    if (name === undefined) return this.#wait();
    const usual = level.unwritten.get(name);
    const isAllowed = usual !== undefined || (level.isOpen && !level.known.has(name));
    // A question or option without its text may still be dropped, and its members would then be in
    // the next one.
    if (!isAllowed || (level.text !== undefined && !this.#hasText)) return this.#part();
    const length = this.#lengthOfMember(start);
    if (length === undefined) {
      if (this.#given.length - start > LONGEST_MEMBER) return this.#part();
      this.#isShort = true;
      return undefined;
    }
    if (length > LONGEST_MEMBER) return this.#part();
    const value = valueOf(this.#given.slice(start, start + length));
    return value === undefined || (usual !== undefined && value !== usual) ? this.#part() : length;
  }

  /**
   * Returns how long a member is up to the comma or bracket after it; `undefined` while that has
   * not come.
   */
  #lengthOfMember(start: number): number | undefined {
    const search = (this.#search ??= { at: 0, depth: 0, inString: false });
    for (; start + search.at < this.#given.length; search.at++) {
      const given = this.#given[start + search.at];
      if (search.inString) {
        if (given === "\\") search.at += 1;
        else if (given === '"') search.inString = false;
        continue;
      }
      if (search.depth === 0 && (given === "," || given === "}" || given === "]")) {
        this.#search = undefined;
        return search.at;
      }
      if (given === '"') search.inString = true;
      if (given === "{" || given === "[") search.depth += 1;
      if (given === "}" || given === "]") search.depth -= 1;
    }
    return undefined;
  }

  /** Returns the step past the comma between a member that is passed on and one that is written. */
  #comma(given: string): Step | undefined {
    if (given !== ",") return this.#part();
    this.#needsComma = false;
    return { given: 1, written: 0 };
  }

  /** Waits for more of what is given, unless a name would be too long. */
  #wait(): undefined {
    if (this.#given.length - this.#at.given > 4 * LONGEST_NAME) return this.#part();
    this.#isShort = true;
    return undefined;
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
      if (this.#isText && !isEnd) this.#hasText ||= !this.#isBlank;
      return { given: source.length, written: expected.length };
    }
    // What is written may have less white space at both ends.
    if (written !== "" && value.trim() === "" && (this.#isBlank || written.startsWith('"')))
      return { given: source.length, written: 0 };
    return expected.startsWith(written) ? undefined : this.#part();
  }

  #part(): undefined {
    this.#isApart = true;
  }
}

/**
 * Returns the string of JSON that begins here, and its length; `undefined` while it is not whole,
 * or if it is none.
 */
function string(text: string, at: number): { value: string; length: number } | undefined {
  const source = /^"(?:[^"\\]|\\.)*"/.exec(text.slice(at, at + LONGEST_NAME))?.[0];
  const value = source === undefined ? undefined : decode(source.slice(1, -1));
  return source === undefined || value === undefined ? undefined : { value, length: source.length };
}

/** Returns the value of a member, as JSON without white space; `undefined` if it is ill-formed. */
function valueOf(member: string): string | undefined {
  try {
    return JSON.stringify(Object.values(JSON.parse(`{${member}}`) as object)[0]);
  } catch {
    return undefined;
  }
}

/**
 * Returns the source of a code point in a string of JSON, or of half a surrogate pair; `undefined`
 * while it is not whole.
 */
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
