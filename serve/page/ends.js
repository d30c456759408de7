// @ts-check
// The buttons that end a question without an answer to it.

import { confirmed } from './confirm.js';
import { h } from './dom.js';

/** @typedef {'cancel' | 'decline' | 'discuss'} End */

/**
 * Returns the buttons. Each calls `end` if the user agrees.
 * @param {{isForm: boolean, several: boolean, canDiscuss: boolean}} what which question it is, and
 *   whether its tool has a reply for a talk
 * @param {(end: End) => void} end
 */
export function endButtons({ isForm, several, canDiscuss }, end) {
  /** @param {End} name @param {string} label @param {string} question */
  const button = (name, label, question) =>
    h(
      'button',
      {
        type: 'button',
        class: 'quiet',
        onclick: async () => (await confirmed(question, label)) && end(name),
      },
      label,
    );
  return [
    button(
      'cancel',
      'Leave unanswered',
      several ? 'Leave these questions unanswered?' : 'Leave this question unanswered?',
    ),
    ...(isForm ? [button('decline', 'Decline', 'Decline to answer? The model is told so.')] : []),
    ...(canDiscuss
      ? [
          button(
            'discuss',
            'Talk about it',
            'Talk about it first? The model gets your answers so far.',
          ),
        ]
      : []),
  ];
}
