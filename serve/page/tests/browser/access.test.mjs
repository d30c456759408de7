// Accessibility: keyboard only, screen reader, narrow screens, dark scheme.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { Mock } from '../mock.mjs';
import { PNG, QUESTION, eventually, newPage, until } from '../help.mjs';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const LONG = 'Donaudampfschifffahrtsgesellschaftskapitän'.repeat(4);

async function opened(t, options) {
  const mock = await new Mock().start();
  t.after(() => mock.stop());
  mock.demo = { messages: [{ name: 'a', title: `A message with ${LONG}` }], chunk: '4', delay: 30 };
  const conversation = mock.conversation('c');
  const { page } = await newPage(t, options);
  await page.goto(`${mock.url}/#/c/c`);
  await page.waitForSelector('#demo:not([hidden])', { state: 'attached' });
  return { mock, conversation, page };
}

/** Brings the page into each of its states, one after another. */
async function* states({ mock, conversation, page }) {
  const markdown = [
    '# Heading',
    `Text with **bold**, \`code\`, [a link](https://example.org/${LONG}), \u202Eand\u202C ![an image](https://example.org/i.png)`,
    '> quoted',
    `\`\`\`js\n${LONG.repeat(3)}\n\`\`\``,
    `| a | b | c | d | e | f |\n|---|---|---|---|---|---|\n| ${LONG} | 2 | 3 | 4 | 5 | ${LONG} |`,
    `- [ ] ${LONG}`,
    '---\n\n',
  ].join('\n\n');
  conversation
    .emit('turn', { index: 0 })
    .emit('text', { text: markdown })
    .emit('opaque', { tool: `write_${LONG}`, raw: LONG, start: true });
  conversation.emit('partial', { call: 0, field: 'question', delta: markdown }).emit('partial', {
    call: 0,
    field: 'suggest',
    suggestion: 0,
    delta: `Yes ${LONG}`,
    mode: `architect-${LONG}`,
  });
  await page.waitForSelector('.call[data-state=growing] .take');
  yield 'growing';
  conversation.emit('complete', {
    ...QUESTION,
    question: markdown,
    suggest: [
      { answer: `Yes ${LONG}`, mode: `architect-${LONG}` },
      { answer: 'No', mode: 'code' },
    ],
    notes: ['the question has no close tag'],
  });
  await page.waitForSelector('.take:enabled');
  await page.selectOption('#countdown', '60');
  await page.waitForSelector('.clock:not([hidden])');
  await page.click('.opaque summary');
  await page.click('.notes summary');
  await page.click('.edit >> nth=0');
  await page.setInputFiles('.answer input[type=file]', {
    name: `${LONG}.png`,
    mimeType: 'image/png',
    buffer: PNG,
  });
  await page.waitForSelector('.answer .tray li');
  mock.refuse = { status: 409, code: 'busy', message: `Wait for ${LONG}` };
  await page.click('.answer .primary');
  await page.waitForSelector('.answer .problem:not([hidden])');
  yield 'an answer that failed';
  mock.refuse = null;
  await page.click('.answer .primary');
  await page.waitForSelector('.call[data-state=answered]');
  conversation.emit('complete', { ...QUESTION, call: 1, number: 1, open: false, suggest: [] });
  conversation.emit('rejected', {
    call: 2,
    reason: 'malformed',
    message: `Not read: ${LONG}`,
    stopped: true,
  });
  conversation
    .emit('error', { kind: 'upstream', message: `Broken: ${LONG}` })
    .emit('end', { index: 0, cut_off: true });
  await page.waitForSelector('.guidance');
  yield 'answered, rejected, stopped';
  mock.isUp = false;
  conversation.cut();
  await page.waitForSelector('#connection[data-is=waiting]');
  yield 'reconnecting';
  mock.isUp = true;
  await page.keyboard.press('Escape');
  await page.click('#help-button');
  await page.waitForSelector('dialog#help[open]');
  yield 'help';
  await page.click('#help-close');
  await page.goto(`${mock.url}/#/`);
  await page.waitForSelector('#list li');
  yield 'the list';
  mock.token = 'x';
  await page.reload();
  await page.waitForSelector('dialog#token[open]');
  yield 'the token';
}

