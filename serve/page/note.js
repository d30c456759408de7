// @ts-check
// A note that the user adds to an option, where the reply of the tool has a place for one.

import { h } from './dom.js';

export class NoteView {
  #open = h('button', { type: 'button', class: 'quiet' }, 'Add a note');
  #field;
  #box;
  element;
  #isOffered = false;

  /** @param {string} id of the question @param {() => void} onChange */
  constructor(id, onChange) {
    this.#field = h('textarea', { id: `${id}-note`, rows: 1, dir: 'auto', 'aria-describedby': id });
    this.#box = h(
      'div',
      { class: 'own', hidden: true },
      h('label', { for: `${id}-note` }, 'Note with your answer'),
      this.#field,
    );
    this.element = h('div', { class: 'remark', hidden: true }, this.#open, this.#box);
    this.#open.addEventListener('click', () => this.#write());
    this.#field.addEventListener('input', onChange);
    this.#field.addEventListener('keydown', (event) => {
      if (event.key !== 'Escape') return;
      event.stopPropagation();
      this.#field.blur();
    });
  }

  /** What is written; empty if nothing is. */
  get text() {
    return this.#field.value.trim();
  }

  set text(text) {
    this.#field.value = text;
    this.#openBox(text !== '');
  }

  /** Whether a note can be written. */
  set isOffered(/** @type {boolean} */ isOffered) {
    this.#isOffered = isOffered;
  }

  /** Shows the note of the question that is shown. @param {boolean} isCurrent */
  show(isCurrent) {
    this.element.hidden = !isCurrent || !this.#isOffered;
  }

  #write() {
    this.#openBox(true);
    this.#field.focus();
  }

  /** @param {boolean} isOpen */
  #openBox(isOpen) {
    [this.#open.hidden, this.#box.hidden] = [isOpen, !isOpen];
  }
}
