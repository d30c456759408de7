// @ts-check
// What the form of an answer says, and how it reads keys.

import { ApiError } from './api.js';

/** Says for people why an answer was not taken. @param {unknown} error */
export function inWords(error) {
  const code = error instanceof ApiError ? error.code : '';
  if (code === 'answered_elsewhere')
    return 'This question was answered elsewhere in the meantime, so this was not sent. It stays here.';
  if (code === 'dismissed')
    return 'This question was dismissed in the meantime, so this was not sent. It stays here.';
  if (code === 'not_found')
    return 'The service no longer has this conversation, so this was not sent. It stays here.';
  return error instanceof Error ? error.message : String(error);
}

/**
 * Whether the user types on a touch screen, which has no Shift+Enter: Enter then makes a new line,
 * and the button sends.
 */
export function isTouch() {
  return matchMedia('(pointer: coarse)').matches && !matchMedia('(any-pointer: fine)').matches;
}

export function hint() {
  return isTouch()
    ? 'Images can be pasted, too.'
    : 'Enter sends, Shift+Enter makes a new line. Images can be pasted and dropped, too.';
}

/**
 * Whether a key sends what was written: Enter, but not Shift+Enter.
 * @param {KeyboardEvent} event
 */
export function isSendKey(event) {
  // While a word is being composed, Enter ends the composition.
  if (event.key !== 'Enter' || event.isComposing || event.keyCode === 229) return false;
  return event.ctrlKey || event.metaKey || (!event.shiftKey && !event.altKey && !isTouch());
}
