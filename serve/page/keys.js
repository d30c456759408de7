// @ts-check
// Keyboard shortcuts, which work while no field has the focus.

import { remember, remembered } from './settings.js';

/** Shortcuts of one character can interfere with speech input, so they can be turned off (WCAG 2.1.4). */
export const shortcuts = {
  get on() {
    return remembered('keys') !== 'off';
  },
  set on(on) {
    remember('keys', on ? 'on' : 'off');
  },
};

/**
 * @param {object} actions
 * @param {(index: number) => void} actions.take
 * @param {() => void} actions.write
 * @param {() => void} actions.edit
 * @param {() => void} actions.help
 */
export function listenToKeys(actions) {
  document.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    if (!shortcuts.on || isField(event.target) || document.querySelector('dialog[open]')) return;
    const act = actionOf(event.key, actions);
    if (!act) return;
    event.preventDefault();
    act();
  });
}

/** @param {string} key @param {Parameters<typeof listenToKeys>[0]} actions */
function actionOf(key, actions) {
  if (/^[1-9]$/.test(key)) return () => actions.take(Number(key) - 1);
  return { w: actions.write, e: actions.edit, '?': actions.help }[key];
}

/** Whether the element takes keys itself. @param {EventTarget | null} target */
function isField(target) {
  return target instanceof HTMLElement && (target.isContentEditable || target.matches('textarea, select, input:not([type=checkbox])'));
}
