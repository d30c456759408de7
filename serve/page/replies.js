// @ts-check
// What the user replied, and what became of it.

import { megabytes } from './api.js';
import { deliveryNodes } from './delivery.js';
import { h, setText } from './dom.js';
import { isDataUrl } from './images.js';
import { plain } from './visible.js';

/** @typedef {import('./store.js').UserReply} UserReply */
/** @typedef {import('./store.js').Delivery} Delivery */

/** @type {Record<string, string>} */
const ENDED = {
  cancelled: 'You left this unanswered.',
  declined: 'You declined to answer.',
  discussed: 'You want to talk about it first.',
  timed_out: 'The time for an answer was over.',
};

/**
 * Returns the nodes that show why a question can't be answered here any more.
 * @param {import('./store.js').Closed} closed
 * @returns {Node[]}
 */
export function closedNodes({ why, said }) {
  if (why === 'dismissed')
    return [h('p', { class: 'who' }, 'Dismissed: the model gets no answer from here.')];
  const who = h(
    'p',
    { class: 'who' },
    said
      ? 'Answered elsewhere:'
      : 'Answered elsewhere: your agent went on without an answer from here.',
  );
  return said ? [who, saidNode(said)] : [who];
}

/** @param {string} said */
function saidNode(said) {
  const text = h('p', { class: 'said', dir: 'auto' });
  setText(text, said);
  return text;
}

/**
 * Returns the nodes that show a reply of the user.
 * @param {UserReply} reply
 * @param {Delivery | undefined} delivery
 * @param {() => Promise<void>} retry
 * @param {readonly string[]} [texts] what to show of it, if that is not what was said; none if it
 *   is shown elsewhere
 * @returns {Node[]}
 */
export function replyNodes(reply, delivery, retry, texts = reply.said ? [reply.said] : []) {
  const delivered = deliveryNodes(delivery, reply.said, retry);
  const ended = Object.hasOwn(ENDED, reply.kind) ? ENDED[reply.kind] : undefined;
  if (ended)
    return [
      h('p', { class: 'who' }, ended),
      ...(reply.answers ? texts.map(saidNode) : []),
      ...delivered,
    ];
  const who = h(
    'p',
    { class: 'who' },
    reply.kind === 'guidance' ? 'You told the model' : 'You answered',
  );
  if (reply.mode)
    who.append(
      ' ',
      h('span', { class: 'mode', title: 'The mode that was chosen' }, plain(reply.mode)),
    );
  const images = h(
    'ul',
    { class: 'tray', 'aria-label': 'Images that went with it' },
    ...reply.images.map(imageNode),
  );
  return [who, ...texts.map(saidNode), ...(reply.images.length ? [images] : []), ...delivered];
}

/** @param {string} url @param {number} index */
function imageNode(url, index) {
  if (isDataUrl(url)) return h('li', {}, h('img', { src: url, alt: `Image ${index + 1}` }));
  const described = /^image\/(\w+), (\d+) bytes$/.exec(url);
  return h(
    'li',
    { class: 'described' },
    described
      ? `${described[1].toUpperCase()} image, ${megabytes(Number(described[2]))}`
      : plain(url),
  );
}
