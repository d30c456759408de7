// A form while it is written: nothing flickers, and every cut shows the same as the whole.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FORM, completed, partials } from '../forms.mjs';
import { Mock } from '../mock.mjs';
import { newPage, play, service, until } from '../help.mjs';

async function opened(t, options) {
  const mock = await new Mock().start();
  t.after(() => mock.stop());
  const conversation = mock.conversation('c').emit('turn', { index: 0 });
  const { page, context } = await newPage(t, options);
  await page.goto(`${mock.url}/#/c/c`);
  await page.waitForSelector('.turn');
  await loaded(page);
  return { mock, conversation, page, context };
}

const loaded = (page) =>
  until(page, () =>
    performance.getEntriesByType('resource').some(({ name }) => name.includes('growing.js')),
  );

/**
 * Orders of keys: of a schema, sorted, and with everything that decides at the end or at the
 * beginning.
 */
const ORDERS = {
  'as in the schema': {},
  'options before the question': {
    order: [
      'header',
      'custom',
      'options',
      'text',
      'multiple',
      'required',
      'defaults',
      'placeholder',
    ],
    optionOrder: ['description', 'label', 'preview'],
  },
  'flags first': {
    order: [
      'custom',
      'multiple',
      'required',
      'placeholder',
      'header',
      'text',
      'options',
      'defaults',
    ],
  },
};

/**
 * Records what a user would see as flickering: text that shrinks, nodes that go, marks that change,
 * options that move.
 */
const watch = (page) =>
  page.evaluate(() => {
    const seen = (window.seen = { shrank: [], removed: [], flipped: [], moved: [], changes: 0 });
    const texts = new Map();
    const choices = new Map();
    const places = new Map();
    const isShown = (element) => element.checkVisibility();
    const look = () => {
      seen.changes++;
      for (const element of document.querySelectorAll(
        '.call :is(.markdown, .text, .description, .tab)',
      )) {
        const [before, now] = [texts.get(element) ?? '', element.textContent];
        if (!now.startsWith(before.trimEnd()))
          seen.shrank.push(`${before.slice(-40)} | ${now.slice(-40)}`);
        texts.set(element, now);
      }
      for (const list of document.querySelectorAll('.suggestions')) {
        const [before, now] = [choices.get(list), list.dataset.choice];
        if (before && before !== 'rows' && before !== now) seen.flipped.push(`${before} to ${now}`);
        choices.set(list, now);
      }
      for (const element of [
        ...document.querySelectorAll('.question, .suggestion, .take, .take .key, .take .text'),
      ].filter(isShown)) {
        const { x, y } = element.getBoundingClientRect();
        const top = element.closest('.call').getBoundingClientRect().top;
        const [before, now] = [places.get(element), `${Math.round(x)} ${Math.round(y - top)}`];
        if (before && before !== now)
          seen.moved.push(
            `${element.className} “${element.textContent.slice(0, 20)}” from ${before} to ${now}`,
          );
        places.set(element, now);
      }
    };
    new MutationObserver((records) => {
      for (const { removedNodes, target } of records)
        for (const node of removedNodes)
          if (
            node instanceof Element &&
            !target.closest?.('.markdown, .text, .description, .review')
          )
            seen.removed.push(node.outerHTML.slice(0, 80));
      look();
    }).observe(document.getElementById('conversation'), {
      subtree: true,
      childList: true,
      characterData: true,
      attributes: true,
    });
  });

/** What is shown of the call, without ids. */
const shown = (page) =>
  page.evaluate(() => {
    const call = document.querySelector('.call');
    const lines = [...call.querySelectorAll('*')]
      .filter((element) => !element.closest('svg'))
      .map((element) => {
        const attributes = [
          'class',
          'role',
          'hidden',
          'disabled',
          'aria-checked',
          'aria-selected',
          'data-choice',
          'placeholder',
          'tabindex',
        ];
        const own = attributes
          .filter((name) => element.hasAttribute(name))
          .map((name) => `${name}=${element.getAttribute(name)}`);
        const text = [...element.childNodes]
          .filter((node) => node instanceof Text)
          .map(({ data }) => data)
          .join('');
        return `${element.localName} ${own.join(' ')} ${text}`.trimEnd();
      });
    return lines.join('\n');
  });

