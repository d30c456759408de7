// @ts-check
// The state of one conversation: a pure reducer over the service's events, without the DOM.
//
// States are immutable: an event makes a new state that shares every unchanged item with the old
// one. A view can therefore tell by identity which items to redraw.

import { formOf, grown, present } from './form-state.js';

/** @typedef {{answer: string, mode?: string}} Suggestion */
/** @typedef {import('./form-state.js').Data} Data */
/** @typedef {import('./form-state.js').Form} Form */
/** @typedef {import('./form-state.js').FormAnswer} FormAnswer */
/**
 * @typedef {{
 *   number: number | null,
 *   kind: 'answer' | 'cancelled' | 'declined' | 'discussed' | 'timed_out' | 'guidance',
 *   said: string,
 *   suggestion?: number,
 *   answers?: FormAnswer[],
 *   images: string[],
 *   mode?: string,
 * }} UserReply
 */
/**
 * @typedef {{
 *   state: 'pending' | 'collected' | 'sent' | 'failed',
 *   why?: string,
 *   retry?: boolean,
 * }} Delivery what became of a reply
 */
/**
 * @typedef {{
 *   why: 'answered_elsewhere' | 'dismissed',
 *   said?: string,
 * }} Closed why a question can't be answered here any more
 */
/** @typedef {{key: string, type: 'turn', index: number}} TurnItem */
/** @typedef {{key: string, type: 'text', text: string}} TextItem */
/** @typedef {{key: string, type: 'opaque', tool: string, raw: string, id?: string}} OpaqueItem */
/**
 * @typedef {{
 *   key: string,
 *   type: 'call',
 *   call: number,
 *   state: 'growing' | 'complete' | 'rejected',
 *   question: string,
 *   suggest: Suggestion[],
 *   form?: Form,
 *   notes: string[],
 *   number?: number,
 *   open?: boolean,
 *   can_discuss?: boolean,
 *   answered?: UserReply,
 *   closed?: Closed,
 *   delivery?: Delivery,
 *   reason?: string,
 *   message?: string,
 * }} CallItem
 */
/** @typedef {{key: string, type: 'error', kind: string, message: string}} ErrorItem */
/** @typedef {{key: string, type: 'end', index: number, cut_off: boolean}} EndItem */
/** @typedef {{key: string, type: 'replied', delivery?: Delivery} & UserReply} RepliedItem */
/**
 * @typedef {TurnItem | TextItem | OpaqueItem | CallItem | ErrorItem | EndItem | RepliedItem} Item
 */
/** @typedef {'streaming' | 'ended' | 'cut_off' | 'none'} Turn */
/**
 * @typedef {{
 *   conversation: string,
 *   loaded: boolean,
 *   turn: Turn,
 *   stopped: boolean,
 *   retry: boolean,
 *   dropped: number,
 *   gone: boolean,
 *   items: readonly Item[],
 * }} State `retry`: what failed can be sent again
 */

/** @returns {State} */
export function empty(conversation = '') {
  return {
    conversation,
    loaded: false,
    turn: 'none',
    stopped: false,
    retry: false,
    dropped: 0,
    gone: false,
    items: [],
  };
}

/**
 * Returns the state after an event. Unknown events change nothing: a newer service may send them.
 * @param {State} state
 * @param {string} event
 * @param {Data} data
 * @returns {State}
 */
export function reduce(state, event, data) {
  const reducer = Object.hasOwn(REDUCERS, event) ? REDUCERS[event] : undefined;
  return reducer ? reducer(state, data) : state;
}

/** @type {Record<string, (state: State, data: Data) => State>} */
const REDUCERS = {
  state: snapshot,
  turn: (state, data) =>
    push(
      { ...state, turn: 'streaming', retry: false },
      { key: `t${data.index}`, type: 'turn', index: data.index },
    ),
  text,
  opaque,
  partial,
  form_partial: (state, data) =>
    call(state, data.call, (item) => ({
      ...item,
      form: grown(item.form ?? { tool: data.tool ?? '', questions: [] }, data),
    })),
  complete: (state, data) => call(state, data.call, (item) => completed(item, data)),
  rejected,
  error: (state, data) => push(state, errorItem(nextKey(state), data)),
  end: (state, data) =>
    push({ ...state, turn: data.cut_off ? 'cut_off' : 'ended' }, endItem(nextKey(state), data)),
  open: (state, data) => numbered(state, data.number, (item) => ({ ...item, open: true })),
  replied,
  closed: (state, data) =>
    numbered(state, data.number, (item) => ({ ...item, open: false, closed: closedOf(data) })),
  delivery,
  gone: (state) => ({ ...state, gone: true }),
};

