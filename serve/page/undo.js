// @ts-check
// The few seconds in which an answer can be taken back before it is sent.

import { announce } from './announce.js';
import { h } from './dom.js';
import { remember, remembered } from './settings.js';

const SECONDS = 4;

/** Milliseconds in which Enter, pressed twice or held down, takes nothing back. */
const GRACE = 700;

export const undoSetting = {
  get on() {
    return remembered('undo') !== 'off';
  },
  set on(on) {
    remember('undo', on ? 'on' : 'off');
  },
};

/** A bar that lets the user take back what is about to be sent. */
export class UndoBar {
  /** @type {ReturnType<typeof setTimeout> | undefined} */ #timer;
  #shown = 0;
  #button = h('button', { type: 'button' }, 'Undo');
  #finish = (/** @type {boolean} */ _sends) => {};
  element = h(
    'div',
    { class: 'undo', hidden: true },
    h('span', {}, 'Taken. It is sent in a moment.'),
    this.#button,
  );

  constructor() {
    this.#button.addEventListener('click', () => this.#takeBack());
    this.#button.addEventListener('keydown', (event) => {
      if (event.key === 'Enter' && (event.repeat || performance.now() - this.#shown < GRACE))
        event.preventDefault();
    });
  }

  /** Returns whether the answer is to be sent. @returns {Promise<boolean>} */
  wait() {
    if (!undoSetting.on) return Promise.resolve(true);
    const hasFocus = this.element.closest('.call')?.contains(document.activeElement);
    this.element.hidden = false;
    this.#shown = performance.now();
    if (hasFocus) this.#button.focus({ preventScroll: true });
    announce(`The answer is sent in ${SECONDS} seconds. Undo takes it back.`);
    const { promise, resolve } = withResolvers();
    this.#finish = resolve;
    this.#timer = setTimeout(() => this.end(true), SECONDS * 1000);
    addEventListener('keydown', this.#onKey, { capture: true });
    addEventListener('pagehide', this.#onLeave);
    document.addEventListener('visibilitychange', this.#onVisibility);
    return promise;
  }

  /** Ends the wait at once. @param {boolean} sends */
  end(sends) {
    clearTimeout(this.#timer);
    removeEventListener('keydown', this.#onKey, { capture: true });
    removeEventListener('pagehide', this.#onLeave);
    document.removeEventListener('visibilitychange', this.#onVisibility);
    this.element.hidden = true;
    this.#finish(sends);
  }

  #takeBack() {
    announce('Taken back.');
    this.end(false);
  }

  #onLeave = () => this.end(true);

  /** A phone may stop the timers of a hidden page, and end the page without another event. */
  #onVisibility = () => document.hidden && this.end(true);

  /** @param {KeyboardEvent} event */
  #onKey = (event) => {
    if (event.key !== 'Escape' || document.querySelector('dialog[open]')) return;
    event.preventDefault();
    event.stopPropagation();
    this.#takeBack();
  };
}

/** @returns {{promise: Promise<boolean>, resolve: (value: boolean) => void}} */
function withResolvers() {
  /** @type {(value: boolean) => void} */ let resolve = () => {};
  const promise = new Promise((/** @type {(value: boolean) => void} */ done) => (resolve = done));
  return { promise, resolve };
}
