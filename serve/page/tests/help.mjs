// Helpers of the browser tests: the browser, the real service, and a connection that can be cut.

import { spawn } from 'node:child_process';
import { createServer, connect } from 'node:net';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const FOLLOWUP =
  process.env.FOLLOWUP ?? fileURLToPath(new URL('../../../target/debug/followup', import.meta.url));
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

let launched;
after(async () => (await launched)?.close());

/** Launches the browser, one for all tests of a file. */
function browser() {
  return (launched ??= chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: FLAGS,
  }));
}

/**
 * Opens a page, and records its requests, dialogs, errors and policy violations.
 * @param {import('node:test').TestContext} t
 */
export async function newPage(t, { undo = false, ...options } = {}) {
  const context = await (
    await browser()
  ).newContext({ viewport: { width: 1000, height: 800 }, ...options });
  t.after(() => context.close());
  context.setDefaultTimeout(15_000);
  const page = await context.newPage();
  // Only tests of the undo bar wait for it.
  if (!undo) await page.addInitScript(() => localStorage.setItem('followup.undo', 'off'));
  const did = { requests: [], dialogs: [], errors: [], violations: [] };
  context.on('request', (request) => did.requests.push(request.url()));
  page.on('dialog', (dialog) => (did.dialogs.push(dialog.message()), dialog.dismiss()));
  page.on('pageerror', (error) => did.errors.push(String(error)));
  page.on('popup', (popup) => did.dialogs.push(`popup ${popup.url()}`));
  page.on(
    'console',
    (message) =>
      /Content Security Policy|Trusted/i.test(message.text()) &&
      did.violations.push(message.text()),
  );
  await page.addInitScript(() => {
    window.violations = [];
    document.addEventListener('securitypolicyviolation', (event) =>
      window.violations.push(`${event.violatedDirective} ${event.blockedURI}`),
    );
  });
  return { page, context, did };
}

/**
 * Returns everything that the page should not have done: foreign requests, dialogs, errors,
 * violations.
 * @returns {Promise<string[]>}
 */
export async function misdeeds(page, did, origin) {
  const foreign = did.requests.filter(
    (url) =>
      !url.startsWith(`${origin}/`) &&
      !url.startsWith(`blob:${origin}/`) &&
      !url.startsWith('data:image/'),
  );
  return [
    ...foreign,
    ...did.dialogs,
    ...did.errors,
    ...did.violations,
    ...(await page.evaluate(() => window.violations)),
  ];
}

/** Starts the real service. */
export async function service(t, args = ['--demo'], env = {}) {
  const child = spawn(FOLLOWUP, ['serve', '--listen', '127.0.0.1:0', ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const stop = () =>
    new Promise((resolve) =>
      child.exitCode === null ? (child.once('exit', resolve), child.kill('SIGKILL')) : resolve(),
    );
  t.after(stop);
  const url = await new Promise((resolve, reject) => {
    let output = '';
    child.stdout.on('data', (data) => {
      output += data;
      const found = /listening on (http:\S+)/.exec(output);
      if (found) resolve(found[1]);
    });
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`the service ended with ${code}`)));
  });
  return { url, stop };
}

/**
 * Starts a Redis server. Without one, skips the test; in CI, fails.
 * @returns {Promise<string | undefined>} its URL
 */
export async function redis(t) {
  const free = createServer();
  await new Promise((resolve) => free.listen(0, '127.0.0.1', resolve));
  const { port } = free.address();
  await new Promise((resolve) => free.close(resolve));
  const child = spawn(
    'redis-server',
    ['--port', `${port}`, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'],
    { stdio: 'ignore' },
  );
  const isThere = await new Promise(
    (resolve) => (
      child.once('spawn', () => resolve(true)),
      child.once('error', () => resolve(false))
    ),
  );
  if (!isThere) {
    if (process.env.CI) throw new Error('there is no redis-server, which CI installs');
    t.skip('there is no redis-server');
    return undefined;
  }
  t.after(() => child.kill('SIGKILL'));
  const answers = () =>
    new Promise((resolve) => {
      const socket = connect(port, '127.0.0.1', () => (socket.destroy(), resolve(true)));
      socket.once('error', () => resolve(false));
    });
  await eventually(answers);
  return `redis://127.0.0.1:${port}`;
}

/** Plays a recorded message. @returns {Promise<string>} the conversation's id */
export async function play(url, message, { chunk = '4', delay = 0 } = {}) {
  const response = await fetch(`${url}/demo`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ message, chunk, delay }),
  });
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()).id;
}

/** Starts a proxy to the service whose connections can be cut. */
export async function wire(t, target) {
  const { port } = new URL(target);
  const sockets = new Set();
  let isUp = true;
  const server = createServer((near) => {
    if (!isUp) return near.destroy();
    const far = connect(Number(port), '127.0.0.1');
    for (const [one, other] of [
      [near, far],
      [far, near],
    ]) {
      sockets.add(one);
      one.pipe(other);
      one.on('error', () => other.destroy());
      one.on('close', () => (sockets.delete(one), other.destroy()));
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const cut = () => sockets.forEach((socket) => socket.destroy());
  t.after(() => (cut(), server.close()));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    cut,
    down: () => ((isUp = false), cut()),
    up: () => (isUp = true),
  };
}

/** Waits until a condition holds on the page. */
export function until(page, condition, argument) {
  return page.waitForFunction(condition, argument, { polling: 20 });
}

/** Waits until a condition holds in the test. */
export async function eventually(condition) {
  for (
    const began = Date.now();
    Date.now() - began < 15_000;
    await new Promise((resolve) => setTimeout(resolve, 10))
  ) {
    const value = await condition();
    if (value) return value;
  }
  throw new Error(`timed out: ${condition}`);
}

/** A PNG of one pixel. */
export const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** A question as the service sends it. */
export const QUESTION = {
  call: 0,
  question: 'Where should the **recipes** live?',
  suggest: [
    { answer: 'SQLite', mode: 'code' },
    { answer: 'PostgreSQL' },
    { answer: 'Plain `Markdown`' },
  ],
  notes: [],
  number: 0,
  open: true,
};
