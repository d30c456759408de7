// @ts-check
// Server-sent events over fetch: EventSource can't send a token, nor say why it failed.

/** @typedef {{id: string | null, event: string, data: string}} Message */
/**
 * @typedef {
 *   | {is: 'connecting'}
 *   | {is: 'open', again: boolean}
 *   | {is: 'waiting', ms: number, why: string, answered?: boolean}
 *   | {is: 'unauthorized'}
 *   | {is: 'missing'}
 *   | {is: 'refused', message: string}
 * } Status `answered`: the service was reached, and refused the request
 */
/**
 * @typedef {object} StreamOptions
 * @property {string} url
 * @property {() => Record<string, string>} headers
 * @property {(message: Message) => void} onMessage
 * @property {(status: Status) => void} onStatus
 * @property {string | null} [last] id of the last message that is already known
 * @property {typeof fetch} [fetch]
 * @property {(ms: number) => number} [jitter]
 * @property {number} [idleTimeout] milliseconds without a byte after which a connection counts as
 *   lost
 */

const FIRST_DELAY = 250;
const MAX_DELAY = 10_000;
const IDLE_TIMEOUT = 60_000;

/** Parses server-sent events from chunks of any size. */
export class SseParser {
  /** The pieces of the incomplete line. @type {string[]} */ #rest = [];
  #cr = false;
  /** @type {string[]} */ #data = [];
  #event = '';
  #id = /** @type {string | null} */ (null);
  #began = false;
  /** The delay before a reconnection that the server asked for. */
  retry = /** @type {number | null} */ (null);

  /** @param {string} text @returns {Message[]} */
  feed(text) {
    if (!this.#began && text) {
      this.#began = true;
      if (text.startsWith('\uFEFF')) text = text.slice(1);
    }
    this.#rest.push(text);
    // A snapshot is one long line: joining the pieces only at its end keeps this linear.
    return /[\r\n]/.test(text) || this.#cr ? this.#lines(this.#rest.join('')) : [];
  }

  /** @param {string} all @returns {Message[]} */
  #lines(all) {
    /** @type {Message[]} */ const messages = [];
    // A carriage return at the end of a chunk may be the first half of a line end.
    const ends = /\r\n|\n|\r(?!$)/g;
    let from = 0;
    for (let end = ends.exec(all); end; end = ends.exec(all)) {
      const message = this.#line(all.slice(from, end.index));
      if (message) messages.push(message);
      from = ends.lastIndex;
    }
    this.#rest = [all.slice(from)];
    this.#cr = all.endsWith('\r');
    return messages;
  }

  /** @param {string} line @returns {Message | null} */
  #line(line) {
    if (line === '') return this.#dispatch();
    const colon = line.indexOf(':');
    if (colon === 0) return null;
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (name === 'data') this.#data.push(value);
    else if (name === 'event') this.#event = value;
    else if (name === 'id' && !value.includes('\0')) this.#id = value;
    else if (name === 'retry' && /^\d+$/.test(value)) this.retry = Number(value);
    return null;
  }

  /** @returns {Message | null} */
  #dispatch() {
    const message = { id: this.#id, event: this.#event || 'message', data: this.#data.join('\n') };
    const has = this.#data.length > 0;
    [this.#data, this.#event] = [[], ''];
    return has ? message : null;
  }
}

/**
 * Follows a stream of events. Whenever the connection ends, it reconnects and resumes after the
 * last message.
 */
export class EventStream {
  /** @type {StreamOptions} */ #options;
  #closed = false;
  #failures = 0;
  #opened = false;
  #idleTimeout;
  /** Id of the last message. @type {string | null} */ last;
  /** @type {AbortController | null} */ #abort = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */ #timer;
  /** @type {number | null} */ #retry = null;

  /** @param {StreamOptions} options */
  constructor(options) {
    this.#options = options;
    this.#idleTimeout = options.idleTimeout ?? IDLE_TIMEOUT;
    this.last = options.last ?? null;
    void this.#connect();
  }

  close() {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#abort?.abort();
  }

