// @ts-check
// Makes growing markdown stable, so that nothing shown is taken back: `**bo` would show two stars
// that vanish with the next `**`, and `1` is a paragraph until `1. x` makes it a list. Open markup
// is closed provisionally, and characters that may become markup are held back for a short while.
// At the end of the text everything is shown.

const MAX_LINK = 300;

/** A line that holds only characters which may become markup. */
const LINE_OF_MARKS = /^[\s>#*+\-_=|:~`\d.)]{1,80}$/;
const FENCE = /^[\s>]*(?:`{3,}|~{3,})[^\n]{0,100}$/;
/** An incomplete link, image, autolink, entity or escape at the end. */
const INCOMPLETE = /(?:!?\[[^[\]\n]*(?:\](?:\([^()\n]*)?)?|!|<(?:[a-z][^<>\s]*)?|&#?\w{0,8}|\\)$/i;
const MARK_AT_END = /(?:\*+|_+|~+|`+)$/;

/**
 * Returns the source to show of a text that is not complete.
 * @param {string} text
 * @param {boolean} inCode whether the last block is code
 */
export function settle(text, inCode) {
  const source = text.endsWith('\r') ? text.slice(0, -1) : text;
  const line = source.lastIndexOf('\n') + 1;
  const last = source.slice(line);
  if (inCode) return /^[\s>]*[`~]+\s*$/.test(last) ? source.slice(0, line) : source;
  const isPending = LINE_OF_MARKS.test(last) || FENCE.test(last);
  const certain = isPending ? source.slice(0, line) : source;
  return settleInline(certain, lastInline(certain));
}

/**
 * Removes a table whose second line is incomplete: until then it would be a paragraph.
 * @param {string} text
 * @param {number} from offset of the last block
 */
export function withoutHalfTable(text, from) {
  const block = text.slice(from);
  const isHalf = /^\s*\|/.test(block) && block.split('\n').length < 3;
  return isHalf ? text.slice(0, from) : text;
}

/** A line that ends the inline markup of the lines above it. */
const NEW_INLINE = /^(?:[\s>]*(?:[-+*]|\d{1,9}[.)]|#{1,6})\s|\s*\||[\s>]*$)/;

/**
 * Returns the offset of the last stretch of text that inline markup can span.
 * @param {string} text
 */
function lastInline(text) {
  for (let end = text.trimEnd().length; end > 0;) {
    const start = text.lastIndexOf('\n', end - 1) + 1;
    if (NEW_INLINE.test(text.slice(start, end))) return start;
    end = start - 1;
  }
  return 0;
}

/** Does the same for text without blocks. @param {string} text @returns {string} */
export function settleInline(text, from = 0) {
  const shown = text.slice(from);
  const kept = withoutPending(shown);
  const trimmed = kept.trimEnd();
  return text.slice(0, from) + trimmed + closers(trimmed);
}

/** @param {string} text */
function withoutPending(text) {
  const tail = text.slice(-MAX_LINK);
  // Code spans hold no links.
  const incomplete = openCode(text) ? null : INCOMPLETE.exec(tail);
  const kept = incomplete ? text.slice(0, text.length - incomplete[0].length) : text;
  return kept.replace(MARK_AT_END, '');
}

/**
 * Returns the back-ticks of the code span that is open at the end.
 * @param {string} text
 * @returns {string}
 */
function openCode(text) {
  return marks(text).code;
}

/** Returns the marks that close all open markup. @param {string} text */
function closers(text) {
  const { code, open } = marks(text);
  // A back-tick at the end would join those that close the span.
  const gap = code && text.endsWith('`') ? ' ' : '';
  return gap + code + open.reverse().join('') + '\u2069'.repeat(openIsolates(text));
}

/**
 * Returns how many bidi isolates are open at the end. They end with their line.
 * @param {string} text
 */
function openIsolates(text) {
  let open = 0;
  for (const [char] of text.slice(text.lastIndexOf('\n') + 1).matchAll(/[\u2066-\u2069]/g))
    open = Math.max(0, open + (char === '\u2069' ? -1 : 1));
  return open;
}

/**
 * Returns the markup that is open at the end. It approximates how CommonMark pairs marks; where it
 * is wrong, a mark is visible for a while.
 * @param {string} text
 */
function marks(text) {
  /** @type {string[]} */ const open = [];
  const runs = /\\.|(`+)|(\*{1,3}|_{1,3}|~~)/gs;
  for (let run = runs.exec(text); run; run = runs.exec(text)) {
    if (run[1]) {
      const end = closing(text, run[1], runs.lastIndex);
      if (end < 0) return { code: run[1], open };
      runs.lastIndex = end;
    } else if (run[2]) pair(open, run[2], text[run.index - 1] ?? ' ', text[runs.lastIndex] ?? ' ');
  }
  return { code: '', open };
}

/**
 * Returns the offset after the run of back-ticks that closes one, or -1.
 * @param {string} text
 * @param {string} ticks
 * @param {number} from
 */
function closing(text, ticks, from) {
  const runs = /`+/g;
  runs.lastIndex = from;
  for (let run = runs.exec(text); run; run = runs.exec(text))
    if (run[0] === ticks) return runs.lastIndex;
  return -1;
}

/** @param {string[]} open @param {string} run @param {string} before @param {string} after */
function pair(open, run, before, after) {
  const index = /\s/.test(before) ? -1 : open.lastIndexOf(run);
  if (index >= 0) open.length = index;
  else if (!/\s/.test(after) && (run === '**' || !/\w/.test(before))) open.push(run);
}
