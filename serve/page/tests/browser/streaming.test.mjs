// How the page shows a message while it streams, without flicker and without delay.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { QUESTION, eventually, misdeeds, newPage, service, until } from '../help.mjs';
import { Mock } from '../mock.mjs';
import { opened } from '../opened.mjs';

/**
 * Records each change of the page, to check that text only grows and that no node of a closed item
 * is removed or changed.
 */
const watch = (page) =>
  page.evaluate(() => {
    const seen = (window.seen = { shrank: [], touched: [], changes: 0, growing: 0, early: 0 });
    const texts = new Map();
    const isClosed = (node) => {
      const item = (node instanceof Element ? node : node.parentElement)?.closest('.items > *');
      return item && item.nextElementSibling && !item.matches('[data-state=growing]') ? item : null;
    };
    new MutationObserver((records) => {
      seen.changes++;
      if (document.querySelector('[data-state=growing]')) seen.growing++;
      if (document.querySelector('[data-state=growing] .take:enabled')) seen.early++;
      for (const element of document.querySelectorAll('.markdown, .take .text')) {
        const [before, now] = [texts.get(element) ?? '', element.textContent];
        if (!now.startsWith(before.trimEnd().replace(/\u2069+$/, '')))
          seen.shrank.push(`${before.slice(-40)} | ${now.slice(-40)}`);
        texts.set(element, now);
      }
      for (const { type, target, removedNodes } of records) {
        const closed = isClosed(target);
        if (type === 'childList' && removedNodes.length && closed?.dataset.closed)
          seen.touched.push(closed.className);
      }
      for (const item of document.querySelectorAll('.items > *'))
        if (isClosed(item)) item.dataset.closed = 'yes';
    }).observe(document.getElementById('conversation'), {
      subtree: true,
      childList: true,
      characterData: true,
    });
  });

for (const message of ['database', 'refactor', 'unicode']) {
  test(`the recorded message “${message}” grows on the page, and nothing flickers`, async (t) => {
    const { url } = await service(t, ['--demo']);
    // What comes at once is drawn at once, so a slow machine may draw too little of it.
    for (let attempt = 1; ; attempt++) {
      const { growing, changes } = await grows(t, url, message);
      if (growing > 1) return;
      t.diagnostic(`${growing} changes of ${changes}`);
      assert.ok(attempt < 3, `${growing} changes of ${changes}`);
    }
  });
}

/** Plays a recorded message in a new page, and answers it. Returns what was seen. */
async function grows(t, url, message) {
  const { page, did } = await newPage(t);
  await page.goto(url);
  await page.waitForSelector('#demo:not([hidden])');
  await until(page, () =>
    performance.getEntriesByType('resource').some(({ name }) => name.includes('growing.js')),
  );
  await watch(page);
  await page.selectOption('#demo select >> nth=0', message);
  await page.selectOption('#demo select >> nth=1', 'fast');
  await page.click('#demo button');
  await page.waitForSelector('.call[data-state=open] .take:enabled');
  const seen = await page.evaluate(() => window.seen);
  assert.deepEqual(seen.shrank, []);
  assert.deepEqual(seen.touched, []);
  assert.equal(seen.early, 0, 'nothing can be answered while it grows');
  await page.keyboard.press('1');
  await page.waitForSelector('.call[data-state=answered]');
  assert.deepEqual(await misdeeds(page, did, url), []);
  return seen;
}

test('the selection and the focus stay while the rest grows', async (t) => {
  const { page, conversation } = await opened(t);
  conversation.emit('text', { text: 'First paragraph.\n\nSecond, which ' });
  // Until the parser of markdown is loaded, all text is one paragraph.
  await page.waitForSelector('.prose p:nth-child(2) >> text=Second');
  await page.evaluate(() => getSelection().selectAllChildren(document.querySelector('.prose p')));
  await page.focus('#help-button');
  for (const word of 'goes on and on.\n\n- a\n- b\n\nEnd'.match(/.{1,3}/gs))
    conversation.emit('text', { text: word });
  conversation.emit('complete', QUESTION);
  await page.waitForSelector('.take:enabled');
  assert.equal(await page.evaluate(() => String(getSelection())), 'First paragraph.');
  assert.equal(await page.evaluate(() => document.activeElement?.id), 'help-button');
});

