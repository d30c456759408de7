// @ts-check
// One question: as it grows, while it can be answered, and what became of it.

import { AnswerForm } from './answer.js';
import { announce } from './announce.js';
import { Countdown } from './countdown.js';
import { h, icon, setAttr, setText } from './dom.js';
import { MarkdownView } from './growing.js';
import { isDataUrl } from './images.js';
import { isOpen } from './store.js';
import { plain } from './visible.js';

/** @typedef {import('./store.js').CallItem} CallItem */
/** @typedef {import('./store.js').Suggestion} Suggestion */
/** @typedef {import('./store.js').Replied} Replied */
/**
 * @typedef {object} Context what a question needs of the page
 * @property {(body: Record<string, unknown>) => Promise<void>} send
 * @property {() => number} countdown seconds, or 0
 */

const PENCIL = 'M3 13l.7-3L10.5 3.2l2.3 2.3L6 12.3zM9 4.7l2.3 2.3';
let calls = 0;

/** One suggestion: a button, and another that puts it into the text box. */
class SuggestionView {
  #key = h('span', { class: 'key', 'aria-hidden': 'true' });
  #text = h('span', { class: 'text', dir: 'auto' });
  #mode = h('span', { class: 'mode', hidden: true });
  #markdown = new MarkdownView(this.#text, { inline: true });
  button = h('button', { type: 'button', class: 'take', disabled: true }, this.#key, this.#text, this.#mode);
  edit = h('button', { type: 'button', class: 'edit', hidden: true }, icon(PENCIL));
  element = h('li', { class: 'suggestion' }, this.button, this.edit);

  /** @param {number} nth @param {(nth: number) => void} onTake @param {(nth: number) => void} onEdit */
  constructor(nth, onTake, onEdit) {
    if (nth < 9) this.#key.textContent = String(nth + 1);
    this.edit.setAttribute('aria-label', `Edit suggestion ${nth + 1} before sending`);
    this.edit.title = 'Edit before sending';
    this.button.addEventListener('click', () => onTake(nth));
    this.edit.addEventListener('click', () => onEdit(nth));
  }

  /** @param {Suggestion} suggestion @param {{grows: boolean, enabled: boolean, chosen: boolean}} how */
  update({ answer, mode }, { grows, enabled, chosen }) {
    this.#mode.hidden = !mode;
    if (mode) {
      setText(this.#mode, mode);
      setAttr(this.#mode, 'title', `Takes the agent to the mode ${plain(mode)}`);
    }
    this.button.disabled = !enabled;
    this.edit.hidden = !enabled;
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
  #isAlive = false;
  #sending = false;

  /** @param {CallItem} item @param {Context} context */
  constructor(item, context) {
    this.#item = item;
    this.#context = context;
  }

  /** The form, if the question can be answered. */
  get form() {
    return isOpen(this.#item) ? this.#form : null;
  }

  /** Shows the question as it is now; says whether some of that is to be done later. @param {CallItem} item */
  update(item) {
    const before = this.#item;
    this.#item = item;
    const grows = item.state === 'growing';
    setAttr(this.element, 'data-state', stateOf(item));
    setAttr(this.element, 'aria-busy', grows ? 'true' : null);
    this.#title.textContent = item.state === 'rejected' ? 'Question that could not be asked' : 'Question';
    this.#status.textContent = STATUS[stateOf(item)];
    const later = [this.#markdown.show(item.question, grows), this.#showSuggestions(item)];
    this.#showReason(item);
    this.#showNotes(item.notes);
    this.#showForm(item);
    if (item.answered && (before === item || !before.answered)) this.#showAnswer(item.answered);
    return later.includes(true);
  }

  /** Takes a suggestion, if that can be done. @param {number} nth */
  take(nth) {
    const suggestion = this.#item.suggest[nth];
    if (!suggestion || !this.form || this.#sending) return false;
    this.form.take(nth);
    return true;
  }

  /** Puts the suggestion that has the focus, or the first, into the text box. */
  edit() {
    const focused = this.#suggestions.findIndex(({ element }) => element.contains(document.activeElement));
    this.#edit(Math.max(0, focused));
  }

  /** Begins the countdown again, as it is set now. */
  restartCountdown() {
    this.#endCountdown();
    this.#startCountdown();
  }

  /** It is taken from the page. */
  leave() {
    this.#endCountdown();
  }

  /** @param {CallItem} item */
  #showSuggestions(item) {
    this.#list.hidden = item.suggest.length === 0;
    while (this.#suggestions.length > item.suggest.length) this.#suggestions.pop()?.element.remove();
    while (this.#suggestions.length < item.suggest.length) {
      const view = new SuggestionView(this.#suggestions.length, (nth) => this.take(nth), (nth) => this.#edit(nth));
      this.#suggestions.push(view);
      this.#list.append(view.element);
    }
    const last = item.suggest.length - 1;
    return item.suggest
      .map((suggestion, nth) => this.#suggestions[nth].update(suggestion, {
        grows: item.state === 'growing' && nth === last,
        enabled: isOpen(item) && !this.#sending,
        chosen: item.answered?.suggestion === nth,
      }))
      .includes(true);
  }

  /** @param {number} nth */
  #edit(nth) {
    const suggestion = this.#item.suggest[nth];
    if (suggestion) this.form?.edit(nth, suggestion);
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
    if (isOpen(item) && !this.#form) {
      this.#form = new AnswerForm({ purpose: 'answer', send: (body) => this.#send(body), onSending: (sending) => this.#setSending(sending) });
      this.element.append(this.#form.element);
      this.#startCountdown();
    }
    if (!isOpen(item) && this.#form) {
      this.#endCountdown();
      this.#form.close(item.answered ?? null);
    }
  }

  /** @param {Record<string, unknown>} body */
  #send(body) {
    return this.#context.send({ number: this.#item.number, ...body });
  }

  /** @param {boolean} sending */
  #setSending(sending) {
    if (sending) this.#endCountdown();
    this.#sending = sending;
    this.#showSuggestions(this.#item);
  }

  /** @param {Replied} reply */
  #showAnswer(reply) {
    this.#answered.hidden = false;
    this.#answered.replaceChildren(...said(reply));
  }

  #startCountdown() {
    const seconds = this.#context.countdown();
    if (!seconds || this.#isAlive || !this.#form || !this.form || !this.#item.suggest.length) return;
    const left = h('span', { 'aria-hidden': 'true' });
    this.#clock.replaceChildren(left, h('button', { type: 'button', class: 'quiet' }, 'Stop the countdown'));
    this.#clock.hidden = false;
    announce(`The first suggestion is taken in ${seconds} seconds. Any key stops that.`);
    this.#countdown = new Countdown({
      seconds,
      form: this.#form.element,
      onTick: (now) => (left.textContent = `Takes the first suggestion in ${now} s`),
      onStopped: () => this.#stopCountdown(),
      onEnd: () => {
        this.#isAlive = true;
        this.#endCountdown();
        this.take(0);
      },
    });
  }

  /** For good: somebody is there. */
  #stopCountdown() {
    this.#isAlive = true;
    this.#endCountdown();
    announce('Countdown stopped.');
  }