for (const colorScheme of ['light', 'dark']) {
  test(`axe finds nothing, contrast included: ${colorScheme}`, async (t) => {
    const all = await opened(t, { colorScheme, bypassCSP: true, reducedMotion: 'reduce' });
    for await (const state of states(all)) {
      await all.page.evaluate(AXE);
      const { violations } = await all.page.evaluate(() =>
        window.axe.run(document, {
          runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
        }),
      );
      const found = violations.flatMap(({ id, nodes }) =>
        nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 120)} ${failureSummary}`),
      );
      assert.deepEqual(found, [], state);
    }
  });
}

for (const width of [320, 768, 1400]) {
  test(`nothing overflows a screen of width ${width}`, async (t) => {
    const all = await opened(t, { viewport: { width, height: 640 } });
    for await (const state of states(all)) {
      const wide = await all.page.evaluate(() => document.documentElement.scrollWidth);
      const over = await all.page.evaluate(
        (width) =>
          [...document.querySelectorAll('body *')]
            .filter(
              (element) =>
                element.checkVisibility() &&
                !element.closest('.wide, .unseen-by-eye, .setting > span, .skip') &&
                element.getBoundingClientRect().right > width + 1,
            )
            .map((element) => element.outerHTML.slice(0, 80)),
        width,
      );
      assert.ok(wide <= width, `${state}: ${wide} wide`);
      assert.deepEqual(over, [], state);
    }
  });
}

test('a phone shows its header in one row, and most of its width is for the text of a suggestion', async (t) => {
  const { page, conversation } = await opened(t, { viewport: { width: 320, height: 640 } });
  conversation.emit('turn', { index: 0 }).emit('complete', {
    ...QUESTION,
    suggest: [
      {
        answer: 'Put a cache in front of the query, and expire its entries after 60 seconds',
        mode: 'architect',
      },
    ],
  });
  await page.waitForSelector('.take:enabled');
  const box = (selector) =>
    page.evaluate(
      (selector) => document.querySelector(selector).getBoundingClientRect().toJSON(),
      selector,
    );
  for (const width of [375, 360, 320]) {
    await page.setViewportSize({ width, height: 640 });
    assert.ok((await box('.top')).height < 64, `the header is one row: ${width}`);
  }
  assert.ok((await box('.take .text')).width > 0.7 * 320, 'the text is wide');
  const [text, mode, edit, take] = [
    await box('.take .text'),
    await box('.take .mode'),
    await box('.edit'),
    await box('.take'),
  ];
  assert.ok(
    mode.bottom <= text.top && edit.bottom <= text.top + 2,
    'mode and pencil are above the text',
  );
  assert.ok(edit.right <= take.right && edit.left >= mode.right);
});

test('everything can be done with the keyboard', async (t) => {
  const { page, conversation, mock } = await opened(t);
  conversation
    .emit('turn', { index: 0 })
    .emit('text', { text: 'Hello.' })
    .emit('complete', QUESTION);
  await page.waitForSelector('.take:enabled');
  const order = [];
  for (let presses = 0; presses < 40; presses++) {
    await page.keyboard.press('Tab');
    const at = await page.evaluate(() => {
      const element = document.activeElement;
      if (!element || element === document.body) return null;
      const { outlineStyle, outlineWidth } = getComputedStyle(element);
      const { width, height } = element.getBoundingClientRect();
      return {
        name: element.id || element.className || element.textContent?.slice(0, 20),
        seen: outlineStyle !== 'none' && outlineWidth !== '0px' && width > 0 && height > 0,
      };
    });
    if (!at) break;
    assert.ok(at.seen, `${at.name} shows that it has the focus`);
    order.push(at.name);
  }
  const wanted = ['skip', 'countdown', 'help-button', 'take', 'edit', 'quiet'];
  for (const name of wanted) assert.ok(order.includes(name), `${name} is reached: ${order}`);
  assert.equal(order.filter((name) => name === 'take').length, 3);

  await page.keyboard.press('?');
  await page.waitForSelector('dialog#help[open]');
  await page.keyboard.press('1');
  assert.deepEqual(mock.answers, [], 'keys are not for what lies below');
  await page.keyboard.press('Escape');
  await until(page, () => !document.querySelector('dialog[open]'));
  await page.keyboard.press('w');
  await page.keyboard.type('w1?');
  assert.equal(await page.inputValue('.answer textarea'), 'w1?');
  await page.keyboard.press('Escape');
  assert.equal(await page.evaluate(() => document.activeElement === document.body), true);
  await page.focus('.take >> nth=1');
  await page.keyboard.press('e');
  assert.equal(await page.inputValue('.answer textarea'), 'PostgreSQL');
  await page.keyboard.type('!');
  await page.keyboard.press('Enter');
  await page.waitForSelector('.call[data-state=answered]');
  assert.deepEqual(mock.answers, [{ number: 0, suggestion: 1, text: 'PostgreSQL!' }]);
});

test('the skip link leads to the conversation and leaves the address alone', async (t) => {
  const { page } = await opened(t);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  assert.equal(await page.evaluate(() => document.activeElement?.id), 'main');
  assert.equal(new URL(page.url()).hash, '#/c/c');
});

/** Ten suggestions, so that the digit 1 waits for a second one. */
const TEN = Array.from({ length: 10 }, (_, index) => ({ answer: `Suggestion ${index + 1}` }));

async function ten(t) {
  const all = await opened(t);
  all.conversation.emit('complete', { ...QUESTION, suggest: TEN });
  await all.page.waitForSelector('.take:enabled');
  await all.page.clock.install();
  // From here on only the test moves the clock.
  await all.page.clock.pauseAt(await all.page.evaluate(() => Date.now() + 10_000));
  return all;
}

test('two digits are one number, also where they are typed with Shift', async (t) => {
  const { page, mock } = await ten(t);
  for (const key of ['Shift', '1', 'Shift', '0']) await page.keyboard.press(key);
  await eventually(() => mock.answers.length);
  assert.deepEqual(mock.answers, [{ number: 0, suggestion: 9 }]);
});

const ENDS = {
  'another shortcut': (page) => page.keyboard.press('w'),
  'a key in the text box': (page) =>
    page.focus('.answer textarea').then(() => page.keyboard.press('0')),
  'a shortcut of the browser': (page) => page.keyboard.press('Control+ArrowDown'),
  'a click': (page) => page.mouse.click(900, 700),
  'another question': async (page, conversation) => {
    conversation
      .emit('closed', { number: 0, why: 'dismissed' })
      .emit('complete', { ...QUESTION, call: 1, number: 1, suggest: TEN });
    await eventually(
      async () => (
        await page.clock.runFor(20),
        page.locator('.call').nth(1).locator('.take:enabled').count()
      ),
    );
  },
};
for (const [name, end] of Object.entries(ENDS)) {
  test(`${name} ends the wait for a second digit`, async (t) => {
    const { page, conversation, mock } = await ten(t);
    await page.keyboard.press('1');
    await end(page, conversation);
    await page.clock.runFor(2000);
    assert.deepEqual(mock.answers, []);
    if (name === 'another question') {
      await page.keyboard.press('2');
      await eventually(() => mock.answers.length);
      assert.deepEqual(mock.answers, [{ number: 1, suggestion: 1 }]);
    }
  });
}

test('shortcuts of one character can be turned off', async (t) => {
  const { page, conversation, mock } = await opened(t);
  conversation.emit('complete', QUESTION);
  await page.waitForSelector('.take:enabled');
  await page.click('#help-button');
  await page.uncheck('#shortcuts');
  await page.click('#help-close');
  await page.keyboard.press('1');
  await page.keyboard.press('?');
  assert.equal(await page.locator('dialog[open]').count(), 0);
  await page.reload();
  await page.waitForSelector('.take:enabled');
  await page.keyboard.press('1');
  assert.deepEqual(mock.answers, []);
});

test('a screen reader announces what matters, and not each delta', async (t) => {
  const { page, conversation, mock } = await opened(t);
  await page.evaluate(() => {
    window.said = [];
    const live = document.getElementById('live');
    new MutationObserver(() => window.said.push(live?.textContent?.trim())).observe(live, {
      childList: true,
      characterData: true,
      subtree: true,
    });
  });
  const hears = (text) =>
    until(page, (text) => window.said.some((said) => said.includes(text)), text);
  conversation.emit('turn', { index: 0 });
  for (const word of 'Many words come one after the other.'.split(/(?= )/))
    conversation
      .emit('text', { text: word })
      .emit('partial', { call: 0, field: 'question', delta: word });
  await page.waitForSelector('.question >> text=after the other.');
  conversation.emit('complete', QUESTION);
  await hears('Question complete, 3 suggestions.');
  assert.deepEqual(await page.evaluate(() => window.said), ['Question complete, 3 suggestions.']);
  conversation.cut();
  await hears('Reconnected.');
  mock.refuse = { status: 409, code: 'busy', message: 'Wait a little.' };
  await page.keyboard.press('1');
  await hears('Wait a little.');
  mock.refuse = null;
  await page.keyboard.press('1');
  await hears('Answer taken.');
  conversation.emit('error', { kind: 'upstream', message: 'It broke.' });
  await hears('Error: It broke.');
  assert.equal(
    await page.locator('[aria-live], [role=status], [role=alert], [role=log]').count(),
    1,
    'there is one live region',
  );
});

test('with reduced motion there is no animation', async (t) => {
  const { page, conversation } = await opened(t, { reducedMotion: 'reduce' });
  conversation
    .emit('turn', { index: 0 })
    .emit('partial', { call: 0, field: 'question', delta: 'Tea?' });
  await page.waitForSelector('.call[data-state=growing]');
  await eventually(async () => (await page.evaluate(() => document.getAnimations().length)) === 0);
});

test('right-to-left text has its own direction, and does not affect the text around it', async (t) => {
  const { page, conversation } = await opened(t);
  conversation.emit('turn', { index: 0 }).emit('complete', {
    ...QUESTION,
    question: 'Which?\n\nאיזה מהם?',
    suggest: [{ answer: 'العربية' }, { answer: 'English' }],
  });
  await page.waitForSelector('.question p >> nth=1');
  const directions = await page.evaluate(() =>
    [...document.querySelectorAll('.question p, .take .text')].map(
      (element) => getComputedStyle(element).direction,
    ),
  );
  assert.deepEqual(directions, ['ltr', 'rtl', 'rtl', 'ltr']);
});

test('after an answer the focus stays at the question', async (t) => {
  for (const undo of [false, true]) {
    const { page, conversation } = await opened(t, { undo });
    conversation
      .emit('turn', { index: 0 })
      .emit('complete', QUESTION)
      .emit('end', { index: 0, cut_off: false });
    await page.waitForSelector('.take:enabled');
    await page.focus('.take >> nth=1');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.call[data-state=answered]');
    await until(page, () => document.activeElement?.matches('.call'));
  }
});

test('a narrow screen keeps the focus when it shows the conversation instead of the list, and back', async (t) => {
  const { page, mock, conversation } = await opened(t, { viewport: { width: 320, height: 640 } });
  conversation.emit('turn', { index: 0 }).emit('text', { text: 'Hello.' });
  await page.goto(`${mock.url}/#/`);
  await page.focus('#list a');
  await page.keyboard.press('Enter');
  await page.waitForSelector('.prose');
  await until(page, () => document.activeElement?.id === 'conversation-title');
  await page.focus('.back');
  await page.keyboard.press('Enter');
  await until(page, () => document.activeElement?.matches('.side'));
});

test('what is wrong with a token belongs to its field', async (t) => {
  const { page, mock } = await opened(t);
  mock.token = 'x';
  await page.reload();
  await page.waitForSelector('dialog#token[open]');
  const field = () =>
    page.evaluate(() => {
      const field = document.querySelector('#token-field');
      const described = document.getElementById(field.getAttribute('aria-describedby') ?? '');
      return [
        field.getAttribute('aria-invalid'),
        described && !described.hidden ? described.textContent : '',
      ];
    });
  assert.deepEqual(await field(), [null, '']);
  await page.fill('#token-field', 'not one');
  await page.keyboard.press('Enter');
  await until(page, () => !document.querySelector('#token-problem').hidden);
  assert.deepEqual(await field(), ['true', 'That token was not accepted.']);
});
