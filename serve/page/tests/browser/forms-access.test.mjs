// Forms for everybody: keyboard only, screen reader, narrow screens, both schemes; and hostile
// ones.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { FORM, completed, partials } from '../forms.mjs';
import { PNG, misdeeds, until } from '../help.mjs';
import { asked, opened } from '../opened.mjs';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const LONG = 'Donaudampfschifffahrtsgesellschaftskapitän'.repeat(4);
const SHOWN = '.panel:not([hidden])';

/** The same text in every field. */
const filled = (text) => ({
  tool: text,
  shape: 'claude',
  questions: [false, true].map((multiple) => ({
    text: `${multiple} ${text}`,
    header: text,
    detail: text,
    placeholder: text,
    custom: true,
    required: true,
    notes: true,
    multiple,
    defaults: [],
    options: [1, 2].map((index) => ({
      label: `${index} ${text}`,
      description: text,
      preview: text,
      mode: text,
      value: text,
      recommended: true,
    })),
  })),
});

/** How a form ends without an answer: the state, the event, and its data. */
const ENDS = [
  ['declined', 'replied', { kind: 'declined', said: '', images: [] }],
  ['cancelled', 'replied', { kind: 'cancelled', said: '', images: [] }],
  ['discussed', 'replied', { kind: 'discussed', said: '', images: [] }],
  ['timed_out', 'replied', { kind: 'timed_out', said: '', images: [] }],
  ['dismissed', 'closed', { why: 'dismissed' }],
  ['elsewhere', 'closed', { why: 'answered_elsewhere', said: LONG }],
];

/** Brings a form into each of its states. */
async function* states({ mock, conversation, page }, form) {
  const events = partials(form, { size: 200 });
  const known = events.findIndex((event) => event.known);
  for (const event of events.slice(0, known)) conversation.emit('form_partial', event);
  await page.waitForSelector('.call .suggestion >> nth=1');
  yield 'a question of which no flag is known';
  for (const event of events.slice(known, -1)) conversation.emit('form_partial', event);
  await page.waitForSelector('.take:enabled');
  yield 'the first question can be answered, the second grows';
  await page.click('[role=tab] >> nth=1');
  yield 'the question that grows';
  conversation.emit('complete', completed(form)).emit('end', { index: 0, cut_off: false });
  await page.waitForSelector('.call[data-state=open]');
  await page.click(`${SHOWN} .take >> nth=0`);
  yield 'several choices';
  await page.click('.remark:not([hidden]) > button');
  await page.keyboard.type(LONG);
  yield 'a note';
  await page.click('[role=tab] >> nth=0');
  await page.fill(`${SHOWN} .own textarea`, LONG);
  yield 'own words';
  await page.click('[role=tab] >> text=Review');
  yield 'the review';
  mock.refuse = { status: 422, code: 'bad_answer', message: `It does not fit: ${LONG}` };
  await page.click('.answer .primary');
  await page.waitForSelector('.answer .problem:not([hidden])');
  yield 'an answer that was refused';
  mock.refuse = null;
  await page.click('.answer .primary');
  await page.waitForSelector('.call[data-state=answered]');
  yield 'answered';
  conversation.emit('turn', { index: 1 });
  ENDS.forEach((_, index) =>
    conversation.emit(
      'complete',
      completed(form, { call: index, number: index + 1, open: index === 0, can_discuss: true }),
    ),
  );
  for (const event of partials(form, { size: 200, call: ENDS.length }).slice(0, -1))
    conversation.emit('form_partial', event);
  conversation
    .emit('rejected', {
      call: ENDS.length,
      reason: 'malformed',
      message: `Not read: ${LONG}`,
      stopped: false,
    })
    .emit('end', { index: 1, cut_off: false });
  await page.waitForSelector('.call[data-state=rejected]');
  await page.waitForSelector('.call[data-state=waiting]');
  yield 'open, waiting, rejected';
  for (const [index, [state, event, data]] of ENDS.entries()) {
    conversation.emit(event, { number: index + 1, ...data }).emit('open', { number: index + 2 });
    await page.waitForSelector(`.call[data-state=${state}]`);
  }
  yield 'all ends without an answer';
}

