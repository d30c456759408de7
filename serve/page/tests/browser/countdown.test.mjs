// When the countdown to the automatic answer runs, and what stops it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Mock } from '../mock.mjs';
import { QUESTION, eventually, newPage, until } from '../help.mjs';

/** Opens a page with a countdown of 10 s and a clock that the test advances. */
async function opened(t, { isOpen = true, suggest = QUESTION.suggest, draft = '' } = {}) {
  const mock = await new Mock().start();
  t.after(() => mock.stop());
  const conversation = mock
    .conversation('c')
    .emit('turn', { index: 0 })
    .emit('complete', { ...QUESTION, suggest, open: isOpen });
  const { page } = await newPage(t);
  await page.addInitScript(() => localStorage.setItem('followup.countdown', '10'));
  if (draft)
    await page.addInitScript((draft) => localStorage.setItem('followup.draft.c.0', draft), draft);
  // Only the test moves the clock.
  await page.clock.install({ time: 0 });
  await page.clock.pauseAt(1000);
  await page.goto(`${mock.url}/#/c/c`);
  // Animation frames need a running clock.
  await eventually(async () => (await page.clock.runFor(50), page.locator('.call').count()));
  return { mock, conversation, page };
}

const clock = (page) => page.locator('.clock > span');

test('the countdown takes the first suggestion', async (t) => {
  const { page, mock } = await opened(t);
  await clock(page).waitFor();
  assert.match(await clock(page).textContent(), /^Takes “SQLite” in (10|9) s$/);
  await page.clock.runFor(5000);
  assert.match(await clock(page).textContent(), /in [45] s/);
  assert.deepEqual(
    await page.locator('.suggestion.next .text').allTextContents(),
    ['SQLite'],
    'and it is marked',
  );
  assert.deepEqual(mock.answers, []);
  await page.clock.runFor(6000);
  await eventually(() => mock.answers.length);
  assert.deepEqual(mock.answers, [{ number: 0, suggestion: 0 }]);
});

test('it does not run if there is a draft from before the page was reloaded', async (t) => {
  const { page, mock } = await opened(t, {
    draft: JSON.stringify({ asked: QUESTION.question, at: 0, text: 'a half', edited: null }),
  });
  assert.equal(await page.inputValue('.answer textarea'), 'a half');
  await page.clock.runFor(30_000);
  assert.equal(await clock(page).isVisible(), false);
  assert.deepEqual(mock.answers, []);
});

const stops = {
  'a key': (page) => page.keyboard.press('Shift'),
  'a click anywhere': (page) => page.mouse.click(700, 700),
  'the wheel': (page) => (page.mouse.move(500, 500), page.mouse.wheel(0, 10)),
  'a touch': (page) =>
    page.evaluate(() => document.body.dispatchEvent(new Event('touchstart', { bubbles: true }))),
  'the focus in the form': (page) =>
    page.evaluate(() => document.querySelector('.answer textarea')?.focus()),
  'a file that is dragged over the page': (page) =>
    page.evaluate(() => document.body.dispatchEvent(new DragEvent('dragenter', { bubbles: true }))),
  'something pasted': (page) =>
    page.evaluate(() =>
      document.body.dispatchEvent(new ClipboardEvent('paste', { bubbles: true })),
    ),
  'its button': (page) => page.click('text=Stop the countdown'),
};
for (const [name, stop] of Object.entries(stops)) {
  test(`${name} stops it for good`, async (t) => {
    const { page, mock, conversation } = await opened(t);
    await clock(page).waitFor();
    await stop(page);
    await eventually(async () => (await page.clock.runFor(100), !(await clock(page).isVisible())));
    await page.clock.runFor(30_000);
    assert.deepEqual(mock.answers, []);
    await page.selectOption('#countdown', '30');
    conversation.emit('text', { text: 'more' });
    await page.clock.runFor(1000);
    assert.equal(await clock(page).isVisible(), false, 'for this question');
  });
}

