// What of a conversation is in view.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Mock } from '../mock.mjs';
import { QUESTION, eventually, newPage, until } from '../help.mjs';

const lines = (count) =>
  Array.from(
    { length: count },
    (_, n) => `Line ${n} of a text that takes some room on the screen.\n\n`,
  ).join('');
const SIZES = { 'a phone': { width: 375, height: 667 }, 'a desktop': { width: 1280, height: 800 } };

async function opened(t, viewport, begin = (conversation) => conversation) {
  const mock = await new Mock().start();
  t.after(() => mock.stop());
  const conversation = begin(mock.conversation('c').emit('turn', { index: 0 }));
  const { page } = await newPage(t, { viewport });
  await page.goto(`${mock.url}/#/c/c`);
  await page.waitForSelector('.turn', { state: 'attached' });
  return { mock, conversation, page };
}

/** The distance from the page's header to the top of the question. */
const distance = (page) =>
  page.evaluate(
    () =>
      document.querySelector('.call:last-of-type').getBoundingClientRect().top -
      document.querySelector('.top').getBoundingClientRect().bottom,
  );
const isAtTop = async (page) => ((at) => at >= 0 && at < 40)(await distance(page));
/** Waits until the page has not scrolled for two frames. */
const settled = (page) =>
  page.evaluate(async () => {
    const frame = () => new Promise(requestAnimationFrame);
    for (let before = -1, same = 0; same < 2; before = scrollY) {
      await frame();
      same = scrollY === before ? same + 1 : 0;
    }
  });
const long = { ...QUESTION, question: lines(30) };

for (const [name, viewport] of Object.entries(SIZES)) {
  test(`the top of a question is in view when the conversation is opened, on ${name}`, async (t) => {
    const { page } = await opened(t, viewport, (conversation) =>
      conversation.emit('text', { text: lines(40) }).emit('complete', long),
    );
    await page.waitForSelector('.take:enabled', { state: 'attached' });
    await eventually(() => isAtTop(page));
  });

  test(`the top of a question stays in view while it grows and when it opens, on ${name}`, async (t) => {
    const { page, conversation } = await opened(t, viewport);
    conversation.emit('text', { text: lines(40) });
    await page.waitForSelector('text=Line 39');
    for (let at = 0; at < long.question.length; at += 97)
      conversation.emit('partial', {
        call: 0,
        field: 'question',
        delta: long.question.slice(at, at + 97),
      });
    await page.waitForSelector('.call >> text=Line 29', { state: 'attached' });
    await eventually(() => isAtTop(page));
    conversation.emit('complete', long);
    await page.waitForSelector('.take:enabled', { state: 'attached' });
    await eventually(() => isAtTop(page));
  });
}

test('a question that fits is shown whole, with its form', async (t) => {
  const { page, conversation } = await opened(t, SIZES['a desktop']);
  conversation.emit('text', { text: lines(40) }).emit('complete', QUESTION);
  await page.waitForSelector('.take:enabled');
  await eventually(() =>
    page.evaluate(
      () => document.querySelector('.answer').getBoundingClientRect().bottom <= innerHeight,
    ),
  );
  assert.ok((await distance(page)) >= 0);
});

test('a reader who scrolled up is not moved, and a button leads to the question', async (t) => {
  const { page, conversation } = await opened(t, SIZES['a phone']);
  conversation.emit('text', { text: lines(40) });
  await page.waitForSelector('text=Line 39');
  // The page gets shorter when the markdown parser has loaded.
  await until(page, () => !document.querySelector('.plain'));
  await page.mouse.move(100, 300);
  await page.mouse.wheel(0, -1500);
  await until(page, () => document.documentElement.scrollHeight - innerHeight - scrollY > 1000);
  await settled(page);
  const before = await page.evaluate(() => scrollY);
  conversation.emit('complete', long);
  await page.waitForSelector('.take:enabled', { state: 'attached' });
  assert.equal(await page.evaluate(() => scrollY), before);
  await page.click('text=To the question');
  await eventually(() => isAtTop(page));
});

test('a reader at the end of a growing question follows it there', async (t) => {
  const { page, conversation } = await opened(t, SIZES['a phone']);
  conversation.emit('partial', { call: 0, field: 'question', delta: lines(30) });
  await page.waitForSelector('.call >> text=Line 29', { state: 'attached' });
  await eventually(() => isAtTop(page));
  await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
  await settled(page);
  conversation.emit('partial', { call: 0, field: 'question', delta: `${lines(10)}The last one.` });
  await page.waitForSelector('.call >> text=The last one.', { state: 'attached' });
  await eventually(() =>
    page.evaluate(() => document.documentElement.scrollHeight - innerHeight - scrollY < 2),
  );
});
