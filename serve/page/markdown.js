// @ts-check
// Markdown to nodes: markdown-it parses it, and only the tokens named here become elements. No HTML
// is involved.

import MarkdownIt from './vendor/markdown-it.min.js';
import { visible } from './dom.js';
import { highlight } from './highlight.js';
import { plain } from './visible.js';

/** @typedef {import('./dom.js').Node_} Node_ */
/** @typedef {import('./dom.js').Element_} Element_ */
/** @typedef {ReturnType<typeof MarkdownIt.prototype.parse>[number]} Token */
/**
 * @typedef {{
 *   nodes: Node_[],
 *   from: number,
 *   tokens: Token[],
 * }} Block a top-level block: its nodes, the line where it begins, its tokens
 */

const blockParser = makeParser();
const inlineParser = makeInlineParser();

function makeParser() {
  const parser = new MarkdownIt({ html: false, linkify: true, typographer: false });
  // Only addresses with a scheme become links: `main.rs` is not a web site.
  parser.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
  // A definition further down would change what is already shown.
  parser.disable('reference');
  parser.validateLink = (url) => safeUrl(url) !== null;
  parser.normalizeLinkText = (url) => url;
  return parser;
}

function makeInlineParser() {
  const parser = new MarkdownIt({ html: false, typographer: false });
  parser.disable(['link', 'image', 'autolink']);
  return parser;
}

/** Parses a text into blocks. @param {string} source @returns {Block[]} */
export function blocks(source) {
  const tokens = blockParser.parse(source, {});
  /** @type {Block[]} */ const found = [];
  for (let start = 0; start < tokens.length;) {
    let end = start;
    for (let depth = 0; end < tokens.length;) {
      depth += tokens[end++].nesting;
      if (depth <= 0) break;
    }
    const block = tokens.slice(start, end);
    found.push({ nodes: build(block), from: block[0].map?.[0] ?? 0, tokens: block });
    start = end;
  }
  return found;
}

/** Renders a whole text. @param {string} source @returns {Node_[]} */
export function render(source) {
  return blocks(source).flatMap((block) => block.nodes);
}

/**
 * Renders the text of a button: without blocks, and without links, which can't be clicked there and
 * would hide what is sent.
 * @param {string} source
 * @returns {Node_[]}
 */
export function inline(source) {
  return inlineParser.parseInline(source, {}).flatMap((token) => build(token.children ?? []));
}

/**
 * Returns the URL if it may become a link; otherwise `null`.
 * @param {string} url
 * @returns {URL | null}
 */
export function safeUrl(url) {
  try {
    const parsed = new URL(url);
    return ['http:', 'https:', 'mailto:'].includes(parsed.protocol) ? parsed : null;
  } catch {
    return null;
  }
}

// Tokens to nodes.

/** The element of each pair of tokens. @type {Record<string, string>} */
const PAIRS = {
  paragraph: 'p',
  blockquote: 'blockquote',
  bullet_list: 'ul',
  ordered_list: 'ol',
  list_item: 'li',
  strong: 'strong',
  em: 'em',
  s: 's',
  table: 'table',
  thead: 'thead',
  tbody: 'tbody',
  tr: 'tr',
  th: 'th',
  td: 'td',
};
const OWN_DIRECTION = new Set(['p', 'li', 'blockquote', 'th', 'td', 'h4', 'h5', 'h6']);

/**
 * A line of at least this length was wrapped to fit, so its end is a space; a shorter line was
 * meant to end there.
 */
const WRAP_WIDTH = 72;

/** @param {Token[]} tokens @returns {Node_[]} */
function build(tokens) {
  /** @type {Node_[]} */ const top = [];
  /** @type {{children: Node_[]}[]} */ const open = [{ children: top }];
  let width = 0;
  for (const token of tokens) {
    const here = open[open.length - 1].children;
    if (token.nesting < 0) {
      if (open.length > 1 && !hides(token)) open.pop();
    } else if (token.nesting > 0) {
      if (hides(token)) continue;
      const element = opened(token);
      here.push(outer(element));
      open.push(element);
    } else if (token.type === 'softbreak') here.push(width < WRAP_WIDTH ? element('br') : ' ');
    else here.push(...leaf(token));
    width = token.type.endsWith('break') ? 0 : width + token.content.length;
  }
  return top;
}

