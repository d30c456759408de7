// @ts-check
// The list of conversations.

import { h, setAttr, setText } from './dom.js';

/** @typedef {{id: string, turn: import('./store.js').Turn, open: string | null, updated: number}} Entry */

/** One entry of the list. */
class EntryView {
  #dot = h('span', { class: 'dot' });
  #what = h('span', { class: 'what', dir: 'auto' });
  #id = h('span', { class: 'id' });
  #when = h('span', { class: 'when' });
  link = h('a', {}, this.#what, h('span', { class: 'about' }, this.#dot, this.#id, this.#when));
  element = h('li', {}, this.link);

  /** @param {Entry} entry @param {boolean} chosen */
  update({ id, turn, open, updated }, chosen) {
    setAttr(this.link, 'href', `#/c/${encodeURIComponent(id)}`);
    setAttr(this.link, 'aria-current', chosen ? 'page' : null);
    setAttr(this.link, 'data-state', open !== null ? 'open' : turn);
    setText(this.#what, open !== null ? firstLine(open) : TURN[turn] ?? '');
    setText(this.#dot, open !== null ? 'question' : '');
    setText(this.#id, id.length > 12 ? `${id.slice(0, 8)}…` : id);
    setAttr(this.#id, 'title', id);
    setText(this.#when, ago(Date.now() / 1000 - updated));
  }
}

export class ConversationList {
  /** @type {Map<string, EntryView>} */ #views = new Map();
  #list;
  #empty;

  /** @param {HTMLElement} list @param {HTMLElement} empty shown when the list is empty */
  constructor(list, empty) {
    this.#list = list;
    this.#empty = empty;
  }

  /** @param {Entry[]} entries @param {string | null} chosen */
  show(entries, chosen) {
    this.#empty.hidden = entries.length > 0;
    this.#removeOthers(new Set(entries.map(({ id }) => id)));
    const focused = document.activeElement;
    entries.forEach((entry, index) => {
      const view = this.#views.get(entry.id) ?? new EntryView();
      this.#views.set(entry.id, view);
      view.update(entry, entry.id === chosen);
      const there = this.#list.children[index] ?? null;
      if (there !== view.element) this.#list.insertBefore(view.element, there);
    });
    // An element that is moved loses the focus.
    if (focused instanceof HTMLElement && focused !== document.activeElement && this.#list.contains(focused)) focused.focus({ preventScroll: true });
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

/** @type {Record<string, string>} */
const TURN = { streaming: 'The model is writing…', ended: 'No open question', cut_off: 'Cut off', none: 'Nothing yet' };

/** Returns the first line of a question that is not blank, without markdown. @param {string} question */
function firstLine(question) {
  const line = question.split('\n').find((line) => line.trim()) ?? '';
  return line.replace(/^[\s>#*+-]+/, '').replace(/[*`_]{1,3}(\S[^*`_]*)[*`_]{1,3}/g, '$1').slice(0, 160);
}

const UNITS = /** @type {const} */ ([['day', 86_400], ['hour', 3_600], ['minute', 60]]);
const TIME = new Intl.RelativeTimeFormat('en', { numeric: 'always', style: 'short' });

/** @param {number} seconds */
function ago(seconds) {
  const unit = UNITS.find(([, length]) => seconds >= length);
  return unit ? TIME.format(-Math.floor(seconds / unit[1]), unit[0]) : 'just now';
}
