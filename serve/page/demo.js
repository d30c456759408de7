// @ts-check
// The bar that plays recorded messages, if the service offers any.

import { ApiError, request } from './api.js';
import { announce } from './announce.js';
import { h, setText } from './dom.js';
import { plain } from './visible.js';

/** @typedef {{messages: {name: string, title: string}[], chunk: string, delay: number}} Demo */

const PATTERN = '[1-9][0-9]{0,6}|random:[0-9]{1,19}';

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
  const message = h('select', {}, ...demo.messages.map(({ name, title }) => h('option', { value: name }, plain(title || name))));
  const chunk = h('input', { value: demo.chunk, pattern: PATTERN, required: true, size: 7, autocomplete: 'off', spellcheck: 'false', title: 'Bytes per chunk: a number, or random:SEED' });
  const delay = h('input', { type: 'number', value: demo.delay, min: 0, max: 10000, required: true, title: 'Milliseconds between two chunks' });
  const play = h('button', { class: 'primary' }, 'Play');
  const problem = h('p', { class: 'problem', hidden: true });
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    play.disabled = true;
    try {
      const { id } = await request('/demo', { message: message.value, chunk: chunk.value, delay: delay.valueAsNumber });
      problem.hidden = true;
      onPlay(id);
    } catch (error) {
      setText(problem, error instanceof Error ? error.message : String(error));
      problem.hidden = false;
      announce(problem.textContent ?? '');
    }
    play.disabled = false;
  });
  return [field('Recorded message', message, 'grows'), field('Bytes per chunk', chunk), field('Delay in ms', delay), play, problem];
}

/** @param {string} name @param {HTMLElement} control @param {string} [kind] */
function field(name, control, kind = '') {
  return h('label', { class: `field ${kind}` }, h('span', {}, name), control);
}
