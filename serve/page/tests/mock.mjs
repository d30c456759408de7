// A mock of the service. Tests make it send hostile texts, break connections, and answer with
// errors.

import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { empty, openCall, reduce } from '../store.js';

export const PAGE = fileURLToPath(new URL('..', import.meta.url));
const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
};
const SAFE = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src data: blob:; " +
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
    "require-trusted-types-for 'script'; trusted-types 'none'",
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

/** Serves the page's files from disk. */
export async function serveFile(path, response) {
  const name = path === '/' ? 'index.html' : normalize(path.slice('/assets/'.length));
  try {
    if (name.startsWith('..') || name.startsWith('tests')) throw new Error('outside');
    const body = await readFile(join(PAGE, name));
    response
      .writeHead(200, {
        ...SAFE,
        'Content-Type': TYPES[extname(name)] ?? 'application/octet-stream',
      })
      .end(body);
  } catch {
    response.writeHead(404).end();
  }
}

class Conversation {
  state;
  /** @type {{id: string, event: string, data: unknown}[]} */
  events = [];
  /** @type {Set<import('node:http').ServerResponse>} */
  readers = new Set();
  updated = Math.floor(Date.now() / 1000);

  /** The title in the list. @type {string | undefined} */ title;

  constructor(id) {
    this.id = id;
    this.state = empty(id);
  }

  /** Emits an event to all readers. */
  emit(event, data = {}) {
    this.state = reduce(this.state, event, data);
    const entry = { id: `e-${this.events.length + 1}`, event, data };
    this.events.push(entry);
    for (const reader of this.readers) reader.write(frame(entry));
    this.onChange();
    return this;
  }

  /** Whether the list's readers get an event for each change. @type {() => void} */
  onChange = () => {};

  snapshot() {
    const items = this.state.items.map(({ key, ...item }) => item);
    const { conversation, turn, stopped, retry, dropped } = this.state;
    return { conversation, last: `e-${this.events.length}`, turn, stopped, retry, dropped, items };
  }

  read(response, last) {
    response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
    const index = this.events.findIndex((entry) => entry.id === last);
    const first =
      index < 0
        ? [{ id: `e-${this.events.length}`, event: 'state', data: this.snapshot() }]
        : this.events.slice(index + 1);
    response.write(': hello\n\n' + first.map(frame).join(''));
    this.readers.add(response);
    response.on('close', () => this.readers.delete(response));
  }

  /** Breaks the connections of all readers. */
  cut() {
    for (const reader of this.readers) reader.destroy();
  }
}

