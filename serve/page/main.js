// @ts-check
// The page: which conversation it shows, when it sends requests, and how the parts work together.

import { token } from './api.js';
import { announce } from './announce.js';
import { NewQuestions, notify, offerNotifications, showCount } from './alerts.js';
import { confirmed } from './confirm.js';
import { copyButton, listenToCopyCode } from './copy.js';
import { showDemo } from './demo.js';
import { focusAt, h, setAttr, setText } from './dom.js';
import { ListFeed } from './feed.js';
import { filesOf } from './images.js';
import { listenToKeys, shortcuts } from './keys.js';
import { ConversationList, titleOf } from './list.js';
import { load } from './markdown-view.js';
import { Notice } from './notice.js';
import { Follower } from './scroll.js';
import { Session } from './session.js';
import { remember, remembered } from './settings.js';
import { openCall } from './store.js';
import { undoSetting } from './undo.js';
import { info, showWelcome } from './welcome.js';

/** @typedef {import('./list.js').Entry} Entry */
/** @typedef {import('./stream.js').Status} Status */

/** Number of conversations that are kept in memory with their unsent text. */
const MAX_SESSIONS = 16;

/** Milliseconds after which the times in the list are shown anew. */
const LIST_TIMES = 30_000;

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
const notice = new Notice(part('notice', HTMLElement));
const search = part('search', HTMLInputElement);
const countdown = part('countdown', HTMLSelectElement);
const list = new ConversationList(
  part('list', HTMLElement),
  part('list-empty', HTMLElement),
  search,
);
const follower = new Follower(part('to-end', HTMLButtonElement));

/** @type {Map<string, Session>} */ const sessions = new Map();
/** @type {Session | null} */ let current = null;
/** @type {Entry[]} */ let entries = [];
/** Whether the service has sent its list. */
let isListed = false;
let frame = 0;
let wasDown = false;
/** The id of the service's run. */
let service = '';
let missing = false;
/** What went wrong with the conversation, until it is left or connected again. */
let problem = '';
const questions = new NewQuestions();
/** Questions that have opened by themselves, or that the user has left. @type {Set<string>} */
const seen = new Set();

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
  // What was postponed is drawn in the next frame, or once the markdown parser is there.
  if (view.show(state)) void load().then(changed);
  conversation.setAttribute('aria-busy', String(state.turn === 'streaming'));
  document.body.dataset.turn = state.turn;
  showNotice();
  follower.after(view.asked(state));
}

/** Shows in the tab's title how many questions are open. */
function showTitle() {
  const here = current && openCall(current.state) && !current.state.gone ? 1 : 0;
  const elsewhere = entries.filter(({ id, open }) => open !== null && id !== current?.id).length;
  showCount(here + elsewhere);
  const entry = entries.find(({ id }) => id === current?.id);
  setText(heading, current ? (entry && titleOf(entry)) || 'Conversation' : '');
  part('dismiss', HTMLElement).hidden = !current?.state.items.some(
    (item) => item.type === 'call' && item.state === 'complete' && !item.answered && !item.closed,
  );
}

/** Says what is wrong with the conversation, and offers what can be done. */
function showNotice() {
  const text = !current ? '' : current.state.gone ? GONE : missing ? MISSING : problem;
  if (!current || !text) return notice.show('');
  const { view } = current;
  const actions = view.unsent ? [copyButton('Copy what you wrote', () => view.unsent)] : [];
  notice.show(
    text,
    ...actions,
    h('button', { type: 'button', onclick: () => (location.hash = '#/') }, 'All conversations'),
  );
}

const GONE =
  'This conversation has ended, and the service no longer keeps it. It stays here until you leave it.';
const MISSING =
  'The service has no conversation of this name: it was dropped, or the service was ' +
  'restarted. What you see stays here until you leave it.';
const RESTARTED = 'The service was restarted. Its earlier conversations have ended.';

// The connection.

