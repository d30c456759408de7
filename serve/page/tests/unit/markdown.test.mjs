// Tests that markdown is rendered safely, and that streamed text renders the same as a whole one.

import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import { GrowingMarkdown } from '../../growing.js';
import { highlight } from '../../highlight.js';
import { inline, render } from '../../markdown.js';
import { settle, settleInline } from '../../settle.js';
import { pick, random, whole } from '../random.mjs';
import { elementsOf, outline, textOf } from './nodes.mjs';

const EXAMPLES = new URL('../../../../examples/messages/', import.meta.url);

test('markdown becomes elements', () => {
  const shown = (source) => outline(render(source));
  assert.equal(shown('a **b** `c`'), '<p>a <strong>b</strong> <code>c</code></p>');
  assert.equal(shown('- a\n- b\n  1. c'), '<ul><li>a</li><li>b<ol><li>c</li></ol></li></ul>');
  assert.equal(shown('> a\n\n---'), '<blockquote><p>a</p></blockquote><hr></hr>');
  assert.equal(shown('# a'), '<h4>a</h4>');
  assert.equal(
    shown('|a|\n|-|\n|b|'),
    '<div><table><thead><tr><th>a</th></tr></thead><tbody><tr><td>b</td></tr></tbody></table></div>',
  );
  assert.equal(shown('```js\n<b>\n```'), '<div><pre><code><b></code></pre><button></button></div>');
});

test('a short line ends on the page, a wrapped line does not', () => {
  assert.equal(outline(render('a\nb')), '<p>a<br></br>b</p>');
  assert.equal(outline(render(`${'a '.repeat(40)}\nb`)), `<p>${'a '.repeat(40).trim()} b</p>`);
});

test('lists keep their numbers', () => {
  assert.equal(render('3. a')[0].attrs.start, '3');
});

test('markup in markdown is text', () => {
  const source =
    '<script>alert(1)</script><img src=x onerror=alert(1)> <b>x</b>\n\n<div>\n<p onclick="x">';
  const nodes = render(source);
  assert.deepEqual(
    elementsOf(nodes).map(({ tag }) => tag),
    ['p', 'p', 'br'],
  );
  assert.equal(textOf(nodes).replace(/\n/g, ''), source.replace(/\n/g, ''));
});

test('only the allowed elements and attributes are created', () => {
  const tags = new Set(
    'p ul ol li strong em s code pre a span br hr blockquote h4 h5 h6 div table thead tbody tr th td button'.split(
      ' ',
    ),
  );
  const attrs = new Set(
    'dir class start href target rel title tabindex role aria-label data-language type'.split(' '),
  );
  for (let seed = 0; seed < 300; seed++) {
    for (const { tag, attrs: has } of elementsOf(render(soup(random(seed), 60)))) {
      assert.ok(tags.has(tag), tag);
      for (const name of Object.keys(has)) assert.ok(attrs.has(name), name);
    }
  }
});

test('only web and mail addresses become links', () => {
  const links = (source) =>
    elementsOf(render(source)).filter(({ attrs }) => attrs.href !== undefined);
  const [web, mail] = links('[a](https://Example.org/x) <mailto:a@b.org>');
  assert.deepEqual(web.attrs, {
    href: 'https://example.org/x',
    target: '_blank',
    rel: 'noopener noreferrer nofollow',
    title: 'Opens example.org',
  });
  assert.equal(mail.attrs.title, 'Mail to a@b.org');
  for (const bad of [
    'javascript:alert(1)',
    'JaVaScRiPt:x',
    '&#106;avascript:x',
    'data:text/html,x',
    'vbscript:x',
    'file:///etc/passwd',
    '//example.org',
    '/x',
    'x',
    'java\tscript:x',
    'blob:x',
    'about:blank',
  ])
    assert.deepEqual(links(`[a](<${bad}>) <${bad}> ![a](<${bad}>)`), [], bad);
});

test('bare addresses become links with a title; file names do not', () => {
  const [link] = elementsOf(render('see https://example.org/%41?b=ü.')).filter(
    ({ tag }) => tag === 'a',
  );
  assert.equal(textOf([link]), 'https://example.org/%41?b=ü');
  assert.equal(
    elementsOf(render('see main.rs and example.org and a@b.org')).filter(({ tag }) => tag === 'a')
      .length,
    0,
  );
});

