// Tests the reducer of a conversation: what each event of the service changes in its state.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  empty,
  hasFailedCorrections,
  isOpen,
  openCall,
  reduce,
  wantsGuidance,
} from '../../store.js';
import { pick, random, whole } from '../random.mjs';

const after = (...events) =>
  events.reduce((state, [event, data]) => reduce(state, event, data), empty('c'));
const QUESTION = {
  call: 0,
  question: 'Tea?',
  suggest: [{ answer: 'Yes', mode: 'code' }, { answer: 'No' }],
  notes: ['x'],
  number: 7,
  open: true,
};
const bare = (state) => state.items.map(({ key, ...item }) => item);

/** Returns the snapshot that the service would send of this state. */
const snapshotOf = ({ conversation, turn, stopped, retry, dropped, items }) =>
  structuredClone({
    conversation,
    last: 'e-1',
    turn,
    stopped,
    retry,
    dropped,
    items: items.map(({ key, ...item }) => item),
  });

test('text grows, and starts a new item after another item', () => {
  const state = after(
    ['turn', { index: 0 }],
    ['text', { text: 'a' }],
    ['text', { text: 'b' }],
    ['error', { kind: 'x', message: 'y' }],
    ['text', { text: 'c' }],
  );
  assert.deepEqual(bare(state), [
    { type: 'turn', index: 0 },
    { type: 'text', text: 'ab' },
    { type: 'error', kind: 'x', message: 'y' },
    { type: 'text', text: 'c' },
  ]);
  assert.equal(state.turn, 'streaming');
});

test('pieces of calls of other tools are appended to their call', () => {
  const piece = (tool, raw, start, id) => ['opaque', { tool, raw, start, id }];
  const state = after(
    piece('a', '1', true, 'x'),
    piece('b', '2', true, 'y'),
    piece('a', '3', false, 'x'),
    piece('b', '4', false, 'y'),
    piece('a', '5', true),
    piece('a', '6', false),
    piece('a', '7', true),
  );
  assert.deepEqual(
    state.items.map(({ raw, id }) => [raw, id]),
    [
      ['13', 'x'],
      ['24', 'y'],
      ['56', undefined],
      ['7', undefined],
    ],
  );
});

test('a question grows, with its suggestions', () => {
  const state = after(
    ['partial', { call: 0, field: 'question', delta: 'Te' }],
    ['partial', { call: 0, field: 'question', delta: 'a?' }],
    ['partial', { call: 0, field: 'suggest', suggestion: 0, delta: 'Y', mode: 'code' }],
    ['partial', { call: 0, field: 'suggest', suggestion: 0, delta: 'es' }],
    ['partial', { call: 0, field: 'suggest', suggestion: 1, delta: 'N' }],
  );
  const [call] = bare(state);
  assert.deepEqual(call, {
    type: 'call',
    call: 0,
    state: 'growing',
    question: 'Tea?',
    suggest: [{ answer: 'Yes', mode: 'code' }, { answer: 'N' }],
    notes: [],
  });
  assert.equal(openCall(state), undefined, 'only what is complete can be answered');
});

test('two questions that grow at the same time stay separate', () => {
  const state = after(
    ['partial', { call: 0, field: 'question', delta: 'a' }],
    ['partial', { call: 1, field: 'question', delta: 'b' }],
    ['partial', { call: 0, field: 'question', delta: 'c' }],
  );
  assert.deepEqual(
    state.items.map(({ question }) => question),
    ['ac', 'b'],
  );
});

test('a complete question is open, or waits for its turn', () => {
  const open = after(['complete', QUESTION]);
  assert.equal(openCall(open)?.number, 7);
  const waits = after(['complete', { ...QUESTION, open: false }]);
  assert.equal(openCall(waits), undefined);
  assert.equal(openCall(reduce(waits, 'open', { number: 7 }))?.number, 7);
  assert.equal(reduce(waits, 'open', { number: 8 }), waits, 'another number changes nothing');
});

test('an answered question is no longer open, in any turn', () => {
  const state = after(
    ['turn', { index: 0 }],
    ['complete', QUESTION],
    ['end', { index: 0, cut_off: false }],
    ['turn', { index: 1 }],
    [
      'replied',
      { number: 7, kind: 'answer', said: 'Yes', suggestion: 0, images: [], mode: 'code' },
    ],
  );
  const call = state.items[1];
  assert.deepEqual(call.answered, {
    number: 7,
    kind: 'answer',
    said: 'Yes',
    suggestion: 0,
    images: [],
    mode: 'code',
  });
  assert.equal(isOpen(call), false);
  const cancelled = after(
    ['complete', QUESTION],
    ['replied', { number: 7, kind: 'cancelled', said: '', images: [] }],
  );
  assert.equal(cancelled.items[0].answered.kind, 'cancelled');
});

