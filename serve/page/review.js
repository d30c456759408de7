// @ts-check
// All questions of a form with their answers: before they are sent, and after that.

import { h, setAttr, setText } from './dom.js';
import { isAnswered, problemOf, textsOf } from './form-state.js';
import { MarkdownView } from './markdown-view.js';

/** @typedef {import('./form-state.js').Question} Question */
/** @typedef {import('./form-state.js').FormAnswer} FormAnswer */

/** One question with its answer. */
class Entry {
  #header = h('span', { class: 'topic', dir: 'auto' });
  #text = h('div', { class: 'markdown', dir: 'auto' });
  #answer = h('ul', { class: 'given' });
  #change = h('button', { type: 'button', class: 'quiet' }, 'Change');
  #markdown = new MarkdownView(this.#text);
  element = h(
    'li',
    {},
    h('div', { class: 'entry' }, this.#header, this.#text, this.#answer),
    this.#change,
  );

  /** @param {() => void} onChange */
  constructor(onChange) {
    this.#change.addEventListener('click', onChange);
  }

  /**
   * @param {Question} question
   * @param {string} name
   * @param {FormAnswer | undefined} answer
   * @param {boolean} open it can still be changed
   */
  update(question, name, answer, open) {
    setText(this.#header, question.header ?? '');
    this.#header.hidden = !question.header;
    const postponed = this.#markdown.show(question.text, false);
    const texts = textsOf(question, answer);
    const missing = open && problemOf(question, answer ?? {});
    const given = texts.length
      ? texts.map((text) => said(text))
      : [
          h(
            'li',
            { class: missing ? 'missing' : 'none' },
            missing
              ? 'Not answered yet: this needs an answer'
              : open
                ? 'Not answered yet'
                : 'Not answered',
          ),
        ];
    this.#answer.replaceChildren(...given);
    if (missing && isAnswered(answer)) this.#answer.append(h('li', { class: 'missing' }, missing));
    this.#change.hidden = !open;
    this.#change.textContent = isAnswered(answer) ? 'Change' : 'Answer';
    setAttr(
      this.#change,
      'aria-label',
      `${isAnswered(answer) ? 'Change the answer to' : 'Answer'}: ${name}`,
    );
    return postponed;
  }
}

/** @param {string} text */
function said(text) {
  const item = h('li', { class: 'said', dir: 'auto' });
  setText(item, text);
  return item;
}

export class ReviewView {
  #list = h('ol', { class: 'review' });
  element = h('div', { class: 'panel', hidden: true }, this.#list);
  /** @type {Entry[]} */ #entries = [];
  #onChange;

  /** @param {(index: number) => void} onChange the user wants to change an answer */
  constructor(onChange) {
    this.#onChange = onChange;
  }

  /**
   * @param {readonly Question[]} questions
   * @param {readonly FormAnswer[]} answers
   * @param {boolean} open
   */
  update(questions, answers, open) {
    while (this.#entries.length < questions.length) {
      const index = this.#entries.length;
      const entry = new Entry(() => this.#onChange(index));
      this.#entries.push(entry);
      this.#list.append(entry.element);
    }
    return questions
      .map((question, index) =>
        this.#entries[index].update(question, nameOf(question, index), answers[index], open),
      )
      .includes(true);
  }
}

/**
 * Returns a few words that stand for the question.
 * @param {Question} question
 * @param {number} index
 */
export function nameOf({ header }, index) {
  return header || `Question ${index + 1}`;
}
