// Tests the parser of server-sent events, and how the page reconnects to the service.

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { EventStream, SseParser } from '../../stream.js';
import { random, whole } from '../random.mjs';

const read = (...chunks) => {
  const parser = new SseParser();
  return chunks.flatMap((chunk) => parser.feed(chunk));
};

test('messages have a type, an id and data', () => {
  assert.deepEqual(read('id: e-1\nevent: text\ndata: {"a":1}\n\n'), [
    { id: 'e-1', event: 'text', data: '{"a":1}' },
  ]);
  assert.deepEqual(read('data: a\ndata\ndata:  b\n\n'), [
    { id: null, event: 'message', data: 'a\n\n b' },
  ]);
});

test('an id lasts for later messages, a type does not; comments and empty events are ignored', () => {
  assert.deepEqual(read(': hello\n\nid: 1\nevent: a\ndata: x\n\nevent: b\n\ndata: y\n\n'), [
    { id: '1', event: 'a', data: 'x' },
    { id: '1', event: 'message', data: 'y' },
  ]);
  assert.deepEqual(read('id: 1\nid: a\0b\ndata: x\n\n')[0].id, '1');
});

test('an incomplete event is not a message', () => {
  assert.deepEqual(read('data: a\n'), []);
});

test('all three line ends work, and a byte order mark is skipped', () => {
  assert.deepEqual(
    read('\uFEFFdata: a\r\n\r\ndata: b\r\rdata: c\n\n').map(({ data }) => data),
    ['a', 'b', 'c'],
  );
});

test('a retry delay must be a number', () => {
  const parser = new SseParser();
  parser.feed('retry: 20x\n\n');
  assert.equal(parser.retry, null);
  parser.feed('retry: 20\n\n');
  assert.equal(parser.retry, 20);
});

test('messages do not depend on where the chunks end', () => {
  const body =
    ': x\r\n\r\nid: 1\r\nevent: text\r\ndata: {"text":"a"}\r\n\r\nid: 2\ndata: b\ndata: c\n' +
    '\nid: 3\rdata: d\r\rretry: 7\n\n';
  const wanted = read(body);
  for (let seed = 0; seed < 200; seed++) {
    const next = random(seed);
    const chunks = [];
    for (let at = 0; at < body.length;) {
      const end = at + 1 + whole(next, 5);
      chunks.push(body.slice(at, end));
      at = end;
    }
    assert.deepEqual(read(...chunks), wanted, JSON.stringify(chunks));
  }
});

test('a message of megabytes in small chunks takes linear time', () => {
  const parser = new SseParser();
  const began = performance.now();
  parser.feed('data: ');
  for (let n = 0; n < 1000; n++) parser.feed('x'.repeat(4096));
  assert.equal(parser.feed('\n\n')[0].data.length, 4096 * 1000);
  assert.ok(performance.now() - began < 5000);
});

// Over real connections.

/**
 * Starts a server that handles each connection with the next of these functions, and further ones
 * with the last.
 */
