// @ts-check
// Server-sent events over fetch: EventSource can't send a token, nor say why it failed.

/** @typedef {{id: string | null, event: string, data: string}} Message */
/** @typedef {{is: 'connecting'} | {is: 'open', again: boolean} | {is: 'waiting', ms: number, why: string} | {is: 'unauthorized'} | {is: 'missing'} | {is: 'refused', message: string}} Status */
/**
 * @typedef {object} Options
 * @property {string} url
 * @property {() => Record<string, string>} headers
 * @property {(message: Message) => void} onMessage
 * @property {(status: Status) => void} onStatus
 * @property {string | null} [last] the last message that is known already
 * @property {typeof fetch} [fetch]
 * @property {(ms: number) => number} [jitter]
 * @property {number} [patience] after how many ms without a byte a connection counts as lost
 */

const FIRST_DELAY = 250;
const LONGEST_DELAY = 10_000;
const PATIENCE = 60_000;

/** Cuts a body of server-sent events into its messages, however it arrives. */
export class SseParser {
  /** The beginning of a line. @type {string[]} */ #rest = [];
  #cr = false;
  /** @type {string[]} */ #data = [];
  #event = '';
  #id = /** @type {string | null} */ (null);
  #began = false;
  /** What the server wants to be waited before the next connection. */
  retry = /** @type {number | null} */ (null);

  /** @param {string} text @returns {Message[]} */
  feed(text) {
    if (!this.#began && text) {
      this.#began = true;
      if (text.startsWith('\uFEFF')) text = text.slice(1);
    }
    this.#rest.push(text);
    // A snapshot is one long line: nothing is done about it before it ends.
    return /[\r\n]/.test(text) || this.#cr ? this.#lines(this.#rest.join('')) : [];
  }

  /** @param {string} all @returns {Message[]} */
  #lines(all) {
    /** @type {Message[]} */ const messages = [];
    // A carriage return at the end may be half of a line's end.
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

/** Follows a stream of events: connects again, from where it was, whenever the connection ends. */
export class EventStream {
  /** @type {Options} */ #options;
  #closed = false;
  #failures = 0;
  #opened = false;
  #patience;
  /** The last message that has come. @type {string | null} */ last;
  /** @type {AbortController | null} */ #abort = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */ #timer;
  /** @type {number | null} */ #retry = null;

  /** @param {Options} options */
  constructor(options) {
    this.#options = options;
    this.#patience = options.patience ?? PATIENCE;
    this.last = options.last ?? null;
    void this.#connect();
  }

  close() {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#abort?.abort();
  }

  /** Does not wait any longer, if it waits: the network is back, or somebody looks again. */
  hurry() {
    if (this.#closed || this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    void this.#connect();
  }

  async #connect() {
    this.#options.onStatus({ is: 'connecting' });
    const abort = (this.#abort = new AbortController());
    let why = 'the connection ended';
    /** @type {number | null} */ let wait = null;
    try {
      const response = await this.#request(abort.signal);
      if (this.#closed) return;
      if (response.ok && response.body) await this.#read(response.body, abort);
      else if (this.#refused(response.status, why = await sentence(response))) return;
      else wait = seconds(response.headers.get('retry-after'));
    } catch (error) {
      why = error instanceof Error ? error.message : String(error);
    }
    if (!this.#closed) this.#later(why, wait);
  }

  /** @param {AbortSignal} signal */
  #request(signal) {
    const { url, headers } = this.#options;
    /** @type {Record<string, string>} */
    const last = this.last === null ? {} : { 'Last-Event-ID': this.last };
    const request = this.#options.fetch ?? fetch;
    return request(url, { signal, cache: 'no-store', headers: { Accept: 'text/event-stream', ...headers(), ...last } });
  }

  /** Whether a status will not change by asking again. @param {number} status @param {string} message */
  #refused(status, message) {
    /** @type {Status | null} */
    const final = status === 401 ? { is: 'unauthorized' } : status === 404 ? { is: 'missing' } : status === 400 || status === 403 ? { is: 'refused', message } : null;
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
        const { done, value } = await this.#patiently(reader.read(), abort);
        if (done || this.#closed) return;
        // Whoever answers works: the next time it is asked again at once.
        this.#failures = 0;
        for (const message of parser.feed(decoder.decode(value, { stream: true }))) this.#take(message);
        this.#retry = parser.retry ?? this.#retry;
      }
    } finally {
      reader.cancel().catch(() => {});
    }
  }

  /** @param {Message} message */
  #take(message) {
    if (this.#closed) return;
    if (message.id !== null) this.last = message.id;
    this.#options.onMessage(message);
  }

  /**
   * What is read, unless nothing comes for too long: a connection can be dead without anybody saying so. The service may be set to
   * be silent for longer than that, so that each time it is waited twice as long.
   * @template T @param {Promise<T>} read @param {AbortController} abort @returns {Promise<T>}
   */
  async #patiently(read, abort) {
    const timer = setTimeout(() => {
      this.#patience *= 2;
      abort.abort();
    }, this.#patience);
    try {
      return await read;
    } finally {
      clearTimeout(timer);
    }
  }

  /** @param {string} why @param {number | null} wait */
  #later(why, wait) {
    const { jitter = (ms) => ms * (0.75 + Math.random() / 2) } = this.#options;
    const backoff = jitter(Math.min(LONGEST_DELAY, (this.#retry ?? FIRST_DELAY) * 2 ** this.#failures));
    const ms = Math.max(backoff, Math.min(wait ?? 0, 60_000));
    this.#failures = Math.min(this.#failures + 1, 16);
    this.#options.onStatus({ is: 'waiting', ms, why });
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.#connect();
    }, ms);
  }
}

/** @param {string | null} header */
function seconds(header) {
  return header && /^\d+$/.test(header) ? Number(header) * 1000 : null;
}

/** What an error of the service says. @param {Response} response */
async function sentence(response) {
  try {
    return String((await response.json()).error.message);
  } catch {
    return `the service answered ${response.status}`;
  }
}