/**
 * Returns the question that can be answered now: the first one, if the service marks several as
 * open.
 * @param {State} state
 * @returns {CallItem | undefined}
 */
export function openCall(state) {
  return /** @type {CallItem | undefined} */ (state.items.find(isOpen));
}

/** @param {Item} item */
export function isOpen(item) {
  return (
    item.type === 'call' &&
    item.state === 'complete' &&
    item.open === true &&
    !item.answered &&
    !item.closed
  );
}

/** Whether the dialogue has stopped and waits for the user's guidance. @param {State} state */
export function wantsGuidance(state) {
  return state.stopped && !state.gone && !openCall(state);
}

/**
 * Whether corrections of the model's calls have failed, which no reply of the user shows.
 * @param {State} state
 */
export function hasFailedCorrections(state) {
  return (
    state.retry &&
    !state.gone &&
    !state.items.some(
      (item) => (item.type === 'call' || item.type === 'replied') && item.delivery?.retry,
    )
  );
}

// One reducer for each event.

/**
 * Replaces the whole state. Equal items stay the same objects.
 * @param {State} state
 * @param {Data} data
 * @returns {State}
 */
function snapshot(state, data) {
  const before = new Map(state.items.map((item) => [item.key, item]));
  const items = keyed(data.items ?? [], state.items).map((item) => {
    const old = before.get(item.key);
    return old && same(old, item) ? old : item;
  });
  const { conversation, turn = 'none', stopped = false, retry = false, dropped = 0 } = data;
  return {
    conversation: conversation ?? state.conversation,
    loaded: true,
    turn,
    stopped,
    retry,
    dropped,
    gone: false,
    items,
  };
}

/** @param {State} state @param {Data} data */
function text(state, data) {
  const last = state.items.at(-1);
  const { text = '' } = data;
  if (last?.type === 'text')
    return swap(state, state.items.length - 1, { ...last, text: last.text + text });
  return push(state, { key: nextKey(state), type: 'text', text });
}

/**
 * Appends a piece of another tool's call. Pieces of native calls may be interleaved; their ids tell
 * them apart.
 * @param {State} state
 * @param {Data} data
 */
function opaque(state, data) {
  const index = data.start
    ? -1
    : lastIndex(state, (item) => item.type === 'opaque' && item.id === (data.id ?? undefined));
  if (index < 0) return push(state, opaqueItem(nextKey(state), data));
  const item = /** @type {OpaqueItem} */ (state.items[index]);
  return swap(state, index, { ...item, raw: item.raw + (data.raw ?? '') });
}

/** @param {State} state @param {Data} data */
function partial(state, data) {
  const { delta = '' } = data;
  return call(state, data.call, (item) => {
    if (data.field === 'question') return { ...item, question: item.question + delta };
    // Suggestions arrive in order, so a gap can't be filled.
    const old = item.suggest[data.suggestion] ?? { answer: '' };
    const grown = suggestion({ answer: old.answer + delta, mode: data.mode ?? old.mode });
    return data.suggestion > item.suggest.length
      ? item
      : { ...item, suggest: item.suggest.toSpliced(data.suggestion, 1, grown) };
  });
}

/** @param {State} state @param {Data} data */
function rejected(state, data) {
  const { reason = '', message = '' } = data;
  const next = call(state, data.call, (item) => ({
    ...without(item, 'open'),
    state: 'rejected',
    reason,
    message,
  }));
  return data.stopped ? { ...next, stopped: true } : next;
}

