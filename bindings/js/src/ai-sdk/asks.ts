// Detects that a response asks the same question natively and in text, and keeps only one call.

import type { CompleteEvent, PartialEvent } from "../events.js";
import type { StreamPart } from "./parts.js";

/** The number of earlier calls with which a call is compared. */
const REMEMBERED = 256;

/** Stands between the texts of several questions. */
const SEPARATOR = "\0";

/**
 * The calls of question tools in one response. A question that comes natively and in text is asked
 * once.
 *
 * The first of the two counts. The parts of the second wait until its question differs, and are
 * dropped if it does not. The first can't give way to a native call that comes after it, because
 * the AI SDK has no part that withdraws an input: without a call it stays in the message of
 * `useChat` as `input-streaming`, so the question would be shown twice, and
 * `lastAssistantMessageIsCompleteWithToolCalls` would stay `false` after the answer.
 */
export class Asks {
  readonly #enqueue: (part: StreamPart) => void;
  readonly #calls: Ask[] = [];
  readonly #waiting = new Set<Ask>();

  constructor(enqueue: (part: StreamPart) => void) {
    this.#enqueue = enqueue;
  }

  /** Whether a call in text is asked. */
  get isAskedInText(): boolean {
    return this.#calls.some(({ isNative, state }) => !isNative && state === "complete");
  }

  /** Begins a call. One that may not be dropped comes out in any case. */
  begin(isNative: boolean, mayDrop: boolean): Ask {
    const ask = new Ask(this, isNative);
    const isRival = (call: Ask) =>
      call.isNative !== isNative && (call.state === "open" || call.state === "complete");
    if (mayDrop) ask.rivals = this.#calls.filter(isRival).slice(-REMEMBERED);
    if (ask.rivals.length > 0) this.#waiting.add(ask);
    this.#calls.push(ask);
    return ask;
  }

  enqueue(ask: Ask, part: StreamPart): void {
    if (this.#waiting.has(ask)) ask.pending.push(part);
    else if (ask.state !== "dropped") this.#enqueue(part);
  }

  /**
   * Decides what a change of a call decides. `mayAgree` returns whether it may still ask what
   * another one asks.
   */
  changed(ask: Ask, mayAgree: (other: Ask) => boolean): void {
    for (const waiting of this.#waiting) {
      if (waiting === ask) ask.rivals = ask.rivals.filter(mayAgree);
      else if (!mayAgree(waiting)) waiting.rivals = waiting.rivals.filter((rival) => rival !== ask);
      if (waiting.rivals.length === 0) this.#release(waiting);
      else if (
        waiting.state === "complete" &&
        waiting.rivals.some(({ state }) => state === "complete")
      )
        waiting.drop();
    }
  }

  /** Drops the parts of a call, unless they have come out. */
  drop(ask: Ask): void {
    ask.state = this.#waiting.delete(ask) ? "dropped" : "rejected";
    ask.pending = [];
  }

  #release(ask: Ask): void {
    this.#waiting.delete(ask);
    for (const part of ask.pending) this.#enqueue(part);
    ask.pending = [];
  }
}

/** A call of a question tool, and what it asks. */
export class Ask {
  readonly #asks: Asks;
  readonly isNative: boolean;
  state: "open" | "complete" | "rejected" | "dropped" = "open";
  /** Its questions, as far as they are known. */
  question = "";
  #index = 0;
  /** Earlier calls that may ask the same. While there are any, the parts are pending. */
  rivals: readonly Ask[] = [];
  pending: StreamPart[] = [];

  constructor(asks: Asks, isNative: boolean) {
    this.#asks = asks;
    this.isNative = isNative;
  }

  enqueue(part: StreamPart): void {
    this.#asks.enqueue(this, part);
  }

  partial({ field, questionIndex, delta }: PartialEvent): void {
    if (field !== "question") return;
    const from = this.question.length;
    const added = SEPARATOR.repeat(questionIndex - this.#index) + delta;
    this.#index = questionIndex;
    this.question += added;
    this.#asks.changed(this, (other) => {
      const there = other.question.slice(from, from + added.length);
      return there === added || (other.state === "open" && added.startsWith(there));
    });
  }

  /** The input begins anew. */
  restart(): void {
    this.question = "";
    this.#index = 0;
  }

  complete({ question, questions }: CompleteEvent): void {
    const whole = questions?.map(({ text }) => text).join(SEPARATOR) ?? question;
    this.state = "complete";
    this.question = whole;
    this.#asks.changed(this, (other) =>
      other.state === "open" ? whole.startsWith(other.question) : whole === other.question,
    );
  }

  /** The call can't be asked. It comes out all the same, so that the model is told. */
  reject(): void {
    this.state = "rejected";
    this.#asks.changed(this, () => false);
  }

  /**
   * The call is not asked: it never came, or another one asks the same. What has not come out of it
   * never does.
   */
  drop(): void {
    this.#asks.drop(this);
    this.#asks.changed(this, () => false);
  }
}