  #endCountdown() {
    this.#countdown?.cancel();
    this.#countdown = null;
    this.#clock.hidden = true;
  }
}

/** @typedef {'growing' | 'rejected' | 'open' | 'waiting' | 'answered' | 'cancelled'} CallState */

/** @type {Record<CallState, string>} */
const STATUS = {
  growing: 'is being written…',
  rejected: '',
  open: '',
  waiting: 'waits until the one above is answered',
  answered: 'answered',
  cancelled: 'left unanswered',
};

/** @param {CallItem} item @returns {CallState} */
function stateOf(item) {
  if (item.state !== 'complete') return item.state;
  if (item.answered) return item.answered.kind === 'cancelled' ? 'cancelled' : 'answered';
  return isOpen(item) ? 'open' : 'waiting';
}

/** What the user said. @param {Replied} reply @returns {Node[]} */
export function said(reply) {
  if (reply.kind === 'cancelled') return [h('p', { class: 'who' }, 'You left this unanswered.')];
  const who = h('p', { class: 'who' }, reply.kind === 'guidance' ? 'You told the model' : 'You answered');
  if (reply.mode) who.append(' ', h('span', { class: 'mode', title: 'The mode that was chosen' }, plain(reply.mode)));
  const text = h('p', { class: 'said', dir: 'auto' });
  setText(text, reply.said);
  const images = h('ul', { class: 'tray', 'aria-label': 'Images that went with it' }, ...reply.images.map(shownImage));
  return [who, ...(reply.said ? [text] : []), ...(reply.images.length ? [images] : [])];
}

/** @param {string} url @param {number} nth */
function shownImage(url, nth) {
  if (isDataUrl(url)) return h('li', {}, h('img', { src: url, alt: `Image ${nth + 1}` }));
  return h('li', { class: 'described' }, plain(url));
}
