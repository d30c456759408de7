// @ts-check
// The page: which conversation it shows, when it sends requests, and how the parts work together.

import { ApiError, request, token } from './api.js';
import { announce } from './announce.js';
import { showDemo } from './demo.js';
import { setText } from './dom.js';
import { filesOf } from './images.js';
import { listenToKeys, shortcuts } from './keys.js';
import { ConversationList } from './list.js';
import { Follower } from './scroll.js';
import { Session } from './session.js';
import { remember, remembered } from './settings.js';
import { openCall } from './store.js';

/** @typedef {import('./list.js').Entry} Entry */
/** @typedef {import('./stream.js').Status} Status */

const POLL = 5000;
/** Number of conversations that are kept in memory with their unsent text. */
const MAX_SESSIONS = 16;

/** @template {HTMLElement} T @param {string} id @param {new () => T} type @returns {T} */
function part(id, type) {
  const element = document.getElementById(id);
  if (!(element instanceof type)) throw new Error(`the page has no #${id}`);
  return element;
}

const main = part('main', HTMLElement);
const conversation = part('conversation', HTMLElement);
const heading = part('conversation-title', HTMLElement);
const connection = part('connection', HTMLElement);
const notice = part('notice', HTMLElement);
const countdown = part('countdown', HTMLSelectElement);
const list = new ConversationList(part('list', HTMLElement), part('list-empty', HTMLElement));
const follower = new Follower(part('to-end', HTMLButtonElement));

/** @type {Map<string, Session>} */ const sessions = new Map();
/** @type {Session | null} */ let current = null;
/** @type {Entry[]} */ let entries = [];
let frame = 0;
let wasDown = false;

// Drawing.

/** Schedules a redraw, at most one per frame. */
function changed() {
  showTitle();
  frame ||= requestAnimationFrame(() => {
    frame = 0;
    draw();
  });
}

function draw() {
  if (!current) return;
  const { state, view } = current;
  if (view.show(state)) changed();
  conversation.setAttribute('aria-busy', String(state.turn === 'streaming'));
  document.body.dataset.turn = state.turn;
  showNotice();
  follower.after(view.asked(state));
}

/** Shows in the tab's title whether a question is open. */
function showTitle() {
  const asks = (current && openCall(current.state)) || entries.some(({ open }) => open !== null);
  const title = asks ? 'Question – followup' : 'followup';
  if (document.title !== title) document.title = title;
}

/** Shows a notice in place of a conversation, or about a whole one. */
function showNotice(text = current?.state.gone ? GONE : '') {
  setText(notice, text);
  notice.hidden = text === '';
}

const GONE = 'This conversation has ended, and the service no longer keeps it. It stays here until you leave it.';
const MISSING = 'The service has no conversation of this name. It may have been dropped.';

// The connection.

/** @param {Status} status */
function onStatus(status) {
  const down = status.is === 'waiting' || (status.is === 'connecting' && wasDown);
  connection.dataset.is = down ? 'waiting' : status.is;
  connection.textContent = down ? 'reconnecting…' : { connecting: 'connecting…', open: 'connected' }[/** @type {'open'} */ (status.is)] ?? 'not connected';
  connection.title = status.is === 'waiting' ? status.why : '';
  if (status.is === 'waiting' && !wasDown) announce('Connection lost, reconnecting.');
  if (status.is === 'open' && wasDown) announce('Reconnected.');
  wasDown = down;
  if (status.is === 'unauthorized') askForToken();
  if (status.is === 'missing' && !current?.state.gone) showNotice(MISSING);
  if (status.is === 'refused') showNotice(status.message);
}

// Routing.

function route() {
  token.takeFromAddress();
  const found = /^#\/c\/([A-Za-z0-9_-]{1,64})$/.exec(location.hash);
  show(found ? found[1] : null);
}

/** @param {string | null} id */
function show(id) {
  if (current?.id === id && current) return;
  current?.leave();
  current = id === null ? null : session(id);
  conversation.replaceChildren(...(current ? [current.view.element] : []));
  document.body.dataset.shows = id === null ? 'list' : 'conversation';
  setText(heading, id ?? '');
  showNotice('');
  wasDown = false;
  connection.textContent = '';
  list.show(entries, id);
  if (!current) return showTitle();
  current.enter();
  follower.follow();
  changed();
}

