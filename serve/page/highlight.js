// @ts-check
// Light highlighting of code: comments, strings, numbers and keywords, the same for all languages.

/** @typedef {{kind: '' | 'comment' | 'string' | 'number' | 'keyword', text: string}} Piece */

const KEYWORDS = new Set(
  (
    'abstract and as assert async await begin bool break case catch char class const ' +
    'continue crate def default defer del delete do done double elif else end enum esac ' +
    'except export extends extern ' +
    'false fi final finally float fn for from func function global go if impl implements ' +
    'import in instanceof int interface is lambda let long loop match mod module mut new ' +
    'nil none not null or package pass ' +
    'private protected pub public raise ref return select self static string struct super ' +
    'switch then this throw trait true try type typeof undefined union unless until unsafe ' +
    'use using var void when where while with yield'
  ).split(' '),
);
const SQL = new Set(
  (
    'alter and as by case create delete distinct drop else end exists from group having in index ' +
    'insert into is join key left limit not null on or order primary references select set table ' +
    'then union unique update values when where with'
  ).split(' '),
);
/** Languages in which `#` begins a comment; in those of the second list `--` does. */
const HASH = new Set(
  'bash conf dockerfile elixir ini make makefile perl properties py python r rb ruby sh shell toml yaml yml zsh'.split(
    ' ',
  ),
);
const DASHES = new Set('ada elm haskell hs lua postgres postgresql sql'.split(' '));
/** Text that is no code. */
const PLAIN = new Set([
  '',
  'console',
  'log',
  'markdown',
  'md',
  'output',
  'plain',
  'text',
  'txt',
  'diff',
]);
const MAX_LENGTH = 50_000;

const STRING = '"(?:\\\\.|[^"\\\\\\n])*"?|\'(?:\\\\.|[^\'\\\\\\n])*\'|`(?:\\\\.|[^`\\\\])*`';
const REST = `(?<string>${STRING})|(?<number>\\b(?:0[xob][\\da-f_]+|\\d[\\d_]*(?:\\.\\d[\\d_]*)?(?:e[+-]?\\d+)?)\\b)|(?<word>[a-z_$][\\w$]*)`;

/**
 * Splits code into pieces. Their texts add up to the code.
 * @param {string} code
 * @param {string} language
 * @returns {Piece[]}
 */
export function highlight(code, language) {
  const name = language.toLowerCase();
  if (PLAIN.has(name) || code.length > MAX_LENGTH) return [{ kind: '', text: code }];
  const keywords = DASHES.has(name) ? SQL : KEYWORDS;
  /** @type {Piece[]} */ const pieces = [];
  let from = 0;
  for (const match of code.matchAll(new RegExp(`(?<comment>${comment(name)})|${REST}`, 'gi'))) {
    const kind = kindOf(match.groups ?? {}, keywords);
    if (!kind) continue;
    if (match.index > from) pieces.push({ kind: '', text: code.slice(from, match.index) });
    pieces.push({ kind, text: match[0] });
    from = match.index + match[0].length;
  }
  if (from < code.length) pieces.push({ kind: '', text: code.slice(from) });
  return pieces;
}

/** Returns the pattern of a language's comments. @param {string} name */
function comment(name) {
  if (HASH.has(name)) return '(?<![\\w$&])#[^\\n]*';
  if (DASHES.has(name)) return '--[^\\n]*|/\\*[^]*?(?:\\*/|$)';
  return '(?<!:)//[^\\n]*|/\\*[^]*?(?:\\*/|$)|<!--[^]*?(?:-->|$)';
}

/**
 * @param {Record<string, string | undefined>} groups
 * @param {Set<string>} keywords
 * @returns {Piece['kind']}
 */
function kindOf({ comment, string, number, word }, keywords) {
  if (comment !== undefined) return 'comment';
  if (string !== undefined) return 'string';
  if (number !== undefined) return 'number';
  return keywords.has((word ?? '').toLowerCase()) ? 'keyword' : '';
}