test('a rejected call keeps what had been parsed', () => {
  const state = after(
    ['partial', { call: 0, field: 'question', delta: 'Te' }],
    ['rejected', { call: 0, reason: 'truncated', message: 'The end is missing.', stopped: false }],
  );
  assert.deepEqual(bare(state), [
    {
      type: 'call',
      call: 0,
      state: 'rejected',
      question: 'Te',
      suggest: [],
      notes: [],
      reason: 'truncated',
      message: 'The end is missing.',
    },
  ]);
  assert.equal(wantsGuidance(state), false);
});

test('a stopped dialogue wants guidance, unless a question is still open', () => {
  const rejected = ['rejected', { call: 1, reason: 'malformed', message: 'm', stopped: true }];
  const stopped = after(rejected);
  assert.equal(wantsGuidance(stopped), true);
  const guided = reduce(stopped, 'replied', {
    number: null,
    kind: 'guidance',
    said: 'Go on',
    images: [],
  });
  assert.equal(wantsGuidance(guided), false);
  assert.deepEqual(bare(guided).at(-1), {
    type: 'replied',
    number: null,
    kind: 'guidance',
    said: 'Go on',
    images: [],
  });
  const asks = after(['complete', QUESTION], rejected);
  assert.equal(wantsGuidance(asks), false);
  assert.equal(
    reduce(asks, 'replied', { number: 7, kind: 'answer', said: 'x', images: [] }).stopped,
    false,
  );
  assert.equal(
    wantsGuidance(reduce(asks, 'replied', { number: 7, kind: 'cancelled', said: '', images: [] })),
    true,
  );
});

test('a question that is closed can no longer be answered, and says why, also in a snapshot', () => {
  const closed = after(
    ['complete', QUESTION],
    ['closed', { number: 7, why: 'answered_elsewhere', said: 'Coffee' }],
  );
  assert.equal(openCall(closed), undefined);
  assert.deepEqual(closed.items[0].closed, { why: 'answered_elsewhere', said: 'Coffee' });
  assert.deepEqual(reduce(empty('c'), 'state', snapshotOf(closed)).items, closed.items);
});

test('a delivery belongs to the replies that it names, also in a snapshot', () => {
  const failed = { state: 'failed', why: 'w', retry: true };
  const state = after(
    ['complete', QUESTION],
    ['complete', { ...QUESTION, call: 1, number: 8 }],
    ['replied', { number: 7, kind: 'answer', said: 'x', images: [] }],
    ['replied', { number: null, kind: 'guidance', said: 'g', images: [] }],
    ['delivery', { numbers: [7], ...failed }],
    ['delivery', { numbers: [], guidance: true, state: 'sent' }],
  );
  assert.deepEqual(
    state.items.map(({ delivery }) => delivery),
    [failed, undefined, { state: 'sent', retry: false }],
  );
  assert.deepEqual(reduce(empty('c'), 'state', snapshotOf(state)).items, state.items);
});

test('corrections that failed can be sent again until a turn begins or the agent has them', () => {
  const failed = after(
    ['rejected', { call: 0, reason: 'malformed', message: 'm' }],
    ['delivery', { numbers: [], state: 'failed', why: 'w', retry: true }],
  );
  assert.equal(hasFailedCorrections(failed), true);
  assert.equal(hasFailedCorrections(reduce(empty('c'), 'state', snapshotOf(failed))), true);
  for (const end of [
    ['turn', { index: 1 }],
    ['delivery', { numbers: [], state: 'collected', retry: false }],
    ['gone', {}],
    ['state', { items: [], retry: false }],
  ])
    assert.equal(hasFailedCorrections(reduce(failed, ...end)), false);
  const answered = after(
    ['complete', QUESTION],
    ['delivery', { numbers: [7], state: 'failed', retry: true }],
  );
  assert.equal(hasFailedCorrections(answered), false, 'the answer has its own button');
});

test('a turn ends, cut off or not, and so does the conversation', () => {
  assert.equal(after(['end', { index: 0, cut_off: false }]).turn, 'ended');
  assert.equal(after(['end', { index: 0, cut_off: true }]).turn, 'cut_off');
  assert.equal(after(['gone', {}]).gone, true);
});

test('unknown events change nothing', () => {
  const state = after(['complete', QUESTION]);
  for (const event of ['later', 'constructor', '__proto__', 'toString'])
    assert.equal(reduce(state, event, {}), state);
  const strange = reduce(state, 'state', {
    conversation: 'c',
    items: [{ type: 'constructor' }, { type: 'later' }, { type: 'text', text: 'a' }],
  });
  assert.deepEqual(bare(strange), [{ type: 'text', text: 'a' }]);
});

test('unchanged items stay the same objects', () => {
  const before = after(['turn', { index: 0 }], ['text', { text: 'a' }], ['complete', QUESTION]);
  const grown = reduce(before, 'end', { index: 0, cut_off: false });
  assert.ok(before.items.every((item, index) => item === grown.items[index]));
  const again = reduce(grown, 'state', snapshotOf(grown));
  assert.ok(
    grown.items.every((item, index) => item === again.items[index]),
    'through a snapshot, too',
  );
});

test('states are never mutated', () => {
  const freeze = (value) => (
    typeof value === 'object' && value && Object.values(Object.freeze(value)).forEach(freeze),
    value
  );
  let state = freeze(empty('c'));
  for (const [event, data] of story(random(1), 60))
    state = freeze(reduce(state, event, freeze(data)));
});

