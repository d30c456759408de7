// A hostile model, provider or client that tries to run code or to find out who reads. Every field
// from outside holds an attack.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Mock } from '../mock.mjs';
import { QUESTION, misdeeds, newPage, play, service, until } from '../help.mjs';

const EVIL = [
  '<script>document.title="ran"</script>',
  '<img src=x onerror="document.title=\'ran\'"><svg onload="document.title=\'ran\'">',
  '"><iframe src="https://tracker.invalid/"></iframe><style>*{display:none}</style>',
  '[x](javascript:document.title="ran") <javascript:document.title> ' +
    '![p](https://tracker.invalid/p.png) ![d](data:image/svg+xml,<svg>)',
  "' onmouseover='document.title=1' \" autofocus onfocus=\"document.title='ran'\"",
  '\u202Egnp.exe\u202C \u2066x \u200B \u0000 \u001B[31m \u{E0041}',
  '__proto__ constructor ${7*7} {{7*7}} </textarea></button></title>',
  '<base href="https://tracker.invalid/"><meta http-equiv="refresh" content="0;' +
    'url=https://tracker.invalid/"><link rel=stylesheet href="https://tracker.invalid/s.css">',
].join('\n\n');

const nothingRan = async (page, did, origin) => {
  assert.notEqual(await page.title(), 'ran');
  assert.deepEqual(await misdeeds(page, did, origin), []);
  assert.equal(
    await page
      .locator(
        '#conversation :is(script, img:not([src^="data:image/"]), iframe, svg:not(.icon), ' +
          'style, base, meta, link, object, embed, form:not(.answer))',
      )
      .count(),
    0,
  );
  const attributes = await page.evaluate(() =>
    [...document.querySelectorAll('#conversation *, #list *')].flatMap((element) =>
      element
        .getAttributeNames()
        .filter(
          (name) =>
            name.startsWith('on') || name === 'style' || name === 'srcdoc' || name === 'background',
        ),
    ),
  );
  assert.deepEqual(attributes, []);
  const links = await page.evaluate(() =>
    [...document.querySelectorAll('#conversation a')].map((link) =>
      [link.protocol, link.rel, link.target].join(' '),
    ),
  );
  for (const link of links)
    assert.match(link, /^(https?|mailto): noopener noreferrer nofollow _blank$/);
};

test('markup in every field of every event runs nothing and loads nothing', async (t) => {
  const mock = await new Mock().start();
  t.after(() => mock.stop());
  mock.demo = { messages: [{ name: EVIL, title: EVIL }], chunk: EVIL, delay: 0 };
  const conversation = mock.conversation('c');
  const { page, did } = await newPage(t);
  await page.goto(`${mock.url}/#/c/c`);
  const mode = EVIL;
  conversation.emit('turn', { index: EVIL });
  for (let at = 0; at < EVIL.length; at += 7)
    conversation.emit('text', { text: EVIL.slice(at, at + 7) });
  conversation.emit('opaque', { tool: EVIL, raw: EVIL, start: true, id: EVIL });
  for (let at = 0; at < EVIL.length; at += 5)
    conversation.emit('partial', { call: 0, field: 'question', delta: EVIL.slice(at, at + 5) });
  conversation.emit('partial', { call: 0, field: 'suggest', suggestion: 0, delta: EVIL, mode });
  conversation.emit('complete', {
    call: 0,
    id: EVIL,
    question: EVIL,
    suggest: [{ answer: EVIL, mode }, { answer: EVIL }],
    notes: [EVIL, EVIL],
    number: 0,
    open: true,
  });
  conversation.emit('error', { kind: EVIL, message: EVIL });
  conversation.emit('rejected', { call: 1, reason: EVIL, message: EVIL, stopped: true });
  conversation.emit('end', { index: EVIL, cut_off: true });
  await page.waitForSelector('.take:enabled');
  await page.click('.opaque summary');
  await page.click('.notes summary');
  await nothingRan(page, did, mock.url);

  mock.refuse = { status: 409, code: EVIL, message: EVIL };
  await page.click('.edit >> nth=0');
  await page.keyboard.press('Enter');
  await page.waitForSelector('.answer .problem:not([hidden])');
  await nothingRan(page, did, mock.url);

  conversation.emit('replied', {
    number: 0,
    kind: 'answer',
    said: EVIL,
    suggestion: 0,
    mode,
    images: [
      EVIL,
      'data:image/svg+xml,<svg onload=alert(1)>',
      'https://tracker.invalid/i.png',
      'data:image/png;base64,AAAA',
    ],
  });
  await page.waitForSelector('.answered:not([hidden])');
  conversation.emit('replied', { number: null, kind: 'guidance', said: EVIL, images: [EVIL] });
  await page.waitForSelector('.answered.item');
  conversation.emit('error', { kind: EVIL, message: '' });
  conversation.emit('later', { anything: EVIL });
  await page.waitForSelector('.problem >> text=An error in the stream');
  await page.reload();
  await page.waitForSelector('.answered.item');
  await nothingRan(page, did, mock.url);
  await page.evaluate(() =>
    document
      .querySelectorAll('#conversation *')
      .forEach((element) =>
        ['mouseover', 'focus', 'load', 'error', 'toggle'].forEach((type) =>
          element.dispatchEvent(new Event(type)),
        ),
      ),
  );
  await nothingRan(page, did, mock.url);
});

