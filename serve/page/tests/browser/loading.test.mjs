// How fast the page loads.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newPage, play, service } from '../help.mjs';

/** Emulates a slow network: 50 kbit/s, and 2 s until a response begins. */
async function slow(page) {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Network.enable');
  await devtools.send('Network.emulateNetworkConditions', { offline: false, latency: 2000, downloadThroughput: 50_000 / 8, uploadThroughput: 50_000 / 8 });
}

test('on 50 kbit/s and 2 s latency a question can be answered within 8 s', async (t) => {
  const { url } = await service(t);
  const id = await play(url, 'database', { chunk: '4096' });
  const { page, did } = await newPage(t);
  await slow(page);
  const began = performance.now();
  await page.goto(`${url}/#/c/${id}`, { waitUntil: 'commit' });
  await page.waitForSelector('.take:enabled', { timeout: 30_000 });
  const took = performance.now() - began;
  t.diagnostic(`usable after ${(took / 1000).toFixed(1)} s`);
  assert.ok(took < 8000, `${took} ms: ${did.requests}`);
  await page.waitForSelector('.question strong, .question code', { timeout: 30_000 });
  t.diagnostic(`with markdown after ${((performance.now() - began) / 1000).toFixed(1)} s`);
});

test('a reload loads nothing again', async (t) => {
  const { url } = await service(t);
  const { page } = await newPage(t);
  const id = await play(url, 'database', { chunk: '4096' });
  await page.goto(`${url}/#/c/${id}`);
  await page.waitForSelector('.question strong, .question code');
  const transferred = () => page.evaluate(() => performance.getEntriesByType('resource').filter(({ name }) => name.includes('/assets/')).map(({ transferSize }) => transferSize));
  const first = await transferred();
  assert.ok(first.length === 1 && first[0] > 30_000, `${first}`);
  await page.reload();
  await page.waitForSelector('.question strong, .question code');
  assert.deepEqual(await transferred(), [0]);
});
