// @ts-check
// What became of a reply: whether the model got it, and what the user can do if not.

import { announce } from './announce.js';
import { copyButton } from './copy.js';
import { h, setText } from './dom.js';

/** @typedef {import('./store.js').Delivery} Delivery */

/** @type {Record<Delivery['state'], string>} */
export const DELIVERY = {
  pending: 'waiting for your agent to collect it',
  collected: 'collected',
  sent: 'sent to the model',
  failed: 'not delivered: copy it',
};

/**
 * Returns the nodes that show a delivery; none if the service does not say.
 * @param {Delivery | undefined} delivery
 * @param {string} said the text of the reply
 * @param {() => Promise<void>} retry
 * @returns {Node[]}
 */
export function deliveryNodes(delivery, said, retry) {
  if (!delivery || !Object.hasOwn(DELIVERY, delivery.state)) return [];
  const { state, why } = delivery;
  const status = h('span', { class: 'state' }, DELIVERY[state]);
  const isWaiting = state === 'pending' || state === 'failed';
  const buttons = [
    ...(isWaiting && said ? [copyButton('Copy the answer', () => said)] : []),
    ...(delivery.retry ? [retryButton(retry)] : []),
  ];
  const reason = h('p', { class: 'why' });
  if (why && state === 'failed') setText(reason, why);
  return [
    h(
      'div',
      { class: 'delivery', 'data-state': state },
      status,
      ...buttons,
      ...(reason.hasChildNodes() ? [reason] : []),
    ),
  ];
}

/**
 * Returns the node that says that corrections of the model's calls were not delivered.
 * @param {() => Promise<void>} retry
 */
export function failedCorrections(retry) {
  return h(
    'div',
    { class: 'delivery', 'data-state': 'failed' },
    h('span', { class: 'state' }, 'The model was not told what is wrong with its question.'),
    retryButton(retry),
  );
}

/** @param {() => Promise<void>} retry */
function retryButton(retry) {
  const button = h('button', { type: 'button' }, 'Try again');
  button.addEventListener('click', async () => {
    button.disabled = true;
    try {
      await retry();
    } catch (error) {
      const reason = h('p', { class: 'why' });
      setText(reason, error instanceof Error ? error.message : String(error));
      announce(reason.textContent ?? '');
      const shown = button.parentElement;
      shown?.querySelector('.why')?.remove();
      shown?.append(reason);
      button.disabled = false;
    }
  });
  return button;
}
