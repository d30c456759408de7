// @ts-check
// Keeps the end of a growing page in view, unless the user scrolled up.

const NEAR = 60;

export class StickToEnd {
  #sticks = true;
  #button;
  /** The scroll position that this class set last. */
  #own = -1;

  /** @param {HTMLButtonElement} button scrolls to the end */
  constructor(button) {
    this.#button = button;
    addEventListener('scroll', () => this.#scrolled(), { passive: true });
    addEventListener('resize', () => this.after(), { passive: true });
    button.addEventListener('click', () => this.toEnd());
  }

  toEnd() {
    this.#sticks = true;
    this.after();
  }

  /** Call this after a change of the page. */
  after() {
    if (this.#sticks) {
      const { documentElement: page } = document;
      page.scrollTop = page.scrollHeight;
      this.#own = page.scrollTop;
    }
    this.#button.hidden = this.#sticks || this.#isAtEnd();
  }

  #scrolled() {
    const { scrollTop } = document.documentElement;
    // Scrolling by this class says nothing about the user; neither does a page that got shorter.
    if (scrollTop !== this.#own) this.#sticks = this.#isAtEnd();
    this.#button.hidden = this.#sticks || this.#isAtEnd();
  }

  #isAtEnd() {
    const { scrollTop, scrollHeight, clientHeight } = document.documentElement;
    return scrollHeight - scrollTop - clientHeight < NEAR;
  }
}
