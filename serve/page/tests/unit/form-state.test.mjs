// Tests how events build the state of a form, and how its answers are validated.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  answerSoFar,
  defaultOf,
  formOf,
  grown,
  isAnswered,
  isNumber,
  problemOf,
  shownLabel,
  takesText,
  textsOf,
} from '../../form-state.js';
import { FORM, partials } from '../forms.mjs';

test('a label is shown without its mark, and never shrinks while it grows', () => {
  const shown = [
    ['Redis (Recommended)', 'Redis'],
    ['Redis (recommended) ', 'Redis'],
    ['(Recommended) Redis', 'Redis'],
    ['Redis (Recommended) for now', 'Redis (Recommended) for now'],
    ['Redis (fast)', 'Redis (fast)'],
    ['Redis (re', 'Redis (re'],
    ['f(x) (Recommended)', 'f(x)'],
    ['(Recommended)', '(Recommended)'],
    ['R(e(c(Recommended)', 'R(e(c'],
  ];
  for (const [label, expected] of shown) {
    assert.equal(shownLabel(label, false), expected, label);
    let before = '';
    for (let end = 0; end <= label.length; end++) {
      const now = shownLabel(label.slice(0, end), true);
      assert.ok(now.startsWith(before.trimEnd()), `${label}: “${before}”, then “${now}”`);
      before = now;
    }
    assert.ok(shownLabel(label, false).startsWith(before.trimEnd()), label);
  }
});

test('a form that grows adds up to the form, for every size of pieces', () => {
  const { shape, ...form } = FORM;
  for (const size of [1, 3, 100]) {
    const whole = partials(FORM, { size }).reduce((state, data) => grown(state, data), {
      tool: FORM.tool,
      questions: [],
    });
    assert.deepEqual(whole, formOf(form), `${size}`);
  }
});

test('the text above a form is no question of it', () => {
  const shown = [
    { field: 'title', delta: 'Set ', question: 0 },
    { field: 'title', delta: 'up', question: 0 },
  ].reduce((state, data) => grown(state, data), { tool: 'x', questions: [] });
  assert.deepEqual(shown, { tool: 'x', title: 'Set up', questions: [] });
  assert.equal(formOf({ tool: 'x', title: 'Set up', questions: [] }).title, 'Set up');
});

test('what grows leaves the state before it as it was, and a gap changes nothing', () => {
  const freeze = (value) => (
    typeof value === 'object' && value && Object.values(Object.freeze(value)).forEach(freeze),
    value
  );
  let state = freeze({ tool: 't', questions: [] });
  for (const data of partials(FORM, { size: 9 })) state = freeze(grown(state, data));
  assert.equal(grown(state, { question: 9, field: 'text', delta: 'x' }), state);
  assert.deepEqual(grown(state, { question: 0, option: 9, field: 'label', delta: 'x' }), state);
  assert.deepEqual(grown(state, { question: 0, field: 'constructor', delta: 'x' }), state);
});

test('defaults are labels or values of options, or a text', () => {
  const options = [{ label: 'Production', value: 'p' }, { label: 'Test' }];
  assert.deepEqual(defaultOf({ text: '', defaults: ['p'], options }), { picked: [0] });
  assert.deepEqual(
    defaultOf({ text: '', defaults: ['Test', 'p', 'Test', 'none'], options, multiple: true }),
    { picked: [1, 0] },
  );
  assert.deepEqual(defaultOf({ text: '', defaults: ['Test', 'p'], options }), { picked: [1] });
  assert.deepEqual(defaultOf({ text: '', defaults: ['main'], options: [] }), {
    picked: [],
    text: 'main',
  });
});

test('an answer that is not accepted is left out of the answers so far', () => {
  const number = { text: 'How many?', kind: 'number', defaults: [], options: [] };
  assert.deepEqual(answerSoFar(number, { text: 'three' }), {});
  assert.deepEqual(answerSoFar(number, { text: '3' }), { text: '3' });
  const required = { text: 'Q', required: true, defaults: [], options: [{ label: 'A' }] };
  assert.deepEqual(answerSoFar(required, {}), {});
  assert.deepEqual(answerSoFar(required, { picked: [0], note: 'soon' }), {
    picked: [0],
    note: 'soon',
  });
});

test('a note is shown as such beside an answer, and is the answer alone', () => {
  const question = { text: 'Q', defaults: [], options: [{ label: 'A (Recommended)' }] };
  assert.deepEqual(textsOf(question, { picked: [0], text: ' b ', note: ' soon\n' }), [
    'A',
    'b',
    'Note: soon',
  ]);
  assert.deepEqual(textsOf(question, { note: 'soon' }), ['soon']);
  assert.deepEqual(textsOf(question, { picked: [0], note: ' ' }), ['A']);
  assert.equal(formOf({ questions: [{ notes: true }] }).questions[0].notes, true);
  assert.equal('notes' in formOf({ questions: [{}] }).questions[0], false);
});

test('an answer is checked as the service does', () => {
  const question = { text: 'Q', defaults: [], options: [] };
  assert.ok(takesText({ ...question, custom: false }), 'without options there is no other way');
  assert.equal(takesText({ ...question, custom: false, options: [{ label: 'A' }] }), false);
  for (const blank of [undefined, {}, { picked: [] }, { text: ' \n' }])
    assert.equal(isAnswered(blank), false);
  assert.equal(problemOf({ ...question, required: true }, {}), 'This needs an answer.');
  assert.equal(problemOf(question, {}), '');
  for (const number of ['0', '-1', '12.5', '1e9', ' 7 ']) assert.ok(isNumber(number), number);
  for (const other of [
    '',
    '01',
    '.5',
    '1.',
    '0x1',
    'NaN',
    '1 2',
    '+1',
    '1e999',
    '-1e999',
    '9'.repeat(400),
  ])
    assert.equal(isNumber(other), false, other);
  assert.equal(
    problemOf({ ...question, kind: 'number' }, { text: 'x' }),
    'This has to be a number.',
  );
});

test('the texts of an answer are labels as they are shown, then own words', () => {
  const question = {
    text: 'Q',
    defaults: [],
    options: [{ label: 'A (Recommended)' }, { label: 'B' }],
  };
  assert.deepEqual(textsOf(question, { picked: [1, 0, 9], text: ' C ', note: '' }), [
    'B',
    'A',
    'C',
  ]);
  assert.deepEqual(textsOf(question, undefined), []);
});
