// Takes the pictures of a form from a running service:
//
//   node form.mjs URL DIRECTORY
//
// The form is that of serve/demo/form.sse. It is pushed to the service piece by piece, so that one
// picture shows it while it is written. Other forms are below, and the plain question of
// examples/messages/database.md. `make` calls this; it needs the packages of
// serve/page/tests and Chromium (CHROMIUM, or /usr/bin/chromium).

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { request } from 'node:http';
import { join } from 'node:path';

const { chromium } = createRequire(new URL('../../serve/page/tests/package.json', import.meta.url))(
  'playwright-core',
);
const [url, directory] = process.argv.slice(2);
const body = await readFile(new URL('../../serve/demo/form.sse', import.meta.url), 'utf8');
/** The body up to the label of the third option. */
const growing = body.slice(0, body.indexOf('\n\n', body.indexOf('rkdow')) + 2);

/** A message with one plain question, and the message up to the label of its third suggestion. */
const message = await readFile(
  new URL('../../examples/messages/database.md', import.meta.url),
  'utf8',
);
const messageSoFar = message.slice(0, message.indexOf('rch index next'));

/** A form of the Model Context Protocol: a choice, a number and a text that are required. */
const FIELDS = {
  mode: 'form',
  message: 'Where does the app run?',
  requestedSchema: {
    type: 'object',
    properties: {
      region: { type: 'string', title: 'Region', enum: ['Frankfurt', 'Dublin'], default: 'Dublin' },
      port: { type: 'integer', title: 'Port', description: 'Above 1023.' },
      host: { type: 'string', title: 'Host' },
    },
    required: ['port', 'host'],
  },
};
/** One question with one choice. */
const ONE = {
  questions: [
    {
      question: 'Where should the recipes live?',
      header: 'Store',
      multiSelect: false,
      options: [
        { label: 'SQLite (Recommended)', description: 'One file, no server.' },
        { label: 'PostgreSQL', description: 'A server, for several people.' },
      ],
    },
  ],
};
/** The one question of another call in the same message. */
const SECOND = {
  questions: [
    {
      question: 'Who may read them?',
      header: 'Readers',
      multiSelect: false,
      options: [{ label: 'Everybody' }, { label: 'Only the family' }],
    },
  ],
};
/** A question with all its options, before it is known whether several can be picked. */
const NO_FLAG = JSON.stringify({
  questions: [
    {
      question: 'Which pages come first?',
      header: 'Pages',
      options: [
        { label: 'The list', description: 'By name.' },
        { label: 'The search', description: 'By ingredient.' },
        { label: 'The import' },
      ],
      multiSelect: true,
    },
  ],
}).split(',"multiSelect"')[0];
/** A call without a question, which is rejected. */
const REJECTED = {
  questions: [
    { question: '', multiSelect: false, options: [{ label: 'SQLite', description: 'One file.' }] },
  ],
};

/** Light everywhere, and dark at the sizes of a phone and of a desk. */
const VIEWS = [375, 768, 1280]
  .flatMap((width) => ['light', 'dark'].map((colorScheme) => ({ width, colorScheme })))
  .filter(({ width, colorScheme }) => colorScheme === 'light' || width !== 768);

/** The question that is shown. */
const SHOWN = '.panel:not([hidden])';
/** The conversation that is shown: the only one. */
let id = '';
let count = 0;

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--headless', '--no-sandbox', '--disable-gpu'],
});
for (const view of VIEWS) await take(view);
await browser.close();

