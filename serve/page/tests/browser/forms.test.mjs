// Several questions in one call: how they grow, and how they are answered.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FORM, completed, partials } from '../forms.mjs';
import { until } from '../help.mjs';
import { asked, opened } from '../opened.mjs';

/** A form with some of its questions changed. */
const formOf = (...questions) => ({
  ...FORM,
  questions: questions.map((more) => ({
    text: 'Q?',
    custom: true,
    multiple: false,
    options: [],
    ...more,
  })),
});
const SHOWN = '.panel:not([hidden])';
const answered = (page) => page.waitForSelector('.call[data-state=answered]');
const checked = (page) =>
  page
    .locator(`${SHOWN} .take`)
    .evaluateAll((rows) => rows.map((row) => row.getAttribute('aria-checked')));

test('questions are answered one after another, reviewed, and sent together', async (t) => {
  const { page, mock } = await asked(t);
  assert.deepEqual(await page.locator('[role=tab]').allTextContents(), [
    'Store',
    'Pages',
    'Name',
    'Review',
  ]);
  assert.equal(await page.locator(`${SHOWN} .take[role=radio]`).count(), 2);
  await page.click(`${SHOWN} .take >> nth=0`);
  await page.waitForSelector(`${SHOWN} .take[role=checkbox]`);
  await page.click(`${SHOWN} .take >> nth=2`);
  await page.click(`${SHOWN} .take >> nth=0`);
  await page.fill(`${SHOWN} .own textarea`, 'A map');
  await page.click('.steps >> text=Next');
  assert.equal(await page.getAttribute(`${SHOWN} .own textarea`, 'placeholder'), 'my-app');
  await page.click('.steps >> text=Review');
  assert.match(
    await page.locator('.review').innerText(),
    /SQLite[^]*List\nImport\nA map[^]*Not answered yet/,
  );
  await page.click('.review button >> nth=2');
  await page.fill(`${SHOWN} .own textarea`, 'Cook');
  await page.keyboard.press('Enter');
  await page.click('.answer .primary');
  await answered(page);
  assert.deepEqual(mock.answers, [
    { number: 0, form: [{ picked: [0] }, { picked: [0, 2], text: 'A map' }, { text: 'Cook' }] },
  ]);
  assert.match(await page.locator('.review').innerText(), /SQLite[^]*A map[^]*Cook/);
  assert.equal(
    await page
      .locator('.take:enabled, .review button:visible, .steps:visible, form.answer')
      .count(),
    0,
  );
});

test('a part of the questions can be sent, but nothing at all can not', async (t) => {
  const { page, mock } = await asked(t);
  await page.click('[role=tab] >> text=Review');
  assert.equal(await page.locator('.answer .primary').isDisabled(), true);
  await page.click('.review button >> nth=1');
  await page.click(`${SHOWN} .take >> nth=1`);
  await page.click('[role=tab] >> text=Review');
  await page.click('.answer .primary');
  await answered(page);
  assert.deepEqual(mock.answers, [{ number: 0, form: [{}, { picked: [1] }, {}] }]);
  assert.match(await page.locator('.review li >> nth=0').innerText(), /Not answered$/);
});

test('what needs an answer is shown, and asked for before the form is sent', async (t) => {
  const { page, mock } = await asked(
    t,
    formOf({ header: 'One', options: [{ label: 'A' }] }, { header: 'Two', required: true }),
  );
  await page.click(`${SHOWN} .take`);
  await page.waitForSelector(`${SHOWN} .needed`);
  await page.click('[role=tab] >> text=Review');
  assert.match(await page.locator('.review').innerText(), /Not answered yet: this needs an answer/);
  await page.click('.answer .primary');
  await page.waitForSelector('.answer .problem >> text=Two: This needs an answer.');
  assert.equal(await page.getAttribute('[role=tab] >> nth=1', 'aria-selected'), 'true');
  assert.deepEqual(mock.answers, []);
  await page.keyboard.type('now');
  await page.click('.steps >> text=Review');
  await page.click('.answer .primary');
  await answered(page);
  assert.deepEqual(mock.answers, [{ number: 0, form: [{ picked: [0] }, { text: 'now' }] }]);
});

test('a number has to be one', async (t) => {
  const { page, mock } = await asked(
    t,
    formOf({ header: 'Port', kind: 'number' }, { header: 'Name' }),
  );
  await page.fill(`${SHOWN} .own textarea`, 'eighty');
  await page.waitForSelector(`${SHOWN} .problem >> text=This has to be a number.`);
  await page.click('[role=tab] >> text=Review');
  await page.click('.answer .primary');
  await page.waitForSelector('.answer .problem >> text=Port: This has to be a number.');
  await page.fill(`${SHOWN} .own textarea`, '80');
  await page.click('[role=tab] >> text=Review');
  await page.click('.answer .primary');
  await answered(page);
  assert.deepEqual(mock.answers, [{ number: 0, form: [{ text: '80' }, {}] }]);
});

