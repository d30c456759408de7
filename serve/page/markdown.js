// @ts-check
// Markdown to nodes: markdown-it reads it, and of its tokens only those named here become elements. There is no HTML on the way.

import MarkdownIt from './vendor/markdown-it.min.js';
import { visible } from './dom.js';
import { plain } from './visible.js';

/** @typedef {import('./dom.js').Node_} Node_ */
/** @typedef {import('./dom.js').Element_} Element_ */
/** @typedef {ReturnType<typeof MarkdownIt.prototype.parse>[number]} Token */
/** @typedef {{nodes: Node_[], from: number, last: Token[]}} Block a block at the top: its nodes, the line it begins in, its tokens */

const md = makeReader();
const plainly = makeInlineReader();

function makeReader() {
  const reader = new MarkdownIt({ html: false, linkify: true, typographer: false });
  // Bare addresses only where they say http: or the like: `main.rs` is no web site.
  reader.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
  // A definition far below would change what has been shown above.
  reader.disable('reference');
  reader.validateLink = (url) => safeUrl(url) !== null;
  reader.normalizeLinkText = (url) => url;
  return reader;
}

function makeInlineReader() {
  const reader = new MarkdownIt({ html: false, typographer: false });
  reader.disable(['link', 'image', 'autolink']);
  return reader;
}

/** The blocks of a text. @param {string} source @returns {Block[]} */
export function blocks(source) {
  const tokens = md.parse(source, {});
  /** @type {Block[]} */ const found = [];
  for (let at = 0; at < tokens.length; ) {
    let end = at;
    for (let depth = 0; end < tokens.length; ) {
      depth += tokens[end++].nesting;
      if (depth <= 0) break;
    }
    const last = tokens.slice(at, end);
    found.push({ nodes: build(last), from: last[0].map?.[0] ?? 0, last });
    at = end;
  }
  return found;
}

/** A whole text. @param {string} source @returns {Node_[]} */
export function render(source) {
  return blocks(source).flatMap((block) => block.nodes);
}

/**
 * What stands in a button: no blocks; and no links, which can't be pressed there and would hide what is sent.
 * @param {string} source
 * @returns {Node_[]}
 */
export function inline(source) {
  return plainly.parseInline(source, {}).flatMap((token) => build(token.children ?? []));
}

/** An address that may be a link. @param {string} url @returns {URL | null} */
export function safeUrl(url) {
  try {
    const parsed = new URL(url);
    return ['http:', 'https:', 'mailto:'].includes(parsed.protocol) ? parsed : null;
  } catch {
    return null;
  }
}

// Tokens to nodes.

/** Elements that a pair of tokens becomes. @type {Record<string, string>} */
const PAIRS = {
  paragraph: 'p', blockquote: 'blockquote', bullet_list: 'ul', ordered_list: 'ol', list_item: 'li', strong: 'strong', em: 'em', s: 's',
  table: 'table', thead: 'thead', tbody: 'tbody', tr: 'tr', th: 'th', td: 'td',
};
const OWN_DIRECTION = new Set(['p', 'li', 'blockquote', 'th', 'td', 'h4', 'h5', 'h6']);

/** A line as long as that was wrapped to fit somewhere, and goes on; what ends earlier was meant to end there. */
const WRAPPED = 72;

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
    } else if (token.type === 'softbreak') here.push(width < WRAPPED ? element('br') : ' ');
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

/** Headings stand below the page's own three ranks. @param {Token} token */
function heading(token) {
  const rank = Number(token.tag.slice(1)) || 1;
  return element(`h${Math.min(rank + 3, 6)}`, { class: `rank-${rank}` });
}

/** A wide table scrolls in a box of its own, which the keyboard can reach. @param {Element_} made @returns {Element_} */
function outer(made) {
  return made.tag === 'table' ? element('div', { class: 'wide', tabindex: '0', role: 'group', 'aria-label': 'Table' }, [made]) : made;
}

/** @param {Token} token @returns {Node_[]} */
function leaf(token) {
  switch (token.type) {
    case 'inline': return build(token.children ?? []);
    case 'code_inline': return [element('code', {}, visible(token.content))];
    case 'fence': case 'code_block': return [code(token)];
    case 'hardbreak': return [element('br')];
    case 'hr': return [element('hr')];
    case 'image': return image(token);
    default: return visible(token.content);
  }
}

/** @param {Token} token */
function code(token) {
  const language = token.info.trim().split(/\s+/)[0];
  /** @type {Record<string, string>} */
  const attrs = language ? { dir: 'ltr', 'data-language': plain(language) } : { dir: 'ltr' };
  return element('pre', attrs, [element('code', {}, visible(token.content.replace(/\n$/, '')))]);
}

/** @param {Token} token @param {string} name */
function attr(token, name) {
  return String(token.attrGet(name) ?? '');
}

/** Where a link leads is said, whatever its text says. @param {string} href */
function link(href) {
  const url = safeUrl(href);
  if (!url) return element('span', { class: 'link' });
  const title = url.protocol === 'mailto:' ? `Mail to ${plain(decoded(url.pathname))}` : `Opens ${url.host}`;
  return element('a', { href: url.href, target: '_blank', rel: 'noopener noreferrer nofollow', title });
}

/** An image is never loaded: that alone would tell its server who reads. @param {Token} token @returns {Node_[]} */
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

/** @param {string} tag @param {Record<string, string>} [attrs] @param {Node_[]} [children] @returns {Element_} */
function element(tag, attrs = {}, children = []) {
  return { tag, attrs: OWN_DIRECTION.has(tag) ? { ...attrs, dir: 'auto' } : attrs, children };
}
