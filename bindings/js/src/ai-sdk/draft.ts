// Collects calls in the model's reasoning, which are asked only if its message has no question.

import type { CompleteEvent, FollowupEvent, PartialEvent } from "../events.js";
import { Parser } from "../parsers.js";
import { TextFeed } from "./feed.js";
import type { Settings } from "./settings.js";
import type { QuestionTool } from "./tools.js";

/** A call in the model's reasoning. */
export interface DraftCall {
  readonly tool: QuestionTool;
  readonly partials: readonly PartialEvent[];
  readonly event: CompleteEvent;
}

/** The calls in the model's reasoning: what it asks unless its message does. */
export class ReasoningDraft {
  readonly #tools: Settings["tools"];
  readonly #parser: Parser;
  readonly #feed: TextFeed;
  readonly #calls: DraftCall[] = [];
  #partials: PartialEvent[] = [];

  constructor({ tools, policy }: Settings) {
    this.#tools = tools;
    this.#parser = new Parser(policy);
    this.#feed = new TextFeed(this.#parser);
  }

  feed(text: string): void {
    this.#keep(this.#feed.feed(text));
  }

  /** Ends the reasoning and returns its calls. */
  end(): readonly DraftCall[] {
    this.#keep(this.#parser.finish());
    this.#parser.free();
    return this.#calls;
  }

  /** Frees the parser of reasoning that is not read to its end. */
  free(): void {
    this.#parser.free();
  }

  #keep(events: readonly FollowupEvent[]): void {
    for (const event of events) {
      if (event.type === "partial") this.#partials.push(event);
      if (event.type !== "complete" && event.type !== "rejected") continue;
      const partials = this.#partials.splice(0);
      const tool = this.#tools.get(event.tool);
      if (event.type === "complete" && tool) this.#calls.push({ tool, partials, event });
    }
  }
}
