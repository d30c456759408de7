// @ts-check
// One question: its text, its options, and a field for words of the user's own.

import { isSendKey, isTouch } from './answer-words.js';
import { h, setAttr } from './dom.js';
import { defaultOf, isNumber, problemOf, takesText } from './form-state.js';
import { MarkdownView } from './markdown-view.js';
import { NoteView } from './note.js';
import { OptionView } from './option.js';
import { plain } from './visible.js';

/** @typedef {import('./form-state.js').Question} Question */
/** @typedef {import('./form-state.js').FormAnswer} FormAnswer */
/**
 * @typedef {object} QuestionDisplay how a question is shown
 * @property {boolean} grows
 * @property {boolean} inForm of another tool than `ask_followup_question`
 * @property {boolean} alone it is the only question so far
 * @property {boolean} enabled it can be answered
 * @property {boolean} editable an option can be copied into the text box of the form
 * @property {number[] | null} chosen the options that were sent; `null` if nothing was
 */
/**
 * @typedef {object} QuestionActions what a question tells its form
 * @property {(option: number) => void} take sends an option
 * @property {(option: number) => void} edit copies an option into the text box
 * @property {() => void} changed the answer has changed
 * @property {(byKey: boolean) => void} done the question is answered
 */

let questions = 0;
/** The question with the option that was clicked last. @type {QuestionView | null} */
let clicked = null;

