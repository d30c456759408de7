// The list of conversations, and how the page calls the user back.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Mock } from '../mock.mjs';
import { QUESTION, eventually, newPage, until } from '../help.mjs';

async function opened(t, { hash = '#/', prepare = () => {}, ...options } = {}) {
  const mock = await new Mock().start();
  t.after(() => mock.stop());
  prepare(mock);
  const { page, context, did } = await newPage(t, options);
  await page.goto(`${mock.url}/${hash}`);
  await page.waitForSelector('#list-empty, #list li', { state: 'attached' });
  return { mock, page, context, did };
}

const named = (mock, id, title) => {
  const conversation = mock.conversation(id);
  conversation.title = title;
  return conversation.emit('turn', { index: 0 });
};
const titles = (page) => page.locator('#list .title').allTextContents();

test('conversations and questions appear at once, latest change first, by one stream', async (t) => {
  const { mock, page, did } = await opened(t, {
    hash: '#/c/b',
    prepare: (mock) => named(mock, 'b', 'Second'),
  });
  await page.waitForSelector('#list li');
  named(mock, 'a', 'First');
  await page.waitForSelector('#list li >> nth=1');
  assert.deepEqual(await titles(page), ['First', 'Second']);
  mock.conversation('b').emit('complete', QUESTION);
  await eventually(async () => (await titles(page))[0] === 'Second');
  assert.equal(
    await page.locator('#list .what').first().textContent(),
    'Where should the recipes live?',
  );
  mock.remove('a');
  await eventually(async () => (await titles(page)).length === 1);
  assert.equal(
    did.requests.filter((url) => url.endsWith('/conversations')).length,
    0,
    'nothing is polled',
  );
});

test('a service without the stream of the list is polled', async (t) => {
  const { mock, page } = await opened(t, {
    hash: '#/c/b',
    prepare: (mock) => ((mock.service = null), named(mock, 'b')),
  });
  await page.waitForSelector('#list li');
  mock.conversation('b').emit('complete', QUESTION);
  await page.waitForSelector('#list >> text=Where should the recipes live?');
});

test('a lost connection that comes back at once is not reported', async (t) => {
  const { mock, page } = await opened(t);
  await page.evaluate(() => {
    const problem = document.querySelector('#list-problem');
    window.reported = false;
    new MutationObserver(() => (window.reported ||= !problem.hidden)).observe(problem, {
      attributes: true,
    });
  });
  for (const id of ['a', 'b']) {
    mock.cutList();
    named(mock, id, id);
    await page.waitForSelector(`#list .title >> text="${id}"`);
  }
  assert.equal(await page.evaluate(() => window.reported), false);
});

test('a service that can’t be reached is reported until it is back', async (t) => {
  const { mock, page } = await opened(t);
  mock.isUp = false;
  mock.cutList();
  await page.waitForSelector("#list-problem >> text=The service can't be reached.");
  mock.isUp = true;
  await until(page, () => document.querySelector('#list-problem').hidden);
});

test('a service that refuses the list says why, and the list is not empty', async (t) => {
  const { mock, page } = await opened(t, {
    prepare: (mock) =>
      (mock.refuseList = {
        status: 503,
        code: 'too_many_readers',
        message: 'the list has 64 readers',
      }),
  });
  await page.waitForSelector(
    '#list-problem >> text=The service refuses: the list has 64 readers. This page tries again by itself.',
  );
  assert.equal(await page.locator('#list-empty').isVisible(), false);
  mock.refuseList = null;
  await page.waitForSelector('#list-empty >> text=No conversations yet.');
  assert.equal(await page.locator('#list-problem').isVisible(), false);
});

test('the times in the list are updated, and nothing else changes', async (t) => {
  const mock = await new Mock().start();
  t.after(() => mock.stop());
  named(mock, 'a', 'A').updated -= 31;
  const { page } = await newPage(t);
  await page.clock.install();
  await page.goto(`${mock.url}/#/`);
  await page.waitForSelector('#list .when >> text=just now');
  await page.locator('#list a').focus();
  // For less time than after which a silent connection counts as lost, and the list is sent again.
  await page.clock.fastForward(35_000);
  await page.waitForSelector('#list .when >> text=1 min. ago');
  assert.equal(await page.evaluate(() => document.activeElement?.matches('#list a')), true);
  assert.equal(await page.locator('#live').textContent(), '');
});

