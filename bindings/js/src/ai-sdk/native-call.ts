import type { CompleteEvent, RejectedEvent } from "../events.js";
import { ArgumentsParser } from "../parsers.js";
import { feed } from "./feed.js";
import type { InputDelta, InputEnd, Part, ToolCall } from "./parts.js";
import { CUT_OFF, NO_PLACE, type Rejection, type Settings, STREAM_ENDED } from "./settings.js";
import type { QuestionTool } from "./tools.js";
import { InputWriter } from "./writer.js";

/** What a native call needs of the response that it is in. */
export interface Response {
  readonly settings: Settings;
  enqueue(part: Part): void;
  /** Runs the end of a call once the reason is known why the model finished: `isCut` if it was cut off. */
  atFinish(end: (isCut: boolean) => void): void;
}

/** A native call of a question tool, whose input is written anew. */
export class NativeCall {
  readonly #tool: QuestionTool;
  readonly #response: Response;
  /** Whether the call has a `tool-input-start`. */
  readonly #isStreamed: boolean;
  #parser: ArgumentsParser;
  #writer: InputWriter;
  #raw = "";
  #end: InputEnd | undefined;

  constructor(tool: QuestionTool, isStreamed: boolean, response: Response) {
    this.#tool = tool;
    this.#isStreamed = isStreamed;
    this.#response = response;
    this.#parser = this.#newParser();
    this.#writer = new InputWriter(tool.keys);
  }

  delta(part: InputDelta): void {
    this.#feed(part.delta);
    const delta = this.#writer.take();
    if (delta !== "" || part.providerMetadata) this.#response.enqueue({ ...part, delta } as Part);
  }

  /** Keeps the end of the input until the call has come, which may have more of it. */
  inputEnd(part: InputEnd): void {
    this.#end = part;
  }

  /** Ends the call. */
  call(part: ToolCall): void {
    const delta = this.#catchUp(part.input);
    const event = this.#parser.finish().at(-1) as CompleteEvent | RejectedEvent;
    this.#parser.free();
    if (event.type === "rejected") return this.#reject(event, event, part, delta);
    if (!event.notes.includes(STREAM_ENDED)) return this.#complete(event, part, delta);
    this.#response.atFinish((isCut) => {
      if (isCut) this.#reject(event, CUT_OFF, part, delta);
      else this.#complete(event, part, delta);
    });
  }

  /** Ends an input whose call never came. */
  abandon(): void {
    this.#parser.free();
    if (this.#end) this.#response.enqueue(this.#end);
  }

  /** Feeds what the call's input has more than the deltas. Returns what the deltas still lack. */
  #catchUp(input: string): (written: string) => string {
    const sent = this.#writer.input;
    if (input.startsWith(this.#raw)) {
      this.#feed(input.slice(this.#raw.length));
    } else {
      this.#parser.free();
      this.#parser = this.#newParser();
      this.#writer = new InputWriter(this.#tool.keys);
      this.#raw = "";
      this.#feed(input);
    }
    return (written) => (written.startsWith(sent) ? written.slice(sent.length) : "");
  }

  #feed(text: string): void {
    this.#raw += text;
    for (const event of feed(this.#parser, text)) {
      if (event.type === "partial") this.#writer.partial(event);
    }
  }

  #complete(event: CompleteEvent, part: ToolCall, rest: (written: string) => string): void {
    if (!this.#writer.complete(event)) this.#report(NO_PLACE, part);
    this.#finish(this.#writer.input, part, rest);
  }

  /** Ends a call that can't be asked: with what was written of it, or as it came if that is nothing. */
  #reject(event: CompleteEvent | RejectedEvent, reason: Rejection, part: ToolCall, rest: (written: string) => string): void {
    this.#report(reason, part);
    const isEmpty = event.question === undefined && event.suggestions.length === 0 && this.#writer.input === "";
    if (!isEmpty) this.#writer.reject(event);
    this.#finish(isEmpty ? part.input : this.#writer.input, part, rest);
  }

  #finish(input: string, part: ToolCall, rest: (written: string) => string): void {
    const id = part.toolCallId;
    const delta = rest(input);
    if (this.#isStreamed) {
      if (delta !== "") this.#response.enqueue({ type: "tool-input-delta", id, delta } as Part);
      this.#response.enqueue(this.#end ?? ({ type: "tool-input-end", id } as Part));
    }
    this.#response.enqueue({ ...part, input } as Part);
  }

  #report({ code, message }: Rejection, { toolCallId, toolName }: ToolCall): void {
    this.#response.settings.onRejected?.({ toolCallId, toolName, code, message, raw: this.#raw });
  }

  #newParser(): ArgumentsParser {
    const { name, shape } = this.#tool;
    const policy = this.#response.settings.policy;
    return new ArgumentsParser(name, shape === undefined ? policy : { ...policy, shapes: [shape] });
  }
}
