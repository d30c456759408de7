import { ArgumentsParser } from "../parsers.js";
import { feed } from "./feed.js";
import type { Output } from "./output.js";
import type { InputDelta, InputEnd, Part, ToolCall } from "./parts.js";
import { NO_PLACE, type Rejection } from "./settings.js";
import type { QuestionTool } from "./tools.js";
import { InputWriter } from "./writer.js";

/** A native call of a question tool, whose input is written anew. */
export class NativeCall {
  readonly #tool: QuestionTool;
  readonly #id: string;
  readonly #output: Output;
  #parser: ArgumentsParser;
  #writer: InputWriter;
  /** The input as the provider sends it, and as it has been passed on. */
  #raw = "";
  #sent = "";
  #end: InputEnd | undefined;

  constructor(tool: QuestionTool, id: string, output: Output) {
    this.#tool = tool;
    this.#id = id;
    this.#output = output;
    this.#parser = this.#newParser();
    this.#writer = new InputWriter(tool.keys);
  }

  delta(part: InputDelta): void {
    this.#feed(part.delta);
    const delta = this.#writer.take();
    this.#sent += delta;
    if (delta !== "") this.#output.enqueue({ ...part, delta } as Part);
  }

  /** Keeps the end of the input until the call has come, which may have more of it. */
  inputEnd(part: InputEnd): void {
    this.#end = part;
  }

  /** Ends the call. `isStreamed` if it has a `tool-input-start`. */
  call(part: ToolCall, isStreamed: boolean): void {
    const input = this.#finish(part.input);
    if (isStreamed) {
      const rest = input.startsWith(this.#sent) ? input.slice(this.#sent.length) : "";
      if (rest !== "") this.#output.enqueue({ type: "tool-input-delta", id: this.#id, delta: rest } as Part);
      this.endInput();
    }
    this.#output.enqueue({ ...part, input } as Part);
  }

  /** Ends the input: also one whose call never came. */
  endInput(): void {
    this.#parser.free();
    this.#output.enqueue(this.#end ?? ({ type: "tool-input-end", id: this.#id } as Part));
  }

  /** Returns the whole input. One that can't be asked is returned as it came, if nothing of it could be read. */
  #finish(given: string): string {
    this.#catchUp(given);
    for (const event of this.#parser.finish()) {
      if (event.type === "partial") this.#writer.partial(event);
      else if (event.type === "rejected") this.#report(event);
      else if (event.type === "complete" && !this.#writer.complete(event)) this.#report(NO_PLACE);
    }
    this.#parser.free();
    return this.#writer.input || given;
  }

  /** Reads what the call's input has more than the deltas. If they differ, the call's input counts. */
  #catchUp(given: string): void {
    if (!given.startsWith(this.#raw)) {
      this.#parser.free();
      this.#parser = this.#newParser();
      this.#writer = new InputWriter(this.#tool.keys);
      this.#raw = "";
    }
    this.#feed(given.slice(this.#raw.length));
  }

  #feed(text: string): void {
    this.#raw += text;
    for (const event of feed(this.#parser, text)) {
      if (event.type === "partial") this.#writer.partial(event);
    }
  }

  #report({ code, message }: Rejection): void {
    const call = { toolCallId: this.#id, toolName: this.#tool.name, code, message, raw: this.#raw };
    this.#output.settings.onRejected?.(call);
  }

  #newParser(): ArgumentsParser {
    const { name, shape } = this.#tool;
    const policy = this.#output.settings.policy;
    return new ArgumentsParser(name, shape === undefined ? policy : { ...policy, shapes: [shape] });
  }
}