test('the title is the one of the service; without one it is the question', async (t) => {
  const { mock, page } = await opened(t, {
    hash: '#/c/a',
    prepare: (mock) => named(mock, 'a', '# Store **recipes**\nmore'),
  });
  await page.waitForSelector('#conversation-title >> text=Store recipes');
  named(mock, 'b').emit('complete', QUESTION);
  await eventually(
    async () => (await titles(page)).join() === 'Where should the recipes live?,Store recipes',
  );
});

test('a dialogue that has stopped is marked in the list', async (t) => {
  const { mock, page } = await opened(t);
  named(mock, 'a', 'A').emit('rejected', {
    call: 0,
    reason: 'malformed',
    message: 'm',
    stopped: true,
  });
  await page.waitForSelector('#list [data-state=stopped] >> text=needs your guidance');
});

test('the list can be searched by words', async (t) => {
  const { page } = await opened(t, {
    prepare: (mock) => (
      named(mock, 'a', 'Port the parser'),
      named(mock, 'b', 'Slow nightly build')
    ),
  });
  await page.waitForSelector('#list li >> nth=1');
  await page.keyboard.press('/');
  await page.keyboard.type('build NIGHT');
  assert.deepEqual(await titles(page), ['Slow nightly build']);
  await page.fill('#search', 'zzz');
  await page.waitForSelector('#list-empty >> text=Nothing found.');
});

test('the tab shows the number of open questions, and a badge on its icon', async (t) => {
  const { mock, page } = await opened(t, {
    hash: '#/c/a',
    prepare: (mock) => named(mock, 'a', 'A'),
  });
  const icon = () => page.locator('link[rel=icon]').getAttribute('href');
  assert.ok(!(await icon()).includes('e5484d'));
  mock.conversation('a').emit('complete', QUESTION);
  named(mock, 'b', 'B').emit('complete', QUESTION);
  await until(page, () => document.title === '(2) followup');
  assert.ok((await icon()).includes('e5484d'));
  mock.conversation('b').emit('replied', { number: 0, kind: 'answer', said: 'x', images: [] });
  await until(page, () => document.title === '(1) followup');
});

/** Records notifications, and grants them when asked. */
const recordNotifications = (page, permission) =>
  page.addInitScript((permission) => {
    window.notes = [];
    window.asked = 0;
    class Note {
      static permission = permission;
      static async requestPermission() {
        window.asked++;
        return (Note.permission = 'granted');
      }
      constructor(title, { body }) {
        window.notes.push([title, body]);
        window.note = this;
      }
      close() {}
    }
    window.Notification = Note;
  }, permission);

test('a notification tells of a new question elsewhere; it is asked for by a button, never at load', async (t) => {
  const { mock, page } = await opened(t, {
    hash: '#/c/a',
    prepare: (mock) => named(mock, 'a', 'A').emit('complete', QUESTION),
  });
  await recordNotifications(page, 'default');
  await page.reload();
  await page.waitForSelector('#notify:not([hidden])');
  assert.equal(await page.evaluate(() => window.asked), 0);
  await page.click('#notify');
  await until(page, () => document.getElementById('notify')?.hidden);
  named(mock, 'b', 'Bees').emit('complete', QUESTION);
  await until(page, () => window.notes.length === 1);
  assert.deepEqual(
    await page.evaluate(() => window.notes),
    [['Bees', QUESTION.question]],
    'not of the question that is in view',
  );
  await page.evaluate(() => window.note.onclick());
  await until(page, () => location.hash === '#/c/b');
});

test('in a hidden tab the question in view is notified of, too', async (t) => {
  const { mock, page } = await opened(t, {
    hash: '#/c/a',
    prepare: (mock) => named(mock, 'a', 'A'),
  });
  await recordNotifications(page, 'granted');
  await page.reload();
  await page.waitForSelector('#list li');
  await page.evaluate(() =>
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => true }),
  );
  mock.conversation('a').emit('complete', QUESTION);
  await until(page, () => window.notes.length === 1 && document.title === '(1) followup');
});

