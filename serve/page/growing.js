// @ts-check
// Markdown that grows. Blocks that can't change any more are committed; only the rest is parsed
// again. The page loads this after everything else, because the parser is large.

import { blocks, inline } from './markdown.js';
import { settle, settleInline, withoutHalfTable } from './settle.js';

/** @typedef {import('./dom.js').Node_} Node_ */

/**
 * A shorter rest is parsed again each time, which is cheaper than finding what can be committed.
 */
const MIN_COMMIT = 2048;

/**
 * Computes the nodes of a growing text. It does not touch the page, so that it can be tested
 * without one.
 */
export class GrowingMarkdown {
  #text = '';
  /** Offset from which the text may still change. */
  #from = 0;
  /** Number of nodes before that offset. */
  #base = 0;
  #minCommit;

  /** @param {number} [minCommit] length from which a text is split */
  constructor(minCommit = MIN_COMMIT) {
    this.#minCommit = minCommit;
  }

  /**
   * Returns the nodes from index `base` on.
   * @param {string} text
   * @param {boolean} grows
   * @returns {{base: number, nodes: Node_[]}}
   */
  show(text, grows) {
    if (!text.startsWith(this.#text.slice(0, this.#from))) [this.#from, this.#base] = [0, 0];
    this.#text = text;
    const base = this.#base;
    const certain = grows ? this.#commit() : [];
    const tail = text.slice(this.#from);
    return { base, nodes: [...certain, ...nodesOf(grows ? settledBlocks(tail) : blocks(tail))] };
  }

  /** Commits the blocks that can't change any more, and returns their nodes. @returns {Node_[]} */
  #commit() {
    const tail = this.#text.slice(this.#from);
    if (tail.length < this.#minCommit) return [];
    const whole = tail.slice(0, tail.lastIndexOf('\n') + 1);
    const found = blocks(whole);
    const lines = lineStarts(whole);
    // Two complete lines fix the kind of a block: the second one decides whether it is a table.
    const cut = found.findLastIndex((block) => block.from + 2 < lines.length);
    if (cut <= 0) return [];
    const nodes = nodesOf(found.slice(0, cut));
    this.#base += nodes.length;
    this.#from += lines[found[cut].from];
    return nodes;
  }
}

/** Returns the nodes of the text of a button. @param {string} text @param {boolean} grows */
export function growingInline(text, grows) {
  return inline(grows ? settleInline(text) : text);
}

/** @param {import('./markdown.js').Block[]} blocks */
function nodesOf(blocks) {
  return blocks.flatMap((block) => block.nodes);
}

/** @param {string} tail */
function settledBlocks(tail) {
  const found = blocks(tail);
  const last = found.at(-1);
  if (!last) return found;
  const leaf = last.tokens.findLast((token) => token.nesting === 0);
  const inCode = leaf?.type === 'fence' || leaf?.type === 'code_block';
  const mayBeTable = ['paragraph_open', 'table_open'].includes(last.tokens[0].type);
  const whole = mayBeTable ? withoutHalfTable(tail, lineStarts(tail)[last.from]) : tail;
  const shown = settle(whole, inCode);
  return shown === tail ? found : blocks(shown);
}

/** Returns the offset of each line, and the end. @param {string} text */
function lineStarts(text) {
  const starts = [0];
  for (const end of text.matchAll(/\r\n|\n|\r/g)) starts.push(end.index + end[0].length);
  return starts;
}