test('a look-alike host name is shown in its ASCII form', () => {
  const [link] = elementsOf(render('[a](https://аpple.com/)')).filter(({ tag }) => tag === 'a');
  assert.equal(link.attrs.title, 'Opens xn--pple-43d.com');
});

test('images are named, not loaded', () => {
  const nodes = render('![a cat](https://example.org/cat.png "title")');
  assert.equal(textOf(nodes), '[image: a cat]');
  assert.deepEqual(
    elementsOf(nodes).map(({ tag }) => tag),
    ['p', 'a'],
  );
});

test('the text of a button has neither blocks nor links', () => {
  assert.equal(
    outline(
      inline(
        '**a** `b` [c](https://example.org) https://example.org ![d](https://example.org/d.png)\n# e\n\n- f',
      ),
    ),
    '<strong>a</strong> <code>b</code> [c](https://example.org) https://example.org ' +
      '![d](https://example.org/d.png) # e<br></br><br></br>- f',
  );
});

test('link definitions are text, because one below would change the text above', () => {
  assert.equal(textOf(render('[a]\n\n[a]: https://example.org')), '[a][a]: https://example.org');
});

test('invisible characters are made visible, in code and in titles, too', () => {
  const nodes = render('a\u202Eb `c\u0007` ⁦d⁩');
  assert.equal(textOf(nodes), 'aRLOb c␇ \u2066d\u2069', 'a balanced isolate stays');
  assert.match(JSON.stringify(nodes), /U\+202E: right-to-left override/);
  assert.equal(
    textOf(render('👩🏽‍🌾 می‌خواهم ❤️ e\u0301')),
    '👩🏽‍🌾 می‌خواهم ❤️ e\u0301',
    'what scripts need stays',
  );
});

test('code is highlighted: comments, strings, numbers, keywords', () => {
  const kinds = (code, language) =>
    highlight(code, language)
      .filter(({ kind }) => kind)
      .map(({ kind, text }) => `${kind} ${text}`);
  assert.deepEqual(kinds('pub fn f() -> u8 { g("a // b", 0x1F) } // see 2', 'rust'), [
    'keyword pub',
    'keyword fn',
    'string "a // b"',
    'number 0x1F',
    'comment // see 2',
  ]);
  assert.deepEqual(kinds("if x: # it's\n  return 'a'", 'python'), [
    'keyword if',
    "comment # it's",
    'keyword return',
    "string 'a'",
  ]);
  assert.deepEqual(kinds('SELECT 1 -- all\nFROM t', 'sql'), [
    'keyword SELECT',
    'number 1',
    'comment -- all',
    'keyword FROM',
  ]);
  assert.deepEqual(kinds('fetch("https://a.b") /* open', 'js'), [
    'string "https://a.b"',
    'comment /* open',
  ]);
  assert.deepEqual(kinds('for example 1', 'text'), []);
});

test('highlighting changes no text', () => {
  for (let seed = 0; seed < 200; seed++) {
    const code = soup(random(seed), 40);
    for (const language of ['rust', 'py', 'sql', ''])
      assert.equal(
        highlight(code, language)
          .map(({ text }) => text)
          .join(''),
        code,
      );
  }
});

test('deep nesting and endless marks are handled', () => {
  for (const source of [
    '> '.repeat(20_000),
    '- '.repeat(20_000),
    '['.repeat(20_000),
    '*a '.repeat(20_000),
    '`'.repeat(20_000),
    '!['.repeat(10_000),
  ]) {
    const began = performance.now();
    render(source);
    settle(source, false);
    assert.ok(performance.now() - began < 5000, source.slice(0, 4));
  }
});

// Growing markdown.

/** Returns what the page shows after each piece. */
function* grown(text, ends) {
  const growing = new GrowingMarkdown(0);
  /** @type {any[]} */ let page = [];
  for (const end of [...ends, Infinity]) {
    const { base, nodes } = growing.show(text.slice(0, end), end < Infinity);
    page = page.slice(0, base).concat(nodes);
    yield page;
  }
}

const ends = (next, text) => {
  const found = [];
  for (let at = 0; at < text.length; found.push(at)) at += 1 + whole(next, 12);
  return found.map((end) => Math.min(end, text.length));
};