test('the one question that waits opens by itself', async (t) => {
  const { mock, page } = await opened(t);
  named(mock, 'a', 'A');
  await page.waitForSelector('#list li');
  assert.equal(new URL(page.url()).hash, '#/');
  mock.conversation('a').emit('complete', QUESTION);
  await page.waitForSelector('.take:enabled');
  assert.equal(new URL(page.url()).hash, '#/c/a');
  await page.evaluate(() => (location.hash = '#/'));
  await until(page, () => document.body.dataset.shows === 'list');
  mock.conversation('a').emit('text', { text: 'more' });
  named(mock, 'b', 'B');
  await page.waitForSelector('#list li >> nth=1');
  assert.equal(new URL(page.url()).hash, '#/', 'a question that was left does not come back');
});

test('no question opens by itself over another one, over a choice, or while something is typed', async (t) => {
  const { mock, page } = await opened(t, {
    prepare: (mock) => (named(mock, 'a', 'A'), named(mock, 'b', 'B'), named(mock, 'c', 'C')),
  });
  await page.waitForSelector('#list li >> nth=2');
  await page.fill('#search', 'a');
  mock.conversation('a').emit('complete', QUESTION);
  await until(page, () => document.title === '(1) followup');
  assert.equal(new URL(page.url()).hash, '#/', 'while something is typed');
  mock.conversation('b').emit('complete', QUESTION);
  await until(page, () => document.title === '(2) followup');
  await page.evaluate(() => document.activeElement.blur());
  mock.conversation('c').emit('text', { text: 'x' });
  await page.waitForTimeout(100);
  assert.equal(new URL(page.url()).hash, '#/', 'two questions wait');
  await page.evaluate(() => (location.hash = '#/c/c'));
  mock.conversation('b').emit('replied', { number: 0, kind: 'answer', said: 'x', images: [] });
  await until(page, () => document.title === '(1) followup');
  assert.equal(new URL(page.url()).hash, '#/c/c', 'something is chosen');
});

test('the empty state says what is relayed where, with the base URL to copy and a link that opens', async (t) => {
  const { mock, page, context } = await opened(t, {
    prepare: (mock) =>
      (mock.info = {
        service: 'x',
        upstream: 'https://api.example.com/v1',
        continue: false,
        demo: false,
      }),
  });
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.waitForSelector('#welcome .base');
  assert.match(
    await page.locator('#welcome').textContent(),
    /relayed to https:\/\/api\.example\.com\/v1\..*Your agent collects your answers/,
  );
  await page.click('#welcome .copy');
  await page.waitForSelector('#welcome .copy >> text=Copied');
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), `${mock.url}/v1`);
  assert.equal(await page.locator('#welcome a').getAttribute('href'), `${mock.url}/v1/models`);
});

test('with a token there is no link that the service would refuse', async (t) => {
  const { page } = await opened(t, {
    hash: '#token=x',
    prepare: (mock) =>
      (mock.info = {
        service: 'x',
        upstream: 'https://api.example.com/v1',
        continue: false,
        demo: false,
      }),
  });
  await page.waitForSelector('#welcome .base');
  assert.equal(await page.locator('#welcome a').count(), 0);
});

test('without a provider the empty state says how to set one', async (t) => {
  const { page } = await opened(t, {
    prepare: (mock) => (mock.info = { service: 'x', upstream: null, continue: false, demo: false }),
  });
  await page.waitForSelector('#welcome >> text=No provider is set');
});

test('on a phone the empty state is in view, too', async (t) => {
  const { page } = await opened(t, {
    viewport: { width: 375, height: 667 },
    prepare: (mock) =>
      (mock.info = { service: 'x', upstream: 'https://a.example/v1', continue: true, demo: false }),
  });
  await page.waitForSelector('#welcome .base');
  assert.ok(await page.locator('#welcome .base').isVisible());
});

test('an entry of the list keeps the focus when the order changes', async (t) => {
  const { page, mock } = await opened(t, {
    hash: '#/c/c',
    prepare: (mock) => named(mock, 'c', 'C'),
  });
  await page.focus('#list a');
  named(mock, 'new', 'New');
  await page.waitForSelector('#list li >> nth=1');
  assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('href')), '#/c/c');
});
