// @ts-check
// Builds elements. This is the only place where text becomes nodes, and it never parses markup.

import { pieces } from './visible.js';

/** @typedef {{tag: string, attrs: Record<string, string>, children: Node_[]}} Element_ */
/** @typedef {string | Element_} Node_ the description of a node: a text or an element */

/**
 * Creates an element. Attributes are set as text; names that begin with `on` are listeners; `null`
 * and `false` omit one.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, any>} [attrs]
 * @param {...(Node | string | null)} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function h(tag, attrs = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attrs)) {
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (value !== null && value !== false)
      element.setAttribute(name, value === true ? '' : String(value));
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

const SVG = 'http://www.w3.org/2000/svg';

/** Creates a decorative icon of lines in a 16 by 16 box. @param {string} path */
export function icon(path) {
  const svg = document.createElementNS(SVG, 'svg');
  for (const [name, value] of [
    ['viewBox', '0 0 16 16'],
    ['class', 'icon'],
    ['aria-hidden', 'true'],
  ])
    svg.setAttribute(name, value);
  const line = document.createElementNS(SVG, 'path');
  line.setAttribute('d', path);
  svg.append(line);
  return svg;
}

/**
 * Describes an untrusted text, with its invisible characters made visible.
 * @param {string} text
 * @returns {Node_[]}
 */
export function visible(text) {
  return pieces(text).map((piece) =>
    typeof piece === 'string'
      ? piece
      : {
          tag: 'span',
          attrs: { class: piece.suspect ? 'unseen suspect' : 'unseen', title: piece.title },
          children: [piece.shown],
        },
  );
}

/**
 * Shows a text in an element. Unchanged nodes stay.
 * @param {Element} element
 * @param {string} text
 */
export function setText(element, text) {
  patch(element, visible(text));
}

/**
 * Focuses an element that is no field and no button, if what had the focus is gone or can't be used
 * any more.
 * @param {HTMLElement} element
 */
export function focusAt(element) {
  const now = document.activeElement;
  if (now && now !== document.body && !now.matches(':disabled') && now.getClientRects().length > 0)
    return;
  element.tabIndex = -1;
  element.addEventListener('blur', () => element.removeAttribute('tabindex'), { once: true });
  element.focus({ preventScroll: true });
}

/** @param {Element} element @param {string} name @param {string | null} value */
export function setAttr(element, name, value) {
  if (value === null) element.removeAttribute(name);
  else if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

/**
 * Updates the children of an element, from index `base` on, to match a description. Nodes are
 * reused, and text that grew is appended to, so that nothing flickers and a selection stays.
 * @param {Element} parent
 * @param {Node_[]} wanted
 */
export function patch(parent, wanted, base = 0) {
  wanted.forEach((node, index) => patchNode(parent, parent.childNodes[base + index], node));
  while (parent.childNodes.length > base + wanted.length) parent.lastChild?.remove();
}

/** @param {Element} parent @param {ChildNode | undefined} old @param {Node_} wanted */
function patchNode(parent, old, wanted) {
  if (typeof wanted === 'string') {
    if (old instanceof Text) return patchText(old, wanted);
    return put(parent, old, document.createTextNode(wanted));
  }
  if (old instanceof HTMLElement && old.localName === wanted.tag) {
    patchAttrs(old, wanted.attrs);
    return patch(old, wanted.children);
  }
  const made = document.createElement(wanted.tag);
  patchAttrs(made, wanted.attrs);
  patch(made, wanted.children);
  put(parent, old, made);
}

/** @param {Text} old @param {string} wanted */
function patchText(old, wanted) {
  if (old.data === wanted) return;
  if (wanted.startsWith(old.data)) old.appendData(wanted.slice(old.length));
  else old.data = wanted;
}

/** @param {HTMLElement} element @param {Record<string, string>} attrs */
function patchAttrs(element, attrs) {
  for (const name of element.getAttributeNames())
    if (!Object.hasOwn(attrs, name)) element.removeAttribute(name);
  for (const [name, value] of Object.entries(attrs)) setAttr(element, name, value);
}

/** @param {Element} parent @param {ChildNode | undefined} old @param {Node} made */
function put(parent, old, made) {
  if (old) old.replaceWith(made);
  else parent.append(made);
}
