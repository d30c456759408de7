// @ts-check
// The countdown that takes the first suggestion if nobody does anything.

const TICK = 200;
/** A tick that comes later than that was no time somebody could have used: the machine slept. */
const LONGEST_TICK = 1000;
const SIGNS_OF_LIFE = ['keydown', 'pointerdown', 'wheel', 'touchstart'];

/**
 * @typedef {object} Options
 * @property {number} seconds
 * @property {HTMLElement} form focus in it stops the countdown
 * @property {(seconds: number) => void} onTick
 * @property {() => void} onStopped somebody is there
 * @property {() => void} onEnd
 */

/** Counts down while the page can be seen, until anybody shows to be there. */
export class Countdown {
  #options;
  #left;
  #then = 0;
  /** @type {ReturnType<typeof setInterval> | undefined} */ #timer;
  /** What is listened to ends with this. */
  #until = new AbortController();

  /** @param {Options} options */
  constructor(options) {
    this.#options = options;
    this.#left = options.seconds * 1000;
    const { signal } = this.#until;
    for (const sign of SIGNS_OF_LIFE) document.addEventListener(sign, this.#alive, { signal, capture: true, passive: true });
    options.form.addEventListener('focusin', this.#alive, { signal });
    document.addEventListener('visibilitychange', () => this.#begin(), { signal });
    this.#begin();
  }

  /** Ends it without a word. */
  cancel() {
    clearInterval(this.#timer);
    this.#until.abort();
  }

  /** From the full time, each time the page comes to be seen. */
  #begin() {
    clearInterval(this.#timer);
    this.#left = this.#options.seconds * 1000;
    this.#then = performance.now();
    this.#options.onTick(this.#options.seconds);
    if (!document.hidden) this.#timer = setInterval(() => this.#tick(), TICK);
  }

  #tick() {
    const now = performance.now();
    this.#left -= Math.min(now - this.#then, LONGEST_TICK);
    this.#then = now;
    if (this.#left > 0) return this.#options.onTick(Math.ceil(this.#left / 1000));
    this.cancel();
    this.#options.onEnd();
  }

  /** @param {Event} event */
  #alive = (event) => {
    // Who sets the countdown wants it to run.
    if (event.target instanceof Element && event.target.closest('[data-sets-countdown]')) return;
    this.cancel();
    this.#options.onStopped();
  };
}
