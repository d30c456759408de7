// @ts-check
// The countdown that takes the first suggestion if the user does nothing.

const TICK = 200;
/** A longer interval between ticks means that the machine slept; only this much of it counts. */
const MAX_TICK = 1000;
const ACTIVITY = ['keydown', 'pointerdown', 'wheel', 'touchstart', 'paste', 'dragenter', 'drop'];

/**
 * @typedef {object} CountdownOptions
 * @property {number} seconds
 * @property {HTMLElement} form focus in it stops the countdown
 * @property {(seconds: number) => void} onTick
 * @property {() => void} onStopped the user is present
 * @property {() => void} onEnd
 */

/** Counts down while the page is visible, until the user does anything. */
export class Countdown {
  #options;
  #left;
  #then = 0;
  /** @type {ReturnType<typeof setInterval> | undefined} */ #timer;
  /** Removes all listeners when aborted. */
  #listeners = new AbortController();

  /** @param {CountdownOptions} options */
  constructor(options) {
    this.#options = options;
    this.#left = options.seconds * 1000;
    const { signal } = this.#listeners;
    for (const sign of ACTIVITY)
      document.addEventListener(sign, this.#onActivity, { signal, capture: true, passive: true });
    options.form.addEventListener('focusin', this.#onActivity, { signal });
    document.addEventListener('visibilitychange', () => this.#begin(), { signal });
    this.#begin();
  }

  /** Ends the countdown without a callback. */
  cancel() {
    clearInterval(this.#timer);
    this.#listeners.abort();
  }

  /** Starts from the full time, and again each time the page becomes visible. */
  #begin() {
    clearInterval(this.#timer);
    this.#left = this.#options.seconds * 1000;
    this.#then = performance.now();
    this.#options.onTick(this.#options.seconds);
    if (!document.hidden) this.#timer = setInterval(() => this.#tick(), TICK);
  }

  #tick() {
    const now = performance.now();
    this.#left -= Math.min(now - this.#then, MAX_TICK);
    this.#then = now;
    if (this.#left > 0) return this.#options.onTick(Math.ceil(this.#left / 1000));
    this.cancel();
    this.#options.onEnd();
  }

  /** @param {Event} event */
  #onActivity = (event) => {
    // Setting the countdown must not stop it.
    if (event.target instanceof Element && event.target.closest('[data-sets-countdown]')) return;
    this.cancel();
    this.#options.onStopped();
  };
}