test('a question keeps its key when the turns before it have been dropped', () => {
  const whole = after(
    ['turn', { index: 0 }],
    ['complete', QUESTION],
    ['turn', { index: 1 }],
    ['complete', { ...QUESTION, number: 8, open: false }],
  );
  const calls = snapshotOf(whole).items.filter(({ type }) => type === 'call');
  const cut = reduce(whole, 'state', { ...snapshotOf(whole), dropped: 10, items: calls });
  assert.deepEqual(
    cut.items.map(({ key }) => key),
    [whole.items[1].key, whole.items[3].key],
  );
  const fresh = reduce(empty('c'), 'state', { ...snapshotOf(whole), items: calls });
  assert.equal(
    new Set(fresh.items.map(({ key }) => key)).size,
    2,
    'and otherwise two have different ones',
  );
});

test('a snapshot and the events after it add up to the same as all events', () => {
  for (let seed = 0; seed < 300; seed++) {
    const next = random(seed);
    const events = story(next, 40);
    const all = after(...events);
    const cut = whole(next, events.length + 1);
    const before = after(...events.slice(0, cut));
    for (const start of [empty('c'), after(...events.slice(0, whole(next, cut + 1)))]) {
      const joined = events
        .slice(cut)
        .reduce(
          (state, [event, data]) => reduce(state, event, data),
          reduce(start, 'state', snapshotOf(before)),
        );
      assert.deepEqual(
        { ...joined, loaded: false },
        { ...all, loaded: false },
        `seed ${seed}, cut ${cut}`,
      );
    }
  }
});

/** Returns random events as a service sends them. */
function story(next, length) {
  const events = [];
  let [index, call, number, growing] = [-1, 0, 0, []];
  const waiting = [];
  const acts = {
    turn: () => (([index, call, growing] = [index + 1, 0, []]), ['turn', { index }]),
    text: () => ['text', { text: pick(next, ['a ', '**b** ', '\n\n', 'c']) }],
    opaque: () => [
      'opaque',
      {
        tool: 'read',
        raw: 'x',
        start: next() < 0.3,
        ...(next() < 0.5 ? { id: pick(next, ['i', 'j']) } : {}),
      },
    ],
    begin: () => (growing.push(call), ['partial', { call: call++, field: 'question', delta: 'Q' }]),
    grow: () => [
      'partial',
      {
        call: pick(next, growing),
        field: 'suggest',
        suggestion: 0,
        delta: 'S',
        ...(next() < 0.5 ? { mode: 'm' } : {}),
      },
    ],
    form: () => [
      'form_partial',
      {
        call: pick(next, growing),
        tool: 't',
        question: 0,
        ...pick(next, [
          { field: 'text' },
          { field: 'header', known: { multiple: true, defaults: ['S'] } },
          { field: 'label', option: 0, known_option: { recommended: true } },
          { field: 'preview', option: 0 },
        ]),
        delta: 'F',
      },
    ],
    complete: () => {
      const [done] = growing.splice(whole(next, growing.length), 1);
      waiting.push(number);
      const form =
        next() < 0.5
          ? {
              form: {
                tool: 't',
                shape: 's',
                questions: [{ text: 'Q', options: [{ label: 'S' }] }],
              },
            }
          : {};
      return [
        'complete',
        {
          ...form,
          call: done,
          question: 'Q',
          suggest: [{ answer: 'S', mode: 'm' }],
          notes: [],
          number: number++,
          open: waiting.length === 1,
        },
      ];
    },
    reject: () => [
      'rejected',
      {
        call: growing.splice(whole(next, growing.length), 1)[0],
        reason: 'malformed',
        message: 'm',
        stopped: next() < 0.2,
      },
    ],
    error: () => ['error', { kind: 'upstream', message: 'broke' }],
    reply: () => [
      'replied',
      {
        number: waiting.shift(),
        kind: pick(next, ['answer', 'cancelled', 'declined', 'discussed', 'timed_out']),
        said: 's',
        ...(next() < 0.5 ? { answers: [{ picked: [0] }] } : {}),
        images: [],
      },
    ],
    open: () => ['open', { number: waiting[0] }],
    guide: () => ['replied', { number: null, kind: 'guidance', said: 'g', images: [] }],
    deliver: () => [
      'delivery',
      {
        numbers: [],
        ...pick(next, [
          { state: 'failed', why: 'w', retry: true },
          { state: 'collected', retry: false },
        ]),
      },
    ],
    end: () => ['end', { index, cut_off: next() < 0.3 }],
  };
  const can = {
    grow: () => growing.length,
    form: () => growing.length,
    complete: () => growing.length,
    reject: () => growing.length,
    reply: () => waiting.length,
    open: () => waiting.length,
  };
  while (events.length < length) {
    const act = events.length
      ? pick(
          next,
          Object.keys(acts).filter((name) => can[name]?.() ?? true),
        )
      : 'turn';
    events.push(acts[act]());
  }
  return events;
}
