import type { CompleteEvent, FollowupEvent } from "../events.js";
import { Parser } from "../parsers.js";
import type { Settings } from "./settings.js";
import type { QuestionTool } from "./tools.js";

/** A call in the model's reasoning. */
export interface DraftCall {
  readonly event: CompleteEvent;
  readonly tool: QuestionTool;
  readonly raw: string;
}

/** The calls in the model's reasoning: what it asks unless its message does. */
export class Draft {
  readonly #tools: Settings["tools"];
  readonly #parser: Parser;
  readonly #calls: DraftCall[] = [];

  constructor({ tools, policy }: Settings) {
    this.#tools = tools;
    this.#parser = new Parser(policy);
  }

  feed(text: string): void {
    this.#keep(this.#parser.feed(text));
  }

  /** Ends the reasoning and returns its calls. */
  take(): DraftCall[] {
    this.#keep(this.#parser.finish());
    this.#parser.free();
    return this.#calls;
  }

  #keep(events: readonly FollowupEvent[]): void {
    for (const event of events) {
      const tool = event.type === "complete" ? this.#tools.get(event.tool) : undefined;
      if (event.type === "complete" && tool) this.#calls.push({ event, tool, raw: "" });
    }
  }
}
