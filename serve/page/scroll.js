// @ts-check
// Where the page is scrolled to: the top of the question that is being asked, or the end of what
// grows. The page scrolls only while the reader follows it.

const NEAR = 60;
const GAP = 12;

export class Follower {
  /** Whether the reader follows: not after scrolling up. */
  #follows = true;
  #button;
  /** The question whose top is to be in view. @type {Element | null} */ #target = null;
  /** A question that the reader has read to its end. @type {Element | null} */ #past = null;
  /** The scroll position that this class set last. */
  #own = -1;

  /** @param {HTMLButtonElement} button follows again */
  constructor(button) {
    this.#button = button;
    addEventListener('scroll', () => this.#scrolled(), { passive: true });
    addEventListener('resize', () => this.after(this.#target), { passive: true });
    button.addEventListener('click', () => this.#goOn());
  }

  /** Follows again, because another conversation is shown or the user has answered. */
  follow() {
    [this.#follows, this.#past] = [true, null];
  }

  /**
   * Call this after a change of the page.
   * @param {Element | null} target the question that is being asked
   */
  after(target) {
    this.#target = target;
    if (this.#follows && !isTyping()) {
      const { documentElement: page } = document;
      page.scrollTop = Math.min(page.scrollHeight, this.#top());
      this.#own = page.scrollTop;
    }
    this.#showButton();
  }

  /** Returns the scroll position that has the question's top at the top of the screen. */
  #top() {
    if (!this.#target || this.#target === this.#past) return Infinity;
    const header = document.querySelector('.top')?.getBoundingClientRect().height ?? 0;
    return Math.max(
      0,
      this.#target.getBoundingClientRect().top + document.documentElement.scrollTop - header - GAP,
    );
  }

  #scrolled() {
    const { scrollTop } = document.documentElement;
    // Scrolling by this class says nothing about the user; neither does a page that got shorter.
    if (Math.abs(scrollTop - this.#own) > 1) {
      this.#follows = isAtEnd();
      if (this.#follows) this.#past = this.#target;
    }
    this.#showButton();
  }

  #showButton() {
    const isBelow = this.#isBelow();
    this.#button.textContent = isBelow ? 'To the question' : 'To the end';
    this.#button.hidden = this.#follows || isAtEnd() || (this.#target !== null && !isBelow);
  }

  /** Whether the question begins below what is in view. */
  #isBelow() {
    return this.#target !== null && this.#target.getBoundingClientRect().top > innerHeight - NEAR;
  }

  #goOn() {
    this.#past = this.#isBelow() ? null : this.#target;
    this.#follows = true;
    this.after(this.#target);
  }
}

function isAtEnd() {
  const { scrollTop, scrollHeight, clientHeight } = document.documentElement;
  return scrollHeight - scrollTop - clientHeight < NEAR;
}

/**
 * Whether the user writes: then the browser keeps the text box in view, above the keyboard of a
 * phone.
 */
function isTyping() {
  return document.activeElement instanceof HTMLTextAreaElement;
}
