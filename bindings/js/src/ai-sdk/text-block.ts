import type { CompleteEvent, FollowupEvent, RejectedEvent } from "../events.js";
import { Parser } from "../parsers.js";
import { feed } from "./feed.js";
import type { Output } from "./output.js";
import type { Part, TextDelta, TextEnd, TextStart } from "./parts.js";
import { TextCall } from "./text-call.js";

/** The response that a block of text is a part of. */
export interface TextOutput extends Output {
  /** Ends a call in text, unless its end has to wait for the reason why the model finished. */
  complete(call: TextCall, event: CompleteEvent, raw: string): void;
}

/** A block of text that the model writes: prose, and calls between it. */
export class TextBlock {
  readonly #output: TextOutput;
  readonly #parser: Parser;
  #start: TextStart;
  /** The part of text that is open. */
  #open: string | undefined;
  /** White space before the first other character of a part. */
  #blank = "";
  /** What has been fed and is in no event yet but in partials. */
  #raw = "";
  /** The open call; `undefined` if there is none, or if the caller has no such tool. */
  #call: TextCall | undefined;

  constructor(start: TextStart, output: TextOutput) {
    this.#start = start;
    this.#output = output;
    this.#parser = new Parser(output.settings.policy);
  }

  delta(part: TextDelta): void {
    this.#raw += part.delta;
    for (const event of feed(this.#parser, part.delta)) this.#event(event, part);
    this.#call?.flush();
  }

  /** Ends the block, also where the stream ends without its `text-end`. */
  end(part: TextEnd | undefined): void {
    const end: TextEnd = part ?? { type: "text-end", id: this.#start.id };
    for (const event of this.#parser.finish()) this.#event(event, undefined);
    this.#closeText(end);
    this.#parser.free();
  }

  /** Frees the parser of a block that is not read to its end. */
  free(): void {
    this.#parser.free();
  }

  #event(event: FollowupEvent, part: TextDelta | undefined): void {
    switch (event.type) {
      case "text":
        this.#consume(event.text.length);
        return this.#text(event.text, part);
      case "opaque":
        this.#consume(event.raw.length);
        return this.#text(event.raw, part);
      case "partial":
        this.#begin(event.tool ?? "ask_followup_question")?.partial(event);
        return;
      case "complete":
      case "rejected":
        return this.#end(event, part);
    }
  }

  /** Returns the open call, which begins here if it has not yet; `undefined` if the caller has no such tool. */
  #begin(name: string): TextCall | undefined {
    const tool = this.#output.settings.tools.get(name);
    if (this.#call || tool === undefined) return this.#call;
    this.#closeText({ type: "text-end", id: this.#start.id });
    this.#call = new TextCall(tool, this.#output);
    return this.#call;
  }

  #end(event: CompleteEvent | RejectedEvent, part: TextDelta | undefined): void {
    const raw = this.#consume(units(this.#raw, event.end - event.start));
    const call = this.#begin(event.tool);
    this.#call = undefined;
    if (call === undefined) this.#text(raw, part);
    else if (event.type === "rejected") call.reject(event, raw);
    else this.#output.complete(call, event, raw);
  }

  #text(text: string, part: TextDelta | undefined): void {
    if (this.#open === undefined) {
      this.#blank += text;
      if (!/\S/.test(text)) return;
      text = this.#blank;
      this.#open = this.#output.textId(this.#start.id);
      this.#output.enqueue({ ...this.#start, id: this.#open } as Part);
      this.#start = { type: "text-start", id: this.#start.id };
    }
    const id = this.#open;
    const delta = { ...part, type: "text-delta", id, delta: text };
    this.#output.enqueue(delta);
  }

  /** Ends the open part of text. White space that nothing followed is dropped. */
  #closeText(end: TextEnd): void {
    this.#blank = "";
    if (this.#open === undefined) return;
    const closed = { ...end, id: this.#open };
    this.#open = undefined;
    this.#output.enqueue(closed);
  }

  /** Takes the next part of what has been fed. */
  #consume(length: number): string {
    const text = this.#raw.slice(0, length);
    this.#raw = this.#raw.slice(length);
    return text;
  }
}

/** Returns how many code units of a text have this many bytes of UTF-8. */
function units(text: string, bytes: number): number {
  let length = 0;
  while (bytes > 0 && length < text.length) {
    const code = text.codePointAt(length) as number;
    bytes -= code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    length += code < 0x10000 ? 1 : 2;
  }
  return length;
}
