// Tests how image data is recognised, and how invisible characters are made visible.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dataUrlLength, imageType, isDataUrl } from '../../images.js';
import { pieces, plain } from '../../visible.js';

test('the type of an image is decided by its bytes', () => {
  const type = (text) => imageType(Buffer.from(text, 'latin1'));
  assert.equal(type('\x89PNG\r\n\x1a\n....'), 'image/png');
  assert.equal(type('\xFF\xD8\xFF\xE0'), 'image/jpeg');
  assert.equal(type('GIF89a..'), 'image/gif');
  assert.equal(type('RIFF....WEBPVP8 '), 'image/webp');
  for (const other of ['', 'GIF90a', 'RIFF....WAVE', '<svg onload=x>', '%PDF-1.7', '\x89PNG'])
    assert.equal(type(other), null);
});

test('the length of a data URL is computed before it is built', () => {
  for (const bytes of [1, 2, 3, 100])
    assert.equal(
      dataUrlLength(bytes, 'image/png'),
      `data:image/png;base64,${Buffer.alloc(bytes).toString('base64')}`.length,
    );
});

test('only images are shown as images', () => {
  assert.ok(isDataUrl('data:image/png;base64,AAAA'));
  for (const other of [
    'image/png, 1234 bytes',
    'https://example.org/a.png',
    'data:image/svg+xml;base64,AAAA',
    'data:text/html;base64,AAAA',
    'data:image/png,x',
    'javascript:x',
    'data:image/png;base64,AA"onerror',
  ])
    assert.equal(isDataUrl(other), false, other);
});

test('each invisible character becomes a symbol', () => {
  assert.deepEqual(pieces('a\u200Bb'), [
    'a',
    { shown: 'ZWSP', title: 'U+200B: zero width space', suspect: false },
    'b',
  ]);
  assert.equal(plain('\u0000\u001B[31m\u007F\u0085\u{E0041}'), '[␀][␛][31m[␡][U+0085][U+E0041]');
  assert.equal(plain('line\n\ttab'), 'line\n\ttab');
});

test('balanced isolates stay as they are; overrides, embeddings and unbalanced isolates are symbols', () => {
  assert.deepEqual(pieces('a \u2067b \u2066c\u2069\u2069 d'), ['a \u2067b \u2066c\u2069\u2069 d']);
  assert.equal(plain('\u2068a\nb\u2069'), '[FSI]a\nb[PDI]', 'an isolate ends with its paragraph');
  assert.equal(plain('\u2066a \u2067b\u2069'), '[LRI]a \u2067b\u2069');
  assert.equal(
    plain('\u2066\u202Ea\u202C\u2069'),
    '\u2066[RLO]a[PDF]\u2069',
    'an override inside stays visible',
  );
});
