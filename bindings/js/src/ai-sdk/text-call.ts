// Writes one call found in text as the parts of a tool call.

import type { CompleteEvent, PartialEvent } from "../events.js";
import type { Ask } from "./asks.js";
import type { Output } from "./output.js";
import { NO_PLACE, type Rejection } from "./settings.js";
import type { QuestionTool } from "./tools.js";
import { InputWriter } from "./writer.js";

/**
 * A call in text that becomes a tool call: its start, the deltas of its input, its end, and the
 * whole.
 */
export class TextCall {
  readonly #tool: QuestionTool;
  readonly #output: Output;
  readonly #id: string;
  readonly #ask: Ask;
  readonly #writer: InputWriter;

  constructor(tool: QuestionTool, output: Output) {
    this.#tool = tool;
    this.#output = output;
    this.#id = output.settings.generateId();
    this.#ask = output.ask(false, true);
    this.#writer = new InputWriter(tool.keys);
    this.#part("tool-input-start", { id: this.#id, toolName: tool.name });
  }

  partial(event: PartialEvent): void {
    this.#writer.partial(event);
    this.#ask.partial(event);
  }

  /** Enqueues what has been written since the last time. */
  flush(): void {
    const delta = this.#writer.take();
    if (delta !== "") this.#part("tool-input-delta", { id: this.#id, delta });
  }

  /** Ends the call. */
  complete(event: CompleteEvent, raw: string): void {
    if (!this.#writer.complete(event)) return this.reject(NO_PLACE, raw);
    this.#end();
    this.#ask.complete(event);
  }

  /** Ends the call with an input that is not valid, so that it is never executed. */
  reject({ code, message }: Rejection, raw: string): void {
    this.#writer.reject();
    this.#output.settings.onRejected?.({
      toolCallId: this.#id,
      toolName: this.#tool.name,
      code,
      message,
      raw,
    });
    this.#end();
    this.#ask.reject();
  }

  #end(): void {
    this.flush();
    this.#part("tool-input-end", { id: this.#id });
    this.#part("tool-call", {
      toolCallId: this.#id,
      toolName: this.#tool.name,
      input: this.#writer.input,
    });
  }

  #part(type: string, fields: object): void {
    this.#ask.enqueue({ type, ...fields });
  }
}
