// @ts-check
// The one place that says what is wrong with a whole conversation, or with the service.

import { announce } from './announce.js';
import { h, setText } from './dom.js';

export class Notice {
  #element;
  #text = '';

  /** @param {HTMLElement} element */
  constructor(element) {
    this.#element = element;
  }

  /**
   * Shows a text with what can be done about it; hides the notice if it is empty.
   * @param {string} text
   * @param {...Node} actions
   */
  show(text, ...actions) {
    if (text === this.#text) return;
    this.#text = text;
    this.#element.hidden = text === '';
    const shown = h('p');
    setText(shown, text);
    this.#element.replaceChildren(
      shown,
      ...(actions.length ? [h('div', { class: 'buttons' }, ...actions)] : []),
    );
    if (text) announce(text);
  }
}
