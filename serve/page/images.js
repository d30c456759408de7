// @ts-check
// Images attached to an answer: checks files, and shows them in a tray.

import { megabytes } from './api.js';
import { h, icon } from './dom.js';
import { plain } from './visible.js';

/** @typedef {{file: File, type: string, url: string}} Attached */

/** Maximum length of an image's data URL. It is the default of the library. */
const MAX_LENGTH = 20 << 20;

/**
 * The type of an image is decided by its first bytes.
 * @type {[string, (text: string) => boolean][]}
 */
const SIGNATURES = [
  ['image/png', (text) => text.startsWith('\x89PNG\r\n\x1a\n')],
  ['image/jpeg', (text) => text.startsWith('\xFF\xD8\xFF')],
  ['image/gif', (text) => /^GIF8[79]a/.test(text)],
  ['image/webp', (text) => text.startsWith('RIFF') && text.slice(8, 12) === 'WEBP'],
];

/** @param {Uint8Array} bytes @returns {string | null} */
export function imageType(bytes) {
  const text = String.fromCharCode(...bytes.slice(0, 12));
  return SIGNATURES.find(([, is]) => is(text))?.[0] ?? null;
}

/** Returns the length of a file's data URL. @param {number} bytes @param {string} type */
export function dataUrlLength(bytes, type) {
  return `data:${type};base64,`.length + Math.ceil(bytes / 3) * 4;
}

/**
 * Returns a file's type, or why it can't be sent.
 * @param {File} file
 * @returns {Promise<{type: string} | {problem: string}>}
 */
async function examine(file) {
  const name = plain(file.name || 'The image');
  if (file.size === 0) return { problem: `${name} is empty.` };
  const type = imageType(new Uint8Array(await file.slice(0, 12).arrayBuffer()));
  if (!type) return { problem: `${name} is not a PNG, JPEG, GIF or WebP image.` };
  if (dataUrlLength(file.size, type) > MAX_LENGTH)
    return {
      problem: `${name} has ${megabytes(file.size)}; an image may have at most ${megabytes((MAX_LENGTH / 4) * 3)}.`,
    };
  return { type };
}

/**
 * Whether the image of a reply is a data URL; the service only describes images that are too large.
 * @param {string} url
 */
export function isDataUrl(url) {
  return /^data:image\/(png|jpe?g|gif|webp);base64,[A-Za-z0-9+/=]*$/i.test(url);
}

/** Images that were attached and not sent. @type {Set<Attached>} */ const unsent = new Set();

/**
 * Asks before the page is left: unlike a text, an image is in no draft.
 * @param {BeforeUnloadEvent} event
 */
function onLeave(event) {
  event.preventDefault();
}

/** The images of one answer, each with a button that removes it. */
export class ImageTray {
  element = h('ul', {
    class: 'tray',
    'aria-label': 'Images that go with the answer',
    hidden: true,
  });
  /** @type {Attached[]} */ #attached = [];
  #report;

  /**
   * @param {(problem: string) => void} report called with what is wrong with the files; empty if
   *   nothing is
   */
  constructor(report) {
    this.#report = report;
  }

  get count() {
    return this.#attached.length;
  }

  /** @param {Iterable<File>} files */
  async add(files) {
    /** @type {string[]} */ const problems = [];
    for (const file of files) {
      const found = await examine(file).catch(() => ({
        problem: `${plain(file.name)} can't be read.`,
      }));
      if ('problem' in found) problems.push(found.problem);
      else this.#show({ file, type: found.type, url: URL.createObjectURL(file) });
    }
    this.#report(problems.join(' '));
  }

  /** Returns the images as data URLs. @returns {Promise<string[]>} */
  dataUrls() {
    return Promise.all(this.#attached.map(({ file, type }) => dataUrl(new Blob([file], { type }))));
  }

  clear() {
    for (const attached of this.#attached) release(attached);
    this.#attached = [];
    this.element.replaceChildren();
    this.element.hidden = true;
  }

  /** @param {Attached} attached */
  #show(attached) {
    this.#attached.push(attached);
    unsent.add(attached);
    addEventListener('beforeunload', onLeave);
    const name = plain(attached.file.name || 'image');
    const item = h(
      'li',
      {},
      h('img', { src: attached.url, alt: name }),
      h(
        'button',
        {
          type: 'button',
          class: 'remove',
          'aria-label': `Remove ${name}`,
          title: 'Remove',
          onclick: () => this.#remove(attached, item),
        },
        icon('M4 4l8 8M12 4l-8 8'),
      ),
      h('span', { class: 'size' }, megabytes(attached.file.size)),
    );
    this.element.append(item);
    this.element.hidden = false;
  }

  /** @param {Attached} attached @param {HTMLElement} item */
  #remove(attached, item) {
    const neighbour = item.nextElementSibling ?? item.previousElementSibling;
    const next =
      neighbour?.querySelector('button') ?? this.element.closest('form')?.querySelector('textarea');
    release(attached);
    this.#attached = this.#attached.filter((other) => other !== attached);
    item.remove();
    this.element.hidden = this.#attached.length === 0;
    next?.focus();
  }
}

/** @param {Attached} attached */
function release(attached) {
  URL.revokeObjectURL(attached.url);
  unsent.delete(attached);
  if (unsent.size === 0) removeEventListener('beforeunload', onLeave);
}

/** @param {Blob} blob @returns {Promise<string>} */
function dataUrl(blob) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () =>
      reject(new Error('An image can no longer be read: it may have been moved or changed.'));
    reader.readAsDataURL(blob);
  });
}

/** Returns the files that were pasted or dropped. @param {DataTransfer | null} data */
export function filesOf(data) {
  return data ? [...data.files] : [];
}