/** Paragraphs of a tight list have no element. @param {Token} token */
function hides(token) {
  return token.hidden;
}

/** @param {Token} token @returns {Element_} */
function opened(token) {
  const name = token.type.replace(/_open$/, '');
  if (name === 'heading') return heading(token);
  if (name === 'link') return link(attr(token, 'href'));
  const made = element(Object.hasOwn(PAIRS, name) ? PAIRS[name] : 'span');
  const start = name === 'ordered_list' ? Number(attr(token, 'start') || 1) : 1;
  if (start !== 1) made.attrs.start = String(start);
  const align = /^text-align:(left|center|right)$/.exec(attr(token, 'style'));
  if (align) made.attrs.class = align[1];
  return made;
}

/** Headings rank below the page's own three levels. @param {Token} token */
function heading(token) {
  const rank = Number(token.tag.slice(1)) || 1;
  return element(`h${Math.min(rank + 3, 6)}`, { class: `rank-${rank}` });
}

/**
 * Wraps a table in a box that scrolls and that the keyboard can reach.
 * @param {Element_} made
 * @returns {Element_}
 */
function outer(made) {
  return made.tag === 'table'
    ? element('div', { class: 'wide', tabindex: '0', role: 'group', 'aria-label': 'Table' }, [made])
    : made;
}

/** @param {Token} token @returns {Node_[]} */
function leaf(token) {
  switch (token.type) {
    case 'inline':
      return build(token.children ?? []);
    case 'code_inline':
      return [element('code', {}, visible(token.content))];
    case 'fence':
    case 'code_block':
      return [code(token)];
    case 'hardbreak':
      return [element('br')];
    case 'hr':
      return [element('hr')];
    case 'image':
      return image(token);
    default:
      return visible(token.content);
  }
}

/** @param {Token} token */
function code(token) {
  const language = token.info.trim().split(/\s+/)[0];
  /** @type {Record<string, string>} */
  const attrs = language ? { dir: 'ltr', 'data-language': plain(language) } : { dir: 'ltr' };
  const source = token.content.replace(/\n$/, '');
  const pieces = highlight(source, language ?? '').flatMap(({ kind, text }) =>
    kind ? [element('span', { class: `code-${kind}` }, visible(text))] : visible(text),
  );
  // The button has no text of its own, so that it is not a part of the text around it.
  const copy = element('button', {
    type: 'button',
    class: 'copy-code',
    'aria-label': 'Copy the code',
  });
  return element('div', { class: 'code' }, [
    element('pre', attrs, [element('code', {}, pieces)]),
    copy,
  ]);
}

/** @param {Token} token @param {string} name */
function attr(token, name) {
  return String(token.attrGet(name) ?? '');
}

/** The title says where a link leads, because its text may lie. @param {string} href */
function link(href) {
  const url = safeUrl(href);
  if (!url) return element('span', { class: 'link' });
  const title =
    url.protocol === 'mailto:' ? `Mail to ${plain(decoded(url.pathname))}` : `Opens ${url.host}`;
  return element('a', {
    href: url.href,
    target: '_blank',
    rel: 'noopener noreferrer nofollow',
    title,
  });
}

/**
 * Images are never loaded, because a request would tell their server who reads.
 * @param {Token} token
 * @returns {Node_[]}
 */
function image(token) {
  const made = link(attr(token, 'src'));
  made.children.push(...visible(`[image: ${token.content}]`));
  return [made];
}

/** @param {string} text */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * @param {string} tag
 * @param {Record<string, string>} [attrs]
 * @param {Node_[]} [children]
 * @returns {Element_}
 */
function element(tag, attrs = {}, children = []) {
  return { tag, attrs: OWN_DIRECTION.has(tag) ? { ...attrs, dir: 'auto' } : attrs, children };
}
