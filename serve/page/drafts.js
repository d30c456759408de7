// @ts-check
// Answers that are being written, kept in this browser until they are sent.

import { isAnswered } from './form-state.js';

const PREFIX = 'followup.draft.';
const MAX_DRAFTS = 50;

/**
 * @typedef {{
 *   text: string,
 *   edited: number | null,
 *   answers?: import('./store.js').FormAnswer[],
 * }} Draft `answers`: to the questions of a form
 */
/** @typedef {{asked: string, at: number} & Draft} Stored */

/** The draft of one answer. */
export class DraftStore {
  #key;
  #asked;

  /**
   * @param {string} conversation
   * @param {number | string} name the question's number
   * @param {string} asked the question: a new one may have the same number after a restart of the
   *   service
   */
  constructor(conversation, name, asked) {
    this.#key = `${PREFIX}${conversation}.${name}`;
    this.#asked = asked.slice(0, 200);
  }

  /** @returns {Draft | null} */
  load() {
    const stored = read(this.#key);
    return stored?.asked === this.#asked && typeof stored.text === 'string' ? stored : null;
  }

  /** @param {Draft} draft */
  save({ text, edited, answers }) {
    if (text.trim() === '' && !answers?.some(isAnswered)) return this.drop();
    try {
      localStorage.setItem(
        this.#key,
        JSON.stringify({ asked: this.#asked, at: Date.now(), text, edited, answers }),
      );
      dropOldest();
    } catch {
      // Without storage the draft lasts as long as the page.
    }
  }

  drop() {
    try {
      localStorage.removeItem(this.#key);
    } catch {
      // There is none.
    }
  }
}

/** @param {string} key @returns {Stored | null} */
function read(key) {
  try {
    return JSON.parse(localStorage.getItem(key) ?? 'null');
  } catch {
    return null;
  }
}

function dropOldest() {
  const keys = Object.keys(localStorage).filter((key) => key.startsWith(PREFIX));
  if (keys.length <= MAX_DRAFTS) return;
  const oldest = keys
    .sort((a, b) => (read(a)?.at ?? 0) - (read(b)?.at ?? 0))
    .slice(0, keys.length - MAX_DRAFTS);
  for (const key of oldest) localStorage.removeItem(key);
}
