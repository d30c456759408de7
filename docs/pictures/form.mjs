// Takes the pictures of a form from a running service:
//
//   node form.mjs URL DIRECTORY
//
// The form is that of serve/demo/form.sse. It is pushed to the service piece by piece, so that one
// picture shows it while it is written. `make` calls this; it needs the packages of
// serve/page/tests and Chromium (CHROMIUM, or /usr/bin/chromium).

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { request } from 'node:http';
import { join } from 'node:path';

const { chromium } = createRequire(new URL('../../serve/page/tests/package.json', import.meta.url))('playwright-core');
const [url, directory] = process.argv.slice(2);
const body = await readFile(new URL('../../serve/demo/form.sse', import.meta.url), 'utf8');
/** The body up to the label of the third option. */
const growing = body.slice(0, body.indexOf('\n\n', body.indexOf('rkdow')) + 2);

/** Light everywhere, and dark at the sizes of a phone and of a desk. */
const VIEWS = [375, 768, 1280].flatMap((width) => ['light', 'dark'].map((colorScheme) => ({ width, colorScheme }))).filter(({ width, colorScheme }) => colorScheme === 'light' || width !== 768);

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--headless', '--no-sandbox', '--disable-gpu'] });
for (const view of VIEWS) await take(view);
await browser.close();

/** Takes the pictures of all states at one size and in one scheme. */
async function take({ width, colorScheme }) {
  const isPhone = width < 500;
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme, hasTouch: isPhone, isMobile: isPhone, reducedMotion: 'reduce' });
  const page = await context.newPage();
  await page.addInitScript(() => localStorage.setItem('followup.undo', 'off'));
  const id = `plan-${width}-${colorScheme}`;
  const push = request(`${url}/conversations?wire=openai-chat&id=${id}`, { method: 'POST' });
  const pushed = new Promise((resolve, reject) => push.on('response', (response) => response.resume().on('end', resolve)).on('error', reject));
  push.write(growing);
  const picture = async (state) => {
    await page.evaluate(() => document.activeElement instanceof HTMLElement && document.activeElement.blur());
    const height = await page.evaluate(() => Math.max(600, document.querySelector('#conversation').getBoundingClientRect().bottom + scrollY + 24));
    await page.setViewportSize({ width, height: Math.ceil(height) });
    // The page follows the question when its size changes.
    await page.waitForTimeout(200);
    await page.evaluate(() => scrollTo(0, 0));
    await page.waitForTimeout(100);
    await page.screenshot({ path: join(directory, `form-${state}-${width}${colorScheme === 'dark' ? '-dark' : ''}.png`) });
  };
  await eventually(async () => (await fetch(`${url}/conversations/${id}`)).ok);
  await page.goto(`${url}/#/c/${id}`);
  await page.waitForSelector('.take >> text=Mark');
  await page.waitForSelector('.question strong');
  await picture('growing');
  push.end(body.slice(growing.length));
  await pushed;
  await page.waitForSelector('.call[data-state=open]');
  const shown = '.panel:not([hidden])';
  await page.click(`${shown} .take >> nth=0`);
  for (const index of [0, 1]) await page.click(`${shown} .take >> nth=${index}`);
  await page.fill(`${shown} .own textarea`, 'A map of the markets');
  await picture('choosing');
  await page.click('[role=tab] >> text=Review');
  await picture('review');
  await page.click('.answer .primary');
  await page.waitForSelector('.call[data-state=answered]');
  await page.waitForSelector('.delivery');
  await picture('answered');
  await context.close();
  await fetch(`${url}/conversations/${id}`, { method: 'DELETE' });
}

/** Waits until a condition holds. */
async function eventually(condition) {
  for (let tries = 0; tries < 200 && !(await condition()); tries++) await new Promise((resolve) => setTimeout(resolve, 50));
}
