// @ts-check
// What the page says while no conversation is chosen: what this service does, and what to do next.

import { request, token } from './api.js';
import { copyButton } from './copy.js';
import { h, setText } from './dom.js';

/** @typedef {{service: string, upstream: string | null, continue: boolean, demo: boolean}} Info */

/**
 * Asks the service what it does. `null` if it is too old to say.
 * @returns {Promise<Info | null>}
 */
export function info() {
  return request('/info').catch(() => null);
}

/** @param {HTMLElement} element @param {Info | null} about */
export function showWelcome(element, about) {
  const base = `${location.origin}/v1`;
  if (!about)
    return element.replaceChildren(
      paragraph(
        'A conversation begins when a model’s answer passes through this service: relayed ' +
          'as a chat completion, or pushed to it.',
      ),
    );
  const address = h(
    'p',
    { class: 'base' },
    h('code', {}, base),
    copyButton('Copy', () => base),
  );
  element.replaceChildren(
    ...(about.upstream ? relayed(about, about.upstream, address, base) : unrelayed()),
  );
}

/**
 * @param {Info} about
 * @param {string} upstream
 * @param {HTMLElement} address
 * @param {string} base
 */
function relayed(about, upstream, address, base) {
  const where = h('code');
  setText(where, upstream);
  const check = h(
    'a',
    { href: `${base}/models`, target: '_blank', rel: 'noopener' },
    'Open the provider’s list of models',
  );
  // A link can't send the token.
  const checks = token.value ? [] : [paragraph(check, ' to see whether it can be reached.')];
  return [
    paragraph('Give your agent this base URL:'),
    address,
    paragraph(
      'Its requests are relayed to ',
      where,
      '. When the model asks a question, the question appears here.',
    ),
    paragraph(
      about.continue
        ? 'Your answers are sent to the model by this service.'
        : 'Your agent collects your answers.',
    ),
    ...checks,
  ];
}

function unrelayed() {
  return [
    paragraph(
      'No provider is set, so nothing is relayed. Start the service with the provider’s ' +
        'address, and your agent can use it:',
    ),
    h(
      'p',
      { class: 'base' },
      h('code', {}, 'followup serve --upstream https://api.example.com/v1'),
      copyButton('Copy', () => 'followup serve --upstream https://api.example.com/v1'),
    ),
    paragraph(
      'Conversations that are pushed to this service appear here, too. ',
      h('a', { href: '/healthz', target: '_blank', rel: 'noopener' }, 'Open its state'),
      '.',
    ),
  ];
}

/** @param {...(string | Node)} parts */
function paragraph(...parts) {
  return h('p', {}, ...parts);
}