test('a text that grew renders the same as one that came whole', () => {
  for (let seed = 0; seed < 400; seed++) {
    const next = random(seed);
    const text = soup(next, 80);
    const last = [...grown(text, ends(next, text))].at(-1);
    assert.deepEqual(last, render(text), `seed ${seed}: ${JSON.stringify(text)}`);
  }
});

test('only the end of a growing text is parsed again', () => {
  const growing = new GrowingMarkdown();
  let text = '';
  for (let n = 0; n < 300; n++) {
    text += `Paragraph ${n} with **some** text.\n\n- and a list\n\n`;
    growing.show(text, true);
  }
  const { base, nodes } = growing.show(text, true);
  assert.ok(base > 550 && nodes.length < 50, `${base}, ${nodes.length}`);
});

test('a text that is replaced is rendered from its start', () => {
  const growing = new GrowingMarkdown(0);
  growing.show('a\n\nb\n\nc\n\nd', true);
  assert.equal(growing.show('a\n\nb\n\nc\n\ndd', true).base, 2);
  assert.deepEqual(growing.show('x', true), { base: 0, nodes: render('x') });
});

test('shown text only grows, character by character', () => {
  const texts = [
    ...readdirSync(EXAMPLES).map((name) => readFileSync(new URL(name, EXAMPLES), 'utf8')),
    'a **bold** and *it* and ***both*** and `co*de` and ``a ` b`` end',
    '# Title\n\nText with [a link](https://example.org/a_b) and <https://example.org> ' +
      'here! Really? 5 * 3, snake_case_name, 2 < 3 & 4\n',
    '1. one\n2. **two**\n   - *a*\n   - b\n\n10. ten\n',
    '```rust\nfn main() {}\n```\n\nand then\n\n~~~\na ``` b\n~~~\n',
    '| a | b |\n|---|:-:|\n| 1 | **2** |\n| 3 | `4` |\n\nend',
    '> quoted **text\n> goes on** here\n\nSetext\n------\n\nend',
    'a\r\nb\r\n\r\n- c\r\n- d',
    '**Note:** a ~~b~~ c\n\n* * *\n\n+ x\n+ y',
  ];
  for (const text of texts) {
    let before = '';
    for (const page of grown(
      text,
      Array.from({ length: text.length }, (_, at) => at + 1),
    )) {
      const now = textOf(page);
      // White space between blocks belongs to no block; an open isolate is closed provisionally.
      assert.ok(
        now.startsWith(before.trimEnd().replace(/\u2069+$/, '')),
        `${JSON.stringify(before.slice(-60))} became ${JSON.stringify(now.slice(-60))}`,
      );
      before = now;
    }
    assert.equal(before, textOf(render(text)));
  }
});

test('pending characters are not held back for long', () => {
  for (let seed = 0; seed < 200; seed++) {
    const text = `${soup(random(seed), 40)}${' and so on, which says nothing at all'.repeat(9)}, for ever`;
    assert.ok(settle(text, false).includes('nothing at all, for ever'), JSON.stringify(text));
  }
  assert.equal(settleInline('see [what'), 'see');
  assert.match(settleInline(`see [${'what '.repeat(100)}`), /what/, 'a bracket that is no link');
});

/** Pieces of markdown, and of text that looks like it. */
function soup(next, length) {
  // One piece a line would be a page.
  // prettier-ignore
  const pieces = [
    'a', 'bc d', ' ', '\n', '\n\n', '\n- ', '\n  - ', '\n1. ', '\n2) ', '\n> ', '\n# ', '\n---\n',
    '\n***\n', '```', '\n```\n', '\n~~~\n', '    ', '\t', '**', '*', '_', '__', '~~', '`', '``',
    '[', '](', ')', '](https://a.b)', '![', '<', '>', '<https://a.b>', 'https://a.b/c', '|',
    '\n|a|b|\n', '|-|-|\n', '\n=\n', '\\', '&amp;', '&', '!', '\r\n', '\r', '\u202E', '[x]: y\n',
    'é', '<script>', '"', '1', '10.',
  ];
  return Array.from({ length }, () => pick(next, pieces)).join('');
}