async function serve(t, ...answers) {
  const requests = [];
  const server = createServer((request, response) => {
    requests.push(request.headers);
    answers[Math.min(requests.length, answers.length) - 1](response, request);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => (server.closeAllConnections(), server.close()));
  return { url: `http://127.0.0.1:${server.address().port}/`, requests };
}

const events =
  (...frames) =>
  (response) =>
    response
      .writeHead(200, { 'Content-Type': 'text/event-stream' })
      .end(frames.map((id) => `id: ${id}\ndata: ${id}\n\n`).join(''));
const stays = (response) =>
  response.writeHead(200, { 'Content-Type': 'text/event-stream' }).write(': hello\n\n');
const status =
  (code, headers = {}) =>
  (response) =>
    response
      .writeHead(code, headers)
      .end(JSON.stringify({ error: { code: 'x', message: 'because' } }));

/** Follows a stream until the condition holds. Returns all messages and statuses. */
function follow(t, url, until, options = {}) {
  const [seen, statuses] = [[], []];
  return new Promise((resolve) => {
    const check = () => until({ seen, statuses }) && (stream.close(), resolve({ seen, statuses }));
    const stream = new EventStream({
      url,
      headers: () => ({ Authorization: 'Bearer t' }),
      onMessage: (message) => (seen.push(message.data), queueMicrotask(check)),
      onStatus: (status) => (statuses.push(status), queueMicrotask(check)),
      jitter: () => 1,
      ...options,
    });
    t.after(() => stream.close());
  });
}

test('it resumes where the connection broke, with its credentials', async (t) => {
  const { url, requests } = await serve(
    t,
    events('1', '2'),
    (response) => response.destroy(),
    events('3'),
    stays,
  );
  const { seen, statuses } = await follow(t, url, ({ seen }) => seen.length === 3);
  assert.deepEqual(seen, ['1', '2', '3']);
  assert.deepEqual(
    requests.map((headers) => headers['last-event-id']),
    [undefined, '2', '2'],
  );
  assert.ok(requests.every((headers) => headers.authorization === 'Bearer t'));
  assert.deepEqual(
    statuses.map(({ is }) => is),
    ['connecting', 'open', 'waiting', 'connecting', 'waiting', 'connecting', 'open'],
  );
  assert.deepEqual(
    statuses.filter(({ is }) => is === 'open').map(({ again }) => again),
    [false, true],
  );
});

test('it resumes after a known message', async (t) => {
  const { url, requests } = await serve(t, events('8'), stays);
  await follow(t, url, ({ seen }) => seen.length === 1, { last: '7' });
  assert.equal(requests[0]['last-event-id'], '7');
});

test('the delay doubles with each failure up to a limit, and a success resets it', async (t) => {
  const { url } = await serve(
    t,
    ...Array(8).fill((response) => response.destroy()),
    events('1'),
    (response) => response.destroy(),
  );
  const asked = [];
  await follow(
    t,
    url,
    ({ statuses }) => statuses.filter(({ is }) => is === 'waiting').length === 9,
    { jitter: (ms) => (asked.push(ms), 1) },
  );
  assert.deepEqual(asked, [250, 500, 1000, 2000, 4000, 8000, 10000, 10000, 250]);
});

test('a status that a retry cannot change is reported, and not retried', async (t) => {
  for (const [code, is] of [
    [401, 'unauthorized'],
    [404, 'missing'],
    [403, 'refused'],
    [400, 'refused'],
  ]) {
    const { url, requests } = await serve(t, status(code));
    const { statuses } = await follow(t, url, ({ statuses }) => statuses.length === 2);
    assert.equal(statuses[1].is, is);
    if (is === 'refused') assert.equal(statuses[1].message, 'because');
    assert.equal(requests.length, 1);
  }
});

test('the delay of Retry-After is respected', async (t) => {
  const { url } = await serve(t, status(503, { 'Retry-After': '2' }));
  const { statuses } = await follow(t, url, ({ statuses }) => statuses.length === 2);
  assert.deepEqual(statuses[1], { is: 'waiting', ms: 2000, why: 'because', answered: true });
});

test('a proxy that cannot reach the service is no answer of the service', async (t) => {
  for (const code of [502, 504]) {
    const { url } = await serve(t, status(code));
    const { statuses } = await follow(t, url, ({ statuses }) => statuses.length === 2);
    assert.equal(statuses[1].is, 'waiting');
    assert.equal(statuses[1].answered, undefined);
  }
});

test('an idle connection is given up', async (t) => {
  const { url, requests } = await serve(t, stays);
  await follow(t, url, ({ statuses }) => statuses.some(({ is }) => is === 'waiting'), {
    idleTimeout: 30,
  });
  assert.equal(requests.length, 1);
});

test('reconnectNow ends the wait', async (t) => {
  const { url } = await serve(t, (response) => response.destroy(), events('1'), stays);
  const seen = await new Promise((resolve) => {
    const stream = new EventStream({
      url,
      headers: () => ({}),
      jitter: () => 3_600_000,
      onMessage: (message) => (stream.close(), resolve(message.data)),
      onStatus: ({ is }) => is === 'waiting' && setTimeout(() => stream.reconnectNow()),
    });
  });
  assert.equal(seen, '1');
});
