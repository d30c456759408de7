// Parses one streamed call of the question tool, and repairs its arguments for Roo Code.

import { ArgumentsParser, type FollowupEvent } from "followup/core";
import type { FollowUp, PartialToolUse } from "./types.js";

/** The name of the question tool. */
export const TOOL = "ask_followup_question";

/** A call of the question tool whose arguments are still being written. */
export class QuestionCall {
  readonly #name: string;
  readonly #parser = new ArgumentsParser(TOOL);
  #arguments = "";
  #question: string | undefined;
  /** Replaced by a new list when it changes, because callers keep it. */
  #followUp: readonly FollowUp[] | undefined;

  constructor(name: string) {
    this.#name = name;
  }

  /** Reads more of the arguments. Cost: that of the chunk, whatever came before it. */
  feed(chunk: string): PartialToolUse {
    this.#arguments += chunk;
    this.#parser.feed(chunk).forEach((event) => this.#apply(event));
    return this.#toolUse();
  }

  /** Returns the arguments as the tool takes them, and frees the parser. */
  finish(): string {
    const end = this.#parser.finish().at(-1);
    this.free();
    return regular(this.#arguments, end);
  }

  free(): void {
    this.#parser.free();
  }

  #apply(event: FollowupEvent): void {
    if (event.type !== "partial") return;
    if (event.suggestionIndex === undefined) {
      if (event.field === "question") this.#question = (this.#question ?? "") + event.delta;
      return;
    }
    const list = [...(this.#followUp ?? [])];
    const { text = "", mode = event.known?.mode } = list[event.suggestionIndex] ?? {};
    list[event.suggestionIndex] = {
      text: text + event.delta,
      ...(mode === undefined ? {} : { mode }),
    };
    this.#followUp = list;
  }

  #toolUse(): PartialToolUse {
    const question = this.#question === undefined ? {} : { question: this.#question };
    const followUp = this.#followUp;
    const params = followUp && {
      get follow_up() {
        return JSON.stringify(followUp);
      },
    };
    return {
      type: "tool_use",
      name: TOOL,
      ...(this.#name === TOOL ? {} : { originalName: this.#name }),
      // Copying a getter would call it.
      params: Object.assign(params ?? {}, question),
      partial: true,
      ...((params || this.#question !== undefined) && {
        nativeArgs: { ...question, ...(followUp && { follow_up: followUp }) },
      }),
    };
  }
}

/** Returns the arguments of a whole call as the tool takes them. */
export function regularArguments(text: string): string {
  const parser = new ArgumentsParser(TOOL);
  parser.feed(text);
  const end = parser.finish().at(-1);
  parser.free();
  return regular(text, end);
}

/**
 * Returns arguments unchanged if the tool takes them, or if they can't be repaired: then its own
 * error tells the model most. Without a suggestion Roo Code has nothing to show, so that is left to
 * its error, too.
 */
function regular(text: string, end: FollowupEvent | undefined): string {
  if (end?.type !== "complete" || end.suggestions.length === 0 || isRegular(text)) return text;
  const followUp = end.suggestions.map(({ answer, mode }) => ({
    text: answer,
    ...(mode === undefined ? {} : { mode }),
  }));
  return JSON.stringify({ question: end.question, follow_up: followUp });
}

function isRegular(text: string): boolean {
  try {
    const { question, follow_up: followUp } = JSON.parse(text);
    const isAnswer = (one: unknown) =>
      typeof one === "object" && one !== null && typeof (one as FollowUp).text === "string";
    return typeof question === "string" && Array.isArray(followUp) && followUp.every(isAnswer);
  } catch {
    return false;
  }
}
