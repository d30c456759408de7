// @ts-check
// The page's only live region, which screen readers read out by themselves. It never holds growing
// text.

import { plain } from './visible.js';

/** @type {string[]} */ let waiting = [];

/**
 * Announces a sentence. Sentences in quick succession are joined to one announcement.
 * @param {string} sentence
 */
export function announce(sentence) {
  waiting.push(plain(sentence));
  if (waiting.length === 1) setTimeout(say, 100);
}

function say() {
  const region = document.getElementById('live');
  const text = waiting.join(' ');
  waiting = [];
  // A live region is read out only if its text changes.
  if (region) region.textContent = region.textContent === text ? `${text}\u00A0` : text;
}