  /**
   * Reconnects at once if it waits to reconnect: the network is back, or the page is visible again.
   */
  reconnectNow() {
    if (this.#closed || this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    void this.#connect();
  }

  async #connect() {
    this.#options.onStatus({ is: 'connecting' });
    const early = takeEarly(this.#options);
    const abort = (this.#abort = early?.abort ?? new AbortController());
    let why = 'the connection ended';
    /** @type {number | null} */ let wait = null;
    let answered = false;
    try {
      const response = await (early?.response ?? this.#request(abort.signal));
      if (this.#closed) return;
      if (response.ok && response.body) await this.#read(response.body, abort);
      else if (this.#refused(response.status, (why = await messageOf(response)))) return;
      else {
        // A proxy says so if it can't reach the service.
        answered = response.status !== 502 && response.status !== 504;
        wait = seconds(response.headers.get('retry-after'));
      }
    } catch (error) {
      why = error instanceof Error ? error.message : String(error);
    }
    if (!this.#closed) this.#scheduleReconnect(why, wait, answered);
  }

  /** @param {AbortSignal} signal */
  #request(signal) {
    const { url, headers } = this.#options;
    /** @type {Record<string, string>} */
    const last = this.last === null ? {} : { 'Last-Event-ID': this.last };
    const request = this.#options.fetch ?? fetch;
    return request(url, {
      signal,
      cache: 'no-store',
      headers: { Accept: 'text/event-stream', ...headers(), ...last },
    });
  }

  /**
   * Reports a status that a retry can't change. Returns whether it is one.
   * @param {number} status
   * @param {string} message
   */
  #refused(status, message) {
    /** @type {Status | null} */
    const final =
      status === 401
        ? { is: 'unauthorized' }
        : status === 404
          ? { is: 'missing' }
          : status === 400 || status === 403
            ? { is: 'refused', message }
            : null;
    if (final && !this.#closed) this.#options.onStatus(final);
    return final !== null;
  }

  /** @param {ReadableStream<Uint8Array>} body @param {AbortController} abort */
  async #read(body, abort) {
    const again = this.#opened;
    this.#opened = true;
    this.#options.onStatus({ is: 'open', again });
    const parser = new SseParser();
    const decoder = new TextDecoder();
    const reader = body.getReader();
    try {
      for (;;) {
        const { done, value } = await this.#readWithTimeout(reader.read(), abort);
        if (done || this.#closed) return;
        // The service works, so the next reconnection need not back off.
        this.#failures = 0;
        for (const message of parser.feed(decoder.decode(value, { stream: true })))
          this.#onMessage(message);
        this.#retry = parser.retry ?? this.#retry;
      }
    } finally {
      reader.cancel().catch(() => {});
    }
  }

  /** @param {Message} message */
  #onMessage(message) {
    if (this.#closed) return;
    if (message.id !== null) this.last = message.id;
    this.#options.onMessage(message);
  }

  /**
   * Reads with a timeout, because a connection can be dead without an error. The timeout doubles
   * each time, because the service may be configured with a longer heartbeat.
   * @template T @param {Promise<T>} read @param {AbortController} abort @returns {Promise<T>}
   */
  async #readWithTimeout(read, abort) {
    const timer = setTimeout(() => {
      this.#idleTimeout *= 2;
      abort.abort();
    }, this.#idleTimeout);
    try {
      return await read;
    } finally {
      clearTimeout(timer);
    }
  }

  /** @param {string} why @param {number | null} wait @param {boolean} answered */
  #scheduleReconnect(why, wait, answered) {
    const { jitter = (ms) => ms * (0.75 + Math.random() / 2) } = this.#options;
    const backoff = jitter(Math.min(MAX_DELAY, (this.#retry ?? FIRST_DELAY) * 2 ** this.#failures));
    const ms = Math.max(backoff, Math.min(wait ?? 0, 60_000));
    this.#failures = Math.min(this.#failures + 1, 16);
    this.#options.onStatus({ is: 'waiting', ms, why, ...(answered ? { answered } : {}) });
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.#connect();
    }, ms);
  }
}

/**
 * Returns the request that `early.js` has started for this stream, once.
 * @param {StreamOptions} options
 * @returns {{abort: AbortController, response: Promise<Response>} | undefined}
 */
function takeEarly({ url, fetch, last }) {
  const early = /** @type {any} */ (globalThis).followupEarly;
  if (!early || fetch || last) return undefined;
  const found = early.get(url);
  early.delete(url);
  return found;
}

/** @param {string | null} header */
function seconds(header) {
  return header && /^\d+$/.test(header) ? Number(header) * 1000 : null;
}

/** Returns the message of an error response. @param {Response} response */
async function messageOf(response) {
  try {
    return String((await response.json()).error.message);
  } catch {
    return `the service answered ${response.status}`;
  }
}
