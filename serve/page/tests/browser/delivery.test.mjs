// What becomes of questions and answers: delivered, closed elsewhere, dismissed, deleted,
// restarted.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Mock } from '../mock.mjs';
import { QUESTION, eventually, newPage, until } from '../help.mjs';

async function asked(t, options) {
  const mock = await new Mock().start();
  t.after(() => mock.stop());
  const conversation = mock
    .conversation('c')
    .emit('turn', { index: 0 })
    .emit('complete', QUESTION)
    .emit('end', { index: 0, cut_off: false });
  const { page, context } = await newPage(t, options);
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.goto(`${mock.url}/#/c/c`);
  await page.waitForSelector('.take:enabled');
  return { mock, conversation, page };
}

const clipboard = (page) => page.evaluate(() => navigator.clipboard.readText());
const delivery = (page, text) => page.waitForSelector(`.delivery >> text=${text}`);

test('the page says what became of an answer', async (t) => {
  const { page, conversation } = await asked(t);
  await page.keyboard.press('2');
  await page.waitForSelector('.answered:not([hidden])');
  assert.equal(await page.locator('.delivery').count(), 0, 'as long as the service does not say');
  conversation.emit('delivery', { numbers: [0], state: 'pending' });
  await delivery(page, 'waiting for your agent to collect it');
  await page.click('text=Copy the answer');
  await page.waitForSelector('.delivery >> text=Copied');
  assert.equal(await clipboard(page), 'PostgreSQL');
  conversation.emit('delivery', { numbers: [0], state: 'collected' });
  await delivery(page, 'collected');
  assert.equal(await page.locator('.delivery button').count(), 0);
  conversation.emit('delivery', { numbers: [0], state: 'sent' });
  await delivery(page, 'sent to the model');
  await page.reload();
  await delivery(page, 'sent to the model');
});

test('an answer that was not delivered can be copied, and tried again', async (t) => {
  const { page, mock, conversation } = await asked(t);
  await page.keyboard.press('1');
  conversation.emit('delivery', {
    numbers: [0],
    state: 'failed',
    why: 'The provider is overloaded.',
    retry: true,
  });
  await delivery(page, 'not delivered: copy it');
  await page.waitForSelector('.delivery .why >> text=The provider is overloaded.');
  await page.click('text=Copy the answer');
  await page.waitForSelector('.delivery >> text=Copied');
  assert.equal(await clipboard(page), 'SQLite');
  mock.refuse = {
    status: 409,
    code: 'nothing_to_retry',
    message: 'There is nothing to try again.',
  };
  await page.click('.delivery >> text=Try again');
  await page.waitForSelector('.delivery .why >> text=There is nothing to try again.');
  mock.refuse = null;
  await page.click('.delivery >> text=Try again');
  await eventually(() => mock.acts.length);
  assert.deepEqual(mock.acts, [['POST', 'retry']]);
  conversation.emit('delivery', {
    numbers: [0],
    state: 'failed',
    why: 'Its key was refused.',
    retry: false,
  });
  await page.waitForSelector('.delivery .why >> text=Its key was refused.');
  assert.equal(await page.locator('.delivery >> text=Try again').count(), 0);
});

test('guidance has a delivery, too', async (t) => {
  const { page, conversation } = await asked(t);
  conversation
    .emit('replied', { number: null, kind: 'guidance', said: 'Go on', images: [] })
    .emit('delivery', { numbers: [], guidance: true, state: 'pending' });
  await page.waitForSelector('.answered.item .delivery >> text=waiting for your agent');
});

test('a question that was answered elsewhere shows the answer, and keeps the draft', async (t) => {
  const { page, conversation } = await asked(t);
  await page.fill('.answer textarea', 'half a thought');
  conversation.emit('closed', { number: 0, why: 'answered_elsewhere', said: 'Neither, **sorry**' });
  await page.waitForSelector('.call[data-state=elsewhere] .answered >> text=Answered elsewhere:');
  assert.equal(await page.locator('.answered .said').textContent(), 'Neither, **sorry**');
  assert.equal(await page.inputValue('.unsent textarea'), 'half a thought');
  assert.equal(await page.locator('.take:enabled').count(), 0);
  await page.reload();
  assert.equal(await page.inputValue('.unsent textarea'), 'half a thought', 'after a reload, too');
  await page.click('text=Discard');
  await page.reload();
  await page.waitForSelector('.call[data-state=elsewhere]');
  assert.equal(await page.locator('.unsent').count(), 0);
});

