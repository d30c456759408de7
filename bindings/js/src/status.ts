// Handles responses with an HTTP status that is an error: only error events of them are emitted.

import type { FollowupEvent } from "./events.js";

/**
 * The error of a response with an error status, such as 502, and without an error of the provider
 * that could be read.
 *
 * ```js
 * import { events, StatusError } from "followup";
 *
 * try {
 *   const response = new Response("<html>Bad Gateway</html>", { status: 502 });
 *   for await (const event of events(response)) assert.fail(event.type);
 *   assert.fail("it throws at the end");
 * } catch (error) {
 *   if (!(error instanceof StatusError)) throw error;
 *   assert.equal(error.status, 502);
 * }
 * ```
 */
export class StatusError extends Error {
  override readonly name = "StatusError";
  /** The status, such as 502. */
  readonly status: number;

  /** Creates the error of a response with this status. */
  constructor({ status, statusText }: { readonly status: number; readonly statusText: string }) {
    super(`the response has the status ${statusText ? `${status} ${statusText}` : status}`);
    this.status = status;
  }
}

/**
 * Lets out the events of a response; of one whose status is an error, only errors: the rest may be
 * the page of a proxy.
 */
export class Gate {
  readonly #failure: StatusError | undefined;
  #isExplained = false;

  constructor(failure: StatusError | undefined) {
    this.#failure = failure;
  }

  /** Returns the events that come out. */
  pass(events: readonly FollowupEvent[]): readonly FollowupEvent[] {
    if (this.#failure === undefined) return events;
    const errors = events.filter(({ type }) => type === "error");
    this.#isExplained ||= errors.some(
      (event) => event.type === "error" && event.code === "provider",
    );
    return errors;
  }

  /**
   * Ends the response. Throws the error of its status, unless the provider has said what is wrong.
   */
  end(): void {
    if (this.#failure !== undefined && !this.#isExplained) throw this.#failure;
  }
}