for (const colorScheme of ['light', 'dark']) {
  test(`axe finds nothing in a form, contrast included: ${colorScheme}`, async (t) => {
    const all = await opened(t, { colorScheme, bypassCSP: true, reducedMotion: 'reduce' });
    for await (const state of states(all, filled('Text with **bold** and `code`'))) {
      await all.page.evaluate(AXE);
      const { violations } = await all.page.evaluate(() =>
        window.axe.run(document, {
          runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
        }),
      );
      const found = violations.flatMap(({ id, nodes }) =>
        nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} ${failureSummary}`),
      );
      assert.deepEqual(found, [], state);
    }
  });
}

for (const width of [320, 768, 1400]) {
  test(`no part of a form overflows a screen of width ${width}`, async (t) => {
    const all = await opened(t, { viewport: { width, height: 640 } });
    for await (const state of states(all, filled(LONG))) {
      const wide = await all.page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(wide <= width, `${state}: ${wide} wide`);
      const over = await all.page.evaluate(
        (width) =>
          [...document.querySelectorAll('.call *')]
            .filter(
              (element) =>
                element.checkVisibility() &&
                !element.closest('.wide, .unseen-by-eye, .strip') &&
                element.getBoundingClientRect().right > width + 1,
            )
            .map((element) => element.outerHTML.slice(0, 80)),
        width,
      );
      assert.deepEqual(over, [], state);
    }
  });
}

test('the selected tab can be seen on a narrow screen, also after a form has ended', async (t) => {
  const { page } = await asked(t, FORM, { viewport: { width: 320, height: 640 } });
  const isSeen = () => {
    const tab = document.querySelector('[role=tab][aria-selected=true]').getBoundingClientRect();
    const strip = document.querySelector('.strip').getBoundingClientRect();
    return tab.left >= strip.left - 1 && tab.right <= strip.right + 1;
  };
  await page.click('.answer >> text=Decline');
  await page.click('.confirm .danger');
  await page.waitForSelector('.call[data-state=declined]');
  assert.equal(await page.locator('[role=tab][aria-selected=true]').innerText(), 'Review');
  await until(page, isSeen);
  await page.focus('[role=tab][aria-selected=true]');
  await page.keyboard.press('Home');
  await until(page, isSeen);
});

test('a form can be answered with the keyboard alone', async (t) => {
  const { page, mock } = await asked(t);
  const focused = () =>
    page.evaluate(() => document.activeElement?.textContent || document.activeElement?.localName);
  await page.focus('[role=tab] >> nth=0');
  await page.keyboard.press('Tab');
  assert.match(await focused(), /SQLite/);
  await page.keyboard.press('ArrowDown');
  assert.match(await focused(), /PostgreSQL/);
  assert.equal(
    await page.locator(`${SHOWN} .take >> nth=1`).getAttribute('aria-checked'),
    'true',
    'an arrow key picks',
  );
  await page.keyboard.press('Enter');
  await page.waitForSelector(`${SHOWN} [role=checkbox]`);
  assert.match(await focused(), /List/, 'the next question has the focus');
  await page.keyboard.press('Space');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Space');
  assert.deepEqual(
    await page
      .locator(`${SHOWN} .take`)
      .evaluateAll((rows) => rows.map((row) => row.getAttribute('aria-checked'))),
    ['true', 'false', 'true'],
  );
  await page.keyboard.press('ArrowRight');
  assert.equal(await focused(), 'textarea');
  await page.keyboard.type('Cook');
  await page.keyboard.press('Enter');
  assert.equal(await focused(), 'Send');
  await page.keyboard.press('Enter');
  await page.waitForSelector('.call[data-state=answered]');
  assert.deepEqual(mock.answers, [
    { number: 0, form: [{ picked: [1] }, { picked: [0, 2] }, { text: 'Cook' }] },
  ]);
});

test('the tabs are reached with arrow keys, Home and End', async (t) => {
  const { page } = await asked(t);
  const selected = () => page.locator('[role=tab][aria-selected=true]').textContent();
  await page.focus('[role=tab] >> nth=0');
  for (const [key, name] of [
    ['ArrowRight', 'Pages'],
    ['End', 'Review'],
    ['ArrowRight', 'Store'],
    ['ArrowLeft', 'Review'],
    ['Home', 'Store'],
  ]) {
    await page.keyboard.press(key);
    assert.equal(await selected(), name, key);
    assert.equal(await page.evaluate(() => document.activeElement?.textContent), name);
  }
});

test('a screen reader gets names, descriptions and the state of a form', async (t) => {
  const { page, conversation } = await asked(t, {
    ...FORM,
    questions: [{ ...FORM.questions[0], required: true }, ...FORM.questions.slice(1)],
  });
  await page.getByRole('radiogroup', { name: 'Where should the recipes live?' }).waitFor();
  const radio = page.getByRole('radio', {
    name: 'SQLite Recommended One file, no server.',
    exact: true,
  });
  assert.match(
    await radio.evaluate(
      (row) => document.getElementById(row.getAttribute('aria-details'))?.textContent,
    ),
    /recipes\.db/,
  );
  await page.getByRole('tabpanel', { name: 'Store' }).waitFor();
  await page.getByRole('textbox', { name: 'Other, in your own words' }).waitFor();
  await radio.click();
  await page.getByRole('tab', { name: 'Store, answered' }).waitFor();
  await until(page, () =>
    document.getElementById('live')?.textContent?.includes('Question 2 of 3.'),
  );
  await page
    .getByRole('group', { name: 'Which pages come first?' })
    .getByRole('checkbox', { name: 'List By name.', exact: true })
    .waitFor();
  await page.getByRole('tab', { name: 'Review' }).click();
  await until(page, () =>
    document.getElementById('live')?.textContent?.includes('Review of your answers.'),
  );
  await page.getByRole('button', { name: 'Change the answer to: Store' }).waitFor();
  conversation.emit('replied', { number: 0, kind: 'declined', said: '', images: [] });
  await until(page, () => document.getElementById('live')?.textContent?.includes('Declined.'));
});

test('nothing that a form holds is executed, opened or fetched', async (t) => {
  const hostile =
    '<img src=x onerror=alert(1)><script>alert(2)</script> ![i](https://example.org/i.png) ' +
    '[l](javascript:alert(3)) \u202Egnp.exe';
  const all = await opened(t);
  for await (const state of states(all, filled(hostile)))
    assert.equal(
      await all.page.locator('.call :is(img, script, iframe, a[href^="javascript"])').count(),
      0,
      state,
    );
  assert.deepEqual(await misdeeds(all.page, all.did, all.mock.url), []);
});

test('the countdown takes the first answer to each question, and a default if there is one', async (t) => {
  const { page, mock, conversation } = await opened(t);
  await page.clock.install();
  await page.selectOption('#countdown', '10');
  const form = {
    ...FORM,
    questions: [
      FORM.questions[0],
      { ...FORM.questions[1], defaults: ['Search'] },
      FORM.questions[2],
    ],
  };
  conversation.emit('complete', completed(form));
  await page.clock.runFor(500);
  await page.waitForSelector('.clock >> text=Takes the first answers in');
  for (let second = 0; second < 12; second++) await page.clock.runFor(1000);
  await page.waitForSelector('.call[data-state=answered]');
  assert.deepEqual(mock.answers, [{ number: 0, form: [{ picked: [0] }, { picked: [1] }, {}] }]);
});

const SEVERAL = {
  text: 'Which?',
  custom: true,
  multiple: true,
  options: [{ label: 'A' }, { label: 'B' }, { label: 'C' }],
};
const ONE = { ...SEVERAL, multiple: false };
for (const [name, question, next, picked] of [
  ['several choices with defaults', { ...SEVERAL, defaults: ['B', 'C'] }, 'B, C', [1, 2]],
  ['several choices', SEVERAL, 'A', [0]],
  ['one choice with a default', { ...ONE, defaults: ['B'] }, 'B', [1]],
  ['one choice', ONE, 'A', [0]],
]) {
  test(`of a form of one question the countdown marks and takes the default, or else the first option: ${name}`, async (t) => {
    const { page, mock, conversation } = await opened(t);
    await page.clock.install();
    await page.selectOption('#countdown', '10');
    conversation.emit('complete', completed({ ...FORM, questions: [question] }));
    await page.clock.runFor(500);
    await page.waitForSelector('.clock:not([hidden])');
    assert.equal(await page.locator('.clock .what').textContent(), next);
    assert.equal((await page.locator('.suggestion.next .text').allTextContents()).join(', '), next);
    assert.match(
      await page.locator('#live').textContent(),
      new RegExp(`The first answer is taken in 10 seconds: ${next}\\.`),
    );
    for (let second = 0; second < 12; second++) await page.clock.runFor(1000);
    await page.waitForSelector('.call[data-state=answered]');
    assert.deepEqual(mock.answers, [{ number: 0, form: [{ picked }] }]);
    assert.equal(
      (await page.locator('.suggestion.chosen .text').allTextContents()).join(', '),
      next,
    );
  });
}

for (const questions of [[SEVERAL], FORM.questions]) {
  test(`the countdown does not take what was answered before the page was reloaded: questions: ${questions.length}`, async (t) => {
    const { page, mock } = await asked(t, { ...FORM, questions });
    await page.keyboard.press('1');
    await page.waitForSelector('.suggestion.chosen', { state: 'attached' });
    await page.evaluate(() => localStorage.setItem('followup.countdown', '10'));
    await page.clock.install();
    await page.reload();
    await page.clock.runFor(500);
    await page.waitForSelector('.call[data-state=open]');
    await page.waitForSelector('.suggestion.chosen', { state: 'attached' });
    assert.equal(await page.locator('.clock').isVisible(), false);
    await page.selectOption('#countdown', '30');
    for (let second = 0; second < 32; second++) await page.clock.runFor(1000);
    assert.deepEqual(mock.answers, []);
  });
}

test('the arrow keys scroll a wide part of a form that has the focus', async (t) => {
  const { page } = await asked(t, {
    ...FORM,
    questions: [
      { ...FORM.questions[0], text: '| a | b |\n|---|---|\n| 1 | 2 |' },
      ...FORM.questions.slice(1),
    ],
  });
  for (const selector of ['.wide', '.preview']) {
    await page.locator(selector).first().focus();
    await page.keyboard.press('ArrowRight');
    assert.equal(
      await page.locator('[role=tab][aria-selected=true]').textContent(),
      'Store',
      selector,
    );
  }
  await page.locator('.take').first().focus();
  await page.keyboard.press('ArrowRight');
  await page.waitForSelector('[role=tab][aria-selected=true] >> text=Pages');
});

test('answers to a form can be taken back before they are sent', async (t) => {
  const { page, mock } = await asked(t, FORM, { undo: true });
  await page.keyboard.press('2');
  await page.click('[role=tab] >> text=Review');
  await page.click('.answer .primary');
  await page.waitForSelector('.undo:not([hidden])');
  assert.equal(
    await page.locator('.review button:visible').count(),
    0,
    'nothing changes while it is being sent',
  );
  await page.keyboard.press('Escape');
  await page.waitForSelector('.review button:visible');
  assert.deepEqual(mock.answers, []);
  assert.match(await page.locator('.review').innerText(), /PostgreSQL/);
});

test('images go with the answers to a form', async (t) => {
  const { page, mock } = await asked(t);
  await page.keyboard.press('1');
  await page.click('[role=tab] >> text=Review');
  await page.setInputFiles('.answer input[type=file]', {
    name: 'a.png',
    mimeType: 'image/png',
    buffer: PNG,
  });
  await page.waitForSelector('.answer .tray li');
  await page.click('.answer .primary');
  await page.waitForSelector('.call[data-state=answered]');
  assert.deepEqual(mock.answers[0].form, [{ picked: [0] }, {}, {}]);
  assert.equal(mock.answers[0].images.length, 1);
});
