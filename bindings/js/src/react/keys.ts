// Decides which key presses send a text, with regard to touch screens and input methods.

import type { KeyboardEvent } from "react";

/**
 * Whether a key sends a text: Enter, but not Shift+Enter. On a touch screen, which has no Shift,
 * the button sends.
 */
export function isSendKey({
  key,
  nativeEvent,
  ctrlKey,
  metaKey,
  shiftKey,
  altKey,
}: KeyboardEvent): boolean {
  if (key !== "Enter" || isComposing({ nativeEvent })) return false;
  return ctrlKey || metaKey || (!shiftKey && !altKey && !isTouch());
}

/** Whether a word is being composed: Enter ends the composition then. */
export function isComposing({ nativeEvent }: Pick<KeyboardEvent, "nativeEvent">): boolean {
  return nativeEvent.isComposing || nativeEvent.keyCode === 229;
}

function isTouch(): boolean {
  return matchMedia("(pointer: coarse)").matches && !matchMedia("(any-pointer: fine)").matches;
}