export class QuestionView {
  #id = `asked-${questions++}`;
  #text = h('div', { class: 'question markdown', id: this.#id, dir: 'auto' });
  #detail = h('div', { class: 'detail markdown', dir: 'auto', hidden: true });
  #needed = h('p', { class: 'needed', hidden: true });
  #list = h('ol', { class: 'suggestions', 'aria-label': 'Suggested answers', hidden: true });
  #field = h('textarea', {
    id: `${this.#id}-own`,
    rows: 1,
    dir: 'auto',
    enterkeyhint: isTouch() ? 'enter' : 'next',
    'aria-describedby': `${this.#id} ${this.#id}-problem`,
  });
  #label = h('label', { for: `${this.#id}-own` });
  #problem = h('p', { class: 'problem', id: `${this.#id}-problem`, hidden: true });
  #own = h('div', { class: 'own', hidden: true }, this.#label, this.#field, this.#problem);
  element = h(
    'div',
    { class: 'panel' },
    this.#text,
    this.#detail,
    this.#list,
    this.#needed,
    this.#own,
  );
  /**
   * A note with the options that are picked. It is shown after the buttons to other questions,
   * because it may come late.
   */
  note = new NoteView(this.#id, () => this.#onChange());
  #markdown = new MarkdownView(this.#text);
  #detailed = new MarkdownView(this.#detail);
  /** @type {OptionView[]} */ #options = [];
  /** @type {Set<number>} */ #picked = new Set();
  /** Whether the words in the field are the answer, and not only kept. */
  #usesText = false;
  /** The user has answered, or a default was set. */
  #isSet = false;
  #postponed = false;
  /** @type {Question} */ #question = { text: '', defaults: [], options: [] };
  /** @type {QuestionDisplay} */
  #how = {
    grows: true,
    inForm: false,
    alone: true,
    enabled: false,
    editable: false,
    chosen: null,
  };
  #actions;

  /** @param {QuestionActions} actions */
  constructor(actions) {
    this.#actions = actions;
    this.#field.addEventListener('input', () => this.#write());
    this.#field.addEventListener('keydown', (event) => this.#onKey(event));
    this.#list.addEventListener('keydown', (event) => this.#onArrow(event));
  }

  /** The views of the options. */
  get options() {
    return this.#options;
  }

  /** The id of the element with the question's text. */
  get id() {
    return this.#id;
  }

  /**
   * Whether several options, one of them, or none is picked before the answer is sent.
   * @returns {'several' | 'one' | null}
   */
  get choice() {
    const { multiple } = this.#question;
    if (multiple) return 'several';
    return !this.#how.alone && (multiple === false || this.#how.enabled || this.#how.chosen)
      ? 'one'
      : null;
  }

  /** The answer so far. @returns {FormAnswer} */
  get answer() {
    const text = this.#usesText ? this.#field.value.trim() : '';
    return {
      ...(this.#picked.size ? { picked: [...this.#picked].sort((a, b) => a - b) } : {}),
      ...(text ? { text } : {}),
      ...(this.note.text ? { note: this.note.text } : {}),
    };
  }

  set answer({ picked = [], text, note = '' }) {
    const exists = picked.filter((index) => index < this.#question.options.length);
    this.#picked = new Set(this.#question.multiple ? exists : exists.slice(0, 1));
    [this.#field.value, this.#usesText, this.#isSet] = [text ?? '', Boolean(text), true];
    this.note.text = note;
    this.#postponed = this.#show(this.#question, this.#how) || this.#postponed;
  }

  /** What is wrong with the answer; empty if nothing is. */
  get problem() {
    return problemOf(this.#question, this.answer);
  }

  /**
   * Shows the question. Returns whether a part was postponed.
   * @param {Question} question
   * @param {QuestionDisplay} how
   */
  update(question, how) {
    const isSame = question === this.#question && JSON.stringify(how) === JSON.stringify(this.#how);
    if (isSame && !this.#postponed) return false;
    [this.#question, this.#how] = [question, how];
    return (this.#postponed = this.#show(question, how));
  }

  /** @param {Question} question @param {QuestionDisplay} how */
  #show(question, how) {
    if (how.enabled && !this.#isSet) this.#setDefault();
    setAttr(this.element, 'data-grows', how.grows ? '' : null);
    this.#detail.hidden = !question.detail;
    this.note.isOffered = how.enabled && question.notes === true;
    this.#needed.hidden = !question.required;
    this.#needed.textContent = question.required ? 'Needs an answer' : '';
    const texts = [this.#markdown.show(question.text, how.grows), this.#showOptions()];
    if (question.detail) texts.push(this.#detailed.show(question.detail, how.grows));
    this.#showOwn();
    return texts.includes(true);
  }

  #setDefault() {
    this.#isSet = true;
    const { picked = [], text } = defaultOf(this.#question);
    this.#picked = new Set(picked);
    if (text) [this.#field.value, this.#usesText] = [text, true];
  }

  #showOptions() {
    const { options } = this.#question;
    const { grows, inForm, enabled, editable, chosen } = this.#how;
    const { choice } = this;
    this.#list.hidden = options.length === 0;
    while (this.#options.length > options.length) this.#options.pop()?.element.remove();
    while (this.#options.length < options.length) {
      const view = new OptionView(
        this.#options.length,
        (index, event) => this.#take(index, event),
        (index) => this.#actions.edit(index),
      );
      this.#options.push(view);
      this.#list.append(view.element);
    }
    this.#showRoles(choice, inForm);
    const picked = chosen ?? (choice ? [...this.#picked] : []);
    const postponed = options.map((option, index) =>
      this.#options[index].update(option, {
        grows: grows && index === options.length - 1,
        inForm,
        enabled,
        editable: editable && choice === null,
        chosen: picked.includes(index),
        role: choice && enabled ? ROLE[choice] : null,
      }),
    );
    this.#setTabStop(choice);
    return postponed.includes(true);
  }

  /** @param {'several' | 'one' | null} choice @param {boolean} inForm */
  #showRoles(choice, inForm) {
    setAttr(this.#list, 'data-choice', inForm ? (choice ?? 'rows') : null);
    const isGroup = choice && this.#how.enabled;
    setAttr(this.#list, 'role', isGroup ? (choice === 'one' ? 'radiogroup' : 'group') : null);
    setAttr(this.#list, 'aria-label', isGroup ? null : 'Suggested answers');
    setAttr(this.#list, 'aria-labelledby', isGroup ? this.#id : null);
    setAttr(
      this.#list,
      'aria-required',
      choice === 'one' && isGroup && this.#question.required ? 'true' : null,
    );
    for (const { element } of this.#options) setAttr(element, 'role', isGroup ? 'none' : null);
  }

  /**
   * Of radio buttons, the tab key reaches one: the picked one, or the first.
   * @param {'several' | 'one' | null} choice
   */
  #setTabStop(choice) {
    const stop = Math.max(0, ...this.#picked);
    this.#options.forEach(({ button }, index) =>
      setAttr(button, 'tabindex', choice === 'one' && index !== stop ? '-1' : null),
    );
  }

  #showOwn() {
    const { enabled, alone } = this.#how;
    const { options, placeholder, kind } = this.#question;
    this.#own.hidden = alone || !enabled || !takesText(this.#question);
    this.#label.textContent = options.length ? 'Other, in your own words' : 'Your answer';
    setAttr(this.#field, 'placeholder', placeholder ? plain(placeholder) : null);
    setAttr(this.#field, 'inputmode', kind === 'number' ? 'decimal' : null);
    this.#own.classList.toggle('chosen', this.#usesText && this.#field.value.trim() !== '');
    const isWrong =
      kind === 'number' &&
      this.#usesText &&
      this.#field.value.trim() !== '' &&
      !isNumber(this.#field.value);
    this.#problem.hidden = !isWrong;
    this.#problem.textContent = isWrong ? 'This has to be a number.' : '';
    setAttr(this.#field, 'aria-invalid', isWrong ? 'true' : null);
  }

  /** Takes an option as a click on it does. @param {number} index @param {boolean} [advances] */
  pick(index, advances = true) {
    if (!this.#how.enabled || index >= this.#question.options.length) return false;
    if (!this.choice) this.#actions.take(index);
    else this.#choose(index, advances, true);
    return true;
  }

  /** @param {number} index @param {MouseEvent} event */
  #take(index, event) {
    // The second click of a double click is none for the question that the first one has shown.
    if (event.detail <= 1) clicked = this;
    if (clicked !== this) return;
    if (!this.choice) return this.#actions.take(index);
    // A key that clicks has no detail.
    this.#choose(index, true, event.detail === 0);
  }

  /** @param {number} index @param {boolean} advances @param {boolean} byKey */
  #choose(index, advances, byKey) {
    if (this.choice === 'several') {
      if (!this.#picked.delete(index)) this.#picked.add(index);
      return this.#onChange();
    }
    [this.#picked, this.#usesText] = [new Set([index]), false];
    this.#onChange();
    if (advances) this.#actions.done(byKey);
  }

  #write() {
    this.#usesText = this.#field.value.trim() !== '';
    if (this.choice === 'one' && this.#usesText) this.#picked.clear();
    this.#onChange();
  }

  #onChange() {
    this.#isSet = true;
    this.#showOptions();
    this.#showOwn();
    this.#actions.changed();
  }

  /** The arrow keys pick the next radio button. @param {KeyboardEvent} event */
  #onArrow(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step || this.choice === null || event.ctrlKey || event.metaKey || event.altKey) return;
    const now = this.#options.findIndex(({ button }) => button === document.activeElement);
    if (now < 0) return;
    event.preventDefault();
    const next = (now + step + this.#options.length) % this.#options.length;
    if (this.choice === 'one') this.#choose(next, false, true);
    this.#options[next].button.focus();
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    if (event.key === 'Escape') {
      event.stopPropagation();
      this.#field.blur();
    }
    if (!isSendKey(event)) return;
    event.preventDefault();
    if (!event.repeat) this.#actions.done(true);
  }

  /** Copies an option into the field. @param {number} index */
  write(index) {
    const option = this.#question.options[index];
    if (this.#own.hidden || !option) return;
    this.#field.value = option.label;
    this.#write();
    this.focusField();
  }

  /** Focuses what answers the question: the tab stop of its options, or the field. */
  focus() {
    const stop = this.#options.find(
      ({ button }) => !button.disabled && button.getAttribute('tabindex') !== '-1',
    );
    (stop?.button ?? this.#field).focus({ preventScroll: false });
  }

  /** Focuses the field, if there is one. */
  focusField() {
    if (!this.#own.hidden) this.#field.focus();
  }
}

/** @type {Record<'several' | 'one', 'checkbox' | 'radio'>} */
const ROLE = { several: 'checkbox', one: 'radio' };
