// @ts-check
// The view of one question: while it grows, while it can be answered, and after that.

import { AnswerForm } from './answer.js';
import { announce } from './announce.js';
import { megabytes } from './api.js';
import { Countdown } from './countdown.js';
import { DraftStore } from './drafts.js';
import { h, icon, setAttr, setText } from './dom.js';
import { MarkdownView } from './markdown-view.js';
import { deliveryNodes } from './delivery.js';
import { isDataUrl } from './images.js';
import { isOpen } from './store.js';
import { plain } from './visible.js';

/** @typedef {import('./store.js').CallItem} CallItem */
/** @typedef {import('./store.js').Suggestion} Suggestion */
/** @typedef {import('./store.js').UserReply} UserReply */
/** @typedef {import('./store.js').Delivery} Delivery */
/**
 * @typedef {object} Context what a question needs from the page
 * @property {string} conversation
 * @property {(body: Record<string, unknown>) => Promise<void>} send
 * @property {() => Promise<void>} retry tries again to deliver the replies
 * @property {() => number} countdown seconds, or 0
 */

const PENCIL = 'M3 13l.7-3L10.5 3.2l2.3 2.3L6 12.3zM9 4.7l2.3 2.3';
let calls = 0;

/** One suggestion: a button that takes it, and one that copies it into the text box. */
class SuggestionView {
  #key = h('span', { class: 'key', 'aria-hidden': 'true' });
  #text = h('span', { class: 'text', dir: 'auto' });
  #mode = h('span', { class: 'mode', hidden: true });
  #markdown = new MarkdownView(this.#text, { inline: true });
  button = h('button', { type: 'button', class: 'take', disabled: true }, this.#key, this.#text, this.#mode);
  edit = h('button', { type: 'button', class: 'edit', disabled: true }, icon(PENCIL));
  element = h('li', { class: 'suggestion' }, this.button, this.edit);

  /** @param {number} index @param {(index: number) => void} onTake @param {(index: number) => void} onEdit */
  constructor(index, onTake, onEdit) {
    this.#key.textContent = String(index + 1);
    this.edit.setAttribute('aria-label', `Edit suggestion ${index + 1} before sending`);
    this.edit.title = 'Edit before sending';
    this.button.addEventListener('click', () => onTake(index));
    this.edit.addEventListener('click', () => onEdit(index));
  }

  /** Marks the suggestion that the countdown takes. @param {boolean} isNext */
  mark(isNext) {
    this.element.classList.toggle('next', isNext);
  }

  /** Its text as it is shown. */
  get text() {
    return this.#text.textContent ?? '';
  }

  /** @param {Suggestion} suggestion @param {{grows: boolean, enabled: boolean, chosen: boolean}} how */
  update({ answer, mode }, { grows, enabled, chosen }) {
    this.#mode.hidden = !mode;
    if (mode) {
      setText(this.#mode, mode);
      setAttr(this.#mode, 'title', `Switches the agent to the mode ${plain(mode)}`);
    }
    this.button.disabled = !enabled;
    this.edit.disabled = !enabled;
    this.element.classList.toggle('chosen', chosen);
    return this.#markdown.show(answer, grows);
  }
}

export class CallView {
  #id = `question-${calls++}`;
  #title = h('h3', { id: this.#id }, 'Question');
  #status = h('span', { class: 'status' });
  #question = h('div', { class: 'question markdown', dir: 'auto' });
  #markdown = new MarkdownView(this.#question);
  #list = h('ol', { class: 'suggestions', 'aria-label': 'Suggested answers', hidden: true });
  #reason = h('p', { class: 'problem', hidden: true });
  #notes = h('details', { class: 'notes', hidden: true });
  #clock = h('p', { class: 'clock', hidden: true });
  #answered = h('div', { class: 'answered', hidden: true });
  element = h('article', { class: 'call', 'aria-labelledby': this.#id },
    h('header', {}, this.#title, this.#status), this.#reason, this.#question, this.#list, this.#notes, this.#clock, this.#answered);

  /** @type {Context} */ #context;
  /** @type {CallItem} */ #item;
  /** @type {SuggestionView[]} */ #suggestions = [];
  /** @type {AnswerForm | null} */ #form = null;
  /** @type {Countdown | null} */ #countdown = null;
  #isAttended = false;
  #sending = false;
  /** The suggestion that is being sent. @type {number | null} */ #taken = null;

  /** @param {CallItem} item @param {Context} context */
  constructor(item, context) {
    this.#item = item;
    this.#context = context;
  }

  /** The form; `null` if the question can't be answered now. */
  get form() {
    return isOpen(this.#item) ? this.#form : null;
  }

  /** Shows the question's new state. Returns whether a part of it was postponed, so that this must be called again. @param {CallItem} item */
  update(item) {
    const before = this.#item;
    this.#item = item;
    const grows = item.state === 'growing';
    setAttr(this.element, 'data-state', stateOf(item));
    setAttr(this.element, 'aria-busy', grows ? 'true' : null);
    this.#title.textContent = item.state === 'rejected' ? 'Question that could not be asked' : 'Question';
    this.#status.textContent = STATUS[stateOf(item)];
    const postponed = [this.#markdown.show(item.question, grows), this.#showSuggestions(item)];
    this.#showReason(item);
    this.#showNotes(item.notes);
    this.#showForm(item);
    if (before === item || before.answered !== item.answered || before.closed !== item.closed || before.delivery !== item.delivery) this.#showAnswer(item);
    return postponed.includes(true);
  }

  /** The number of suggestions that can be taken now. */
  get count() {
    return this.form && !this.#sending ? this.#item.suggest.length : 0;
  }

  /** Answers with a suggestion. Returns whether that was possible. @param {number} index @param {{undo?: boolean}} [how] */
  take(index, how) {
    const suggestion = this.#item.suggest[index];
    if (!suggestion || !this.form || this.#sending) return false;
    this.form.take(index, how);
    return true;
  }

  /** Copies the focused suggestion, or the first one, into the text box. */
  edit() {
    const focused = this.#suggestions.findIndex(({ element }) => element.contains(document.activeElement));
    this.#edit(Math.max(0, focused));
  }

  /** Restarts the countdown with the current setting. */
  restartCountdown() {
    this.#endCountdown();
    this.#startCountdown();
  }

  /** Called when the view is removed from the page. */
  leave() {
    this.#form?.flush();
    this.#endCountdown();
  }

  /** @param {CallItem} item */
  #showSuggestions(item) {
    this.#list.hidden = item.suggest.length === 0;
    while (this.#suggestions.length > item.suggest.length) this.#suggestions.pop()?.element.remove();
    while (this.#suggestions.length < item.suggest.length) {
      const view = new SuggestionView(this.#suggestions.length, (index) => this.take(index), (index) => this.#edit(index));
      this.#suggestions.push(view);
      this.#list.append(view.element);
    }
    const last = item.suggest.length - 1;
    return item.suggest
      .map((suggestion, index) => this.#suggestions[index].update(suggestion, {
        grows: item.state === 'growing' && index === last,
        enabled: isOpen(item) && !this.#sending,
        chosen: (item.answered?.suggestion ?? this.#taken) === index,
      }))
      .includes(true);
  }

  /** @param {number} index */
  #edit(index) {
    const suggestion = this.#item.suggest[index];
    if (suggestion) this.form?.edit(index, suggestion);
  }

  /** @param {CallItem} item */
  #showReason(item) {
    this.#reason.hidden = item.state !== 'rejected';
    if (item.state === 'rejected') setText(this.#reason, item.message || item.reason || 'It could not be read.');
  }

  /** @param {string[]} notes */
  #showNotes(notes) {
    if (this.#notes.childElementCount || !notes.length) return;
    const items = notes.map((note) => h('li', {}, plain(/^[a-z_]+$/.test(note) ? note.replaceAll('_', ' ') : note)));
    this.#notes.append(h('summary', {}, notes.length === 1 ? '1 remark on how it was written' : `${notes.length} remarks on how it was written`), h('ul', {}, ...items));
    this.#notes.hidden = false;
  }

  /** @param {CallItem} item */
  #showForm(item) {
    if (!this.#form && (isOpen(item) || this.#hasLostDraft(item))) {
      this.#form = new AnswerForm({ purpose: 'answer', send: (body) => this.#send(body), draft: this.#draft(item), onSending: (sending, taken) => this.#setSending(sending, taken) });
      this.element.append(this.#form.element);
      this.#startCountdown();
    }
    if (!isOpen(item) && this.#form) {
      this.#endCountdown();
      this.#form.close(item.answered ?? null, item.closed?.why);
    }
  }

  /** @param {CallItem} item */
  #draft({ number, question }) {
    return new DraftStore(this.#context.conversation, number ?? '', question);
  }

  /** Whether a draft was written here before the question was closed and the page reloaded. @param {CallItem} item */
  #hasLostDraft(item) {
    return Boolean((item.answered || item.closed) && this.#draft(item).load());
  }

  /** @param {Record<string, unknown>} body */
  #send(body) {
    return this.#context.send({ number: this.#item.number, ...body });
  }

  /** @param {boolean} sending @param {number | null} taken */
  #setSending(sending, taken) {
    if (sending) this.#endCountdown();
    [this.#sending, this.#taken] = [sending, taken];
    this.#showSuggestions(this.#item);
  }

  /** @param {CallItem} item */
  #showAnswer({ answered, closed, delivery }) {
    const nodes = [...(closed ? closedNodes(closed) : []), ...(answered ? replyNodes(answered, delivery, this.#context.retry) : [])];
    this.#answered.hidden = nodes.length === 0;
    this.#answered.replaceChildren(...nodes);
  }

  #startCountdown() {
    const seconds = this.#context.countdown();
    if (!seconds || this.#isAttended || !this.#form || !this.form || !this.#item.suggest.length) return;
    const left = h('span', { class: 'left' });
    const what = h('bdi', { class: 'what' }, plain(shortened(this.#suggestions[0].text)));
    this.#suggestions[0].mark(true);
    this.#clock.replaceChildren(h('span', { 'aria-hidden': 'true' }, 'Takes “', what, '” in ', left), h('button', { type: 'button', class: 'quiet' }, 'Stop the countdown'));
    this.#clock.hidden = false;
    announce(`The first suggestion is taken in ${seconds} seconds: ${shortened(this.#suggestions[0].text)}. Any key stops that.`);
    this.#countdown = new Countdown({
      seconds,
      form: this.#form.element,
      onTick: (now) => (left.textContent = `${now} s`),
      onStopped: () => this.#stopCountdown(),
      onEnd: () => {
        this.#isAttended = true;
        this.#endCountdown();
        this.take(0, { undo: false });
      },
    });
  }

  /** Stops the countdown for good, because the user is present. */
  #stopCountdown() {
    this.#isAttended = true;
    this.#endCountdown();
    announce('Countdown stopped.');
  }

  #endCountdown() {
    this.#countdown?.cancel();
    this.#countdown = null;
    this.#suggestions[0]?.mark(false);
    this.#clock.hidden = true;
  }
}

/** @param {string} text */
function shortened(text) {
  const line = text.trim().split('\n', 1)[0];
  return line.length > 60 ? `${line.slice(0, 59)}…` : line;
}

/** @typedef {'growing' | 'rejected' | 'open' | 'waiting' | 'answered' | 'cancelled' | 'elsewhere' | 'dismissed'} CallState */

/** @type {Record<CallState, string>} */
const STATUS = {
  growing: 'is being written…',
  rejected: '',
  open: '',
  waiting: 'waits until the one above is answered',
  answered: 'answered',
  cancelled: 'left unanswered',
  elsewhere: 'answered elsewhere',
  dismissed: 'dismissed',
};

/** @param {CallItem} item @returns {CallState} */
function stateOf(item) {
  if (item.state !== 'complete') return item.state;
  if (item.answered) return item.answered.kind === 'cancelled' ? 'cancelled' : 'answered';
  if (item.closed) return item.closed.why === 'dismissed' ? 'dismissed' : 'elsewhere';
  return isOpen(item) ? 'open' : 'waiting';
}

/** Returns the nodes that show why a question can't be answered here any more. @param {import('./store.js').Closed} closed @returns {Node[]} */
function closedNodes({ why, said }) {
  if (why === 'dismissed') return [h('p', { class: 'who' }, 'Dismissed: the model gets no answer from here.')];
  const who = h('p', { class: 'who' }, said ? 'Answered elsewhere:' : 'Answered elsewhere: your agent went on without an answer from here.');
  return said ? [who, saidNode(said)] : [who];
}

/** @param {string} said */
function saidNode(said) {
  const text = h('p', { class: 'said', dir: 'auto' });
  setText(text, said);
  return text;
}

/** Returns the nodes that show a reply of the user. @param {UserReply} reply @param {Delivery | undefined} delivery @param {() => Promise<void>} retry @returns {Node[]} */
export function replyNodes(reply, delivery, retry) {
  const delivered = deliveryNodes(delivery, reply.said, retry);
  if (reply.kind === 'cancelled') return [h('p', { class: 'who' }, 'You left this unanswered.'), ...delivered];
  const who = h('p', { class: 'who' }, reply.kind === 'guidance' ? 'You told the model' : 'You answered');
  if (reply.mode) who.append(' ', h('span', { class: 'mode', title: 'The mode that was chosen' }, plain(reply.mode)));
  const images = h('ul', { class: 'tray', 'aria-label': 'Images that went with it' }, ...reply.images.map(imageNode));
  return [who, ...(reply.said ? [saidNode(reply.said)] : []), ...(reply.images.length ? [images] : []), ...delivered];
}

/** @param {string} url @param {number} index */
function imageNode(url, index) {
  if (isDataUrl(url)) return h('li', {}, h('img', { src: url, alt: `Image ${index + 1}` }));
  const described = /^image\/(\w+), (\d+) bytes$/.exec(url);
  return h('li', { class: 'described' }, described ? `${described[1].toUpperCase()} image, ${megabytes(Number(described[2]))}` : plain(url));
}
