// @ts-check
// The questions of a call: one, or several as tabs with a review as the last of them.

import { announce } from './announce.js';
import { h, setAttr, setText } from './dom.js';
import { isAnswered, questionsOf, textsOf } from './form-state.js';
import { QuestionView } from './question.js';
import { ReviewView, nameOf } from './review.js';
import { isOpen } from './store.js';
import { plain } from './visible.js';

/** @typedef {import('./form-state.js').Question} Question */
/** @typedef {import('./form-state.js').FormAnswer} FormAnswer */
/** @typedef {import('./store.js').CallItem} CallItem */
/**
 * @typedef {object} CallActions what the questions tell their call
 * @property {(option: number) => void} take sends an option
 * @property {(option: number) => void} edit copies an option into the text box
 * @property {() => void} changed an answer has changed, or another question is shown
 */

let forms = 0;

export class QuestionsView {
  #id = `questions-${forms++}`;
  /** The tabs, for the header of the call. */
  strip = h('div', { class: 'strip', hidden: true });
  #back = h('button', { type: 'button' }, 'Back');
  #next = h('button', { type: 'button', class: 'primary' }, 'Next');
  #steps = h('div', { class: 'steps', hidden: true }, this.#next, this.#back);
  #review = new ReviewView((index) => this.#go(index, true));
  element = h('div', { class: 'panels' }, this.#review.element, this.#steps);
  /** @type {QuestionView[]} */ #views = [];
  /** @type {HTMLButtonElement[]} */ #tabs = [];
  #reviewTab = this.#makeTab(() => this.count);
  /** The question that is shown; after the last one, the review. */
  #at = 0;
  /** @type {readonly Question[]} */ #questions = [];
  /** @type {CallItem | null} */ #item = null;
  #enabled = false;
  #wasOver = false;
  /** The option that is being sent. @type {number | null} */ #taken = null;
  /** Whether the user has answered anything here. */
  touched = false;
  #actions;

  /** @param {CallActions} actions */
  constructor(actions) {
    this.#actions = actions;
    setText(this.#reviewTab, 'Review');
    this.#back.addEventListener('click', (event) => this.step(-1, event.detail === 0));
    this.#next.addEventListener('click', (event) => this.step(1, event.detail === 0));
    this.strip.addEventListener('keydown', (event) => this.#onTabKey(event));
  }

  /** The number of questions. */
  get count() {
    return this.#questions.length;
  }

  /** Whether there are several questions, so that they are sent together after a review. */
  get several() {
    return this.count > 1;
  }

  /** The question that is shown; `undefined` in the review. */
  get current() {
    return this.#views[this.#at];
  }

  /** Whether the review is shown. */
  get reviews() {
    return this.several && this.#at === this.count;
  }

  /** The answers so far. @returns {FormAnswer[]} */
  get answers() {
    return this.#views.map((view) => view.answer);
  }

  /**
   * The answers that were sent, or, while there is time, those so far.
   * @returns {readonly FormAnswer[]}
   */
  get #given() {
    const { answered, closed } = /** @type {CallItem} */ (this.#item);
    return answered ? (answered.answers ?? []) : closed ? [] : this.answers;
  }

  /** The answers as text, to be copied. */
  get summary() {
    const given = this.#questions.map((question, index) => ({
      text: question.text.trim(),
      texts: textsOf(question, this.answers[index]),
    }));
    return given
      .filter(({ texts }) => texts.length)
      .map(({ text, texts }) => [text, ...texts].join('\n'))
      .join('\n\n');
  }