test('malformed events do not break the page', async (t) => {
  const mock = await new Mock().start();
  t.after(() => mock.stop());
  const conversation = mock.conversation('c').emit('turn', { index: 0 });
  const { page } = await newPage(t);
  await page.goto(`${mock.url}/#/c/c`);
  await page.waitForSelector('.turn');
  const broken = [
    ['text', '{"te'],
    ['constructor', '{}'],
    ['text', 'null'],
    ['text', '[]'],
    ['partial', '{"call":0,"field":"suggest","suggestion":1e9,"delta":"x"}'],
    ['complete', '{"call":0}'],
    ['state', '{"items":[null,1]}'],
    ['state', '{"items":[{"type":"call"},{"type":"call"}]}'],
    ['replied', '{}'],
  ];
  for (const reader of conversation.readers)
    reader.write(broken.map(([event, data]) => `event: ${event}\ndata: ${data}\n\n`).join(''));
  await page.waitForSelector('.call >> nth=1', { state: 'attached' });
  conversation.emit('complete', { ...QUESTION, call: 5 });
  await page.waitForSelector('.take:enabled');
});

test('the hostile recorded message does nothing, with the real service and its policy', async (t) => {
  const { url } = await service(t);
  const { page, did } = await newPage(t);
  const id = await play(url, 'hostile', { chunk: 'random:7', delay: 1 });
  const response = await page.goto(`${url}/#/c/${id}`);
  assert.match(
    response?.headers()['content-security-policy'] ?? '',
    /default-src 'none'.*require-trusted-types-for 'script'/,
  );
  await page.waitForSelector('.take:enabled');
  await page.click('.opaque summary');
  await nothingRan(page, did, url);
  assert.equal(await page.locator('.question .unseen').first().textContent(), 'RLO');
  await page.click('.edit >> nth=1');
  await page.keyboard.press('Enter');
  await page.waitForSelector('.call[data-state=answered]');
  await until(page, () => document.body.dataset.turn === 'ended');
  await nothingRan(page, did, url);
});

test('the policy holds: code that is injected into the page does not run', async (t) => {
  const { url } = await service(t);
  const { page } = await newPage(t);
  await page.goto(url);
  const ran = await page.evaluate(async () => {
    const tries = [
      () => (document.body.innerHTML = '<p>x</p>'),
      () =>
        document.body.append(
          Object.assign(document.createElement('script'), { textContent: 'window.ran = true' }),
        ),
      () => new Image().setAttribute('src', 'https://tracker.invalid/x.png'),
    ];
    const results = tries.map((attempt) => {
      try {
        attempt();
        return 'done';
      } catch {
        return 'refused';
      }
    });
    return [results[0], window.ran === true];
  });
  assert.deepEqual(ran, ['refused', false]);
});

test('the address selects a conversation only if it holds a valid id', async (t) => {
  const mock = await new Mock().start();
  t.after(() => mock.stop());
  const { page, did } = await newPage(t);
  for (const hash of [
    '#/c/../../x',
    '#/c/%2e%2e',
    '#/c/<script>',
    '#//tracker.invalid',
    '#javascript:1',
    `#/c/${'a'.repeat(65)}`,
    '#token=%E0%A4%A',
  ]) {
    await page.goto(`${mock.url}/${hash}`);
    await page.waitForSelector('.welcome');
    assert.deepEqual(await misdeeds(page, did, mock.url), []);
  }
});
