// The state of one native call: it is parsed while it streams, and its input repaired if necessary.

import type { CompleteEvent, PartialEvent } from "../events.js";
import type { CallLimits } from "../options.js";
import { ArgumentsParser } from "../parsers.js";
import type { Ask } from "./asks.js";
import { feed } from "./feed.js";
import { Mirror } from "./mirror.js";
import type { Output } from "./output.js";
import type { InputDelta, InputEnd, InputStart, StreamPart, ToolCall } from "./parts.js";
import { NO_PLACE, type Rejection } from "./settings.js";
import type { QuestionTool } from "./tools.js";
import { InputWriter } from "./writer.js";

/**
 * The limits of a native call, unless the caller sets others. They are high, since the AI SDK
 * itself has none.
 */
export const LIMITS: CallLimits = {
  question: 2 ** 20,
  answer: 2 ** 20,
  suggestions: 2 ** 12,
  questions: 2 ** 12,
  header: 2 ** 20,
  description: 2 ** 20,
  texts: 2 ** 24,
};

/**
 * A native call of a question tool. What is wrong with its input is written anew, if that loses
 * nothing.
 */
export class NativeCall {
  readonly #tool: QuestionTool;
  readonly #id: string;
  readonly #output: Output;
  readonly #ask: Ask;
  #parser: ArgumentsParser;
  #writer: InputWriter;
  #mirror: Mirror;
  /** The input as the provider sends it, and as it has been passed on. */
  #raw = "";
  #sent = "";
  #end: InputEnd | undefined;

  constructor(tool: QuestionTool, id: string, output: Output) {
    this.#tool = tool;
    this.#id = id;
    this.#output = output;
    // Another call may not have what this one has besides what is known.
    this.#ask = output.ask(true, tool.isExact);
    this.#parser = this.#newParser();
    this.#writer = new InputWriter(tool.keys, true);
    this.#mirror = new Mirror(tool.levels);
  }

  inputStart(part: InputStart): void {
    this.#ask.enqueue(part);
  }

  delta(part: InputDelta): void {
    this.#feed(part.delta);
    if (!this.#tool.isExact) return this.#ask.enqueue(part);
    const delta = this.#mirror.write(this.#writer.take());
    this.#sent += delta;
    if (delta !== "") this.#ask.enqueue({ ...part, delta } as StreamPart);
  }

  /**
   * Keeps the end of an input that is written anew until the call arrives, which may have more of
   * it.
   */
  inputEnd(part: InputEnd): void {
    this.#end = part;
    if (!this.#tool.isExact) this.#ask.enqueue(part);
  }

  /** Ends the call. `isStreamed` if it has a `tool-input-start`. */
  call(part: ToolCall, isStreamed: boolean): void {
    const end = this.#finish(part.input);
    if (this.#tool.isExact) this.#enqueueCall(part, isStreamed);
    else this.#ask.enqueue(part);
    if (end === undefined) this.#ask.reject();
    else this.#ask.complete(end);
  }

  /** Ends an input whose call never came. */
  drop(): void {
    this.#parser.free();
    this.#ask.drop();
    if (this.#tool.isExact || this.#end === undefined) this.#ask.enqueue(this.#endPart());
  }

  /** Frees the parser of a call that is not read to its end. */
  free(): void {
    this.#parser.free();
  }

  /** Enqueues a call with its input: repaired where possible, or unchanged if it is unreadable. */
  #enqueueCall(part: ToolCall, isStreamed: boolean): void {
    this.#mirror.write(this.#writer.take());
    this.#mirror.finish();
    const input = this.#writer.input === "" ? part.input : this.#continued(this.#mirror.passed);
    if (isStreamed) {
      const rest = input.startsWith(this.#sent) ? input.slice(this.#sent.length) : "";
      if (rest !== "")
        this.#ask.enqueue({ type: "tool-input-delta", id: this.#id, delta: rest } as StreamPart);
      this.#ask.enqueue(this.#endPart());
    }
    this.#ask.enqueue({ ...part, input } as StreamPart);
  }

  /** Returns the input so that it continues what has come out, if the two differ only in form. */
  #continued(input: string): string {
    if (input.startsWith(this.#sent)) return input;
    const mirror = new Mirror(this.#tool.levels);
    mirror.give(this.#sent);
    mirror.write(this.#writer.input);
    mirror.finish();
    return mirror.passed.startsWith(this.#sent) ? mirror.passed : input;
  }

  #endPart(): StreamPart {
    return this.#end ?? ({ type: "tool-input-end", id: this.#id } as StreamPart);
  }

  /** Reads the rest of the input. Returns the end of the call; `undefined` if it can't be asked. */
  #finish(given: string): CompleteEvent | undefined {
    this.#catchUp(given);
    let end: CompleteEvent | undefined;
    for (const event of this.#parser.finish()) {
      if (event.type === "partial") this.#partial(event);
      else if (event.type === "rejected") this.#report(event);
      else if (event.type === "complete" && this.#writer.complete(event)) end = event;
      else if (event.type === "complete") this.#report(NO_PLACE);
    }
    this.#parser.free();
    return end;
  }

  /**
   * Reads what the call's input has more than the deltas. If they differ, the call's input counts.
   */
  #catchUp(given: string): void {
    if (!given.startsWith(this.#raw)) {
      this.#parser.free();
      this.#parser = this.#newParser();
      this.#writer = new InputWriter(this.#tool.keys, true);
      this.#mirror = new Mirror(this.#tool.levels);
      this.#ask.restart();
      this.#raw = "";
    }
    this.#feed(given.slice(this.#raw.length));
  }

  #feed(text: string): void {
    this.#raw += text;
    this.#mirror.give(text);
    for (const event of feed(this.#parser, text)) {
      if (event.type === "partial") this.#partial(event);
    }
  }

  #partial(event: PartialEvent): void {
    this.#writer.partial(event);
    this.#ask.partial(event);
  }

  #report({ code, message }: Rejection): void {
    if (!this.#tool.isExact) return;
    const call = { toolCallId: this.#id, toolName: this.#tool.name, code, message, raw: this.#raw };
    this.#output.settings.onRejected?.(call);
  }

  #newParser(): ArgumentsParser {
    const { name, shape } = this.#tool;
    const given = this.#output.settings.policy;
    const policy = { ...given, limits: { ...LIMITS, ...given.limits } };
    return new ArgumentsParser(name, shape === undefined ? policy : { ...policy, shapes: [shape] });
  }
}