/** @param {State} state @param {Data} data */
function replied(state, data) {
  const reply = repliedOf(data);
  if (reply.kind === 'guidance')
    return push({ ...state, stopped: false }, { key: nextKey(state), type: 'replied', ...reply });
  const next = numbered(state, data.number, (item) => ({ ...item, open: false, answered: reply }));
  // An answer lets a stopped dialogue continue; it may stop while a question is still open.
  return reply.kind === 'answer' ? { ...next, stopped: false } : next;
}

/** @param {State} state @param {Data} data @returns {State} */
function delivery(state, data) {
  const delivery = deliveryOf(data);
  const numbers = new Set(data.numbers ?? []);
  const guided = data.guidance
    ? state.items.findLast((item) => item.type === 'replied')
    : undefined;
  const items = state.items.map((item) => {
    const isMeant =
      item === guided ||
      (item.type === 'call' && item.number !== undefined && numbers.has(item.number));
    return isMeant ? /** @type {Item} */ ({ ...item, delivery }) : item;
  });
  // What an agent has collected is not sent again.
  const retry =
    { failed: delivery.retry === true, collected: false }[/** @type {string} */ (delivery.state)] ??
    state.retry;
  return { ...state, retry, items };
}

// Finding and replacing items.

/** @param {State} state @param {Item} item @returns {State} */
function push(state, item) {
  return { ...state, items: [...state.items, item] };
}

/** @param {State} state @param {number} index @param {Item} item @returns {State} */
function swap(state, index, item) {
  const items = [...state.items];
  items[index] = item;
  return { ...state, items };
}

/**
 * Changes a call of the newest turn, or adds it.
 * @param {State} state
 * @param {number} number
 * @param {(item: CallItem) => CallItem} change
 */
function call(state, number, change) {
  const index = lastIndex(state, (item) => item.type === 'call' && item.call === number);
  if (index >= 0) return swap(state, index, change(/** @type {CallItem} */ (state.items[index])));
  return push(
    state,
    change({
      key: callKey(turnKey(state), number),
      type: 'call',
      call: number,
      state: 'growing',
      question: '',
      suggest: [],
      notes: [],
    }),
  );
}

/**
 * Changes the call with this number in the dialogue, in any turn.
 * @param {State} state
 * @param {number | null} number
 * @param {(item: CallItem) => CallItem} change
 */
function numbered(state, number, change) {
  const index = state.items.findLastIndex(
    (item) => item.type === 'call' && item.number === number && number !== null,
  );
  return index < 0
    ? state
    : swap(state, index, change(/** @type {CallItem} */ (state.items[index])));
}

/**
 * Returns the index of the last matching item of the newest turn, or -1.
 * @param {State} state
 * @param {(item: Item) => boolean} is
 */
function lastIndex(state, is) {
  for (
    let index = state.items.length - 1;
    index >= 0 && state.items[index].type !== 'turn';
    index--
  )
    if (is(state.items[index])) return index;
  return -1;
}

// Keys: an item has the same key whether it arrived in events or in a snapshot.

/** @param {State} state */
function turnKey(state) {
  const turn = state.items.findLast((item) => item.type === 'turn');
  return turn ? turn.key : 'p';
}

/** Returns the key of the next item that is neither a turn nor a call. @param {State} state */
function nextKey(state) {
  let count = 0;
  for (
    let index = state.items.length - 1;
    index >= 0 && state.items[index].type !== 'turn';
    index--
  )
    if (state.items[index].type !== 'call') count++;
  return `${turnKey(state)}.${count}`;
}

/** @param {string} turn @param {number} number */
function callKey(turn, number) {
  return `${turn}.call${number}`;
}

/**
 * Converts the items of a snapshot. Their beginning may be missing, turns included, and keys are
 * then made up; but a known question keeps its key, because the user may be writing an answer to
 * it.
 * @param {Data[]} items
 * @param {readonly Item[]} before
 * @returns {Item[]}
 */
