// @ts-check
// Characters that act instead of being seen: controls, what turns the direction of writing around, and what has no width. A model
// could hide a part of a question with them, or show another order than it is read in; so they are shown as what they are.
// What scripts and emoji need stays as it is: joiners (U+200C, U+200D) and variation selectors.

const ACTS =
  /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\u3164\uFEFF\uFFA0\uFFF0-\uFFFB\u{13430}-\u{1345F}\u{1BCA0}-\u{1BCA3}\u{1D173}-\u{1D17A}\u{E0000}-\u{E0FFF}]/gu;

/** Those that honest text has, too: what they are called, short and long. @type {Record<string, [string, string]>} */
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
/** Those that hardly any text has a use for. @type {Record<string, [string, string]>} */
const SUSPECT = {
  '\u202D': ['LRO', 'left-to-right override: what follows is shown from left to right'],
  '\u202E': ['RLO', 'right-to-left override: what follows is shown backwards'],
};

/** @typedef {{shown: string, title: string, suspect: boolean}} Symbol what stands for a character that acts */

/**
 * The pieces of a text: strings that can be shown as they are, and symbols.
 * @param {string} text
 * @returns {(string | Symbol)[]}
 */
export function pieces(text) {
  /** @type {(string | Symbol)[]} */ const found = [];
  let from = 0;
  for (const match of text.matchAll(ACTS)) {
    if (match.index > from) found.push(text.slice(from, match.index));
    found.push(symbol(match[0]));
    from = match.index + match[0].length;
  }
  if (from < text.length) found.push(text.slice(from));
  return found;
}

/** The same as one string, where there can be no elements: titles, labels, what is announced. @param {string} text */
export function plain(text) {
  return text.replace(ACTS, (char) => `[${symbol(char).shown}]`);
}

/** @param {string} char @returns {Symbol} */
function symbol(char) {
  const code = char.codePointAt(0) ?? 0;
  const number = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
  const [shown, name] = KNOWN[char] ?? SUSPECT[char] ?? [picture(code) ?? number, "a character that can't be seen"];
  return { shown, title: `${number}: ${name}`, suspect: !KNOWN[char] };
}

/** Unicode has pictures of the oldest controls. @param {number} code */
function picture(code) {
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  return code === 0x7f ? '\u2421' : null;
}
