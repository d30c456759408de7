// @ts-check
// Makes invisible characters visible: controls, direction marks, and characters without width. A
// model could use them to hide a part of a question, or to display it in another order than it is
// stored in. Joiners (U+200C, U+200D) and variation selectors stay as they are, because scripts and
// emoji need them; so do isolates that end in the same paragraph, which affect only what is inside.

const INVISIBLE =
  /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\u3164\uFEFF\uFFA0\uFFF0-\uFFFB\u{13430}-\u{1345F}\u{1BCA0}-\u{1BCA3}\u{1D173}-\u{1D17A}\u{E0000}-\u{E0FFF}]/gu;

/**
 * Characters that ordinary text has, too, with a short and a long name.
 * @type {Record<string, [string, string]>}
 */
const KNOWN = {
  '\u00AD': ['SHY', 'soft hyphen'],
  '\u061C': ['ALM', 'Arabic letter mark'],
  '\u200B': ['ZWSP', 'zero width space'],
  '\u200E': ['LRM', 'left-to-right mark'],
  '\u200F': ['RLM', 'right-to-left mark'],
  '\u2028': ['LS', 'line separator'],
  '\u2029': ['PS', 'paragraph separator'],
  '\u202A': ['LRE', 'left-to-right embedding'],
  '\u202B': ['RLE', 'right-to-left embedding'],
  '\u202C': ['PDF', 'end of directional formatting'],
  '\u2060': ['WJ', 'word joiner'],
  '\u2066': ['LRI', 'left-to-right isolate'],
  '\u2067': ['RLI', 'right-to-left isolate'],
  '\u2068': ['FSI', 'first strong isolate'],
  '\u2069': ['PDI', 'end of isolate'],
  '\uFEFF': ['BOM', 'byte order mark'],
};
/** Characters that hardly any text needs. @type {Record<string, [string, string]>} */
const SUSPECT = {
  '\u202D': ['LRO', 'left-to-right override: what follows is shown from left to right'],
  '\u202E': ['RLO', 'right-to-left override: what follows is shown backwards'],
};

/**
 * @typedef {{
 *   shown: string,
 *   title: string,
 *   suspect: boolean,
 * }} Symbol a sign in place of an invisible character
 */

/**
 * Splits a text into strings that can be shown unchanged, and symbols.
 * @param {string} text
 * @returns {(string | Symbol)[]}
 */
export function pieces(text) {
  /** @type {(string | Symbol)[]} */ const found = [];
  const balanced = isolates(text);
  let from = 0;
  for (const match of text.matchAll(INVISIBLE)) {
    if (balanced.has(match.index)) continue;
    if (match.index > from) found.push(text.slice(from, match.index));
    found.push(symbol(match[0]));
    from = match.index + match[0].length;
  }
  if (from < text.length) found.push(text.slice(from));
  return found;
}

/**
 * Returns the same as one string, for titles, labels and announcements, which can't hold elements.
 * @param {string} text
 */
export function plain(text) {
  return pieces(text)
    .map((piece) => (typeof piece === 'string' ? piece : `[${piece.shown}]`))
    .join('');
}

/**
 * Returns the offsets of isolates and their ends, of those that end in their paragraph.
 * @param {string} text
 */
function isolates(text) {
  /** @type {Set<number>} */ const balanced = new Set();
  /** @type {number[]} */ let open = [];
  for (const { 0: char, index } of text.matchAll(/[\u2066-\u2069\n\r\u0085\u2029\u001C-\u001E]/g)) {
    if (char >= '\u2066' && char <= '\u2068') open.push(index);
    else if (char !== '\u2069') open = [];
    else if (open.length) balanced.add(index).add(/** @type {number} */ (open.pop()));
  }
  return balanced;
}

/** @param {string} char @returns {Symbol} */
function symbol(char) {
  const code = char.codePointAt(0) ?? 0;
  const number = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
  const [shown, name] = KNOWN[char] ??
    SUSPECT[char] ?? [picture(code) ?? number, "a character that can't be seen"];
  return { shown, title: `${number}: ${name}`, suspect: !KNOWN[char] };
}

/**
 * Returns Unicode's control picture of an ASCII control; `null` for others.
 * @param {number} code
 */
function picture(code) {
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  return code === 0x7f ? '\u2421' : null;
}
