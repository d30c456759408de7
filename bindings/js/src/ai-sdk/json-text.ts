// Writes JSON piece by piece, such that what has been written never changes.

/** JSON that is written from its beginning to its end. Its last string may still grow. */
export class JsonText {
  #text = "";
  #pending = "";
  #last = "";
  #inString = false;

  /** All that has been written. */
  get whole(): string {
    return this.#text + this.#pending;
  }

  get isEmpty(): boolean {
    return this.#last === "";
  }

  /** Returns what was written since the last time. */
  take(): string {
    const pending = this.#pending;
    this.#text += pending;
    this.#pending = "";
    return pending;
  }

  /** Begins an object or an array: the value of a key, or an element. */
  begin(bracket: "{" | "[", key?: string): void {
    this.#next(key);
    this.#put(bracket);
  }

  end(bracket: "}" | "]"): void {
    this.endString();
    this.#put(bracket);
  }

  /** Writes a value that does not grow. */
  value(value: unknown, key?: string): void {
    this.#next(key);
    this.#put(JSON.stringify(value));
  }

  /** Begins a string, which ends where something else is written. */
  beginString(key?: string): void {
    this.#next(key);
    this.#put('"');
    this.#inString = true;
  }

  append(text: string): void {
    if (text !== "") this.#put(JSON.stringify(text).slice(1, -1));
  }

  endString(): void {
    if (this.#inString) this.#put('"');
    this.#inString = false;
  }

  /** Writes what is between the last value and the next one. */
  #next(key: string | undefined): void {
    this.endString();
    if (!["", "[", "{"].includes(this.#last)) this.#put(",");
    if (key !== undefined) this.#put(`${JSON.stringify(key)}:`);
  }

  #put(text: string): void {
    this.#pending += text;
    this.#last = text.slice(-1);
  }
}