/** @param {Status} status */
function onStatus(status) {
  const down = status.is === 'waiting' || (status.is === 'connecting' && wasDown);
  connection.dataset.is = down ? 'waiting' : status.is;
  connection.textContent = down
    ? 'reconnecting…'
    : ({ connecting: 'connecting…', open: 'connected' }[/** @type {'open'} */ (status.is)] ??
      'not connected');
  connection.title = status.is === 'waiting' ? status.why : '';
  if (status.is === 'waiting' && !wasDown) announce('Connection lost, reconnecting.');
  if (status.is === 'open' && wasDown) announce('Reconnected.');
  wasDown = down;
  if (status.is === 'unauthorized') askForToken();
  if (status.is === 'missing' && !current?.state.gone) {
    missing = true;
    showNotice();
  }
  if (status.is === 'refused') showProblem(status.message);
  if (status.is === 'open') showProblem('');
}

/** @param {string} text what went wrong; empty if nothing is any more */
function showProblem(text) {
  problem = text;
  showNotice();
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
  [missing, problem] = [false, ''];
  for (const entry of entries) if (id === null && entry.id === current?.id) seen.add(keyOf(entry));
  current = id === null ? null : session(id);
  conversation.replaceChildren(...(current ? [current.view.element] : []));
  document.body.dataset.shows = id === null ? 'list' : 'conversation';
  showNotice();
  wasDown = false;
  connection.textContent = '';
  if (isListed) list.show(entries, id);
  // A narrow screen shows the list or the conversation, so the link that was followed is hidden.
  if (document.activeElement !== document.body)
    focusAt(id === null ? part('side', HTMLElement) : heading);
  if (!current) return showTitle();
  current.enter();
  follower.follow();
  changed();
}

/** @param {string} id */
function session(id) {
  const kept = sessions.get(id);
  sessions.delete(id);
  const found =
    kept && !kept.state.gone
      ? kept
      : new Session(id, {
          changed,
          onStatus,
          onNews: () => feed.refresh(),
          onSent: () => follower.follow(),
          countdown: () => Number(countdown.value),
        });
  sessions.set(id, found);
  const oldest = sessions.keys().next();
  if (sessions.size > MAX_SESSIONS && !oldest.done) sessions.delete(oldest.value);
  return found;
}

// The list.

const feed = new ListFeed({
  onEntries,
  onService: (id) => {
    if (service && service !== id && !current) notice.show(RESTARTED);
    service = id;
  },
  onUnauthorized: askForToken,
  onProblem: (text) => {
    const problem = part('list-problem', HTMLElement);
    problem.hidden = text === '';
    setText(problem, text);
  },
});

/** @param {Entry[]} now */
function onEntries(now) {
  [entries, isListed] = [now, true];
  document.body.toggleAttribute('data-empty', now.length === 0);
  list.show(entries, current?.id ?? null);
  showTitle();
  if (missing && entries.some(({ id }) => id === current?.id)) findAgain();
  for (const entry of questions.of(entries)) {
    if (document.hidden || entry.id !== current?.id)
      notify(entry, titleOf(entry), () => (location.hash = `#/c/${entry.id}`));
  }
  openTheOnly();
}

/** Follows a conversation that was missing and has begun. */
function findAgain() {
  missing = false;
  showNotice();
  current?.leave();
  current?.enter();
}

/** Opens the one question that waits, if the user is not busy with anything else. */
function openTheOnly() {
  const open = entries.filter((entry) => entry.open !== null);
  if (current || open.length !== 1 || seen.has(keyOf(open[0])) || isBusy()) return;
  seen.add(keyOf(open[0]));
  location.hash = `#/c/${open[0].id}`;
}

/** @param {Entry} entry */
function keyOf({ id, open }) {
  return `${id} ${open}`;
}

function isBusy() {
  return (
    document.querySelector('dialog[open]') !== null ||
    document.activeElement?.matches('input, select, textarea, #list a') === true
  );
}

// The token.

const tokenDialog = part('token', HTMLDialogElement);
let needsToken = false;

