// Broken connections, several replicas, missing conversations, and the token.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Mock } from '../mock.mjs';
import { QUESTION, eventually, newPage, play, redis, service, until, wire } from '../help.mjs';

/** Returns what a page shows, without the ids of fields, which differ from page to page. */
async function shown(page) {
  await until(page, () => !document.querySelector('#conversation .plain'));
  return page.evaluate(() => {
    // What has the focus may be marked by it.
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
    const copy = document.getElementById('conversation').cloneNode(true);
    for (const element of copy.querySelectorAll('*'))
      for (const name of ['id', 'for', 'aria-labelledby', 'aria-describedby'])
        element.removeAttribute(name);
    return copy.innerHTML;
  });
}

for (const message of ['database', 'refactor']) {
  test(`a page whose connection breaks repeatedly shows the same in the end: ${message}`, async (t) => {
    const { url } = await service(t);
    const line = await wire(t, url);
    const [cut, whole] = [await newPage(t), await newPage(t)];
    const id = await play(url, message, { chunk: '2', delay: 4 });
    await Promise.all([
      cut.page.goto(`${line.url}/#/c/${id}`),
      whole.page.goto(`${url}/#/c/${id}`),
    ]);
    for (let times = 0; times < 5; times++) {
      const before = await cut.page.locator('#conversation').textContent();
      await eventually(
        async () =>
          (await cut.page.locator('#conversation').textContent()) !== before ||
          (await cut.page.locator('.take:enabled').count()) > 0,
      );
      line.cut();
      await until(cut.page, () => document.getElementById('connection')?.dataset.is === 'open');
    }
    for (const { page } of [cut, whole]) await page.waitForSelector('.take:enabled');
    assert.equal(await shown(cut.page), await shown(whole.page));
    await whole.page.keyboard.press('1');
    await cut.page.waitForSelector('.call[data-state=answered]');
  });
}

test('a page on another replica shows a message while it is written, and its answer counts on both', async (t) => {
  const store = await redis(t);
  if (!store) return;
  const [writer, other] = await Promise.all(
    [1, 2].map(() => service(t, ['--demo', '--store', store])),
  );
  const [here, there] = [await newPage(t), await newPage(t)];
  const id = await play(writer.url, 'database', { chunk: '2', delay: 20 });
  await Promise.all([
    here.page.goto(`${writer.url}/#/c/${id}`),
    eventually(async () => (await fetch(`${other.url}/conversations/${id}`)).ok),
  ]);
  await there.page.goto(`${other.url}/#/c/${id}`);
  // It is there before the message has ended, and grows.
  await until(there.page, () => document.body.dataset.turn === 'streaming');
  const before = await there.page.locator('#conversation').textContent();
  await eventually(
    async () => (await there.page.locator('#conversation').textContent()) !== before,
  );
  for (const { page } of [here, there]) await page.waitForSelector('.take:enabled');
  await there.page.keyboard.press('1');
  const isOver = ({ page }) =>
    until(
      page,
      () => document.body.dataset.turn === 'ended' && document.querySelectorAll('.turn').length > 1,
    );
  await Promise.all([here, there].map(isOver));
  await here.page.waitForSelector('.call[data-state=answered]');
  assert.equal(await shown(there.page), await shown(here.page));
});

test('the page shows that it is disconnected, and afterwards what was answered meanwhile', async (t) => {
  const { url } = await service(t);
  const line = await wire(t, url);
  const [cut, whole] = [await newPage(t), await newPage(t)];
  const id = await play(url, 'database', { chunk: '100' });
  for (const [{ page }, origin] of [
    [cut, line.url],
    [whole, url],
  ]) {
    await page.goto(`${origin}/#/c/${id}`);
    await page.waitForSelector('.take:enabled');
  }
  await cut.page.fill('.answer textarea', 'what I think');
  line.down();
  await cut.page.waitForSelector('#connection >> text=reconnecting…');
  await whole.page.keyboard.press('2');
  await whole.page.waitForSelector('.turn >> nth=1');
  line.up();
  await cut.page.waitForSelector('.call[data-state=answered]');
  await cut.page.waitForSelector('#connection >> text=connected');
  assert.equal(await cut.page.inputValue('.unsent textarea'), 'what I think');
  await cut.page.click('text=Discard');
  const isOver = (page) =>
    until(
      page,
      () => document.body.dataset.turn === 'ended' && document.querySelectorAll('.turn').length > 1,
    );
  await Promise.all([isOver(cut.page), isOver(whole.page)]);
  assert.equal(await shown(cut.page), await shown(whole.page));
});

test('a page that is opened late shows the same', async (t) => {
  const { url } = await service(t);
  const [early, late] = [await newPage(t), await newPage(t)];
  for (const message of ['refactor', 'two-questions', 'mistakes']) {
    const id = await play(url, message, { chunk: '5', delay: 1 });
    await early.page.goto(`${url}/#/c/${id}`);
    await until(
      early.page,
      () => document.querySelector('.answer') && document.body.dataset.turn !== 'streaming',
    );
    await late.page.goto(`${url}/#/c/${id}`);
    await until(
      late.page,
      () => document.querySelector('.answer') && document.body.dataset.turn !== 'streaming',
    );
    assert.equal(await shown(late.page), await shown(early.page), message);
  }
});

