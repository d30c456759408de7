// @ts-check
// The view of one call: while its questions grow, while they can be answered, and after that.

import { AnswerForm } from './answer.js';
import { announce } from './announce.js';
import { Countdown } from './countdown.js';
import { DraftStore } from './drafts.js';
import { h, setAttr, setText } from './dom.js';
import { answerSoFar, problemOf, questionsOf, takesText, textsOf } from './form-state.js';
import { QuestionsView } from './questions.js';
import { MarkdownView } from './markdown-view.js';
import { closedNodes, replyNodes } from './replies.js';
import { isOpen } from './store.js';
import { plain } from './visible.js';

/** @typedef {import('./store.js').CallItem} CallItem */
/**
 * @typedef {object} Context what a question needs from the page
 * @property {string} conversation
 * @property {(body: Record<string, unknown>) => Promise<void>} send
 * @property {() => Promise<void>} retry tries again to deliver the replies
 * @property {() => number} countdown seconds, or 0
 */

let calls = 0;

export class CallView {
  #id = `question-${calls++}`;
  #title = h('h3', { id: this.#id }, 'Question');
  #status = h('span', { class: 'status' });
  #questions = new QuestionsView({
    take: (index) => this.take(index),
    edit: (index) => this.#edit(index),
    changed: () => this.#onChange(),
  });
  /** The text above all questions of a form; below them if it came late. */
  #above = h('div', { class: 'detail markdown above', dir: 'auto' });
  #aboveText = new MarkdownView(this.#above);
  #reason = h('p', { class: 'problem', hidden: true });
  #notes = h('details', { class: 'notes', hidden: true });
  #clock = h('p', { class: 'clock', hidden: true });
  #answered = h('div', { class: 'answered', hidden: true });
  element = h(
    'article',
    { class: 'call', 'aria-labelledby': this.#id },
    h('header', {}, this.#title, this.#questions.strip, this.#status),
    this.#reason,
    this.#questions.element,
    this.#notes,
    this.#clock,
    this.#answered,
  );

  /** @type {Context} */ #context;
  /** @type {CallItem} */ #item;
  /** @type {AnswerForm | null} */ #form = null;
  /** @type {Countdown | null} */ #countdown = null;
  #isAttended = false;
  #isRestored = false;
  #sending = false;
  /** The suggestion that is being sent. @type {number | null} */ #taken = null;

  /** @param {CallItem} item @param {Context} context */
  constructor(item, context) {
    this.#item = item;
    this.#context = context;
    // Enter that is held down would answer the next question, too, and send the answers.
    this.element.addEventListener('keydown', (event) => {
      if (event.key === 'Enter' && event.repeat && event.target instanceof HTMLButtonElement)
        event.preventDefault();
    });
  }

  /** The form; `null` if the question can't be answered now. */
  get form() {
    return isOpen(this.#item) ? this.#form : null;
  }

  /**
   * Shows the question's new state. Returns whether a part of it was postponed, so that this must
   * be called again.
   * @param {CallItem} item
   */
  update(item) {
    const before = this.#item;
    this.#item = item;
    const grows = item.state === 'growing';
    setAttr(this.element, 'data-state', stateOf(item));
    setAttr(this.element, 'aria-busy', grows ? 'true' : null);
    setAttr(this.element, 'data-form', item.form ? '' : null);
    this.#title.textContent =
      item.state === 'rejected' ? 'Question that could not be asked' : 'Question';
    this.#status.textContent = STATUS[stateOf(item)];
    const postponed = this.#showQuestions();
    this.#restore(item);
    this.#showReason(item);
    this.#showNotes(item.notes);
    this.#showForm(item);
    if (
      before === item ||
      before.answered !== item.answered ||
      before.closed !== item.closed ||
      before.delivery !== item.delivery
    )
      this.#showAnswer(item);
    return postponed;
  }

  /** The number of options that can be taken now. */
  get count() {
    return this.#sending
      ? 0
      : (this.#questions.current?.options.filter(({ button }) => !button.disabled).length ?? 0);
  }

  /** The question that is shown; `undefined` in the review. */
  get shown() {
    return this.#questions.current;
  }

  /** Takes or picks an option of the question that is shown. @param {number} index */
  pick(index) {
    if (!this.#sending) this.#questions.current?.pick(index);
  }

  /**
   * Answers with an option. Returns whether that was possible.
   * @param {number} index
   * @param {{undo?: boolean}} [how]
   */
  take(index, how) {
    if (!questionsOf(this.#item)[0].options[index] || !this.form || this.#sending) return false;
    this.form.take(index, how);
    return true;
  }

  /** Copies the focused option, or the first one, into the text box. */
  edit() {
    const view = this.#questions.current;
    const focused = Math.max(
      0,
      view?.options.findIndex(({ element }) => element.contains(document.activeElement)) ?? 0,
    );
    if (this.#questions.several) view?.write(focused);
    else this.#edit(focused);
  }

  /** Focuses the text box. */
  write() {
    if (this.#questions.several) this.#questions.current?.focusField();
    else this.form?.focus();
  }

  /** Whether several questions are asked together. */
  get several() {
    return this.#questions.several;
  }

  /** Shows the question before or after this one. @param {number} by */
  step(by) {
    this.#questions.step(by, true);
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

  /** Returns whether a part was postponed. */
  #showQuestions() {
    const { form, state } = this.#item;
    // What is shown does not move: a title that comes after a question stays below them.
    if (form?.title && !this.#above.parentNode) {
      if (this.#questions.count > 0) this.#questions.element.after(this.#above);
      else this.#reason.before(this.#above);
    }
    const postponed = form?.title ? this.#aboveText.show(form.title, state === 'growing') : false;
    return (
      this.#questions.update(this.#item, { sending: this.#sending, taken: this.#taken }) ||
      postponed
    );
  }

  /** @param {number} index */
  #edit(index) {
    const option = questionsOf(this.#item)[0].options[index];
    if (option) this.form?.edit(index, { answer: option.label, mode: option.mode });
  }

  /** The user has picked or written something in the questions, or shows another one. */
  #onChange() {
    if (this.#form) return this.#form.refresh();
    if (this.#questions.touched)
      this.#draft(this.#item).save({ text: '', edited: null, answers: this.#questions.answers });
  }

  /**
   * Shows the answers to a form from before the page was reloaded, as soon as there is one.
   * @param {CallItem} item
   */
  #restore(item) {
    const isClosed = item.state !== 'growing' || this.#questions.several;
    if (this.#isRestored || !item.form || !isClosed) return;
    this.#isRestored = true;
    const answers = this.#questions.touched ? undefined : this.#draft(item).load()?.answers;
    if (!answers) return;
    this.#isAttended = true;
    this.#questions.restore(answers);
  }

  /** @param {CallItem} item */
  #showReason(item) {
    this.#reason.hidden = item.state !== 'rejected';
    if (item.state === 'rejected')
      setText(this.#reason, item.message || item.reason || 'It could not be read.');
  }

  /** @param {string[]} notes */
  #showNotes(notes) {
    if (this.#notes.childElementCount || !notes.length) return;
    const items = notes.map((note) =>
      h('li', {}, plain(/^[a-z_]+$/.test(note) ? note.replaceAll('_', ' ') : note)),
    );
    this.#notes.append(
      h(
        'summary',
        {},
        notes.length === 1
          ? '1 remark on how it was written'
          : `${notes.length} remarks on how it was written`,
      ),
      h('ul', {}, ...items),
    );
    this.#notes.hidden = false;
  }

  /** @param {CallItem} item */
  #showForm(item) {
    if (!this.#form && (isOpen(item) || this.#hasLostDraft(item))) {
      // Nobody could have written here yet, so the text is from before the page was reloaded.
      if (this.#draft(item).load()?.text.trim()) this.#isAttended = true;
      this.#form = new AnswerForm({
        purpose: 'answer',
        canDiscuss: item.can_discuss === true,
        send: (body) => this.#send(body),
        draft: this.#draft(item),
        onSending: (sending, taken) => this.#setSending(sending, taken),
        onTakenBack: (taken) => this.#questions.current?.options[taken]?.button.focus(),
        ...(item.form ? { form: formPart(item.form, this.#questions) } : {}),
      });
      this.element.append(this.#form.element);
      this.#startCountdown();
    }
    if (!isOpen(item) && this.#form) {
      this.#endCountdown();
      this.#form.close(item.answered ?? null, item.closed?.why);
    }
  }

  /** @param {CallItem} item */
  #draft({ key, number, question, form }) {
    // The answers to a form may begin before it has a number.
    return form
      ? new DraftStore(this.#context.conversation, key, form.questions[0]?.text ?? '')
      : new DraftStore(this.#context.conversation, number ?? '', question);
  }

  /**
   * Whether a draft was written here before the question was closed and the page reloaded.
   * @param {CallItem} item
   */
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
    this.#showQuestions();
  }

  /** @param {CallItem} item */
  #showAnswer(item) {
    const { answered, closed, delivery } = item;
    // The review shows the answers to several questions.
    const texts =
      answered?.answers &&
      (this.#questions.several ? [] : textsOf(questionsOf(item)[0], answered.answers[0]));
    const nodes = [
      ...(closed ? closedNodes(closed) : []),
      ...(answered ? replyNodes(answered, delivery, this.#context.retry, texts) : []),
    ];
    this.#answered.hidden = nodes.length === 0;
    this.#answered.replaceChildren(...nodes);
  }

  #startCountdown() {
    const seconds = this.#context.countdown();
    const next = this.#questions.next;
    if (!seconds || this.#isAttended || !this.#form || !this.form || !next) return;
    const left = h('span', { class: 'left' });
    const text = next.map(shortened).join(', ');
    const what = h('bdi', { class: 'what' }, plain(text));
    this.#questions.markNext(true);
    this.#clock.replaceChildren(
      h(
        'span',
        { 'aria-hidden': 'true' },
        ...(this.#questions.several ? ['Takes the first answers in '] : ['Takes “', what, '” in ']),
        left,
      ),
      h('button', { type: 'button', class: 'quiet' }, 'Stop the countdown'),
    );
    this.#clock.hidden = false;
    const taken = this.#questions.several
      ? 'The first answer to each question is'
      : this.#item.form
        ? 'The first answer is'
        : 'The first suggestion is';
    announce(
      `${taken} taken in ${seconds} seconds${this.#questions.several ? '' : `: ${text}`}. Any key stops that.`,
    );
    this.#countdown = new Countdown({
      seconds,
      form: this.#form.element,
      onTick: (now) => (left.textContent = `${now} s`),
      onStopped: () => this.#stopCountdown(),
      onEnd: () => {
        this.#isAttended = true;
        this.#endCountdown();
        if (this.#item.form) this.#form?.sendNow(this.#questions.firstAnswers);
        else this.take(0, { undo: false });
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
    this.#questions.markNext(false);
    this.#clock.hidden = true;
  }
}

/** @param {string} text */
function shortened(text) {
  const line = text.trim().split('\n', 1)[0];
  return line.length > 60 ? `${line.slice(0, 59)}…` : line;
}

/**
 * Returns what the form of an answer needs to know of several questions, or of one that is no plain
 * choice.
 * @param {import('./store.js').Form} form
 * @param {QuestionsView} view
 * @returns {import('./answer.js').FormPart}
 */
function formPart({ questions }, view) {
  const [question] = questions;
  const alone = questions.length === 1;
  return {
    several: !alone,
    picks: !alone || question.multiple === true,
    takesText: alone && takesText(question),
    label: question.options.length
      ? question.multiple
        ? 'Other, in your own words'
        : 'Your own answer'
      : 'Your answer',
    placeholder: question.placeholder,
    reviews: () => view.reviews,
    answers: () => view.answers,
    answersSoFar: (text) =>
      view.answers.map((answer, index) =>
        answerSoFar(questions[index], alone && text ? { ...answer, text } : answer),
      ),
    note: () => (alone ? (view.answers[0].note ?? '') : ''),
    touched: () => view.touched,
    problem: (text) =>
      alone ? problemOf(question, { ...view.answers[0], text }) : view.showProblem(),
    texts: () => view.summary,
  };
}

/**
 * @typedef {
 *   | 'growing'
 *   | 'rejected'
 *   | 'open'
 *   | 'waiting'
 *   | 'answered'
 *   | 'cancelled'
 *   | 'declined'
 *   | 'discussed'
 *   | 'timed_out'
 *   | 'elsewhere'
 *   | 'dismissed'
 * } CallState
 */

/** @type {Record<CallState, string>} */
const STATUS = {
  growing: 'is being written…',
  rejected: '',
  open: '',
  waiting: 'waits until the one above is answered',
  answered: 'answered',
  cancelled: 'left unanswered',
  declined: 'declined',
  discussed: 'to be talked about first',
  timed_out: 'timed out',
  elsewhere: 'answered elsewhere',
  dismissed: 'dismissed',
};

/** @param {CallItem} item @returns {CallState} */
function stateOf(item) {
  if (item.state !== 'complete') return item.state;
  if (item.answered)
    return item.answered.kind === 'answer' || item.answered.kind === 'guidance'
      ? 'answered'
      : item.answered.kind;
  if (item.closed) return item.closed.why === 'dismissed' ? 'dismissed' : 'elsewhere';
  return isOpen(item) ? 'open' : 'waiting';
}