function frame({ id, event, data }) {
  return `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

export class Mock {
  /** @type {Map<string, Conversation>} */
  conversations = new Map();
  /** The answers so far. */
  answers = [];
  token = '';
  /** The error to answer with: `{status, code, message}`, or a function that returns one. */
  refuse = null;
  /** The error with which the stream of the list is refused. */
  refuseList = null;
  /** The response to `GET /demo`. */
  demo = null;
  /** The response to `GET /info`; `null` makes it a service without it. */
  info = null;
  /** The id of the service's run; `null` makes it a service whose list has to be polled. */
  service = 'run-1';
  /** Readers of the list. @type {Set<import('node:http').ServerResponse>} */
  listReaders = new Set();
  /** Requests that change something: `[method, path]`. */
  acts = [];
  /** Whether new connections are accepted. */
  isUp = true;

  async start() {
    this.server = createServer(
      (request, response) =>
        void this.#serve(request, response).catch((error) => response.destroy(error)),
    );
    await new Promise((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    this.url = `http://127.0.0.1:${this.server.address().port}`;
    return this;
  }

  stop() {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(resolve));
  }

  conversation(id) {
    if (!this.conversations.has(id)) {
      const made = new Conversation(id);
      this.conversations.set(id, made);
      made.onChange = () => this.#list('conversation', listed(made));
      made.onChange();
    }
    return this.conversations.get(id);
  }

  /** Removes a conversation. */
  remove(id) {
    this.conversations.get(id)?.emit('gone');
    this.conversations.delete(id);
    this.#list('removed', { id });
  }

  /** Restarts the service: its conversations are gone, and all connections break. */
  restart() {
    this.service = `${this.service}+`;
    for (const conversation of this.conversations.values()) conversation.cut();
    this.conversations.clear();
    this.cutList();
  }

  /** Breaks the connections that follow the list. */
  cutList() {
    for (const reader of this.listReaders) reader.destroy();
  }

  #list(event, data) {
    for (const reader of this.listReaders) reader.write(frame({ id: 'l', event, data }));
  }

  #readList(response) {
    response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
    response.write(
      frame({
        id: 'l',
        event: 'list',
        data: { service: this.service, conversations: this.#listed() },
      }),
    );
    this.listReaders.add(response);
    response.on('close', () => this.listReaders.delete(response));
  }

  #listed() {
    return [...this.conversations.values()].map(listed).reverse();
  }

  async #serve(request, response) {
    const { pathname } = new URL(request.url, this.url);
    if (pathname === '/' || pathname.startsWith('/assets/')) return serveFile(pathname, response);
    if (!this.isUp) return request.socket.destroy();
    if (this.token && request.headers.authorization !== `Bearer ${this.token}`)
      return refuse(response, 401, 'unauthorized', 'This needs a token: send it as a bearer.');
    if (pathname === '/demo') return this.#demo(request, response);
    if (pathname === '/conversations')
      return json(response, 200, { conversations: this.#listed() });
    if (pathname === '/info' && this.info) return json(response, 200, this.info);
    if (pathname === '/conversations/events' && this.refuseList)
      return refuse(
        response,
        this.refuseList.status,
        this.refuseList.code,
        this.refuseList.message,
      );
    if (pathname === '/conversations/events' && this.service) return this.#readList(response);
    const [, , id, what] = pathname.split('/');
    const conversation = this.conversations.get(id);
    if (!conversation) return refuse(response, 404, 'not_found', 'There is no such conversation.');
    if (what === 'events') return conversation.read(response, request.headers['last-event-id']);
    if (what === 'answer') return this.#answer(conversation, request, response);
    if (request.method === 'DELETE' || what === 'retry' || what === 'dismiss')
      return this.#act(conversation, request, response, what);
    return json(response, 200, conversation.snapshot());
  }

  async #act(conversation, request, response, what) {
    const refusal = typeof this.refuse === 'function' ? await this.refuse() : this.refuse;
    if (refusal) return refuse(response, refusal.status, refusal.code, refusal.message);
    this.acts.push([request.method, what ?? '']);
    if (request.method === 'DELETE') this.remove(conversation.id);
    if (what === 'dismiss')
      for (const { type, number } of conversation.state.items)
        if (type === 'call' && number !== undefined)
          conversation.emit('closed', { number, why: 'dismissed' });
    if (what === 'retry') return json(response, 202, {});
    return response.writeHead(204).end();
  }

  async #demo(request, response) {
    if (!this.demo)
      return refuse(response, 404, 'not_found', 'There is no demo: start it with --demo.');
    if (request.method === 'GET') return json(response, 200, this.demo);
    this.played = await body(request);
    return json(response, 201, { id: 'played' });
  }

  async #answer(conversation, request, response) {
    const answer = await body(request);
    const refusal = typeof this.refuse === 'function' ? await this.refuse(answer) : this.refuse;
    if (refusal === 'cut') return request.socket.destroy();
    if (refusal) return refuse(response, refusal.status, refusal.code, refusal.message);
    this.answers.push(answer);
    conversation.emit('replied', repliedTo(conversation, answer));
    json(response, 200, { reply: {}, messages: [], waiting: 0, continued: false });
  }
}

function repliedTo(
  conversation,
  { number = null, suggestion, text, cancel, decline, discuss, form, guide, images = [] },
) {
  if (guide !== undefined) return { number: null, kind: 'guidance', said: guide, images };
  if (cancel || decline)
    return { number, kind: cancel ? 'cancelled' : 'declined', said: '', images: [] };
  if (discuss)
    return {
      number,
      kind: 'discussed',
      said: form ? JSON.stringify(form) : '',
      answers: form,
      images: [],
    };
  if (form) return { number, kind: 'answer', said: JSON.stringify(form), answers: form, images };
  const call = openCall(conversation.state);
  const taken = call?.suggest[suggestion];
  return {
    number,
    kind: 'answer',
    said: text ?? taken?.answer ?? '',
    suggestion,
    images,
    mode: taken?.mode,
  };
}

function listed(conversation) {
  return {
    id: conversation.id,
    turn: conversation.state.turn,
    open: openCall(conversation.state)?.question ?? null,
    title: conversation.title,
    stopped: conversation.state.stopped,
    waiting: 0,
    updated: conversation.updated,
  };
}

async function body(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString());
}

function json(response, status, data) {
  response
    .writeHead(status, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' })
    .end(JSON.stringify(data));
}

function refuse(response, status, code, message) {
  json(response, status, { error: { code, message } });
}
