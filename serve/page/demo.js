// @ts-check
// The bar that plays recorded messages, if the service offers any.

import { ApiError, request } from './api.js';
import { announce } from './announce.js';
import { h, setText } from './dom.js';
import { plain } from './visible.js';

/** @typedef {{messages: {name: string, title: string}[], chunk: string, delay: number}} Demo */

/**
 * How a message is played, by name: a function of the service's defaults.
 * @type {Record<string, (demo: Demo) => {chunk: string, delay: number}>}
 */
const SPEEDS = {
  'as a model writes': ({ chunk, delay }) => ({ chunk, delay }),
  slowly: ({ chunk, delay }) => ({ chunk, delay: delay * 4 }),
  fast: () => ({ chunk: '12', delay: 4 }),
  'at once': () => ({ chunk: '4096', delay: 0 }),
};

/**
 * Shows the bar if there is anything to play.
 * @param {HTMLFormElement} form
 * @param {(id: string) => void} onPlay
 */
export async function showDemo(form, onPlay) {
  /** @type {Demo | null} */
  const demo = await request('/demo').catch((error) => {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  });
  if (!demo || form.childElementCount) return demo !== null;
  form.append(...fields(demo, form, onPlay));
  form.hidden = false;
  return true;
}

/** @param {Demo} demo @param {HTMLFormElement} form @param {(id: string) => void} onPlay */
function fields(demo, form, onPlay) {
  const message = h(
    'select',
    {},
    ...demo.messages.map(({ name, title }) => h('option', { value: name }, plain(title || name))),
  );
  const speed = h(
    'select',
    {},
    ...Object.keys(SPEEDS).map((name) => h('option', { value: name }, name)),
  );
  const play = h('button', { class: 'primary' }, 'Play');
  const problem = h('p', { class: 'problem', hidden: true });
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    play.disabled = true;
    try {
      const { id } = await request('/demo', {
        message: message.value,
        ...SPEEDS[speed.value](demo),
      });
      problem.hidden = true;
      onPlay(id);
    } catch (error) {
      setText(problem, error instanceof Error ? error.message : String(error));
      problem.hidden = false;
      announce(problem.textContent ?? '');
    }
    play.disabled = false;
  });
  return [field('Recorded message', message, 'grows'), field('Speed', speed), play, problem];
}

/** @param {string} name @param {HTMLElement} control @param {string} [kind] */
function field(name, control, kind = '') {
  return h('label', { class: `field ${kind}` }, h('span', {}, name), control);
}