test('words of the user’s own replace one choice, and join several', async (t) => {
  const options = [{ label: 'A' }, { label: 'B' }];
  const { page, mock } = await asked(
    t,
    formOf({ options }, { options, multiple: true }, { options, custom: false }),
  );
  await page.click(`${SHOWN} .take >> nth=0`);
  await page.click('[role=tab] >> nth=0');
  await page.fill(`${SHOWN} .own textarea`, 'C');
  assert.deepEqual(await checked(page), ['false', 'false']);
  await page.click(`${SHOWN} .take >> nth=1`);
  await page.click('[role=tab] >> nth=0');
  assert.equal(await page.inputValue(`${SHOWN} .own textarea`), 'C', 'it is kept, and not sent');
  await page.click('[role=tab] >> nth=1');
  await page.fill(`${SHOWN} .own textarea`, 'C');
  await page.click(`${SHOWN} .take >> nth=1`);
  await page.click('[role=tab] >> nth=2');
  assert.equal(
    await page.locator(`${SHOWN} .own`).isVisible(),
    false,
    'no words where none are taken',
  );
  await page.click('[role=tab] >> text=Review');
  await page.click('.answer .primary');
  await answered(page);
  assert.deepEqual(mock.answers, [
    { number: 0, form: [{ picked: [1] }, { picked: [1], text: 'C' }, {}] },
  ]);
});

test('defaults are picked at first', async (t) => {
  const options = [
    { label: 'Production', value: 'p' },
    { label: 'Test', value: 't' },
  ];
  const { page } = await asked(
    t,
    formOf(
      { options, defaults: ['t'] },
      { options, multiple: true, defaults: ['p', 'Test'] },
      { defaults: ['main'] },
    ),
  );
  assert.deepEqual(await checked(page), ['false', 'true']);
  await page.click('[role=tab] >> nth=1');
  assert.deepEqual(await checked(page), ['true', 'true']);
  await page.click('[role=tab] >> nth=2');
  assert.equal(await page.inputValue(`${SHOWN} .own textarea`), 'main');
});

test('a form can be declined', async (t) => {
  const { page, mock } = await asked(t);
  await page.click('.answer >> text=Decline');
  await page.click('.confirm .danger');
  await page.waitForSelector('.call[data-state=declined]');
  assert.deepEqual(mock.answers, [{ number: 0, decline: true }]);
  assert.match(await page.locator('.answered').textContent(), /You declined to answer/);
});

test('one question with one choice is answered by a click', async (t) => {
  const { page, mock } = await asked(t, { ...FORM, questions: [FORM.questions[0]] });
  assert.equal(await page.locator('[role=tab], .steps:visible').count(), 0);
  assert.deepEqual(await page.locator('.tab:visible').allTextContents(), ['Store']);
  await page.keyboard.press('2');
  await answered(page);
  assert.deepEqual(mock.answers, [{ number: 0, suggestion: 1 }]);
  assert.equal(await page.locator('.answered .said').textContent(), 'PostgreSQL');
});

test('one question with several choices is sent with a button', async (t) => {
  const { page, mock } = await asked(t, { ...FORM, questions: [FORM.questions[1]] });
  assert.equal(await page.locator('.answer .primary').isDisabled(), true);
  await page.keyboard.press('1');
  await page.keyboard.press('3');
  assert.deepEqual(await checked(page), ['true', 'false', 'true']);
  await page.fill('.answer textarea', 'A map');
  await page.keyboard.press('Enter');
  await answered(page);
  assert.deepEqual(mock.answers, [{ number: 0, form: [{ picked: [0, 2], text: 'A map' }] }]);
  assert.deepEqual(await page.locator('.answered .said').allTextContents(), [
    'List',
    'Import',
    'A map',
  ]);
});

test('one question without options takes a text, and its placeholder is shown', async (t) => {
  const { page, mock } = await asked(t, { ...FORM, questions: [FORM.questions[2]] });
  assert.equal(await page.getAttribute('.answer textarea', 'placeholder'), 'my-app');
  await page.fill('.answer textarea', 'Cook');
  await page.keyboard.press('Enter');
  await answered(page);
  assert.deepEqual(mock.answers, [{ number: 0, text: 'Cook' }]);
});

test('a question that takes no words has no field for them', async (t) => {
  const { page, mock } = await asked(
    t,
    formOf({ options: [{ label: 'A' }, { label: 'B' }], custom: false }),
  );
  assert.equal(
    await page.locator('.answer textarea:visible, .answer .primary:visible, .edit:enabled').count(),
    0,
  );
  await page.click('.take >> nth=1');
  await answered(page);
  assert.deepEqual(mock.answers, [{ number: 0, suggestion: 1 }]);
});