test('a deleted conversation ends on the page, and is not requested again', async (t) => {
  const { url } = await service(t);
  const id = await play(url, 'database', { chunk: '100' });
  const { page, did } = await newPage(t);
  await page.goto(`${url}/#/c/${id}`);
  await page.waitForSelector('.take:enabled');
  await fetch(`${url}/conversations/${id}`, { method: 'DELETE' });
  await page.waitForSelector('#notice >> text=This conversation has ended');
  const asked = () => did.requests.filter((request) => request.endsWith(`${id}/events`)).length;
  assert.equal(asked(), 1);
  assert.ok(await page.locator('.question').isVisible(), 'what was there stays');
});

test('a conversation that does not exist is reported as missing', async (t) => {
  const { url } = await service(t);
  const { page } = await newPage(t);
  await page.goto(`${url}/#/c/nobody`);
  await page.waitForSelector('#notice >> text=has no conversation');
});

test('a conversation that was missing is shown when it begins', async (t) => {
  const mock = await new Mock().start();
  t.after(() => mock.stop());
  const { page } = await newPage(t);
  await page.goto(`${mock.url}/#/c/later`);
  await page.waitForSelector('#notice:not([hidden])');
  mock.conversation('later').emit('turn', { index: 0 }).emit('complete', QUESTION);
  await page.waitForSelector('.take:enabled');
  assert.equal(await page.locator('#notice').isVisible(), false);
});

test('the token is asked for, kept in the tab, and removed from the address', async (t) => {
  const { url } = await service(t, ['--demo', '--token', 'sesame']);
  const { page, context } = await newPage(t);
  await page.goto(url);
  await page.waitForSelector('dialog#token[open]');
  assert.equal(await page.locator('#token-problem').isVisible(), false);
  await page.fill('#token-field', 'wrong');
  await page.keyboard.press('Enter');
  await page.waitForSelector('#token-problem:not([hidden])');
  await page.fill('#token-field', 'sesame');
  await page.keyboard.press('Enter');
  await page.waitForSelector('#demo:not([hidden])');
  await page.click('#demo button');
  await page.waitForSelector('.call');
  const { hash } = new URL(page.url());
  await page.reload();
  await page.waitForSelector('.call');
  assert.equal(await page.evaluate(() => Object.values(localStorage).includes('sesame')), false);

  const other = await context.newPage();
  await other.goto(`${url}/${hash}&token=sesame`);
  await other.waitForSelector('.call');
  assert.equal(new URL(other.url()).hash, hash);
  await other.goto('about:blank');
  await other.goto(`${url}/#token=sesame`);
  await other.waitForSelector('#demo:not([hidden])');
  assert.equal(other.url(), `${url}/`);
});

test('a token that no header can carry is not accepted, wherever it comes from', async (t) => {
  const mock = await new Mock().start();
  t.after(() => mock.stop());
  mock.token = 'sesame';
  mock.conversation('c').emit('turn', { index: 0 });
  const { page, did } = await newPage(t);
  await page.goto(`${mock.url}/#token=%C3%BC%E2%82%AC`);
  await page.waitForSelector('#token-problem:visible');
  await page.fill('#token-field', 'sésame€');
  await page.keyboard.press('Enter');
  assert.ok(await page.locator('#token-problem').isVisible());
  assert.ok(await page.locator('dialog#token').isVisible());
  await page.evaluate(() => sessionStorage.setItem('followup.token', '€'));
  await page.reload();
  await page.waitForSelector('dialog#token[open]');
  await page.fill('#token-field', 'sesame');
  await page.keyboard.press('Enter');
  await page.waitForSelector('#list li');
  assert.deepEqual(did.errors, []);
});

test('the token is still asked for after Esc was pressed twice', async (t) => {
  const mock = await new Mock().start();
  t.after(() => mock.stop());
  mock.token = 'sesame';
  const { page } = await newPage(t);
  await page.goto(mock.url);
  await page.waitForSelector('dialog#token[open]');
  for (let times = 0; times < 3; times++) await page.keyboard.press('Escape');
  await page.waitForSelector('dialog#token[open]');
  assert.equal(
    await page.locator('#list-empty').isVisible(),
    false,
    'nobody knows whether there are conversations',
  );
  await page.fill('#token-field', 'sesame');
  await page.keyboard.press('Enter');
  await page.waitForSelector('#list-empty >> text=No conversations yet.');
  assert.equal(await page.locator('dialog#token').isVisible(), false);
});

test('an answer that fails for lack of a token keeps what was written', async (t) => {
  const mock = await new Mock().start();
  t.after(() => mock.stop());
  mock.conversation('c').emit('turn', { index: 0 }).emit('complete', QUESTION);
  const { page } = await newPage(t);
  await page.goto(`${mock.url}/#/c/c`);
  await page.fill('.answer textarea', 'words');
  mock.token = 'new';
  await page.keyboard.press('Enter');
  await page.waitForSelector('dialog#token[open]');
  await page.fill('#token-field', 'new');
  await page.keyboard.press('Enter');
  await until(page, () => !document.querySelector('dialog[open]'));
  assert.equal(await page.inputValue('.answer textarea'), 'words');
  await page.click('.answer .primary');
  await page.waitForSelector('.call[data-state=answered]');
  assert.deepEqual(mock.answers, [{ number: 0, text: 'words' }]);
});