function keyed(items, before) {
  const asked = new Map(
    before.flatMap((item) =>
      item.type === 'call' && item.number !== undefined ? [[item.number, item.key]] : [],
    ),
  );
  const used = new Set();
  let [turn, count] = ['p', 0];
  /** @param {string} key @returns {string} */
  const unique = (key) => (used.has(key) ? unique(`${key}'`) : (used.add(key), key));
  return items.flatMap((data) => {
    if (data.type === 'turn') {
      [turn, count] = [`t${data.index}`, 0];
      return [/** @type {Item} */ ({ key: unique(turn), type: 'turn', index: data.index })];
    }
    if (data.type === 'call')
      return [callItem(unique(asked.get(data.number) ?? callKey(turn, data.call)), data)];
    const make = Object.hasOwn(MAKE, data.type) ? MAKE[data.type] : undefined;
    return make ? [make(unique(`${turn}.${count++}`), data)] : [];
  });
}

/** @type {Record<string, (key: string, data: Data) => Item>} */
const MAKE = {
  text: (key, data) => ({ key, type: 'text', text: data.text ?? '' }),
  opaque: opaqueItem,
  error: errorItem,
  end: endItem,
  replied: (key, data) => ({
    key,
    type: 'replied',
    ...repliedOf(data),
    ...(data.delivery ? { delivery: deliveryOf(data.delivery) } : {}),
  }),
};

/** @param {string} key @param {Data} data @returns {OpaqueItem} */
function opaqueItem(key, data) {
  return present({ key, type: 'opaque', tool: data.tool ?? '', raw: data.raw ?? '', id: data.id });
}

/** @param {string} key @param {Data} data @returns {ErrorItem} */
function errorItem(key, data) {
  return { key, type: 'error', kind: data.kind ?? '', message: data.message ?? '' };
}

/** @param {string} key @param {Data} data @returns {EndItem} */
function endItem(key, data) {
  return { key, type: 'end', index: data.index, cut_off: data.cut_off === true };
}

/** @param {string} key @param {Data} data @returns {CallItem} */
function callItem(key, data) {
  const {
    call,
    state = 'growing',
    question,
    suggest,
    form,
    notes,
    number,
    open,
    can_discuss,
    answered,
    closed,
    delivery,
    reason,
    message,
  } = data;
  const known = {
    key,
    type: 'call',
    call,
    state,
    question: question ?? '',
    suggest: (suggest ?? []).map(suggestion),
    form: form ? formOf(form) : undefined,
    notes: notes ?? [],
  };
  const complete = {
    number,
    open: state === 'rejected' ? undefined : open,
    can_discuss: can_discuss || undefined,
    answered: answered ? repliedOf(answered) : undefined,
    closed: closed ? closedOf(closed) : undefined,
    delivery: delivery ? deliveryOf(delivery) : undefined,
  };
  return present({ ...known, ...complete, reason, message });
}

/** @param {CallItem} item @param {Data} data @returns {CallItem} */
function completed(item, data) {
  const { question = '', suggest = [], form, notes = [], number, open, can_discuss } = data;
  return present({
    ...item,
    state: 'complete',
    question,
    suggest: suggest.map(suggestion),
    form: form ? formOf(form) : undefined,
    notes,
    number,
    open: open === true,
    can_discuss: can_discuss || undefined,
  });
}

/** @param {Data} data @returns {Suggestion} */
function suggestion(data) {
  return present({ answer: data.answer ?? '', mode: data.mode });
}

/** @param {Data} data @returns {UserReply} */
function repliedOf(data) {
  const { number, kind, said, suggestion, answers, images, mode } = data;
  return present({
    number: number ?? null,
    kind,
    said: said ?? '',
    suggestion,
    answers,
    images: images ?? [],
    mode,
  });
}

/** @param {Data} data @returns {Closed} */
function closedOf({ why, said }) {
  return present({ why: why === 'dismissed' ? why : 'answered_elsewhere', said });
}

/** @param {Data} data @returns {Delivery} */
function deliveryOf({ state, why, retry }) {
  return present({ state, why, retry: retry === true });
}

/** @template {object} T @param {T} object @param {keyof T} name @returns {T} */
function without(object, name) {
  const copy = { ...object };
  delete copy[name];
  return copy;
}

/** Whether two JSON values are equal. @param {any} a @param {any} b @returns {boolean} */
function same(a, b) {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || !a || !b) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && same(a[key], b[key]))
  );
}