test('suggestions and their modes are visible while they grow', async (t) => {
  const { page, conversation } = await opened(t);
  conversation
    .emit('partial', { call: 0, field: 'question', delta: 'Tea?' })
    .emit('partial', { call: 0, field: 'suggest', suggestion: 0, delta: 'Yes, ple', mode: 'code' });
  await page.waitForSelector('.take >> text=Yes, ple');
  assert.equal(await page.locator('.take .mode').textContent(), 'code');
  assert.equal(await page.locator('.take').isDisabled(), true);
  assert.equal(await page.locator('.call').getAttribute('aria-busy'), 'true');
  assert.match(await page.locator('.call header').textContent(), /is being written/);
});

for (const width of [375, 1280]) {
  test(`suggestions stay in their place when they can be taken, and when one was: width ${width}`, async (t) => {
    const { page, conversation } = await opened(t, { viewport: { width, height: 667 } });
    const suggest = [
      { answer: 'Yes', mode: 'code' },
      {
        answer:
          'Only if the water is hot, the leaves are fresh, and there is enough of both for ' +
          'everybody who may still come',
        mode: 'architect',
      },
      { answer: 'No: put a pot of coffee on the table, and ask again when the others are here' },
    ];
    conversation.emit('partial', { call: 0, field: 'question', delta: 'Tea?' });
    suggest.forEach(({ answer, mode }, suggestion) =>
      conversation.emit('partial', { call: 0, field: 'suggest', suggestion, delta: answer, mode }),
    );
    await page.waitForSelector('.take >> text=others are here');
    const places = () =>
      page.evaluate(() => {
        const { top } = document.querySelector('.suggestions').getBoundingClientRect();
        return [...document.querySelectorAll('.take, .take .text, .take .mode:not([hidden])')].map(
          (element) => {
            const box = element.getBoundingClientRect();
            return [element.className, box.x, box.y - top, box.width, box.height].join(' ');
          },
        );
      });
    const growing = await places();
    conversation.emit('complete', { ...QUESTION, question: 'Tea?', suggest });
    await page.waitForSelector('.take:enabled');
    assert.deepEqual(await places(), growing);
    await page.keyboard.press('1');
    await page.waitForSelector('.call[data-state=answered]');
    assert.deepEqual(await places(), growing);
  });
}

test('calls of other tools are collapsed, and show their raw text when expanded', async (t) => {
  const { page, conversation } = await opened(t);
  conversation
    .emit('opaque', { tool: 'write_to_file', raw: '<write_to_file><b>', start: true })
    .emit('opaque', { tool: 'write_to_file', raw: 'x</b>', start: false });
  await page.waitForSelector('.opaque >> text=23 characters');
  assert.equal(await page.locator('.opaque pre').isVisible(), false);
  await page.click('.opaque summary');
  await until(
    page,
    () => document.querySelector('.opaque pre')?.textContent === '<write_to_file><b>x</b>',
  );
});

test('a message that was cut off, and an error, are shown', async (t) => {
  const { page, conversation } = await opened(t);
  conversation
    .emit('text', { text: 'Half' })
    .emit('error', { kind: 'upstream', message: 'The connection to the provider broke.' })
    .emit('end', { index: 0, cut_off: true });
  await page.waitForSelector('.problem >> text=The connection to the provider broke.');
  await page.waitForSelector('text=The message was cut off here.');
});

test('the end stays in view, unless the user scrolled up', async (t) => {
  const { page, conversation } = await opened(t);
  const gap = () =>
    page.evaluate(() => document.documentElement.scrollHeight - innerHeight - scrollY);
  const lines = (from) => Array.from({ length: 40 }, (_, n) => `Line ${from + n}.\n\n`).join('');
  conversation.emit('text', { text: lines(0) });
  // Until the parser of markdown is loaded, all text is one paragraph.
  await page.waitForSelector('.prose p:nth-child(40)');
  await eventually(async () => (await gap()) < 2);
  await page.mouse.move(500, 400);
  await page.mouse.wheel(0, -600);
  // A browser may scroll in steps.
  await until(page, () => document.documentElement.scrollHeight - innerHeight - scrollY > 598);
  const before = await page.evaluate(() => scrollY);
  conversation.emit('text', { text: lines(40) });
  await page.waitForSelector('text=Line 79.', { state: 'attached' });
  assert.equal(await page.evaluate(() => scrollY), before);
  await page.click('#to-end');
  await eventually(async () => (await gap()) < 2);
  conversation.emit('text', { text: lines(80) });
  await page.waitForSelector('text=Line 119.');
  await eventually(async () => (await gap()) < 2);
  assert.equal(await page.locator('#to-end').isVisible(), false);
});

