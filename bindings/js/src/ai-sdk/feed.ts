// Feeds text to a parser so that the order of the events does not depend on the chunks.

import type { FollowupEvent } from "../events.js";

/**
 * Feeds a text and returns its events, in an order that does not depend on the cut.
 *
 * Of one chunk the parser may return what it read of several fields in another order than that of
 * the text, as where a form is a string. JSON has to have one order. So each code unit is a chunk.
 */
export function feed(
  parser: { feed(chunk: string): FollowupEvent[] },
  text: string,
): FollowupEvent[] {
  const events: FollowupEvent[] = [];
  for (let i = 0; i < text.length; i++) {
    for (const event of parser.feed(text.charAt(i))) push(events, event);
  }
  return events;
}

/** What a call can begin with, in any form, and a fence. */
const BEGINNING = /[<{[`~]/g;

/**
 * Feeds a text that may have calls in it, as `feed` does, but prose in long chunks.
 *
 * While nothing is pending, no call of a question tool is open. Up to the next character that can
 * begin one, only prose and other tools' calls come, and the order of their events does not depend
 * on the cut.
 */
export class TextFeed {
  readonly #parser: { feed(chunk: string): FollowupEvent[] };
  /** What was fed and is in no event yet but in partials. */
  #pending = "";

  constructor(parser: { feed(chunk: string): FollowupEvent[] }) {
    this.#parser = parser;
  }

  /** Feeds the next text and returns its events. */
  feed(text: string): FollowupEvent[] {
    const events: FollowupEvent[] = [];
    for (let i = 0; i < text.length;) {
      const end = this.#pending === "" ? Math.max(next(text, i), i + 1) : i + 1;
      const chunk = text.slice(i, end);
      this.#pending += chunk;
      for (const event of this.#parser.feed(chunk)) {
        this.#release(event);
        push(events, event);
      }
      i = end;
    }
    return events;
  }

  #release(event: FollowupEvent): void {
    const { type } = event;
    if (type === "text") this.#pending = this.#pending.slice(event.text.length);
    else if (type === "opaque") this.#pending = this.#pending.slice(event.raw.length);
    else if (type === "complete" || type === "rejected")
      this.#pending = this.#pending.slice(units(this.#pending, event.end - event.start));
  }
}

/**
 * Returns where the next character is with which a call can begin; the end of the text if there is
 * none.
 */
function next(text: string, from: number): number {
  BEGINNING.lastIndex = from;
  return BEGINNING.exec(text)?.index ?? text.length;
}

/** Returns how many code units of a text have this many bytes of UTF-8. */
export function units(text: string, bytes: number): number {
  let length = 0;
  while (bytes > 0 && length < text.length) {
    const code = text.codePointAt(length) as number;
    bytes -= code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    length += code < 0x10000 ? 1 : 2;
  }
  return length;
}

/** Adds an event, joined to the last one if only the cut parts them. */
function push(events: FollowupEvent[], event: FollowupEvent): void {
  const joined = join(events.at(-1), event);
  if (joined === undefined) events.push(event);
  else events[events.length - 1] = joined;
}

/** Returns two events as one, if only the cut parts them. */
function join(last: FollowupEvent | undefined, next: FollowupEvent): FollowupEvent | undefined {
  if (last?.type === "text" && next.type === "text")
    return { ...last, text: last.text + next.text };
  if (last?.type !== "opaque" || next.type !== "opaque" || next.start) return undefined;
  const isSame = last.tool === next.tool && last.id === next.id;
  return isSame ? { ...last, raw: last.raw + next.raw } : undefined;
}
