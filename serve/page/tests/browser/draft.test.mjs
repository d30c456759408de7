// Answers before they are sent: drafts, and the few seconds in which one can be taken back.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Mock } from '../mock.mjs';
import { PNG, QUESTION, eventually, newPage, until } from '../help.mjs';

async function asked(t, { clock = false, ...options } = {}) {
  const mock = await new Mock().start();
  t.after(() => mock.stop());
  const conversation = mock
    .conversation('c')
    .emit('turn', { index: 0 })
    .emit('complete', options.question ?? QUESTION);
  const { page } = await newPage(t, options);
  if (clock) await page.clock.install();
  await page.goto(`${mock.url}/#/c/c`);
  await eventually(
    async () => (clock && (await page.clock.runFor(50)), page.locator('.take:enabled').count()),
  );
  // From here on only the test moves the clock.
  if (clock) await page.clock.pauseAt(await page.evaluate(() => Date.now() + 10_000));
  return { mock, conversation, page };
}

test('a draft survives a reload and a restart of the browser, and is removed when it is sent', async (t) => {
  const { page, mock } = await asked(t);
  await page.click('.edit >> nth=1');
  await page.keyboard.type(', but later');
  await page.reload();
  await page.waitForSelector('.take:enabled');
  assert.equal(await page.inputValue('.answer textarea'), 'PostgreSQL, but later');
  assert.match(await page.locator('.chip').textContent(), /suggestion 2/);
  await page.click('.answer .primary');
  await page.waitForSelector('.answered:not([hidden])');
  assert.deepEqual(mock.answers, [{ number: 0, suggestion: 1, text: 'PostgreSQL, but later' }]);
  assert.equal(
    await page.evaluate(
      () => Object.keys(localStorage).filter((key) => key.includes('draft')).length,
    ),
    0,
  );
});

test('a draft belongs to its question, not to another one with the same number', async (t) => {
  const { page, mock } = await asked(t);
  await page.fill('.answer textarea', 'about recipes');
  mock.restart();
  mock
    .conversation('c')
    .emit('turn', { index: 0 })
    .emit('complete', { ...QUESTION, question: 'Another one?' });
  await page.reload();
  await page.waitForSelector('.question >> text=Another one?');
  assert.equal(await page.inputValue('.answer textarea'), '');
});

test('at most 50 drafts are kept', async (t) => {
  const { page } = await asked(t);
  await page.evaluate(() => {
    for (let n = 0; n < 60; n++)
      localStorage.setItem(
        `followup.draft.old.${n}`,
        JSON.stringify({ asked: '', at: n, text: 'x', edited: null }),
      );
  });
  await page.fill('.answer textarea', 'new');
  const kept = await page.evaluate(() =>
    Object.keys(localStorage).filter((key) => key.startsWith('followup.draft.')),
  );
  assert.equal(kept.length, 50);
  assert.ok(kept.includes('followup.draft.c.0') && !kept.includes('followup.draft.old.0'));
});

test('an answer can be taken back before it is sent', async (t) => {
  const { page, mock } = await asked(t, { clock: true, undo: true });
  await page.keyboard.press('1');
  await page.waitForSelector('.undo:not([hidden])');
  assert.equal(await page.locator('.suggestion.chosen').count(), 1);
  await page.clock.runFor(3900);
  assert.deepEqual(mock.answers, []);
  await page.click('.undo button');
  await page.clock.runFor(10_000);
  assert.deepEqual(mock.answers, []);
  assert.equal(await page.locator('.take:enabled').count(), 3);
  await page.fill('.answer textarea', 'my words');
  await page.keyboard.press('Enter');
  await page.waitForSelector('.undo:not([hidden])');
  await page.keyboard.press('Escape');
  await page.waitForSelector('.undo', { state: 'hidden' });
  assert.equal(await page.inputValue('.answer textarea'), 'my words');
  assert.deepEqual(mock.answers, []);
});

/** Holds Enter: after its first press, the keyboard repeats it. */
async function holdsEnter(page) {
  await page.keyboard.down('Enter');
  await page.waitForSelector('.undo:not([hidden])');
  for (let times = 0; times < 3; times++) {
    await page.clock.runFor(400);
    await page.keyboard.down('Enter');
  }
  await page.keyboard.up('Enter');
}

test('Enter that is held down or pressed twice takes nothing back', async (t) => {
  const { page, mock } = await asked(t, { clock: true, undo: true });
  await page.locator('.take >> nth=1').focus();
  await holdsEnter(page);
  assert.ok(await page.locator('.undo').isVisible());
  await page.keyboard.press('Escape');
  await page.waitForSelector('.undo', { state: 'hidden' });
  await page.fill('.answer textarea', 'my words');
  await page.keyboard.press('Enter');
  await page.waitForSelector('.undo:not([hidden])');
  await page.clock.runFor(300);
  await page.keyboard.press('Enter');
  assert.ok(
    await page.locator('.undo').isVisible(),
    'the second press comes too early to be meant',
  );
  await page.clock.runFor(1000);
  await page.keyboard.press('Enter');
  await page.waitForSelector('.undo', { state: 'hidden' });
  assert.equal(await page.inputValue('.answer textarea'), 'my words');
  await page.locator('.answer textarea').focus();
  await holdsEnter(page);
  await page.clock.runFor(3000);
  await eventually(() => mock.answers.length);
  assert.deepEqual(mock.answers, [{ number: 0, text: 'my words' }]);
});

