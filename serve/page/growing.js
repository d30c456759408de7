// @ts-check
// A text of markdown that grows on the page. Blocks that are behind it for good are never looked at again: only the last is read anew.

import { patch } from './dom.js';
import { blocks, inline } from './markdown.js';
import { settle, settleInline, withoutHalfTable } from './settle.js';

/** @typedef {import('./dom.js').Node_} Node_ */

/** One part in so many of the time may go into reading a text that is all one huge block. */
const SHARE = 4;
/** What is shorter is read anew each time: that costs less than to find what could stay. */
const SHORT = 2048;

/** Which nodes are to stand where, of a text that grows; apart from the page, so that it can be tested without one. */
export class Growing {
  #text = '';
  /** Where the part begins that may still change. */
  #from = 0;
  /** How many nodes stand for what is in front of it. */
  #base = 0;
  #short;

  /** @param {number} [short] what is shorter is read anew each time */
  constructor(short = SHORT) {
    this.#short = short;
  }

  /**
   * The nodes that are to stand from the node at `base` on.
   * @param {string} text
   * @param {boolean} grows
   * @returns {{base: number, nodes: Node_[]}}
   */
  show(text, grows) {
    if (!text.startsWith(this.#text.slice(0, this.#from))) [this.#from, this.#base] = [0, 0];
    this.#text = text;
    const base = this.#base;
    const certain = grows ? this.#leave() : [];
    const tail = text.slice(this.#from);
    return { base, nodes: [...certain, ...nodesOf(grows ? settled(tail) : blocks(tail))] };
  }

  /** Leaves behind what can't change any more. Its nodes, which are shown for the last time. @returns {Node_[]} */
  #leave() {
    const tail = this.#text.slice(this.#from);
    if (tail.length < this.#short) return [];
    const whole = tail.slice(0, tail.lastIndexOf('\n') + 1);
    const found = blocks(whole);
    const lines = lineStarts(whole);
    // A block has begun for good when two of its lines are whole: the second decides whether it is a table.
    const cut = found.findLastIndex((block) => block.from + 2 < lines.length);
    if (cut <= 0) return [];
    const nodes = nodesOf(found.slice(0, cut));
    this.#base += nodes.length;
    this.#from += lines[found[cut].from];
    return nodes;
  }
}

/** @param {import('./markdown.js').Block[]} blocks */
function nodesOf(blocks) {
  return blocks.flatMap((block) => block.nodes);
}

/** @param {string} tail */
function settled(tail) {
  const found = blocks(tail);
  const last = found.at(-1);
  if (!last) return found;
  const leaf = last.last.findLast((token) => token.nesting === 0);
  const inCode = leaf?.type === 'fence' || leaf?.type === 'code_block';
  const mayBeTable = ['paragraph_open', 'table_open'].includes(last.last[0].type);
  const whole = mayBeTable ? withoutHalfTable(tail, lineStarts(tail)[last.from]) : tail;
  const shown = settle(whole, inCode);
  return shown === tail ? found : blocks(shown);
}

/** Where each line begins, and the end. @param {string} text */
function lineStarts(text) {
  const starts = [0];
  for (const end of text.matchAll(/\r\n|\n|\r/g)) starts.push(end.index + end[0].length);
  return starts;
}

/** Shows a growing text in an element that it has for itself. */
export class MarkdownView {
  #element;
  #isInline;
  #growing = new Growing();
  #shown = /** @type {string | null} */ (null);
  #grew = false;
  #notBefore = 0;

  /** @param {Element} element @param {{inline?: boolean}} [options] */
  constructor(element, { inline: isInline = false } = {}) {
    this.#element = element;
    this.#isInline = isInline;
  }

  /**
   * Shows the text; says whether that is to be tried again later, because it has taken too much of the time already.
   * @param {string} text
   * @param {boolean} grows
   */
  show(text, grows) {
    if (text === this.#shown && grows === this.#grew) return false;
    const began = performance.now();
    if (grows && began < this.#notBefore) return true;
    this.#draw(text, grows);
    [this.#shown, this.#grew] = [text, grows];
    const took = performance.now() - began;
    this.#notBefore = took > 4 ? began + took * SHARE : 0;
    return false;
  }

  /** @param {string} text @param {boolean} grows */
  #draw(text, grows) {
    if (this.#isInline) return patch(this.#element, inline(grows ? settleInline(text) : text));
    const { base, nodes } = this.#growing.show(text, grows);
    patch(this.#element, nodes, base);
  }
}