for (const [code, words] of [
  ['answered_elsewhere', /was answered elsewhere in the meantime/],
  ['dismissed', /was dismissed in the meantime/],
]) {
  test(`an answer that comes too late keeps the draft and says so: ${code}`, async (t) => {
    const { page, mock } = await asked(t);
    mock.refuse = { status: 409, code, message: 'm' };
    await page.fill('.answer textarea', 'late');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.answer .problem:not([hidden])');
    assert.match(await page.locator('.answer .problem').textContent(), words);
    assert.equal(await page.inputValue('.answer textarea'), 'late');
  });
}

test('dismissing a question asks first', async (t) => {
  const { page, mock } = await asked(t);
  await page.click('#dismiss');
  await page.keyboard.press('Escape');
  await until(page, () => !document.querySelector('dialog[open]'));
  assert.deepEqual(mock.acts, []);
  await page.click('#dismiss');
  await page.click('.confirm .danger');
  await page.waitForSelector('.call[data-state=dismissed]');
  assert.deepEqual(mock.acts, [['POST', 'dismiss']]);
  assert.equal(await page.locator('#dismiss').isVisible(), false);
});

test('deleting a conversation asks first, and leads back to the list', async (t) => {
  const { page, mock } = await asked(t);
  await page.click('#delete');
  await page.click('.confirm >> text=Keep it');
  await until(page, () => !document.querySelector('dialog[open]'));
  assert.deepEqual(mock.acts, []);
  await page.click('#delete');
  await page.click('.confirm .danger');
  await until(
    page,
    () => location.hash === '#/' && document.querySelectorAll('#list li').length === 0,
  );
  assert.deepEqual(mock.acts, [['DELETE', '']]);
});

test('a deletion that fails is reported', async (t) => {
  const { page, mock, conversation } = await asked(t);
  mock.refuse = { status: 500, code: 'x', message: 'It did not work.' };
  await page.click('#delete');
  await page.click('.confirm .danger');
  await page.waitForSelector('#notice >> text=It did not work.');
  conversation.emit('turn', { index: 1 }).emit('text', { text: 'And more.' });
  await page.waitForSelector('.prose >> text=And more.');
  assert.ok(
    await page.locator('#notice >> text=It did not work.').isVisible(),
    'it stays while the model writes',
  );
  mock.refuse = null;
  await page.click('#dismiss');
  await page.click('.confirm .danger');
  await page.waitForSelector('.call[data-state=dismissed]');
  assert.equal(await page.locator('#notice').isVisible(), false, 'until something else is tried');
});

test('corrections that were not delivered can be tried again', async (t) => {
  const { page, mock, conversation } = await asked(t);
  conversation.emit('delivery', {
    numbers: [],
    state: 'failed',
    why: 'The provider is overloaded.',
    retry: true,
  });
  await delivery(page, 'The model was not told what is wrong with its question.');
  await page.reload();
  await page.click('.delivery >> text=Try again');
  await eventually(() => mock.acts.length);
  assert.deepEqual(mock.acts, [['POST', 'retry']]);
  conversation.emit('turn', { index: 1 });
  await until(page, () => !document.querySelector('.delivery'));
  conversation.emit('delivery', { numbers: [], state: 'failed', retry: true });
  await page.waitForSelector('.delivery >> text=Try again');
  conversation.emit('delivery', { numbers: [], state: 'collected', retry: false });
  await until(page, () => !document.querySelector('.delivery'));
});

test('after a restart of the service the page says so in one place, and offers what can be done', async (t) => {
  const { page, mock } = await asked(t);
  await page.fill('.answer textarea', 'not sent yet');
  mock.restart();
  await page.waitForSelector('#notice >> text=the service was restarted');
  assert.equal(await page.locator('.problem:visible').count(), 0, 'in one place');
  assert.equal(await page.inputValue('.answer textarea'), 'not sent yet');
  await page.click('text=Copy what you wrote');
  await page.waitForSelector('#notice >> text=Copied');
  assert.equal(await clipboard(page), 'not sent yet');
  await page.click('#notice >> text=All conversations');
  await until(page, () => document.body.dataset.shows === 'list');
  assert.equal(await page.locator('#notice').isVisible(), false);
});

test('a restart is reported on the list, too', async (t) => {
  const { page, mock } = await asked(t);
  await page.evaluate(() => (location.hash = '#/'));
  await until(page, () => document.body.dataset.shows === 'list');
  mock.restart();
  await page.waitForSelector('#notice >> text=The service was restarted.');
});
