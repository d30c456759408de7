// @ts-check
// Copies text to the clipboard.

import { announce } from './announce.js';
import { h, icon } from './dom.js';

const COPY = 'M5.5 5.5h7v8h-7zM10 5.5v-3H3.5v8h2';

/** Returns whether the text was copied. @param {string} text */
async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

/** Without TLS only this machine's pages have `navigator.clipboard`. @param {string} text */
function copyBySelection(text) {
  const focused = document.activeElement;
  const field = h('textarea', { class: 'unseen-by-eye', 'aria-hidden': 'true' });
  field.value = text;
  (document.querySelector('dialog[open]') ?? document.body).append(field);
  field.select();
  const copied = document.execCommand('copy');
  field.remove();
  if (focused instanceof HTMLElement) focused.focus({ preventScroll: true });
  return copied;
}

/**
 * Creates a button that copies a text, and says so.
 * @param {string} label
 * @param {() => string} text
 */
export function copyButton(label, text) {
  const name = h('span', {}, label);
  const button = h('button', { type: 'button', class: 'quiet copy' }, icon(COPY), name);
  button.addEventListener('click', async () => {
    const done = (await copy(text())) ? 'Copied' : 'The browser does not allow copying';
    name.textContent = done;
    announce(`${done}.`);
    setTimeout(() => (name.textContent = label), 2000);
  });
  return button;
}

/** Makes the buttons of code blocks work, on the whole page. */
export function listenToCopyCode() {
  document.addEventListener('click', async ({ target }) => {
    if (!(target instanceof HTMLElement) || !target.matches('.copy-code')) return;
    const code = target.parentElement?.querySelector('code');
    if (!code || !(await copy(sourceOf(code)))) return;
    target.dataset.copied = '';
    announce('Copied.');
    setTimeout(() => delete target.dataset.copied, 2000);
  });
}

/**
 * Returns the code, with the invisible characters that are shown as symbols.
 * @param {Element} code
 */
function sourceOf(code) {
  const copied = /** @type {Element} */ (code.cloneNode(true));
  for (const symbol of copied.querySelectorAll('.unseen')) {
    const number = /^U\+([0-9A-F]+)/.exec(symbol.getAttribute('title') ?? '');
    if (number) symbol.replaceWith(String.fromCodePoint(parseInt(number[1], 16)));
  }
  return copied.textContent ?? '';
}
