// A note with an option: where the reply of the tool has a place for one, and nowhere else.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FORM, completed, partials } from '../forms.mjs';
import { asked, opened } from '../opened.mjs';

/** Questions of the form whose options take a note. */
const noted = (...indexes) => ({
  ...FORM,
  questions: indexes.map((index) => ({
    ...FORM.questions[index],
    ...(FORM.questions[index].options.length ? { notes: true } : {}),
  })),
});
const SHOWN = '.panel:not([hidden])';
const ADD = '.remark:not([hidden]) > button';
const NOTE = '.remark:not([hidden]) textarea';
const answered = (page) => page.waitForSelector('.call[data-state=answered]');

test('a note is reviewed and sent with the options of its question', async (t) => {
  const { page, mock } = await asked(t, noted(0, 1, 2));
  await page.click(ADD);
  await page.keyboard.type('not on Friday');
  await page.click(`${SHOWN} .take >> nth=1`);
  assert.equal(await page.locator(NOTE).isVisible(), false, 'the next question has its own');
  await page.click(`${SHOWN} .take >> nth=0`);
  await page.click('.steps >> text=Next');
  assert.equal(
    await page.locator('.remark:not([hidden])').count(),
    0,
    'a question without options has none',
  );
  await page.click('.steps >> text=Review');
  assert.match(
    await page.locator('.review').innerText(),
    /PostgreSQL\nNote: not on Friday[^]*List\n/,
  );
  await page.click('.answer .primary');
  await answered(page);
  assert.deepEqual(mock.answers, [
    { number: 0, form: [{ picked: [1], note: 'not on Friday' }, { picked: [0] }, {}] },
  ]);
  assert.match(await page.locator('.review').innerText(), /PostgreSQL\nNote: not on Friday/);
  assert.equal(await page.locator('.remark:visible').count(), 0);
});

test('a note to the only question goes with the option that is clicked', async (t) => {
  const { page, mock } = await asked(t, noted(0));
  await page.click(ADD);
  await page.keyboard.type('soon\nor never');
  await page.click('.take >> nth=1');
  await answered(page);
  assert.deepEqual(mock.answers, [{ number: 0, form: [{ picked: [1], note: 'soon\nor never' }] }]);
  assert.deepEqual(await page.locator('.answered .said').allTextContents(), [
    'PostgreSQL',
    'Note: soon\nor never',
  ]);
  assert.equal(await page.locator('form.answer').count(), 0, 'nothing is left of it');
});

test('a note to the only question goes with several options, and with own words', async (t) => {
  for (const [index, answer, sent] of [
    [
      1,
      async (page) => (await page.click('.take >> nth=2'), await page.click('.answer .primary')),
      { form: [{ picked: [2], note: 'soon' }] },
    ],
    [
      0,
      async (page) => (
        await page.fill('.answer textarea', 'On paper'),
        await page.keyboard.press('Enter')
      ),
      { form: [{ text: 'On paper', note: 'soon' }] },
    ],
    [
      0,
      async (page) => (
        await page.click('.edit >> nth=1'),
        await page.keyboard.type(' 17'),
        await page.keyboard.press('Enter')
      ),
      { suggestion: 1, text: 'PostgreSQL 17\nsoon' },
    ],
  ]) {
    const { page, mock } = await asked(t, noted(index));
    await page.click(ADD);
    await page.fill(NOTE, ' soon ');
    await answer(page);
    await answered(page);
    assert.deepEqual(mock.answers, [{ number: 0, ...sent }]);
  }
});

test('without a place for a note in the reply, none is offered', async (t) => {
  for (const form of [FORM, { ...FORM, questions: [FORM.questions[0]] }]) {
    const { page } = await asked(t, form);
    assert.equal(await page.locator('.remark:visible').count(), 0);
  }
});

test('a note survives a reload, and is not lost if the question is answered elsewhere', async (t) => {
  const { page, conversation } = await asked(t, noted(0));
  await page.click(ADD);
  await page.keyboard.type('not on Friday');
  await page.reload();
  await page.waitForSelector(NOTE);
  assert.equal(await page.inputValue(NOTE), 'not on Friday');
  conversation.emit('closed', { number: 0, why: 'answered_elsewhere' });
  await page.waitForSelector('.unsent');
  assert.equal(await page.inputValue('.unsent textarea'), 'not on Friday');
});

test('what is shown does not move when it becomes known that a note can be added', async (t) => {
  const { page, conversation } = await opened(t);
  const form = noted(0, 1);
  const events = partials(form);
  for (const event of events) conversation.emit('form_partial', event);
  await page.waitForSelector(`${SHOWN} .take:enabled`);
  await page.waitForSelector(`${SHOWN} .question strong`);
  const places = () =>
    page.evaluate(() =>
      [...document.querySelectorAll('.call :is(.tab, .question, .take, .own, .steps button)')]
        .filter((element) => element.checkVisibility())
        .map(
          (element) =>
            `${element.textContent} ${element.getBoundingClientRect().y - element.closest('.call').getBoundingClientRect().y}`,
        ),
    );
  const before = await places();
  conversation.emit('complete', completed(form));
  await page.waitForSelector(ADD);
  const after = await places();
  assert.deepEqual(
    before.filter((place) => !after.includes(place)),
    [],
  );
});
