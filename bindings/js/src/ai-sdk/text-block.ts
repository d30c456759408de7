// Parses one block of text: prose stays text, and each call in it becomes a tool call.

import type { CompleteEvent, FollowupEvent, RejectedEvent } from "../events.js";
import { Parser } from "../parsers.js";
import { TextFeed, units } from "./feed.js";
import type { Output } from "./output.js";
import {
  merged,
  type ProviderMetadata,
  type StreamPart,
  type TextDelta,
  type TextEnd,
  type TextStart,
} from "./parts.js";
import { TextCall } from "./text-call.js";

/** The response that a block of text is a part of. */
export interface TextOutput extends Output {
  /**
   * Ends a call in text, unless its end has to wait for the reason why the model finished.
   * `isAtEnd` if it ended with the response.
   */
  complete(call: TextCall, event: CompleteEvent, raw: string, isAtEnd: boolean): void;
  /**
   * Returns whether all text of the response is JSON that the caller asked for; `undefined` while
   * only white space has come. `next` is the next text.
   */
  isData(next: string): boolean | undefined;
}

/** A block as the provider sent it. */
interface Sent {
  start: TextStart;
  /** Its end, once that has come. */
  end: TextEnd | undefined;
  /** How many code units of it are not out. */
  left: number;
  /** Metadata of what has not come out, such as a signature that comes with an empty delta. */
  metadata: ProviderMetadata | undefined;
}

/**
 * A block of text that the model writes: prose, and calls between it.
 *
 * Providers end a block where something else comes, such as a citation or reasoning, also inside a
 * call. So what is not out at its end is read together with the next block. Text comes out in the
 * block that it came in.
 */
export class TextBlock {
  readonly #output: TextOutput;
  readonly #parser: Parser;
  readonly #feed: TextFeed;
  /** The blocks of which something is not out, and the newest one. */
  readonly #sent: Sent[] = [];
  /** The part of text that is open. */
  #open: string | undefined;
  /**
   * The part of text before the last call. Its end waits, since the block may still have metadata
   * for it.
   */
  #before: string | undefined;
  /** White space before the first other character of a part. */
  #blank = "";
  /** What has been fed and is in no event yet but in partials. */
  #raw = "";
  /** The open call; `undefined` if there is none, or if the caller has no such tool. */
  #call: TextCall | undefined;
  /** White space that is not read yet, since it is not known whether the text is data. */
  #unread = "";

  constructor(output: TextOutput) {
    this.#output = output;
    this.#parser = new Parser(output.settings.policy);
    this.#feed = new TextFeed(this.#parser);
  }