/** @param {string} id */
function session(id) {
  const kept = sessions.get(id);
  sessions.delete(id);
  const found = kept && !kept.state.gone ? kept : new Session(id, { changed, onStatus, onNews: () => void refresh(), onSent: () => follower.follow(), countdown: () => Number(countdown.value) });
  sessions.set(id, found);
  const oldest = sessions.keys().next();
  if (sessions.size > MAX_SESSIONS && !oldest.done) sessions.delete(oldest.value);
  return found;
}

// The list.

let refreshing = false;
let again = false;

/** Reloads the list. If it is being loaded already, it is loaded once more after that. */
async function refresh() {
  if (refreshing) return void (again = true);
  refreshing = true;
  try {
    entries = (await request('/conversations')).conversations;
    list.show(entries, current?.id ?? null);
    part('list-problem', HTMLElement).hidden = true;
    showTitle();
  } catch (error) {
    listFailed(error);
  }
  refreshing = false;
  if (again) {
    again = false;
    void refresh();
  }
}

/** @param {unknown} error */
function listFailed(error) {
  if (error instanceof ApiError && error.status === 401) return askForToken();
  const problem = part('list-problem', HTMLElement);
  problem.hidden = false;
  setText(problem, error instanceof Error ? error.message : String(error));
}

// The token.

const tokenDialog = part('token', HTMLDialogElement);

function askForToken() {
  if (tokenDialog.open) return;
  part('token-problem', HTMLElement).hidden = token.value === '';
  tokenDialog.showModal();
}

function listenToToken() {
  tokenDialog.addEventListener('cancel', (event) => event.preventDefault());
  part('token-form', HTMLFormElement).addEventListener('submit', (event) => {
    event.preventDefault();
    const field = part('token-field', HTMLInputElement);
    token.set(field.value.trim());
    field.value = '';
    tokenDialog.close();
    start();
  });
}

// User input.

function listen() {
  addEventListener('hashchange', route);
  addEventListener('online', () => current?.reconnectNow());
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) return;
    current?.reconnectNow();
    void refresh();
  });
  countdown.value = remembered('countdown') ?? '0';
  if (countdown.selectedIndex < 0) countdown.value = '0';
  countdown.addEventListener('change', () => {
    remember('countdown', countdown.value);
    if (current) current.view.open(current.state)?.restartCountdown();
  });
  part('skip', HTMLElement).addEventListener('click', (event) => {
    event.preventDefault();
    main.focus();
  });
  listenToHelp();
  listenToToken();
  listenToFiles();
  listenToKeys({
    take: (index) => openView()?.take(index),
    write: () => (openView()?.form ?? form())?.focus(),
    edit: () => openView()?.edit(),
    help: () => part('help', HTMLDialogElement).showModal(),
  });
}

function openView() {
  return current?.view.open(current.state);
}

function form() {
  return current?.view.form(current.state);
}

function listenToHelp() {
  const help = part('help', HTMLDialogElement);
  const box = part('shortcuts', HTMLInputElement);
  box.checked = shortcuts.on;
  box.addEventListener('change', () => (shortcuts.on = box.checked));
  part('help-button', HTMLElement).addEventListener('click', () => help.showModal());
  part('help-close', HTMLElement).addEventListener('click', () => help.close());
}

/** Images may be pasted and dropped anywhere on the page. */
function listenToFiles() {
  document.addEventListener('paste', (event) => {
    if (!event.defaultPrevented && form()?.paste(event.clipboardData)) event.preventDefault();
  });
  document.addEventListener('dragover', (event) => {
    if (!event.dataTransfer?.types.includes('Files')) return;
    event.preventDefault();
    document.body.classList.toggle('drops', Boolean(form()));
  });
  document.addEventListener('dragleave', (event) => event.relatedTarget || document.body.classList.remove('drops'));
  document.addEventListener('drop', (event) => {
    document.body.classList.remove('drops');
    if (!event.dataTransfer?.types.includes('Files')) return;
    event.preventDefault();
    form()?.addImages(filesOf(event.dataTransfer));
  });
}

function start() {
  current?.leave();
  current?.enter();
  void refresh();
  showDemo(part('demo', HTMLFormElement), (id) => {
    location.hash = `#/c/${id}`;
  }).catch(() => {
    // The list shows what is wrong with the service.
  });
}

listen();
token.takeFromAddress();
start();
route();
setInterval(() => document.hidden || tokenDialog.open || void refresh(), POLL);
