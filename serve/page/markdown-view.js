// @ts-check
// Shows markdown in an element. The parser is loaded after the page; until then the text is shown
// as it is.

import { patch, visible } from './dom.js';
import { GROWING } from './growing-address.js';

/** A redraw that took long is followed by a pause of this many times its duration. */
const PAUSE_FACTOR = 4;
const RETRY = 5000;

/** @type {typeof import('./growing.js') | undefined} */ let markdown;
/** @type {Promise<void> | undefined} */ let loading;
let attempts = 0;

/**
 * Imports the parser. Each attempt has an address of its own: a browser keeps a module that it
 * could not load.
 * @returns {Promise<typeof import('./growing.js')>}
 */
function imported() {
  const address = new URL(GROWING, location.href);
  if (attempts++) address.searchParams.set('attempt', String(attempts));
  return import(address.href);
}

/**
 * Loads the parser. Ends after a pause if that failed; it can be called again then.
 * @returns {Promise<void>}
 */
export function load() {
  return (loading ??= imported().then(
    (module) => void (markdown = module),
    () => new Promise((resolve) => setTimeout(() => resolve((loading = undefined)), RETRY)),
  ));
}

/** Shows a growing text in an element of its own. */
export class MarkdownView {
  #element;
  #isInline;
  /** @type {import('./growing.js').GrowingMarkdown | undefined} */ #growing;
  #plain = '';
  #shown = /** @type {string | null} */ (null);
  #grew = false;
  #notBefore = 0;

  /** @param {Element} element @param {{inline?: boolean}} [options] */
  constructor(element, { inline: isInline = false } = {}) {
    this.#element = element;
    this.#isInline = isInline;
  }

  /**
   * Shows the text. Returns whether it was postponed, because the last redraw took too long; call
   * this again then.
   * @param {string} text
   * @param {boolean} grows
   */
  show(text, grows) {
    if (text === this.#shown && grows === this.#grew) return false;
    if (!markdown) return this.#showPlain(text);
    const began = performance.now();
    if (grows && began < this.#notBefore) return true;
    this.#draw(text, grows);
    [this.#shown, this.#grew] = [text, grows];
    const took = performance.now() - began;
    this.#notBefore = took > 4 ? began + took * PAUSE_FACTOR : 0;
    return false;
  }

  /** Shows the text as it is until markdown is loaded. @param {string} text */
  #showPlain(text) {
    void load();
    if (text === this.#plain) return true;
    this.#plain = text;
    patch(
      this.#element,
      this.#isInline
        ? visible(text)
        : [{ tag: 'p', attrs: { class: 'plain', dir: 'auto' }, children: visible(text) }],
    );
    return true;
  }

  /** @param {string} text @param {boolean} grows */
  #draw(text, grows) {
    if (!markdown) return;
    if (this.#isInline) return patch(this.#element, markdown.growingInline(text, grows));
    this.#growing ??= new markdown.GrowingMarkdown();
    const { base, nodes } = this.#growing.show(text, grows);
    patch(this.#element, nodes, base);
  }
}