/** Takes the pictures of all states at one size and in one scheme. */
async function take({ width, colorScheme }) {
  const isPhone = width < 500;
  const context = await browser.newContext({
    viewport: { width, height: 900 },
    colorScheme,
    hasTouch: isPhone,
    isMobile: isPhone,
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  await page.addInitScript(() => localStorage.setItem('followup.undo', 'off'));
  const picture = async (state, kind = 'form') => {
    await page.evaluate(
      () => document.activeElement instanceof HTMLElement && document.activeElement.blur(),
    );
    await page.mouse.move(0, 0);
    const height = await page.evaluate(() =>
      Math.max(
        600,
        document.querySelector('#conversation').getBoundingClientRect().bottom + scrollY + 24,
      ),
    );
    await page.setViewportSize({ width, height: Math.ceil(height) });
    // The page follows the question when its size changes.
    await page.waitForTimeout(200);
    await page.evaluate(() => scrollTo(0, 0));
    await page.waitForTimeout(100);
    await page.screenshot({
      path: join(
        directory,
        `${kind}-${state}-${width}${colorScheme === 'dark' ? '-dark' : ''}.png`,
      ),
    });
  };
  await whole(page, picture);
  if (colorScheme === 'light') {
    await others(page, picture);
    await plain(page, picture);
  }
  await context.close();
}

/** The form from its first question to its answer. */
async function whole(page, picture) {
  const [write, end] = await pushed(page, 'plan');
  write(growing);
  await page.waitForSelector('.take >> text=Mark');
  await page.waitForSelector('.question strong');
  await picture('growing');
  await end(body.slice(growing.length));
  await page.waitForSelector('.call[data-state=open]');
  await page.click(`${SHOWN} .take >> nth=0`);
  for (const index of [0, 1]) await page.click(`${SHOWN} .take >> nth=${index}`);
  await page.fill(`${SHOWN} .own textarea`, 'A map of the markets');
  await picture('choosing');
  await page.click('[role=tab] >> text=Review');
  await picture('review');
  await page.click('.answer .primary');
  await page.waitForSelector('.call[data-state=answered]');
  await page.waitForSelector('.delivery');
  await picture('answered');
}

/** Other forms, and other ends. */
async function others(page, picture) {
  const open = async (name, tool, form) => {
    const [, end] = await pushed(page, name);
    await end(form ? called(tool, form) : body);
  };
  await open('one', 'AskUserQuestion', ONE);
  await page.waitForSelector('.call[data-state=open]');
  await page.click('.remark:not([hidden]) > button');
  await page.fill('.remark:not([hidden]) textarea', 'Only until there are two of us.');
  await picture('note');
  await open('fields', 'elicitation/create', FIELDS);
  await page.waitForSelector('.call[data-state=open]');
  await page.click('[role=tab] >> nth=1');
  await page.fill(`${SHOWN} .own textarea`, 'eighty');
  await page.waitForSelector(`${SHOWN} .problem >> text=This has to be a number.`);
  await picture('problem');
  await open('declined', 'AskUserQuestion');
  await page.click('.answer >> text=Decline');
  await page.click('.confirm .danger');
  await page.waitForSelector('.call[data-state=declined]');
  await picture('declined');
  await open('discussed', 'AskUserQuestion');
  await page.click(`${SHOWN} .take >> nth=0`);
  await page.click('.answer >> text=Talk about it');
  await page.click('.confirm .danger');
  await page.waitForSelector('.call[data-state=discussed]');
  await picture('discussed');
  await open('rejected', 'AskUserQuestion', REJECTED);
  await page.waitForSelector('.call[data-state=rejected]');
  await picture('rejected');
  const [write, end] = await pushed(page, 'flag');
  write(
    event({
      index: 0,
      id: 'call_1',
      type: 'function',
      function: { name: 'AskUserQuestion', arguments: NO_FLAG },
    }),
  );
  await page.waitForSelector('.take >> text=The import');
  await picture('no-flag');
  await end('');
  await open('timed-out', 'AskUserQuestion');
  await page.waitForSelector('.call[data-state=open]');
  await post('answer', { number: 0, time_out: true });
  await page.waitForSelector('.call[data-state=timed_out]');
  await picture('timed-out');
  await open('dismissed', 'AskUserQuestion');
  await page.click(`${SHOWN} .take >> nth=0`);
  await post('dismiss', {});
  await page.waitForSelector('.call[data-state=dismissed] .unsent');
  await picture('dismissed');
  await open('cancelled', 'AskUserQuestion');
  await page.click('.answer >> text=Leave unanswered');
  await page.click('.confirm .danger');
  await page.waitForSelector('.call[data-state=cancelled]');
  await picture('cancelled');
  const [, ask] = await pushed(page, 'waiting');
  await ask(called('AskUserQuestion', ONE, SECOND));
  await page.waitForSelector('.call[data-state=waiting]');
  await picture('waiting');
  await open('elsewhere', 'AskUserQuestion', ONE);
  await page.waitForSelector('.call[data-state=open]');
  // The agent continues without an answer.
  const next = await fetch(`${url}/conversations?wire=text&id=${id}`, {
    method: 'POST',
    body: 'SQLite it is.',
  });
  if (!next.ok) throw new Error(await next.text());
  await page.waitForSelector('.call[data-state=elsewhere]');
  await picture('elsewhere');
}

/** One plain question from its beginning to its answer. */
async function plain(page, picture) {
  const [write, end] = await pushed(page, 'plain', 'text');
  write(messageSoFar);
  await page.waitForSelector('.take >> text=Markdown files');
  await page.waitForSelector('.question strong');
  await picture('growing', 'question');
  await end(message.slice(messageSoFar.length));
  await page.waitForSelector('.call[data-state=open]');
  await picture('open', 'question');
  await page.click('.take >> nth=0');
  await page.waitForSelector('.call[data-state=answered] .delivery');
  await picture('answered', 'question');
}

/**
 * Begins to push a body, and opens its conversation. Returns what writes a part of it, and the last
 * one.
 */
async function pushed(page, name, wire = 'openai-chat') {
  if (id) await fetch(`${url}/conversations/${id}`, { method: 'DELETE' });
  id = `${name}-${count++}`;
  const push = request(`${url}/conversations?wire=${wire}&id=${id}`, { method: 'POST' });
  const answered = new Promise((resolve, reject) =>
    push.on('response', (response) => response.resume().on('end', resolve)).on('error', reject),
  );
  push.flushHeaders();
  await eventually(async () => (await fetch(`${url}/conversations/${id}`)).ok);
  await page.goto(`${url}/#/c/${id}`);
  return [(text) => push.write(text), (text) => (push.end(text), answered)];
}

/** A body with a native call for each form. */
function called(name, ...forms) {
  const calls = forms.map((form, index) =>
    event({
      index,
      id: `call_${index + 1}`,
      type: 'function',
      function: { name, arguments: JSON.stringify(form) },
    }),
  );
  return (
    calls.join('') +
    `data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] })}\n\ndata: [DONE]\n\n`
  );
}

/** An event of a body with a piece of a native call. */
function event(call) {
  return `data: ${JSON.stringify({ choices: [{ index: 0, delta: { tool_calls: [call] } }] })}\n\n`;
}

/** Acts on the conversation, as another reader of it does. */
async function post(what, body) {
  const response = await fetch(`${url}/conversations/${id}/${what}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(await response.text());
}

/** Waits until a condition holds. */
async function eventually(condition) {
  for (let tries = 0; tries < 200 && !(await condition()); tries++)
    await new Promise((resolve) => setTimeout(resolve, 50));
}