/** Waits until everything that has arrived is drawn. */
const drawn = (page) =>
  page.evaluate(
    () =>
      new Promise((done) =>
        setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(done)), 30),
      ),
  );

for (const [name, orders] of Object.entries(ORDERS)) {
  for (const width of [375, 1280]) {
    test(`nothing flickers or moves while a form grows, ${name}, width ${width}`, async (t) => {
      const { page, conversation } = await opened(t, { viewport: { width, height: 900 } });
      await watch(page);
      for (const event of partials(FORM, { size: 3, ...orders })) {
        conversation.emit('form_partial', event);
        await page.evaluate(() => new Promise(requestAnimationFrame));
      }
      // What has to be answered may be known only at the end.
      const [first, ...others] = FORM.questions;
      conversation.emit(
        'complete',
        completed({ ...FORM, questions: [{ ...first, required: true }, ...others] }),
      );
      await page.waitForSelector('.call[data-state=open]');
      const { changes, ...seen } = await page.evaluate(() => window.seen);
      assert.deepEqual(seen, { shrank: [], removed: [], flipped: [], moved: [] });
      assert.ok(changes > 50, `${changes}`);
    });
  }

  test(`every cut shows the same as a snapshot of it, ${name}`, async (t) => {
    const { page, context, mock, conversation } = await opened(t);
    const late = await context.newPage();
    const events = partials(FORM, { size: 5, ...orders });
    for (let at = 0; at < events.length; at++) {
      conversation.emit('form_partial', events[at]);
      if (at % 17 !== 4) continue;
      await late.goto('about:blank');
      await late.goto(`${mock.url}/#/c/c`);
      await late.waitForSelector('.call');
      await loaded(late);
      await Promise.all([drawn(page), drawn(late)]);
      assert.equal(await shown(late), await shown(page), `after ${at + 1} events`);
    }
  });
}

for (const width of [375, 1280]) {
  test(`a title that comes after the questions moves nothing, width ${width}`, async (t) => {
    const { page, conversation } = await opened(t, { viewport: { width, height: 900 } });
    for (const event of partials(FORM)) conversation.emit('form_partial', event);
    await page.waitForSelector('.panel:not([hidden]) .question strong');
    await drawn(page);
    const places = () =>
      page.evaluate(() => {
        const top = document.querySelector('.call').getBoundingClientRect().top;
        const all = [
          ...document.querySelectorAll(
            '.call :is(.tab, .question, .suggestion, .take, .own, .steps button)',
          ),
        ];
        return all
          .filter((element) => element.checkVisibility())
          .map(
            (element) =>
              `${element.className} ${element.textContent} ${element.getBoundingClientRect().top - top}`,
          );
      });
    const before = await places();
    await watch(page);
    for (const delta of [
      'Set **up**',
      ' the recipes, ',
      'before anything else is done. '.repeat(9),
    ]) {
      conversation.emit('form_partial', {
        call: 0,
        tool: FORM.tool,
        question: 0,
        field: 'title',
        delta,
      });
      await drawn(page);
      assert.deepEqual(await places(), before);
    }
    await page.waitForSelector('.panels ~ .above >> text=Set up the recipes');
    conversation.emit(
      'complete',
      completed({
        ...FORM,
        title: `Set **up** the recipes, ${'before anything else is done. '.repeat(9)}`,
      }),
    );
    await page.waitForSelector('.call[data-state=open]');
    const after = await places();
    assert.deepEqual(
      before.filter((place) => !after.includes(place)),
      [],
    );
    const { changes, ...seen } = await page.evaluate(() => window.seen);
    assert.deepEqual(
      seen,
      { shrank: [], removed: [], flipped: [], moved: [] },
      `${changes} changes`,
    );
  });
}