function askForToken() {
  if (tokenDialog.open) return;
  needsToken = true;
  showTokenProblem(token.value !== '' || token.isWrong);
  tokenDialog.showModal();
}

/** @param {boolean} shown */
function showTokenProblem(shown) {
  part('token-problem', HTMLElement).hidden = !shown;
  setAttr(part('token-field', HTMLInputElement), 'aria-invalid', shown ? 'true' : null);
}

function listenToToken() {
  tokenDialog.addEventListener('cancel', (event) => event.preventDefault());
  // A browser closes it all the same if Esc is pressed twice.
  tokenDialog.addEventListener(
    'close',
    () => needsToken && !tokenDialog.open && tokenDialog.showModal(),
  );
  part('token-form', HTMLFormElement).addEventListener('submit', (event) => {
    event.preventDefault();
    const field = part('token-field', HTMLInputElement);
    if (!token.set(field.value.trim())) {
      showTokenProblem(true);
      return field.select();
    }
    field.value = '';
    needsToken = false;
    tokenDialog.close();
    start();
  });
}

// User input.

function listen() {
  addEventListener('hashchange', route);
  addEventListener('online', () => {
    current?.reconnectNow();
    feed.refresh();
  });
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) return;
    list.showTimes();
    current?.reconnectNow();
    feed.refresh();
  });
  setInterval(() => document.hidden || list.showTimes(), LIST_TIMES);
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
  listenToCopyCode();
  listenToActions();
  offerNotifications(part('notify', HTMLButtonElement));
  listenToToken();
  listenToFiles();
  listenToKeys({
    take: (index) => shownView()?.pick(index),
    write: () => {
      const view = openView();
      if (view) view.write();
      else form()?.focus();
    },
    several: () => shownView()?.several ?? false,
    step: (by) => shownView()?.step(by),
    edit: () => openView()?.edit(),
    help: () => part('help', HTMLDialogElement).showModal(),
    search: () => search.focus(),
    count: () => shownView()?.count ?? 0,
    shown: () => shownView()?.shown,
  });
}

/** The buttons that end a question or a conversation. Both ask first. */
function listenToActions() {
  part('dismiss', HTMLElement).addEventListener(
    'click',
    () =>
      void act('Dismiss this question? The model gets no answer from here.', 'Dismiss', (session) =>
        session.dismiss(),
      ),
  );
  part('delete', HTMLElement).addEventListener(
    'click',
    () =>
      void act('Delete this conversation? It can’t be brought back.', 'Delete', async (session) => {
        await session.delete();
        if (current === session) location.hash = '#/';
      }),
  );
}

/**
 * @param {string} question
 * @param {string} yes
 * @param {(session: Session) => Promise<void>} action
 */
async function act(question, yes, action) {
  const session = current;
  if (!session || !(await confirmed(question, yes))) return;
  if (current === session) showProblem('');
  try {
    await action(session);
  } catch (error) {
    if (current === session) showProblem(error instanceof Error ? error.message : String(error));
  }
}

function openView() {
  return current?.view.open(current.state);
}

/**
 * The question that can be answered, or the form that can be answered while the rest of it is
 * written.
 */
function shownView() {
  return current && (current.view.open(current.state) ?? current.view.growing(current.state));
}

function form() {
  return current?.view.form(current.state);
}

function listenToHelp() {
  const help = part('help', HTMLDialogElement);
  const box = part('shortcuts', HTMLInputElement);
  box.checked = shortcuts.on;
  box.addEventListener('change', () => (shortcuts.on = box.checked));
  const undo = part('undo', HTMLInputElement);
  undo.checked = undoSetting.on;
  undo.addEventListener('change', () => (undoSetting.on = undo.checked));
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
  document.addEventListener(
    'dragleave',
    (event) => event.relatedTarget || document.body.classList.remove('drops'),
  );
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
  feed.start();
  // What is shown first does not need it.
  setTimeout(load, 1000);
  void info().then((about) => showWelcome(part('welcome', HTMLElement), about));
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
