// Reads a source into a store while at least one component subscribes to it.

import type { ResponseOptions } from "../options.js";
import { read, type StreamSource } from "./source.js";
import { FollowupStore } from "./store.js";

/** A stream that is read while somebody listens, once. */
export class Reading {
  readonly #store = new FollowupStore();
  readonly #source: StreamSource;
  readonly #options: ResponseOptions | undefined;
  readonly #abort = new AbortController();
  #readers = 0;
  #hasBegun = false;

  constructor(source: StreamSource, options: ResponseOptions | undefined) {
    this.#source = source;
    this.#options = options;
  }

  get store(): FollowupStore {
    return this.#store;
  }

  /** Begins to read with the first listener, and stops after the last one has gone. */
  subscribe = (listener: () => void): (() => void) => {
    const unsubscribe = this.#store.subscribe(listener);
    this.#readers++;
    this.#begin();
    return () => {
      unsubscribe();
      this.#readers--;
      // React's strict mode leaves and comes back at once.
      setTimeout(() => this.#readers === 0 && this.stop(), 0);
    };
  };

  stop(): void {
    this.#store.stop();
    this.#abort.abort();
  }

  #begin(): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    this.#store.push([]);
    read(this.#source, this.#options, this.#abort.signal, (events) =>
      this.#store.push(events),
    ).then(
      () => this.#store.end(),
      (error: unknown) => this.#store.fail(error),
    );
  }
}