test('a title that comes first is above the questions, and so is one that is known at once', async (t) => {
  for (const sends of [
    (conversation) => {
      conversation.emit('form_partial', {
        call: 0,
        tool: FORM.tool,
        question: 0,
        field: 'title',
        delta: 'Set up',
      });
      for (const event of partials(FORM)) conversation.emit('form_partial', event);
    },
    (conversation) => conversation.emit('complete', completed({ ...FORM, title: 'Set up' })),
  ]) {
    const { page, conversation } = await opened(t);
    sends(conversation);
    await page.waitForSelector('.take:enabled');
    await page.waitForSelector('.call > header + .above >> text=Set up');
  }
});

test('the whole is the same for every size of chunks', async (t) => {
  const views = [];
  for (const size of [1, 4, 1000]) {
    const { page, conversation } = await opened(t);
    for (const event of partials(FORM, { size })) conversation.emit('form_partial', event);
    conversation.emit('complete', completed(FORM));
    await page.waitForSelector('.call[data-state=open]');
    await drawn(page);
    views.push(await shown(page));
  }
  const { page, conversation } = await opened(t);
  conversation.emit('complete', completed(FORM));
  await page.waitForSelector('.call[data-state=open]');
  await drawn(page);
  for (const view of views) assert.equal(view, await shown(page));
});

test('what is picked stays while the rest grows, and when the connection breaks', async (t) => {
  const { page, conversation } = await opened(t);
  const events = partials(FORM);
  const [second, third] = [1, 2].map((index) =>
    events.findIndex(({ question }) => question === index),
  );
  for (const event of events.slice(0, second + 3)) conversation.emit('form_partial', event);
  await page.waitForSelector('.take:enabled');
  await page.fill('.panel:not([hidden]) .own textarea', 'On paper');
  for (const event of events.slice(second + 3, third)) conversation.emit('form_partial', event);
  conversation.cut();
  await page.waitForSelector('#connection[data-is=waiting]');
  for (const event of events.slice(third)) conversation.emit('form_partial', event);
  conversation.emit('complete', completed(FORM));
  await page.waitForSelector('.call[data-state=open]');
  assert.equal(await page.inputValue('.panel:not([hidden]) .own textarea'), 'On paper');
  assert.equal(
    await page.evaluate(() => document.activeElement?.closest('.own') !== null),
    true,
    'the focus, too',
  );
});

test('a form that breaks off stays as far as it came, and can’t be answered', async (t) => {
  const { page, conversation } = await opened(t);
  const events = partials(FORM);
  const third = events.findIndex(({ question }) => question === 2);
  for (const event of events.slice(0, third)) conversation.emit('form_partial', event);
  conversation.emit('rejected', {
    call: 0,
    reason: 'truncated',
    message: 'The message ended inside the call.',
    stopped: false,
  });
  await page.waitForSelector(
    '.call[data-state=rejected] >> text=The message ended inside the call.',
  );
  assert.equal(await page.locator('.take:enabled, .own:visible, .steps:visible').count(), 0);
  await page.click('[role=tab] >> nth=1');
  await page.waitForSelector('.take:visible >> text=Search');
});

test('the recorded form grows on the page, is answered, and is followed by the next message', async (t) => {
  const { url } = await service(t, ['--demo']);
  const { page } = await newPage(t);
  const id = await play(url, 'form', { chunk: '4', delay: 20 });
  await page.goto(`${url}/#/c/${id}`);
  await page.waitForSelector('.call[data-state=growing]');
  await watch(page);
  await page.waitForSelector('.call[data-state=open]');
  const { changes, ...seen } = await page.evaluate(() => window.seen);
  assert.deepEqual(
    { ...seen, moved: [] },
    { shrank: [], removed: [], flipped: [], moved: [] },
    `${changes} changes`,
  );
  await page.keyboard.press('1');
  await page.keyboard.press('2');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('w');
  await page.keyboard.type('Cook');
  await page.keyboard.press('Enter');
  await page.click('.answer .primary');
  await page.waitForSelector('.call[data-state=answered]');
  await page.waitForSelector('.prose >> text=Then I begin with that.');
  assert.match(await page.locator('.review').innerText(), /SQLite[^]*Search[^]*Cook/);
});
