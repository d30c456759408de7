// The class `FollowupStore`: the state of one message, with subscriptions for React.

import type { FollowupEvent } from "../events.js";
import type { FollowupAnswer, FormAnswer } from "./answer.js";
import { ContentBuilder } from "./content.js";
import { nextFrame } from "./frame.js";
import { type FollowupState, IDLE, type Status } from "./state.js";

/**
 * Collects events for an interface, which learns of changes at most once a frame.
 *
 * `useFollowup` makes one for a stream. Make your own to push events that come another way, such as through a socket.
 */
export class FollowupStore {
  readonly #content = new ContentBuilder();
  readonly #listeners = new Set<() => void>();
  #status: Status = { status: "idle" };
  #state: FollowupState = IDLE;
  #isScheduled = false;

  /** Calls the listener after each change of the state. Returns a function that ends that. */
  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /** Returns the state of the last frame. */
  getState = (): FollowupState => this.#state;

  /** Adds events. After the end they are ignored. Throws a `TypeError` for what is no event; those before it count. */
  push(events: Iterable<FollowupEvent>): void {
    if (this.#isOver()) return;
    this.#status = { status: "streaming" };
    try {
      for (const event of events) this.#content.apply(event);
    } finally {
      this.#changed();
    }
  }

  /** Ends the stream. Calls that still grow are rejected. */
  end(): void {
    this.#end({ status: "done" });
  }

  /** Ends a stream that broke. */
  fail(error: unknown): void {
    this.#end({ status: "failed", error });
  }

  /** Ends a stream that nobody wants any more. */
  stop(): void {
    this.#end({ status: "stopped" });
  }

  /** Sets the answer to an open call, and the images that go with it. Throws if the call is not open. */
  answer(call: number, answer: FollowupAnswer, images: readonly string[] = []): void {
    this.#content.answer(call, answer, images);
    this.#changed();
  }

  /** Notes that the user left an open call unanswered. Throws if the call is not open. */
  cancel(call: number): void {
    this.#content.close(call, "cancelled");
    this.#changed();
  }

  /** Notes that the user declined to answer an open call. Throws if the call is not open. */
  decline(call: number): void {
    this.#content.close(call, "declined");
    this.#changed();
  }

  /** Notes that the user wants to talk about an open call first, and the answers so far. Throws if the call is not open. */
  discuss(call: number, answers: readonly FormAnswer[] = []): void {
    this.#content.discuss(call, answers);
    this.#changed();
  }

  #end(status: Status): void {
    if (this.#isOver()) return;
    this.#status = status;
    this.#content.end();
    this.#changed();
  }

  #isOver(): boolean {
    return this.#status.status !== "idle" && this.#status.status !== "streaming";
  }

  #changed(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    nextFrame(() => {
      this.#isScheduled = false;
      this.#state = { ...this.#content.snapshot(), ...this.#status };
      this.#listeners.forEach((listener) => listener());
    });
  }
}