test('a question can be answered as soon as it is closed, and is sent with the others', async (t) => {
  const { page, mock, conversation } = await opened(t);
  const all = partials(FORM);
  const second = all.findIndex(({ question }) => question === 1);
  for (const event of all.slice(0, second)) conversation.emit('form_partial', event);
  await page.waitForSelector('.take >> text=PostgreSQL');
  assert.equal(await page.locator('.take:enabled').count(), 0, 'the question may still change');
  conversation.emit('form_partial', all[second]);
  await page.waitForSelector('.take:enabled');
  await page.keyboard.press('2');
  await until(
    page,
    () => document.querySelectorAll('[role=tab]')[1]?.getAttribute('aria-selected') === 'true',
  );
  assert.equal(await page.locator('form.answer').count(), 0, 'nothing can be sent yet');
  for (const event of all.slice(second + 1)) conversation.emit('form_partial', event);
  conversation.emit('complete', completed(FORM)).emit('end', { index: 0, cut_off: false });
  await page.waitForSelector(`${SHOWN} .take[role=checkbox]:enabled`);
  await page.click('[role=tab] >> text=Review');
  await page.click('.answer .primary');
  await answered(page);
  assert.deepEqual(mock.answers, [{ number: 0, form: [{ picked: [1] }, {}, {}] }]);
});

test('answers are kept when the page is reloaded, also before the call is complete', async (t) => {
  const { page, mock, conversation } = await opened(t);
  const all = partials(FORM);
  const third = all.findIndex(({ question }) => question === 2);
  for (const event of all.slice(0, third)) conversation.emit('form_partial', event);
  await page.waitForSelector('.take:enabled');
  await page.keyboard.press('2');
  await page.waitForSelector('[role=tab].done');
  await page.reload();
  await page.waitForSelector('[role=tab].done');
  for (const event of all.slice(third)) conversation.emit('form_partial', event);
  conversation.emit('complete', completed(FORM)).emit('end', { index: 0, cut_off: false });
  await page.click('[role=tab] >> text=Pages');
  await page.fill(`${SHOWN} .own textarea`, 'A map');
  await page.reload();
  await page.click('[role=tab] >> text=Review');
  assert.match(await page.locator('.review').innerText(), /PostgreSQL[^]*A map/);
  await page.click('.answer .primary');
  await answered(page);
  assert.deepEqual(mock.answers, [{ number: 0, form: [{ picked: [1] }, { text: 'A map' }, {}] }]);
  await page.reload();
  await answered(page);
  assert.equal(await page.locator('form.answer').count(), 0, 'nothing is left of it');
});

test('an answer from elsewhere is shown, and what was picked here is not lost', async (t) => {
  const { page, conversation } = await asked(t);
  await page.keyboard.press('2');
  conversation.emit('replied', {
    number: 0,
    kind: 'answer',
    said: 'x',
    answers: [{ picked: [0] }, { text: 'None' }, {}],
    images: [],
  });
  await answered(page);
  assert.match(await page.locator('.review').innerText(), /SQLite[^]*None[^]*Not answered/);
  assert.match(await page.inputValue('.unsent textarea'), /recipes[^]*PostgreSQL/);
  await page.click('text=Discard');
  assert.equal(await page.locator('form.answer').count(), 0);
});

test('Enter that is held down answers one question, or shows the next one, and sends nothing', async (t) => {
  for (const start of [`${SHOWN} .take >> nth=0`, '.steps >> text=Next']) {
    const { page, mock } = await asked(
      t,
      formOf(...Array(3).fill({ options: [{ label: 'A' }, { label: 'B' }] })),
    );
    await page.locator(start).focus();
    for (let times = 0; times < 8; times++) await page.keyboard.down('Enter');
    await page.keyboard.up('Enter');
    assert.equal(await page.getAttribute('[role=tab] >> nth=1', 'aria-selected'), 'true', start);
    assert.deepEqual(await checked(page), ['false', 'false']);
    assert.deepEqual(mock.answers, []);
  }
});

test('a double click answers one question, and checks or unchecks a box twice', async (t) => {
  const options = [{ label: 'A' }, { label: 'B' }];
  for (const multiple of [false, true]) {
    const { page } = await asked(t, formOf({ options }, { options, multiple }));
    await page.dblclick(`${SHOWN} .take >> nth=0`);
    assert.equal(await page.getAttribute('[role=tab] >> nth=1', 'aria-selected'), 'true');
    assert.deepEqual(await checked(page), ['false', 'false']);
    if (!multiple) continue;
    await page.waitForTimeout(600);
    await page.dblclick(`${SHOWN} .take >> nth=1`);
    assert.deepEqual(await checked(page), ['false', 'false']);
    await page.click(`${SHOWN} .take >> nth=0`);
    assert.deepEqual(await checked(page), ['true', 'false']);
  }
});

test('a tab that only shows the questions keeps the draft of another tab', async (t) => {
  const { page, context, mock } = await asked(t);
  const other = await context.newPage();
  await other.goto(`${mock.url}/#/c/c`);
  await other.waitForSelector('.call[data-state=open]');
  await page.click(`${SHOWN} .take >> nth=1`);
  await page.fill(`${SHOWN} .own textarea`, 'A map');
  await other.click('.steps >> text=Next');
  await page.reload();
  await page.click('[role=tab] >> text=Review');
  assert.match(await page.locator('.review').innerText(), /PostgreSQL[^]*A map/);
});
