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
 * @param {() => boolean} actions.several whether several questions are asked together
 * @param {(by: number) => void} actions.step shows the question before or after this one
 * @param {() => void} actions.edit
 * @param {() => void} actions.help
 * @param {() => void} actions.search
 * @param {() => number} actions.count how many suggestions can be taken
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

/** How long a digit waits for a second one, where ten or more suggestions can be taken. */
const DIGIT_WAIT = 800;
let first = '';
/** @type {ReturnType<typeof setTimeout> | undefined} */ let timer;

/** @param {string} digit @param {Parameters<typeof listenToKeys>[0]} actions */
function onDigit(digit, actions) {
  clearTimeout(timer);
  const typed = first + digit;
  first = '';
  const count = actions.count();
  // Another digit can make a number that exists.
  if (typed.length === 1 && Number(typed) * 10 <= count && typed !== '0') {
    first = typed;
    timer = setTimeout(() => {
      first = '';
      if (actions.count() === count) actions.take(Number(typed) - 1);
    }, DIGIT_WAIT);
  } else if (Number(typed) >= 1) actions.take(Number(typed) - 1);
}

/** @param {string} key @param {Parameters<typeof listenToKeys>[0]} actions */
function actionOf(key, actions) {
  if (/^\d$/.test(key)) return () => onDigit(key, actions);
  const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
  if (step) return actions.several() ? () => actions.step(step) : undefined;
  return { w: actions.write, e: actions.edit, '?': actions.help, '/': actions.search }[key];
}

/** Whether the element takes keys itself. @param {EventTarget | null} target */
function isField(target) {
  return target instanceof HTMLElement && (target.isContentEditable || target.matches('textarea, select, input:not([type=checkbox])'));
}
