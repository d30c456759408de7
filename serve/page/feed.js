// @ts-check
// The list of conversations as the service tells it: by events, or by polling a service without
// them.

import { ApiError, authorization, request } from './api.js';
import { EventStream } from './stream.js';

/** @typedef {import('./list.js').Entry} Entry */
/**
 * @typedef {object} FeedOptions
 * @property {(entries: Entry[]) => void} onEntries
 * @property {(service: string) => void} onService the id of the service's run
 * @property {() => void} onUnauthorized
 * @property {(problem: string) => void} onProblem empty if there is none
 */

const POLL = 5000;

export class ListFeed {
  /** @type {FeedOptions} */ #options;
  /** @type {EventStream | null} */ #stream = null;
  /** Latest change first. @type {Map<string, Entry>} */ #entries = new Map();
  #polls = false;
  #polling = false;
  #again = false;
  /** Whether the stream is down. */ #down = false;

  /** @param {FeedOptions} options */
  constructor(options) {
    this.#options = options;
    setInterval(() => this.#polls && !document.hidden && void this.#poll(), POLL);
  }

  /** Starts, or starts again: with another token, or because the network is back. */
  start() {
    this.#stream?.close();
    this.#polls = false;
    this.#stream = new EventStream({
      url: '/conversations/events',
      headers: authorization,
      onMessage: ({ event, data }) => this.#onMessage(event, data),
      onStatus: (status) => this.#onStatus(status),
    });
  }

  /** Looks at once for what has changed. */
  refresh() {
    this.#stream?.reconnectNow();
    if (this.#polls) void this.#poll();
  }

  /** @param {import('./stream.js').Status} status */
  #onStatus(status) {
    if (status.is === 'open') this.#onOpen();
    if (status.is === 'waiting')
      this.#onDown(
        status.answered ? `The service refuses: ${status.why}.` : "The service can't be reached.",
      );
    if (status.is === 'unauthorized') this.#options.onUnauthorized();
    if (status.is === 'missing' || status.is === 'refused') {
      this.#polls = true;
      void this.#poll();
    }
  }

  #onOpen() {
    this.#down = false;
    this.#options.onProblem('');
  }

  /**
   * Reports a problem from the second failure on: most lost connections come back at once.
   * @param {string} problem
   */
  #onDown(problem) {
    if (this.#down) this.#options.onProblem(`${problem} This page tries again by itself.`);
    this.#down = true;
  }

  /** @param {string} event @param {string} text */
  #onMessage(event, text) {
    /** @type {any} */ let data;
    try {
      data = JSON.parse(text);
    } catch {
      return;
    }
    if (event === 'list') {
      this.#options.onService(String(data.service ?? ''));
      this.#replace(data.conversations ?? []);
    } else if (event === 'conversation' && typeof data.id === 'string') this.#change(data);
    else if (event === 'removed' && this.#entries.delete(data.id)) this.#show();
  }

  /** @param {Entry} entry */
  #change(entry) {
    this.#entries.delete(entry.id);
    this.#entries = new Map([[entry.id, entry], ...this.#entries]);
    this.#show();
  }

  /** @param {Entry[]} entries */
  #replace(entries) {
    this.#entries = new Map(entries.map((entry) => [entry.id, entry]));
    this.#show();
  }

  #show() {
    this.#options.onEntries([...this.#entries.values()]);
  }

  /** Loads the list. If it is being loaded already, it is loaded once more after that. */
  async #poll() {
    if (this.#polling) return void (this.#again = true);
    this.#polling = true;
    try {
      this.#replace((await request('/conversations')).conversations);
      this.#options.onProblem('');
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) this.#options.onUnauthorized();
      else this.#options.onProblem(error instanceof Error ? error.message : String(error));
    }
    this.#polling = false;
    if (!this.#again) return;
    this.#again = false;
    void this.#poll();
  }
}
