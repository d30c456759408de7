// @ts-check
// Keys that work when the focus is in no field.

import { remember, remembered } from './settings.js';

/** Keys of one character can be in the way of speech input, so they can be turned off. */
export const shortcuts = {
  get on() {
    return remembered('keys') !== 'off';
  },
  set on(on) {
    remember('keys', on ? 'on' : 'off');
  },
};

/**
 * @param {object} does
 * @param {(nth: number) => void} does.take
 * @param {() => void} does.write
 * @param {() => void} does.edit
 * @param {() => void} does.help
 */
export function listenToKeys(does) {
  document.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    if (!shortcuts.on || isField(event.target) || document.querySelector('dialog[open]')) return;
    const act = actionOf(event.key, does);
    if (!act) return;
    event.preventDefault();
    act();
  });
}

/** @param {string} key @param {Parameters<typeof listenToKeys>[0]} does */
function actionOf(key, does) {
  if (/^[1-9]$/.test(key)) return () => does.take(Number(key) - 1);
  return { w: does.write, e: does.edit, '?': does.help }[key];
}

/** Whether keys mean something else there. @param {EventTarget | null} target */
function isField(target) {
  return target instanceof HTMLElement && (target.isContentEditable || target.matches('textarea, select, input:not([type=checkbox])'));
}
