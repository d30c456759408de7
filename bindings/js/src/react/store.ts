// The class `FollowupStore`: the state of one message, with subscriptions for React.

import type { Answer, FormAnswer } from "../dialogue-types.js";
import type { FollowupEvent } from "../events.js";
import { ContentBuilder } from "./content.js";
import { nextFrame } from "./frame.js";
import { type FollowupState, IDLE, type Status } from "./state.js";

/**
 * Collects events for an interface, which learns of changes at most once a frame.
 *
 * `useFollowup` makes one for a stream. Make your own to push events that come another way, such as
 * through a socket, and pass it to `useFollowup` as the source. What has not changed stays the same
 * object in the next state.
 *
 * ```js
 * import { FollowupStore } from "followup/react";
 *
 * const store = new FollowupStore();
 * const changed = new Promise((resolve) => store.subscribe(() => resolve(undefined)));
 * store.push([{ type: "text", text: "Hi" }]);
 * store.end();
 * await changed;
 * assert.deepEqual([store.getState().text, store.getState().status], ["Hi", "done"]);
 * ```
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

  /** Returns the state of the last frame: the same object until the listeners are called. */
  getState = (): FollowupState => this.#state;

  /**
   * Adds events. After the end they are ignored. Throws a `TypeError` for a value that is no event;
   * the events before it are added.
   */
  push(events: Iterable<FollowupEvent>): void {
    if (this.#isOver()) return;
    this.#status = { status: "streaming" };
    try {
      for (const event of events) this.#content.apply(event);
    } finally {
      this.#changed();
    }
  }

  /**
   * Ends the stream. Calls that still grow are rejected. After the end this does nothing, nor do
   * `fail` and `stop`.
   */
  end(): void {
    this.#end({ status: "done" });
  }

  /**
   * Ends a stream that broke: the status is `failed`, with this error. Calls that still grow are
   * rejected.
   */
  fail(error: unknown): void {
    this.#end({ status: "failed", error });
  }

  /**
   * Ends a stream that nobody wants any more: the status is `stopped`. Calls that still grow are
   * rejected.
   */
  stop(): void {
    this.#end({ status: "stopped" });
  }

  /**
   * Sets the answer to an open call, and the images that go with it. Throws if the call is not
   * open.
   */
  answer(call: number, answer: Answer, images: readonly string[] = []): void {
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

  /**
   * Notes that the user wants to talk about an open call first, and the answers so far. Throws if
   * the call is not open.
   */
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
