// @ts-check
// One conversation: its event stream, its state and its view. It can be left, and entered again at
// the same position.

import { announce } from './announce.js';
import { ApiError, request, authorization, conversationUrl } from './api.js';
import { empty, isOpen, reduce } from './store.js';
import { EventStream } from './stream.js';
import { ConversationView } from './view.js';

/** @typedef {import('./stream.js').Status} Status */
/** @typedef {import('./store.js').Data} Data */
/** @typedef {import('./store.js').State} State */
/**
 * @typedef {object} Page what a conversation needs from the page
 * @property {() => void} changed the state has changed
 * @property {(status: Status) => void} onStatus
 * @property {() => void} onNews the list of conversations is out of date
 * @property {() => void} onSent the user has replied
 * @property {() => number} countdown
 */

export class Session {
  id;
  #page;
  /** @type {EventStream | null} */ #stream = null;
  /** @type {string | null} */ #last = null;
  state;
  view;

  /** @param {string} id @param {Page} page */
  constructor(id, page) {
    this.id = id;
    this.#page = page;
    this.state = empty(id);
    this.view = new ConversationView({
      conversation: id,
      send: (body) => this.#answer(body),
      retry: () => this.#post('retry'),
      countdown: page.countdown,
    });
  }

  /** Follows the events from where the conversation was left. */
  enter() {
    this.#stream = new EventStream({
      url: `${conversationUrl(this.id)}/events`,
      last: this.#last,
      headers: authorization,
      onMessage: (message) => this.#onMessage(message),
      onStatus: (status) => this.#page.onStatus(status),
    });
    this.view.open(this.state)?.restartCountdown();
  }

  leave() {
    this.#last = this.#stream?.last ?? this.#last;
    this.#stream?.close();
    this.#stream = null;
    this.view.leave();
  }

  /** Reconnects at once if the stream waits to reconnect. */
  reconnectNow() {
    this.#stream?.reconnectNow();
  }

  /** @param {import('./stream.js').Message} message */
  #onMessage(message) {
    const before = this.state;
    /** @type {Data} */ let data;
    try {
      data = JSON.parse(message.data);
      this.state = reduce(before, message.event, data);
    } catch (error) {
      // An unreadable event must not hide the others.
      return console.warn('an event could not be read', message.event, error);
    }
    if (this.state.gone) this.#stream?.close();
    const news = newsOf(message.event, data, before, this.state);
    if (news) announce(news);
    if (LISTED.has(message.event)) this.#page.onNews();
    this.#page.changed();
  }

  /** @param {Record<string, unknown>} body */
  async #answer(body) {
    try {
      await request(`${conversationUrl(this.id)}/answer`, body);
    } catch (error) {
      if (error instanceof ApiError && error.status === 401)
        this.#page.onStatus({ is: 'unauthorized' });
      throw error;
    }
    this.#page.onSent();
  }

  /** Closes every question that is open or waits, without an answer. */
  dismiss() {
    return this.#post('dismiss');
  }

  /** Deletes the conversation from the service. */
  async delete() {
    await request(conversationUrl(this.id), undefined, 'DELETE');
  }

  /** @param {string} what */
  async #post(what) {
    await request(`${conversationUrl(this.id)}/${what}`, {});
  }
}

/** Events that change the list of conversations. */
const LISTED = new Set([
  'turn',
  'complete',
  'open',
  'replied',
  'closed',
  'rejected',
  'end',
  'gone',
]);

/**
 * Returns what a screen reader announces for an event.
 * @param {string} event
 * @param {Data} data
 * @param {State} before
 * @param {State} after
 */
function newsOf(event, data, before, after) {
  switch (event) {
    case 'state':
      return before.loaded ? '' : openNews(after);
    case 'complete':
      return data.open ? completeNews(data) : 'One more question, which waits.';
    case 'open':
      return openNews(after);
    case 'rejected':
      return `A question could not be asked. ${data.message ?? ''}${data.stopped ? ' The model needs your guidance.' : ''}`;
    case 'error':
      return `Error: ${data.message ?? data.kind}`;
    case 'replied':
      return (
        {
          cancelled: 'Left unanswered.',
          declined: 'Declined.',
          discussed: 'To be talked about first.',
          timed_out: 'Timed out.',
        }[/** @type {string} */ (data.kind)] ?? 'Answer taken.'
      );
    case 'end':
      return data.cut_off ? 'The message was cut off.' : '';
    case 'closed':
      return data.why === 'dismissed' ? 'Dismissed.' : 'Answered elsewhere.';
    case 'delivery':
      return data.state === 'failed' ? `Not delivered. ${data.why ?? ''}` : '';
    case 'gone':
      return 'This conversation has ended: the service no longer keeps it.';
    default:
      return '';
  }
}

/** @param {Data} data */
function completeNews({ suggest, form }) {
  const count = form?.questions?.length ?? 1;
  return count > 1
    ? `${count} questions complete.`
    : `Question complete, ${suggestions(suggest?.length ?? 0)}.`;
}

/** @param {State} state */
function openNews(state) {
  const call = state.items.find(isOpen);
  if (call?.type !== 'call') return '';
  const count = call.form?.questions.length ?? 1;
  return count > 1
    ? `${count} questions can be answered.`
    : `A question can be answered, ${suggestions(call.suggest.length)}.`;
}

/** @param {number} count */
function suggestions(count) {
  return count === 1 ? '1 suggestion' : `${count || 'no'} suggestions`;
}
