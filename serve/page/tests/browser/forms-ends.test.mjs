// Forms that end without an answer.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FORM } from '../forms.mjs';
import { asked } from '../opened.mjs';

const SHOWN = '.panel:not([hidden])';
const talk = '.answer >> text=Talk about it';
const one = (index) => ({ ...FORM, questions: [FORM.questions[index]] });
const discussed = (page) => page.waitForSelector('.call[data-state=discussed]');

async function agreesToTalk(page) {
  await page.click(talk);
  await page.waitForSelector(
    '.confirm >> text=Talk about it first? The model gets your answers so far.',
  );
  await page.click('.confirm .danger');
}

test('a form can be talked about first, with the answers so far', async (t) => {
  const { page, mock } = await asked(t, FORM, {}, { can_discuss: true });
  await page.click(`${SHOWN} .take >> nth=1`);
  await page.waitForSelector(`${SHOWN} .take[role=checkbox]`);
  await page.click(talk);
  await page.click('.confirm >> text=Keep it');
  assert.deepEqual(mock.answers, [], 'nothing is sent unless the user agrees');
  await agreesToTalk(page);
  await discussed(page);
  assert.deepEqual(mock.answers, [{ number: 0, discuss: true, form: [{ picked: [1] }, {}, {}] }]);
  assert.match(await page.locator('.answered').textContent(), /You want to talk about it first/);
  assert.match(await page.locator('.review').innerText(), /PostgreSQL/);
  assert.equal(await page.locator('form.answer').count(), 0, 'nothing is left to be sent');
});

test('one question can be talked about with what was written', async (t) => {
  const { page, mock } = await asked(t, one(1), {}, { can_discuss: true });
  await page.click(`${SHOWN} .take >> nth=0`);
  await page.fill('.answer textarea', 'A map');
  await agreesToTalk(page);
  await discussed(page);
  assert.deepEqual(mock.answers, [
    { number: 0, discuss: true, form: [{ picked: [0], text: 'A map' }] },
  ]);
  assert.match(await page.locator('.answered').innerText(), /List[^]*A map/);
  assert.equal(await page.locator('form.answer').count(), 0);
});

test('a talk that the service refuses loses nothing', async (t) => {
  const { page, mock } = await asked(t, one(1), {}, { can_discuss: true });
  await page.fill('.answer textarea', 'A map');
  mock.refuse = { status: 422, code: 'no_discussion', message: 'The tool has no reply for that.' };
  await agreesToTalk(page);
  await page.waitForSelector('.answer .problem >> text=The tool has no reply for that.');
  assert.equal(await page.inputValue('.answer textarea'), 'A map');
  assert.equal(await page.locator(talk).isEnabled(), true);
});

test('there is no button where the tool has no reply for a talk', async (t) => {
  const { page } = await asked(t);
  assert.equal(await page.locator(talk).count(), 0);
  assert.equal(await page.locator('.answer >> text=Decline').count(), 1);
});

test('a form that timed out shows so, and keeps what was not sent', async (t) => {
  const { page, conversation } = await asked(t, one(2), {}, { can_discuss: true });
  await page.fill('.answer textarea', 'Cook');
  conversation.emit('replied', { number: 0, kind: 'timed_out', said: '', images: [] });
  await page.waitForSelector('.call[data-state=timed_out]');
  assert.match(await page.locator('.answered').textContent(), /The time for an answer was over/);
  assert.equal(await page.inputValue('.answer textarea'), 'Cook');
});

for (const [why, state] of [
  ['dismissed', 'dismissed'],
  ['answered_elsewhere', 'elsewhere'],
]) {
  test(`what was picked in a form that is ${state} is shown as not sent, and not as the answer`, async (t) => {
    const { page, conversation } = await asked(t);
    await page.click(`${SHOWN} .take >> nth=1`);
    conversation.emit('closed', { number: 0, why });
    await page.waitForSelector(`.call[data-state=${state}]`);
    assert.match(await page.inputValue('.unsent textarea'), /PostgreSQL/);
    assert.doesNotMatch(await page.locator('.review').innerText(), /PostgreSQL/);
    assert.equal(await page.locator('.tab.done, .suggestion.chosen').count(), 0);
  });
}