test('a question of 100 KB stays smooth', async (t) => {
  // A machine that is busy otherwise slows a single one down.
  for (let attempt = 1; ; attempt++) {
    const longest = await longestTask(t);
    t.diagnostic(`the longest task took ${longest} ms`);
    if (longest < 1000) return;
    assert.ok(attempt < 3, `${longest} ms`);
  }
});

/** Lets a long question grow in a new page. Returns how many milliseconds its longest task took. */
async function longestTask(t) {
  const { page, conversation } = await opened(t);
  const text = Array.from(
    { length: 900 },
    (_, n) =>
      `Paragraph ${n} has **some** text, and \`code\` in it, so that it is a little long.\n\n- one\n- two\n\n`,
  )
    .join('')
    .slice(0, 100_000);
  await until(page, () =>
    performance.getEntriesByType('resource').some(({ name }) => name.includes('growing.js')),
  );
  await page.evaluate(() => {
    window.longest = 0;
    new PerformanceObserver((list) =>
      list
        .getEntries()
        .forEach(({ duration }) => (window.longest = Math.max(window.longest, duration))),
    ).observe({ type: 'longtask' });
  });
  for (let at = 0; at < text.length; at += 40) {
    conversation.emit('partial', { call: 0, field: 'question', delta: text.slice(at, at + 40) });
    if (at % 2000 === 0) await new Promise(setImmediate);
  }
  conversation.emit('complete', { ...QUESTION, question: text });
  await page.waitForSelector('.take:enabled');
  return page.evaluate(() => window.longest);
}

test('code has a copy button, which copies it without symbols, and is highlighted', async (t) => {
  const { page, conversation } = await opened(t);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  const code = 'let a = 1; // one\u202E';
  conversation.emit('text', { text: `\`\`\`rust\n${code}\n\`\`\`\n` });
  await page.waitForSelector('.code-keyword >> text=let');
  await page.click('.copy-code');
  await page.waitForSelector('.copy-code[data-copied]');
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), code);
});

test('a message can be copied as it was written, with its question', async (t) => {
  const { page, conversation } = await opened(t);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  conversation
    .emit('text', { text: '**Bold** and `code`.\n\n' })
    .emit('opaque', { tool: 'read', raw: '<read>a</read>', start: true });
  conversation.emit('complete', {
    ...QUESTION,
    question: 'Tea?',
    suggest: [{ answer: 'Yes', mode: 'code' }, { answer: '*No*' }],
  });
  conversation
    .emit('end', { index: 0, cut_off: false })
    .emit('turn', { index: 1 })
    .emit('text', { text: 'Next.' });
  await page.waitForSelector('text=Next.');
  const copied = async (index) => {
    await page.click(`.turn .copy >> nth=${index}`);
    await page.waitForSelector(`.turn .copy >> nth=${index} >> text=Copied`);
    return page.evaluate(() => navigator.clipboard.readText());
  };
  assert.equal(
    await copied(0),
    '**Bold** and `code`.\n\n<read>a</read>\n\nTea?\n\n1. Yes\n2. *No*',
  );
  assert.equal(await copied(1), 'Next.');
  assert.equal(await page.locator('.turn h3 >> nth=0').textContent(), 'Message 1');
});

test('errors are in words for people', async (t) => {
  const { page, conversation } = await opened(t);
  conversation.emit('error', {
    kind: 'upstream',
    message: 'The provider refused the connection. (os error 111)',
  });
  await page.waitForSelector('.problem.item');
  assert.equal(
    await page.locator('.problem.item').textContent(),
    'The provider refused the connection.',
  );
});

test('without the markdown parser the text is shown, and the page does not redraw until it is there', async (t) => {
  const mock = await new Mock().start();
  t.after(() => mock.stop());
  const { page } = await newPage(t);
  await page.addInitScript(() => {
    window.frames = 0;
    const request = window.requestAnimationFrame.bind(window);
    window.requestAnimationFrame = (callback) => (window.frames++, request(callback));
  });
  let isAway = true;
  await page.route('**/growing.js*', (route) => (isAway ? route.abort() : route.continue()));
  mock.conversation('c').emit('turn', { index: 0 }).emit('text', { text: 'Some **bold** text.' });
  await page.goto(`${mock.url}/#/c/c`);
  await page.waitForSelector('.prose >> text=Some **bold** text.');
  const before = await page.evaluate(() => window.frames);
  await page.waitForTimeout(1000);
  const drawn = (await page.evaluate(() => window.frames)) - before;
  assert.ok(drawn < 10, `${drawn} frames in a second`);
  isAway = false;
  await page.waitForSelector('.prose strong');
});
