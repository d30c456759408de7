// @ts-check
// What of a growing markdown text can be shown without being taken back: `**bo` would show two stars that vanish with the next `**`,
// and `1` is a paragraph before `1. x` is a list. So what is open is closed for now, and what could still become markup waits;
// never for long, and all of it is shown when the text has ended.

const LONGEST_LINK = 300;

/** A line that holds nothing but what may become markup. */
const LINE_OF_MARKS = /^[\s>#*+\-_=|:~`\d.)]{1,80}$/;
const FENCE = /^[\s>]*(?:`{3,}|~{3,})[^\n]{0,100}$/;
/** A link or an image that has begun, an address in brackets, an entity, an escape, a mark of which more may come. */
const BEGUN = /(?:!?\[[^[\]\n]*(?:\](?:\([^()\n]*)?)?|!|<(?:[a-z][^<>\s]*)?|&#?\w{0,8}|\\)$/i;
const MARK_AT_END = /(?:\*+|_+|~+|`+)$/;

/**
 * The source that may be shown of a text that goes on.
 * @param {string} text
 * @param {boolean} inCode whether the last block is code
 */
export function settle(text, inCode) {
  const source = text.endsWith('\r') ? text.slice(0, -1) : text;
  const line = source.lastIndexOf('\n') + 1;
  const last = source.slice(line);
  if (inCode) return /^[\s>]*[`~]+\s*$/.test(last) ? source.slice(0, line) : source;
  const waits = LINE_OF_MARKS.test(last) || FENCE.test(last);
  const certain = waits ? source.slice(0, line) : source;
  return settleInline(certain, lastInline(certain));
}

/** Without the lines of a table whose second line is not whole: until then it is a paragraph. @param {string} text @param {number} from where its last block begins */
export function withoutHalfTable(text, from) {
  const block = text.slice(from);
  const isHalf = /^\s*\|/.test(block) && block.split('\n').length < 3;
  return isHalf ? text.slice(0, from) : text;
}

/** A line in which markup that is open above it does not go on. */
const NEW_INLINE = /^(?:[\s>]*(?:[-+*]|\d{1,9}[.)]|#{1,6})\s|\s*\||[\s>]*$)/;

/** Where the last piece of text begins that markup can reach over. @param {string} text */
function lastInline(text) {
  for (let end = text.trimEnd().length; end > 0; ) {
    const start = text.lastIndexOf('\n', end - 1) + 1;
    if (NEW_INLINE.test(text.slice(start, end))) return start;
    end = start - 1;
  }
  return 0;
}

/** The same for text that has no blocks. @param {string} text @returns {string} */
export function settleInline(text, from = 0) {
  const shown = text.slice(from);
  const kept = held(shown);
  const trimmed = kept.trimEnd();
  return text.slice(0, from) + trimmed + closers(trimmed);
}

/** @param {string} text */
function held(text) {
  const tail = text.slice(-LONGEST_LINK);
  // In code there are no links, and what looks like one stays.
  const begun = openCode(text) ? null : BEGUN.exec(tail);
  const kept = begun ? text.slice(0, text.length - begun[0].length) : text;
  return kept.replace(MARK_AT_END, '');
}

/** The back-ticks of a code span that is open at the end. @param {string} text @returns {string} */
function openCode(text) {
  return marks(text).code;
}

/** What closes everything that is open. @param {string} text */
function closers(text) {
  const { code, open } = marks(text);
  // A back-tick in the code would be one of those that close it.
  const gap = code && text.endsWith('`') ? ' ' : '';
  return gap + code + open.reverse().join('');
}

/**
 * What is open at the end of a text. This is not quite how CommonMark pairs marks: where it is wrong, a mark is shown for a while.
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

/** Behind the run of back-ticks that closes one, or -1. @param {string} text @param {string} ticks @param {number} from */
function closing(text, ticks, from) {
  const runs = /`+/g;
  runs.lastIndex = from;
  for (let run = runs.exec(text); run; run = runs.exec(text)) if (run[0] === ticks) return runs.lastIndex;
  return -1;
}

/** @param {string[]} open @param {string} run @param {string} before @param {string} after */
function pair(open, run, before, after) {
  const at = /\s/.test(before) ? -1 : open.lastIndexOf(run);
  if (at >= 0) open.length = at;
  else if (!/\s/.test(after) && (run === '**' || !/\w/.test(before))) open.push(run);
}