  /**
   * The texts of the options that the countdown takes for the first question that has any;
   * `undefined` if it can't answer.
   */
  get next() {
    const canAnswer = this.#questions.every(
      ({ required, options }) => !required || options.length > 0,
    );
    const first = this.#views.findIndex(({ options }) => options.length);
    return canAnswer && first >= 0
      ? this.#firstPicks(first).map((index) => this.#views[first].options[index].text)
      : undefined;
  }

  /**
   * The first answer to each question: what is picked, at first its default, or else its first
   * option.
   * @returns {FormAnswer[]}
   */
  get firstAnswers() {
    return this.#views.map((view, index) => {
      const picked = this.#firstPicks(index);
      return { ...view.answer, ...(picked.length ? { picked } : {}) };
    });
  }

  /** Marks the options that the countdown takes. @param {boolean} isNext */
  markNext(isNext) {
    this.#views.forEach(({ options }, index) => {
      const picked = isNext ? this.#firstPicks(index) : [];
      options.forEach((option, index) => option.mark(picked.includes(index)));
    });
  }

  /**
   * The options of a question that its first answer picks.
   * @param {number} index
   * @returns {number[]}
   */
  #firstPicks(index) {
    const {
      answer: { picked = [], text },
      options,
    } = this.#views[index];
    return picked.length || text || !options.length ? picked : [0];
  }

  /** Shows answers that were given before. @param {readonly FormAnswer[]} answers */
  restore(answers) {
    this.touched = true;
    this.#views.forEach((view, index) => {
      if (answers[index] && !this.#how(index).grows) view.answer = answers[index];
    });
    this.#showTabs();
  }

  /**
   * Shows the questions of a call. Returns whether a part was postponed.
   * @param {CallItem} item
   * @param {{sending: boolean, taken: number | null}} now
   */
  update(item, { sending, taken }) {
    [this.#item, this.#questions, this.#taken] = [item, questionsOf(item), taken];
    const over = item.state === 'rejected' || Boolean(item.answered || item.closed);
    this.#enabled = !over && !sending;
    while (this.#views.length > this.count) this.#remove();
    while (this.#views.length < this.count) this.#add();
    const postponed = this.#questions.map((question, index) =>
      this.#views[index].update(question, this.#how(index)),
    );
    if (over && !this.#wasOver && this.several && item.state === 'complete') this.#at = this.count;
    this.#at = Math.min(
      this.#at,
      this.several && item.state === 'complete' ? this.count : this.count - 1,
    );
    if (this.several && item.state === 'complete') postponed.push(this.#showReview());
    const isNew = over && !this.#wasOver;
    this.#wasOver = over;
    this.#showTabs();
    this.#showPanels();
    if (isNew) this.#revealTab();
    return postponed.includes(true);
  }

  /** @param {number} index @returns {import('./question.js').QuestionDisplay} */
  #how(index) {
    const item = /** @type {CallItem} */ (this.#item);
    const grows = item.state === 'growing' && index === this.count - 1;
    const alone = !this.several;
    const sent =
      item.answered?.answers?.[index]?.picked ??
      (alone && item.answered?.suggestion !== undefined ? [item.answered.suggestion] : null);
    const isTakable = isOpen(item) && this.#enabled;
    return {
      grows,
      inForm: item.form !== undefined,
      alone,
      enabled: alone ? isTakable : this.#enabled && !grows,
      editable: alone && isTakable && item.form?.questions[0].custom !== false,
      chosen:
        sent ??
        (item.answered || item.closed ? [] : alone && this.#taken !== null ? [this.#taken] : null),
    };
  }

  #remove() {
    const view = this.#views.pop();
    view?.element.remove();
    view?.note.element.remove();
  }

  #add() {
    const index = this.#views.length;
    const view = new QuestionView({
      take: (option) => this.#actions.take(option),
      edit: (option) => this.#actions.edit(option),
      changed: () => this.#onAnswer(),
      done: (byKey) => this.several && this.step(1, byKey),
    });
    this.#views.push(view);
    this.#review.element.before(view.element);
    this.element.append(view.note.element);
    const tab = this.#makeTab(() => index);
    this.#tabs.push(tab);
    this.strip.insertBefore(tab, this.#reviewTab.isConnected ? this.#reviewTab : null);
  }

  /** @param {() => number} at */
  #makeTab(at) {
    const tab = h('button', { type: 'button', class: 'tab', dir: 'auto' });
    tab.addEventListener('click', () => this.#go(at(), false));
    return tab;
  }

  #onAnswer() {
    this.touched = true;
    this.#showTabs();
    this.#showReview();
    this.#actions.changed();
  }

  #showReview() {
    return this.#review.update(this.#questions, this.#given, this.#enabled);
  }

  // Tabs.

  #showTabs() {
    const isForm = this.#item?.form !== undefined;
    const whole = this.#item?.state === 'complete';
    this.strip.hidden = !isForm;
    if (!isForm) return;
    setAttr(this.strip, 'role', this.several ? 'tablist' : null);
    setAttr(this.strip, 'aria-label', this.several ? 'Questions' : null);
    while (this.#tabs.length > this.count) this.#tabs.pop()?.remove();
    const isReviewed = this.several && whole;
    if (!isReviewed) this.#reviewTab.remove();
    else if (!this.#reviewTab.isConnected) this.strip.append(this.#reviewTab);
    this.#tabs.forEach((tab, index) => this.#showTab(tab, index));
    if (this.several) this.#select(this.#reviewTab, this.count, this.#review.element);
  }

  /** @param {HTMLButtonElement} tab @param {number} index */
  #showTab(tab, index) {
    const question = this.#questions[index];
    // A number stands for a header only once that can't come any more.
    const isClosed = index < this.count - 1 || this.#item?.state !== 'growing';
    setText(tab, question.header ?? (this.several && isClosed ? String(index + 1) : ''));
    tab.hidden = !tab.hasChildNodes();
    tab.disabled = !this.several;
    const isDone = isAnswered(this.#given[index]);
    tab.classList.toggle('done', isDone);
    setAttr(
      tab,
      'aria-label',
      this.several
        ? plain(`${question.header ?? `Question ${index + 1}`}${isDone ? ', answered' : ''}`)
        : null,
    );
    if (this.several) this.#select(tab, index, this.#views[index].element);
  }

  /** @param {HTMLButtonElement} tab @param {number} index @param {HTMLElement} panel */
  #select(tab, index, panel) {
    const isShown = index === this.#at;
    [tab.id, panel.id] = [`${this.#id}-tab-${index}`, `${this.#id}-panel-${index}`];
    setAttr(tab, 'role', 'tab');
    setAttr(tab, 'aria-controls', panel.id);
    setAttr(tab, 'aria-selected', String(isShown));
    setAttr(tab, 'tabindex', isShown ? null : '-1');
    setAttr(panel, 'role', 'tabpanel');
    setAttr(panel, 'aria-labelledby', tab.id);
  }

  #showPanels() {
    this.#views.forEach(({ element, note }, index) => {
      element.hidden = index !== this.#at;
      note.show(index === this.#at);
    });
    this.#review.element.hidden = !this.reviews;
    const closed = this.#at < this.count - 1 || this.#item?.state === 'complete';
    this.#steps.hidden = !this.several || !this.#enabled || !closed || this.reviews;
    this.#back.hidden = this.#at === 0;
    this.#next.textContent = this.#at === this.count - 1 ? 'Review' : 'Next';
  }

  /** @param {KeyboardEvent} event */
  #onTabKey(event) {
    const last = this.#item?.state === 'complete' ? this.count : this.count - 1;
    const to = { ArrowRight: this.#at + 1, ArrowLeft: this.#at - 1, Home: 0, End: last }[event.key];
    if (to === undefined || !this.several || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    this.#go((to + last + 1) % (last + 1), false);
    (this.#tabs[this.#at] ?? this.#reviewTab).focus();
  }

  // Steps.

  /** Shows the question before or after this one. @param {number} by @param {boolean} byKey */
  step(by, byKey) {
    const last = this.#item?.state === 'complete' ? this.count : this.count - 1;
    const to = this.#at + by;
    if (this.several && to >= 0 && to <= last) this.#go(to, byKey);
  }

  /** Shows a question, or the review. @param {number} index @param {boolean} focuses */
  #go(index, focuses) {
    if (index === this.#at) return;
    const hadFocus = this.element.contains(document.activeElement);
    this.#at = index;
    this.#showReview();
    this.#showTabs();
    this.#showPanels();
    this.#revealTab();
    this.#actions.changed();
    if (this.#enabled)
      announce(
        this.reviews ? 'Review of your answers.' : `Question ${index + 1} of ${this.count}.`,
      );
    if (focuses || hadFocus) this.#focus();
  }

  /** Scrolls the strip of tabs, but not the page, to the selected tab. */
  #revealTab() {
    const tab = (this.#tabs[this.#at] ?? this.#reviewTab).getBoundingClientRect();
    const strip = this.strip.getBoundingClientRect();
    this.strip.scrollLeft +=
      Math.max(0, tab.right - strip.right) - Math.max(0, strip.left - tab.left);
  }

  #focus() {
    if (this.current) return this.current.focus();
    this.element
      .closest('.call')
      ?.querySelector(/** @type {'button'} */ ('.answer .primary'))
      ?.focus();
  }

  /**
   * Shows the first question whose answer can't be sent. Returns what is wrong; empty if nothing
   * is.
   */
  showProblem() {
    const index = this.#views.findIndex(({ problem }) => problem !== '');
    if (index < 0) return '';
    this.#go(index, true);
    return `${plain(nameOf(this.#questions[index], index))}: ${this.#views[index].problem}`;
  }
}
