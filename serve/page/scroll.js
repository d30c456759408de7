// @ts-check
// Keeps the end of a growing page in sight, unless its reader went up to read.

const NEAR = 60;

export class StickToEnd {
  #sticks = true;
  #button;
  /** Where the page was when it was last moved from here. */
  #own = -1;

  /** @param {HTMLButtonElement} button goes to the end */
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

  /** To be called when something on the page has changed. */
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
    // What is the page's own doing says nothing about its reader. Nor does a page that got shorter.
    if (scrollTop !== this.#own) this.#sticks = this.#isAtEnd();
    this.#button.hidden = this.#sticks || this.#isAtEnd();
  }

  #isAtEnd() {
    const { scrollTop, scrollHeight, clientHeight } = document.documentElement;
    return scrollHeight - scrollTop - clientHeight < NEAR;
  }
}
