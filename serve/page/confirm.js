// @ts-check
// Asks before something that can't be taken back.

import { h } from './dom.js';

/**
 * Returns whether the user agrees.
 * @param {string} question
 * @param {string} yes what the button does
 */
export function confirmed(question, yes) {
  const keep = h('button', { type: 'button', autofocus: true }, 'Keep it');
  const agree = h('button', { type: 'button', class: 'primary danger' }, yes);
  const dialog = h(
    'dialog',
    { class: 'confirm', 'aria-labelledby': 'confirm-title' },
    h('h2', { id: 'confirm-title' }, question),
    h('div', { class: 'buttons' }, agree, keep),
  );
  /** @type {Promise<boolean>} */
  const answer = new Promise((resolve) => {
    agree.addEventListener('click', () => dialog.close('yes'));
    keep.addEventListener('click', () => dialog.close());
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(dialog.returnValue === 'yes');
    });
  });
  document.body.append(dialog);
  dialog.showModal();
  return answer;
}