test('what was taken back is announced, and has the focus again', async (t) => {
  const { page } = await asked(t, { clock: true, undo: true });
  const announced = () =>
    eventually(
      async () => (
        await page.clock.runFor(150),
        (await page.locator('#live').textContent()).includes('Taken back.')
      ),
    );
  const focused = () =>
    page.evaluate(() => document.activeElement?.textContent || document.activeElement?.localName);
  await page.locator('.take >> nth=1').focus();
  await page.keyboard.press('Enter');
  await page.waitForSelector('.undo:not([hidden])');
  await page.click('.undo button');
  await announced();
  assert.match(await focused(), /PostgreSQL/);
  await page.fill('.answer textarea', 'my words');
  await page.keyboard.press('Enter');
  await page.waitForSelector('.undo:not([hidden])');
  await page.keyboard.press('Escape');
  await announced();
  assert.equal(await focused(), 'textarea');
});

test('after a few seconds the answer is sent', async (t) => {
  const { page, mock } = await asked(t, { clock: true, undo: true });
  await page.click('.take >> nth=1');
  await page.waitForSelector('.undo:not([hidden])');
  await page.clock.runFor(4100);
  await eventually(() => mock.answers.length);
  assert.deepEqual(mock.answers, [{ number: 0, suggestion: 1 }]);
});

test('leaving the conversation sends the answer at once', async (t) => {
  const { page, mock } = await asked(t, { clock: true, undo: true });
  await page.keyboard.press('1');
  await page.waitForSelector('.undo:not([hidden])');
  await page.evaluate(() => (location.hash = '#/'));
  await eventually(() => mock.answers.length);
  assert.deepEqual(mock.answers, [{ number: 0, suggestion: 0 }]);
});

test('leaving the page sends the answer at once', async (t) => {
  const { page, mock } = await asked(t, { clock: true, undo: true });
  await page.keyboard.press('1');
  await page.waitForSelector('.undo:not([hidden])');
  await page.goto('about:blank');
  await eventually(() => mock.answers.length);
  assert.deepEqual(mock.answers, [{ number: 0, suggestion: 0 }]);
});

test('a page that is hidden sends the answer at once: its timers may never run again', async (t) => {
  const { page, mock } = await asked(t, { clock: true, undo: true });
  await page.click('.take >> nth=1');
  await page.waitForSelector('.undo:not([hidden])');
  await page.evaluate(() => {
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => true });
    document.dispatchEvent(new Event('visibilitychange'));
  });
  await eventually(() => mock.answers.length);
  assert.deepEqual(mock.answers, [{ number: 0, suggestion: 1 }]);
});

test('the browser asks before a page with attached images is closed, and only then', async (t) => {
  const { page } = await asked(t);
  const asks = async () => {
    const dialog = page.waitForEvent('dialog', { timeout: 1000 }).catch(() => null);
    await page.evaluate(() => void setTimeout(() => location.reload()));
    return (await dialog)?.type() ?? 'no';
  };
  await page.setInputFiles('.answer input[type=file]', {
    name: 'a.png',
    mimeType: 'image/png',
    buffer: PNG,
  });
  await page.waitForSelector('.answer .tray li');
  await page.click('.answer textarea');
  assert.equal(await asks(), 'beforeunload');
  await page.click('.answer .tray .remove');
  assert.equal(await asks(), 'no');
});

test('an answer from elsewhere ends the wait, and nothing is sent', async (t) => {
  const { page, mock, conversation } = await asked(t, { clock: true, undo: true });
  await page.keyboard.press('1');
  await page.waitForSelector('.undo:not([hidden])');
  conversation.emit('closed', { number: 0, why: 'answered_elsewhere', said: 'x' });
  await eventually(
    async () => (await page.clock.runFor(50), page.locator('.call[data-state=elsewhere]').count()),
  );
  await page.clock.runFor(10_000);
  assert.deepEqual(mock.answers, []);
});

test('taking back can be turned off', async (t) => {
  const { page } = await asked(t, { undo: true });
  await page.click('#help-button');
  assert.equal(await page.isChecked('#undo'), true);
  await page.uncheck('#undo');
  await page.click('#help-close');
  await page.keyboard.press('1');
  await page.waitForSelector('.answered:not([hidden])');
});

const many = (count) => ({
  ...QUESTION,
  suggest: Array.from({ length: count }, (_, n) => ({ answer: `Choice ${n + 1}` })),
});

test('suggestions beyond 9 have numbers of two digits', async (t) => {
  const { page, mock } = await asked(t, { clock: true, question: many(12) });
  assert.equal(await page.locator('.take .key').last().textContent(), '12');
  await page.keyboard.press('1');
  assert.deepEqual(mock.answers, []);
  await page.keyboard.press('2');
  await eventually(() => mock.answers.length);
  assert.deepEqual(mock.answers, [{ number: 0, suggestion: 11 }]);
});

test('one digit is taken after a short wait, or at once if no second one is possible', async (t) => {
  for (const [key, wait] of [
    ['1', 900],
    ['2', 0],
  ]) {
    const { page, mock } = await asked(t, { clock: true, question: many(12) });
    await page.keyboard.press(key);
    if (wait) assert.deepEqual(mock.answers, []);
    await page.clock.runFor(wait);
    await eventually(() => mock.answers.length);
    assert.deepEqual(mock.answers, [{ number: 0, suggestion: Number(key) - 1 }]);
  }
});
