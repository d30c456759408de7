// @ts-check
// The one live region of the page: what a screen reader says on its own. Growing text is never in it.

import { plain } from './visible.js';

/** @type {string[]} */ let waiting = [];

/** Says something when there is time for it; several things at once become one. @param {string} sentence */
export function announce(sentence) {
  waiting.push(plain(sentence));
  if (waiting.length === 1) setTimeout(say, 100);
}

function say() {
  const region = document.getElementById('live');
  const text = waiting.join(' ');
  waiting = [];
  // The same words again are news only if they differ.
  if (region) region.textContent = region.textContent === text ? `${text}\u00A0` : text;
}
