// @ts-check
// The list of conversations.

import { h, setAttr, setText } from './dom.js';

/**
 * @typedef {{
 *   id: string,
 *   title?: string,
 *   turn: import('./store.js').Turn,
 *   open: string | null,
 *   waiting?: number,
 *   stopped?: boolean,
 *   updated: number,
 * }} Entry
 */

/** One entry of the list. */
class EntryView {
  #dot = h('span', { class: 'dot' });
  #title = h('span', { class: 'title', dir: 'auto' });
  #what = h('span', { class: 'what', dir: 'auto' });
  #when = h('span', { class: 'when' });
  link = h('a', {}, this.#title, this.#what, h('span', { class: 'about' }, this.#dot, this.#when));
  element = h('li', {}, this.link);
  #updated = 0;

  /** @param {Entry} entry @param {boolean} chosen */
  update(entry, chosen) {
    const { id, open, updated } = entry;
    setAttr(this.link, 'href', `#/c/${encodeURIComponent(id)}`);
    setAttr(this.link, 'aria-current', chosen ? 'page' : null);
    setAttr(this.link, 'data-state', stateOf(entry));
    setAttr(this.link, 'title', id);
    setText(this.#title, titleOf(entry));
    const asks = open === null ? '' : firstLine(open);
    setText(this.#what, asks === titleOf(entry) ? '' : asks);
    setText(this.#dot, BADGE[stateOf(entry)] ?? '');
    this.#updated = updated;
    this.showTime();
  }

  /** Shows how long ago it changed. */
  showTime() {
    setText(this.#when, ago(Date.now() / 1000 - this.#updated));
  }
}

export class ConversationList {
  /** @type {Map<string, EntryView>} */ #views = new Map();
  #list;
  #empty;
  #search;
  /** @type {Entry[]} */ #entries = [];
  /** @type {string | null} */ #chosen = null;

  /**
   * @param {HTMLElement} list
   * @param {HTMLElement} empty shown when nothing is found
   * @param {HTMLInputElement} search
   */
  constructor(list, empty, search) {
    this.#list = list;
    this.#empty = empty;
    this.#search = search;
    search.addEventListener('input', () => this.show(this.#entries, this.#chosen));
  }

  /** @param {Entry[]} entries @param {string | null} chosen */
  show(entries, chosen) {
    [this.#entries, this.#chosen] = [entries, chosen];
    this.#search.hidden = entries.length < 2 && this.#search.value === '';
    const shown = entries.filter((entry) => matches(entry, this.#search.value));
    this.#empty.hidden = shown.length > 0;
    this.#empty.textContent = entries.length ? 'Nothing found.' : 'No conversations yet.';
    this.#removeOthers(new Set(shown.map(({ id }) => id)));
    const focused = document.activeElement;
    shown.forEach((entry, index) => {
      const view = this.#views.get(entry.id) ?? new EntryView();
      this.#views.set(entry.id, view);
      view.update(entry, entry.id === chosen);
      const there = this.#list.children[index] ?? null;
      if (there !== view.element) this.#list.insertBefore(view.element, there);
    });
    // An element that is moved loses the focus.
    if (
      focused instanceof HTMLElement &&
      focused !== document.activeElement &&
      this.#list.contains(focused)
    )
      focused.focus({ preventScroll: true });
  }

  /** Shows the times as they are now. Nothing else changes. */
  showTimes() {
    for (const view of this.#views.values()) view.showTime();
  }

  /** @param {Set<string>} ids */
  #removeOthers(ids) {
    for (const [id, { element }] of this.#views) {
      if (ids.has(id)) continue;
      element.remove();
      this.#views.delete(id);
    }
  }
}

/** @param {Entry} entry */
function stateOf({ open, stopped, turn }) {
  if (open !== null) return 'open';
  return stopped ? 'stopped' : turn;
}

/** @type {Record<string, string>} */
const BADGE = {
  open: 'question',
  stopped: 'needs your guidance',
  streaming: 'writing…',
  cut_off: 'cut off',
};
/** @type {Record<string, string>} */
const TURN = {
  streaming: 'The model is writing…',
  ended: 'No open question',
  cut_off: 'Cut off',
  none: 'Nothing yet',
  stopped: 'The model needs guidance',
};

/** @param {Entry} entry */
export function titleOf(entry) {
  return entry.title
    ? firstLine(entry.title)
    : entry.open !== null
      ? firstLine(entry.open)
      : (TURN[stateOf(entry)] ?? '');
}

/** @param {Entry} entry @param {string} wanted */
function matches({ id, title = '', open }, wanted) {
  const text = `${title}\n${open ?? ''}\n${id}`.toLowerCase();
  return wanted
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/**
 * Returns the first line of a question that is not blank, without markdown.
 * @param {string} question
 */
function firstLine(question) {
  const line = question.split('\n').find((line) => line.trim()) ?? '';
  return line
    .replace(/^[\s>#*+-]+/, '')
    .replace(/[*`_]{1,3}(\S[^*`_]*)[*`_]{1,3}/g, '$1')
    .slice(0, 160);
}

const UNITS = /** @type {const} */ ([
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
]);
const TIME = new Intl.RelativeTimeFormat('en', { numeric: 'always', style: 'short' });

/** @param {number} seconds */
function ago(seconds) {
  const unit = UNITS.find(([, length]) => seconds >= length);
  return unit ? TIME.format(-Math.floor(seconds / unit[1]), unit[0]) : 'just now';
}
