// @ts-check
// Keyboard shortcuts, which work while no field has the focus.

import { remember, remembered } from './settings.js';

/**
 * Shortcuts of one character can interfere with speech input, so they can be turned off (WCAG
 * 2.1.4).
 */
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
 * @param {() => unknown} actions.shown the question of these suggestions
 */
export function listenToKeys(actions) {
  document.addEventListener('keydown', (event) => {
    // Some keyboards have the digits with Shift.
    if (event.repeat || MODIFIERS.has(event.key)) return;
    const before = takeDigit(actions);
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (!shortcuts.on || isField(event.target) || document.querySelector('dialog[open]')) return;
    if (SCROLLS.has(event.key) && isWide(event.target)) return;
    const act = actionOf(event.key, before, actions);
    if (!act) return;
    event.preventDefault();
    act();
  });
  document.addEventListener('pointerdown', () => takeDigit(actions));
}

const MODIFIERS = new Set(['Shift', 'Control', 'Alt', 'AltGraph', 'Meta', 'CapsLock', 'NumLock']);

/** How long a digit waits for a second one, where ten or more suggestions can be taken. */
const DIGIT_WAIT = 800;
/**
 * The digit that waits, and the question for which it was typed.
 * @type {{digit: string, shown: unknown, timer: ReturnType<typeof setTimeout>} | null}
 */
let waiting = null;

/**
 * Ends the wait for a second digit. Returns the first one; empty if none waits, or if it was typed
 * for another question.
 * @param {Parameters<typeof listenToKeys>[0]} actions
 */
function takeDigit(actions) {
  const before = waiting;
  waiting = null;
  clearTimeout(before?.timer);
  return before && before.shown === actions.shown() ? before.digit : '';
}

/** @param {string} typed one or two digits @param {Parameters<typeof listenToKeys>[0]} actions */
function onDigits(typed, actions) {
  const count = actions.count();
  // Another digit can make a number that exists.
  if (typed.length === 1 && Number(typed) * 10 <= count && typed !== '0') {
    const timer = setTimeout(() => {
      const digit = takeDigit(actions);
      if (digit && actions.count() === count) actions.take(Number(digit) - 1);
    }, DIGIT_WAIT);
    waiting = { digit: typed, shown: actions.shown(), timer };
  } else if (Number(typed) >= 1) actions.take(Number(typed) - 1);
}

/**
 * @param {string} key
 * @param {string} before the digit before it
 * @param {Parameters<typeof listenToKeys>[0]} actions
 */
function actionOf(key, before, actions) {
  if (/^\d$/.test(key)) return () => onDigits(before + key, actions);
  const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
  if (step) return actions.several() ? () => actions.step(step) : undefined;
  return { w: actions.write, e: actions.edit, '?': actions.help, '/': actions.search }[key];
}

const SCROLLS = new Set(['ArrowLeft', 'ArrowRight']);

/** Whether these keys scroll the element. @param {EventTarget | null} target */
function isWide(target) {
  return target instanceof Element && target.closest('.wide, .preview, pre') !== null;
}

/** Whether the element takes keys itself. @param {EventTarget | null} target */
function isField(target) {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.matches('textarea, select, input:not([type=checkbox])'))
  );
}