  /** The block whose text comes out next. */
  get #first(): Sent {
    return this.#sent[0] as Sent;
  }

  /** Begins the block, or continues in the next one. */
  start(start: TextStart): void {
    this.#sent.push({ start, end: undefined, left: 0, metadata: undefined });
    this.#advance(0);
  }

  delta(part: TextDelta): void {
    const newest = this.#sent.at(-1) as Sent;
    newest.left += part.delta.length;
    newest.metadata = merged(newest.metadata, part.providerMetadata);
    this.#raw += part.delta;
    for (const event of this.#read(part.delta)) this.#event(event, part);
    this.#call?.flush();
  }

  /**
   * Ends the block. Returns whether the next one continues it: what is not out may be a call that
   * ends there.
   */
  pause(part: TextEnd): boolean {
    if (this.#raw === "") {
      this.#end(part);
      return false;
    }
    (this.#sent.at(-1) as Sent).end = part;
    if (this.#call) this.#endFirst();
    return true;
  }

  /** Ends the block where the stream ends. */
  end(): void {
    this.#end(undefined);
  }

  /** Frees the parser of a block that is not read to its end. */
  free(): void {
    this.#parser.free();
  }

  #end(part: TextEnd | undefined): void {
    for (const event of [...this.#feed.feed(this.#unread), ...this.#parser.finish()])
      this.#event(event, undefined);
    while (this.#sent.length > 1) this.#shift();
    this.#first.end ??= part ?? { type: "text-end", id: this.#first.start.id };
    this.#closeText();
    this.#endFirst();
    this.#parser.free();
  }

  /** Counts what is out. The blocks of which nothing is left end, except for the newest one. */
  #advance(length: number): void {
    while (this.#sent.length > 1 && length >= this.#first.left) {
      length -= this.#first.left;
      this.#shift();
    }
    this.#first.left -= length;
  }

  #shift(): void {
    this.#closeText();
    this.#endFirst();
    this.#sent.shift();
  }

  /** Ends the closed part of text if the end of its block has come. */
  #endFirst(): void {
    const first = this.#first;
    if (first.end === undefined || this.#before === undefined) return;
    first.metadata = merged(first.metadata, first.end.providerMetadata);
    this.#endBefore(first.end);
    first.metadata = undefined;
    first.end = { type: "text-end", id: first.end.id };
  }

  /** Returns the events of the next text. JSON that the caller asked for is all prose. */
  #read(delta: string): FollowupEvent[] {
    const isData = this.#output.isData(delta);
    const text = this.#unread + delta;
    this.#unread = isData === undefined ? text : "";
    if (isData === undefined || text === "") return [];
    return isData ? [{ type: "text", text }] : this.#feed.feed(text);
  }

  #event(event: FollowupEvent, part: TextDelta | undefined): void {
    switch (event.type) {
      case "text":
        return this.#write(this.#consume(event.text.length), part);
      case "opaque":
        return this.#write(this.#consume(event.raw.length), part);
      case "partial":
        this.#begin(event.tool ?? "ask_followup_question")?.partial(event);
        return;
      case "complete":
      case "rejected":
        return this.#endCall(event, part);
    }
  }

  /**
   * Returns the open call, which begins here if it has not yet; `undefined` if the caller has no
   * such tool.
   */
  #begin(name: string): TextCall | undefined {
    const tool = this.#output.settings.tools.get(name);
    if (this.#call || tool === undefined) return this.#call;
    this.#closeText();
    this.#endFirst();
    this.#call = new TextCall(tool, this.#output);
    return this.#call;
  }

  #endCall(event: CompleteEvent | RejectedEvent, part: TextDelta | undefined): void {
    const raw = this.#consume(units(this.#raw, event.end - event.start));
    const call = this.#begin(event.tool);
    this.#call = undefined;
    if (call === undefined) return this.#write(raw, part);
    this.#advance(raw.length);
    if (event.type === "rejected") call.reject(event, raw);
    else this.#output.complete(call, event, raw, part === undefined);
  }

  /** Writes the next text, each piece of it in its block. */
  #write(text: string, part: TextDelta | undefined): void {
    while (text !== "") {
      const isNewest = this.#sent.length === 1;
      const piece = isNewest ? text : text.slice(0, this.#first.left);
      this.#text(piece, isNewest ? part : undefined);
      this.#advance(piece.length);
      text = text.slice(piece.length);
    }
  }

  #text(text: string, part: TextDelta | undefined): void {
    if (this.#open === undefined) {
      this.#blank += text;
      if (!/\S/.test(text)) return;
      text = this.#blank;
      this.#beginText();
    }
    const metadata = merged(this.#first.metadata, part?.providerMetadata);
    this.#first.metadata = undefined;
    const delta = { ...part, type: "text-delta", id: this.#open, delta: text };
    this.#output.enqueue({
      ...delta,
      ...(metadata && { providerMetadata: metadata }),
    } as StreamPart);
  }

  #beginText(): void {
    this.#endBefore(undefined);
    const { start } = this.#first;
    this.#open = this.#output.textId(start.id);
    this.#output.enqueue({ ...start, id: this.#open } as StreamPart);
    this.#first.start = { type: "text-start", id: start.id };
  }

  /** Closes the open part of text. White space that nothing followed is dropped. */
  #closeText(): void {
    this.#blank = "";
    this.#before = this.#open ?? this.#before;
    this.#open = undefined;
  }

  /**
   * Ends the part of text that was closed. With the end of the block it has all metadata that is
   * left; where no text came out, that is dropped, since a part without text is shown, and some
   * providers refuse it.
   */
  #endBefore(part: TextEnd | undefined): void {
    if (this.#before === undefined) return;
    const end = { type: "text-end", ...part, id: this.#before };
    const metadata = part && this.#first.metadata;
    this.#before = undefined;
    this.#output.enqueue({ ...end, ...(metadata && { providerMetadata: metadata }) } as StreamPart);
  }

  /** Takes the next part of what has been fed. */
  #consume(length: number): string {
    const text = this.#raw.slice(0, length);
    this.#raw = this.#raw.slice(length);
    return text;
  }
}