test('it never runs while the page is hidden, and restarts when the page is visible', async (t) => {
  const { page, mock } = await opened(t);
  await clock(page).waitFor();
  await page.clock.runFor(8000);
  const hide = (hidden) =>
    page.evaluate((hidden) => {
      Object.defineProperty(document, 'hidden', { configurable: true, get: () => hidden });
      document.dispatchEvent(new Event('visibilitychange'));
    }, hidden);
  await hide(true);
  await page.clock.runFor(60_000);
  assert.deepEqual(mock.answers, []);
  await hide(false);
  await page.clock.runFor(8000);
  assert.deepEqual(mock.answers, []);
  await page.clock.runFor(3000);
  await eventually(() => mock.answers.length);
});

test('time that the machine slept does not count', async (t) => {
  const { page, mock } = await opened(t);
  await clock(page).waitFor();
  await page.clock.fastForward(3_600_000);
  await page.clock.runFor(3000);
  assert.deepEqual(mock.answers, []);
  assert.ok(await clock(page).isVisible());
});

test('it starts when the question can be answered, not before', async (t) => {
  const { page, mock, conversation } = await opened(t, { isOpen: false });
  await page.clock.runFor(30_000);
  assert.equal(await clock(page).isVisible(), false);
  assert.deepEqual(mock.answers, []);
  conversation.emit('open', { number: 0 });
  await eventually(async () => (await page.clock.runFor(50), clock(page).isVisible()));
});

test('without suggestions there is no countdown', async (t) => {
  const { page } = await opened(t, { suggest: [] });
  await page.waitForSelector('.answer');
  assert.equal(await clock(page).isVisible(), false);
});

test('a screen reader announces it once, not each second', async (t) => {
  const { page } = await opened(t);
  await page.evaluate(() => {
    window.said = [];
    new MutationObserver(() =>
      window.said.push(document.getElementById('live')?.textContent),
    ).observe(document.getElementById('live'), {
      childList: true,
      characterData: true,
      subtree: true,
    });
  });
  await page.clock.runFor(9000);
  const said = await page.evaluate(() => [
    ...window.said,
    document.getElementById('live')?.textContent,
  ]);
  assert.ok(said.length <= 2, JSON.stringify(said));
  assert.match(said.at(-1), /first suggestion is taken in 10 seconds: SQLite/);
  assert.equal(await clock(page).getAttribute('aria-hidden'), 'true');
});

test('the setting is remembered, and applies to the open question', async (t) => {
  const { page } = await opened(t);
  await clock(page).waitFor();
  await page.selectOption('#countdown', '60');
  await eventually(
    async () => (await page.clock.runFor(50), /in (60|59) s/.test(await clock(page).textContent())),
  );
  assert.equal(await page.evaluate(() => localStorage.getItem('followup.countdown')), '60');
  await page.selectOption('#countdown', '0');
  await until(page, () => document.querySelector('.clock')?.hasAttribute('hidden'));
});

test('an error ends it: the first suggestion is not taken again and again', async (t) => {
  const { page, mock } = await opened(t);
  let asked = 0;
  mock.refuse = () => (asked++, { status: 409, code: 'busy', message: 'Wait.' });
  await page.clock.runFor(11_000);
  await eventually(() => asked);
  await page.clock.runFor(60_000);
  assert.equal(asked, 1);
});

test('its setting has a visible label on a phone', async (t) => {
  const { page } = await opened(t);
  for (const width of [375, 1280]) {
    await page.setViewportSize({ width, height: 667 });
    const box = await page.locator('.setting > span').boundingBox();
    assert.ok(box && box.width > 40 && box.x + box.width <= width, `${width}`);
    assert.ok(
      await page
        .locator('.setting > span')
        .evaluate((label) => getComputedStyle(label).clipPath === 'none'),
    );
  }
});
