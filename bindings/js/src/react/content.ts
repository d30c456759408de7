// Builds the parts of a message (prose, calls, errors) from events.

import type { Answer, FormAnswer } from "../dialogue-types.js";
import type {
  CompleteEvent,
  ErrorEvent,
  FollowupEvent,
  PartialEvent,
  Question,
  RejectedEvent,
} from "../events.js";
import { kind } from "../options.js";
import { append, type CallView, emptyView } from "../view.js";
import type { Call, Content, OpenCall, Part } from "./state.js";

const ANSWERS: readonly Answer["type"][] = ["text", "suggestion", "edited", "form"];

/** A call that grows: where it is in the parts, and what was shown of it. */
interface GrowingView {
  readonly at: number;
  readonly view: CallView;
}

/**
 * Collects what events give. An event costs what it adds; a snapshot what has changed, and a list
 * of the parts.
 */
export class ContentBuilder {
  /** The parts; `undefined` where a call was that another one has superseded. */
  readonly #parts: (Part | undefined)[] = [];
  #text = "";
  readonly #errors: ErrorEvent[] = [];
  /** Where each call is in the parts. */
  readonly #calls = new Map<number, number>();
  readonly #growing = new Map<number, GrowingView>();
  /** Calls that grew since the last snapshot. */
  readonly #grown = new Set<GrowingView>();
  /** Where the native calls of other tools are in the parts. */
  readonly #tools = new Map<string, number>();

  apply(event: FollowupEvent): void {
    switch (event?.type) {
      case "text":
        this.#text += event.text;
        return this.#appendText(event.text);
      case "opaque":
        return this.#appendTool(event.tool, event.raw, event.start, event.id);
      case "partial":
        return this.#append(event);
      case "complete":
        return this.#close(event, { ...base(event), state: "open", notes: event.notes });
      case "rejected":
        if (event.code === "superseded") return this.#drop(event.call);
        return this.#close(event, {
          ...base(event),
          state: "rejected",
          code: event.code,
          message: event.message,
        });
      case "error":
        this.#errors.push(event);
        this.#parts.push({ type: "error", error: event });
        return;
      default:
        throw new TypeError(`event: an event of a parser was expected, not ${kind(event)}`);
    }
  }

  /** Rejects the calls that still grow: nothing more comes. */
  end(): void {
    for (const { at, view } of this.#growing.values()) {
      const message = "the message ended before the call was closed";
      this.#parts[at] = {
        type: "call",
        call: { ...shown(view), state: "rejected", code: "truncated", message },
      };
    }
    this.#growing.clear();
    this.#grown.clear();
  }

  /** Sets the answer to an open call. */
  answer(index: number, answer: Answer, images: readonly string[]): void {
    if (!ANSWERS.includes(answer?.type)) {
      throw new TypeError(
        `answer: an object with the type text, suggestion, edited or form was expected, not ${kind(answer)}`,
      );
    }
    this.#end(index, (call) => ({
      ...call,
      state: "answered",
      answer,
      ...(images.length > 0 && { images }),
    }));
  }

  /** Ends an open call without an answer. */
  close(index: number, state: "cancelled" | "declined"): void {
    this.#end(index, (call) => ({ ...call, state }));
  }

  /** Ends an open call because the user wants to talk about it first. */
  discuss(index: number, answers: readonly FormAnswer[]): void {
    this.#end(index, (call) => ({ ...call, state: "discussed", answers }));
  }

  #end(index: number, ended: (call: OpenCall) => Call): void {
    const at = this.#calls.get(index) ?? -1;
    const part = this.#parts[at];
    if (part?.type !== "call" || part.call.state !== "open")
      throw new TypeError(`call ${index} is not open`);
    this.#parts[at] = { type: "call", call: ended(part.call) };
  }

  snapshot(): Content {
    for (const { at, view } of this.#grown)
      this.#parts[at] = { type: "call", call: { ...shown(view), state: "growing" } };
    this.#grown.clear();
    const calls = [...this.#calls.values()].map((at) => (this.#parts[at] as { call: Call }).call);
    return {
      parts: this.#parts.filter((part) => part !== undefined),
      text: this.#text,
      calls,
      errors: [...this.#errors],
    };
  }

  #appendText(text: string): void {
    const last = this.#parts.at(-1);
    if (last?.type === "text")
      this.#parts[this.#parts.length - 1] = { type: "text", text: last.text + text };
    else this.#parts.push({ type: "text", text });
  }

  #appendTool(tool: string, raw: string, start: boolean, id: string | undefined): void {
    const at = start ? -1 : id === undefined ? this.#parts.length - 1 : (this.#tools.get(id) ?? -1);
    const part = this.#parts[at];
    if (part?.type === "tool") {
      this.#parts[at] = { ...part, raw: part.raw + raw };
      return;
    }
    if (id !== undefined) this.#tools.set(id, this.#parts.length);
    this.#parts.push({ type: "tool", tool, raw, ...(id === undefined ? {} : { id }) });
  }

  #append(event: PartialEvent): void {
    let growing = this.#growing.get(event.call);
    if (growing === undefined) {
      growing = { at: this.#place(event.call), view: emptyView(event) };
      this.#growing.set(event.call, growing);
      this.#parts[growing.at] = {
        type: "call",
        call: { ...shown(growing.view), state: "growing" },
      };
    }
    append(growing.view, event);
    this.#grown.add(growing);
  }

  #close(event: CompleteEvent | RejectedEvent, call: Call): void {
    const growing = this.#growing.get(event.call);
    if (growing !== undefined) this.#grown.delete(growing);
    this.#growing.delete(event.call);
    this.#parts[this.#place(event.call)] = { type: "call", call };
  }

  /** Drops a call instead of which another one counts. */
  #drop(call: number): void {
    const growing = this.#growing.get(call);
    if (growing !== undefined) this.#grown.delete(growing);
    this.#growing.delete(call);
    const at = this.#calls.get(call);
    if (at !== undefined) this.#parts[at] = undefined;
    this.#calls.delete(call);
  }

  /** Returns where a call is in the parts. A new one comes after all others. */
  #place(call: number): number {
    const at = this.#calls.get(call) ?? this.#parts.length;
    this.#calls.set(call, at);
    return at;
  }
}

/** Returns what a call has in each state. */
function base({
  call,
  id,
  tool,
  title,
  question,
  suggestions,
  questions,
}: CompleteEvent | RejectedEvent) {
  const only: Question[] =
    question === undefined && suggestions.length === 0
      ? []
      : [{ text: question ?? "", suggestions }];
  return {
    index: call,
    ...(id === undefined ? {} : { id }),
    tool,
    ...(title === undefined ? {} : { title }),
    questions: questions ?? only,
  };
}

/**
 * Returns a copy of what was shown of a call. Its size is limited by the number of suggestions, not
 * by their lengths.
 */
function shown({ call, id, tool, title, questions }: CallView) {
  const copies = questions.map((question) => ({
    ...question,
    suggestions: question.suggestions.map((one) => ({ ...one })),
  }));
  return {
    index: call,
    ...(id === undefined ? {} : { id }),
    tool,
    ...(title === "" ? {} : { title }),
    questions: copies,
  };
}
