// How one question is answered: suggestions, free text, images, and what happens on errors.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Mock } from '../mock.mjs';
import { PNG, QUESTION, eventually, newPage, until } from '../help.mjs';

/** Opens a page with an open question. */
async function asked(t, options) {
  const mock = await new Mock().start();
  t.after(() => mock.stop());
  const conversation = mock.conversation('c');
  conversation
    .emit('turn', { index: 0 })
    .emit('text', { text: 'Hello.' })
    .emit('complete', QUESTION)
    .emit('end', { index: 0, cut_off: false });
  const opened = await newPage(t, options);
  await opened.page.goto(`${mock.url}/#/c/c`);
  await opened.page.waitForSelector('.take:enabled');
  return { mock, conversation, ...opened };
}

const answered = (page) => page.waitForSelector('.answered:not([hidden])');
const said = async (page) => (await answered(page), page.locator('.answered .said').textContent());
const image = (name = 'a.png', buffer = PNG) => ({ name, mimeType: 'image/png', buffer });
const URL_OF_PNG = `data:image/png;base64,${PNG.toString('base64')}`;

test('a click takes a suggestion; the question then shows the reply and can no longer be answered', async (t) => {
  const { page, mock } = await asked(t);
  await page.click('.take >> nth=0');
  assert.equal(await said(page), 'SQLite');
  assert.deepEqual(mock.answers, [{ number: 0, suggestion: 0 }]);
  assert.equal(await page.locator('.answered .mode').textContent(), 'code');
  assert.equal(await page.locator('.suggestion.chosen').count(), 1);
  assert.equal(await page.locator('.take:enabled, .edit:visible, form.answer').count(), 0);
});

test('the mode of a suggestion that was taken has a background of its own', async (t) => {
  const { page } = await asked(t);
  await page.click('.take >> nth=0');
  await answered(page);
  const background = (selector) =>
    page.locator(selector).evaluate((element) => getComputedStyle(element).backgroundColor);
  assert.notEqual(await background('.chosen .mode'), await background('.chosen .take'));
});

test('a number key takes a suggestion, but not in a field and not with a modifier', async (t) => {
  const { page, mock } = await asked(t);
  await page.fill('.answer textarea', '');
  await page.press('.answer textarea', '2');
  assert.equal(await page.inputValue('.answer textarea'), '2');
  await page.press('.answer textarea', 'Escape');
  await page.keyboard.press('Control+2');
  await page.keyboard.press('9');
  assert.deepEqual(mock.answers, []);
  await page.fill('.answer textarea', '');
  await page.press('.answer textarea', 'Escape');
  await page.keyboard.press('2');
  assert.equal(await said(page), 'PostgreSQL');
  assert.deepEqual(mock.answers, [{ number: 0, suggestion: 1 }]);
});

test('a suggestion is edited before it is sent, and its mode stays with it', async (t) => {
  const { page, mock } = await asked(t);
  await page.click('.edit >> nth=0');
  assert.equal(await page.inputValue('.answer textarea'), 'SQLite');
  assert.match(await page.locator('.chip').textContent(), /suggestion 1, mode code/);
  await page.keyboard.type(', in one file');
  await page.keyboard.press('Enter');
  assert.equal(await said(page), 'SQLite, in one file');
  assert.deepEqual(mock.answers, [{ number: 0, suggestion: 0, text: 'SQLite, in one file' }]);
});

test('an edited suggestion can become an answer of its own', async (t) => {
  const { page, mock } = await asked(t);
  await page.click('.edit >> nth=0');
  await page.click('.chip .remove');
  await page.click('.answer .primary');
  await answered(page);
  assert.deepEqual(mock.answers, [{ number: 0, text: 'SQLite' }]);
});

test('free text: Shift+Enter makes a new line, Enter and Ctrl+Enter send, Enter of a composition does not', async (t) => {
  for (const key of ['Enter', 'Control+Enter']) {
    const { page, mock } = await asked(t);
    await page.click('.answer textarea');
    await page.keyboard.press('Enter');
    await page.keyboard.type('one');
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.type('two');
    await page.evaluate(() =>
      document.activeElement?.dispatchEvent(
        new KeyboardEvent('keydown', {
          key: 'Enter',
          isComposing: true,
          bubbles: true,
          cancelable: true,
        }),
      ),
    );
    assert.deepEqual(mock.answers, [], 'neither what is empty nor what is composed is sent');
    await page.keyboard.press(key);
    assert.equal(await said(page), 'one\ntwo');
    assert.deepEqual(mock.answers, [{ number: 0, text: 'one\ntwo' }]);
  }
});

test('with a finger, Enter makes a new line', async (t) => {
  const { page, mock } = await asked(t, {
    hasTouch: true,
    isMobile: true,
    viewport: { width: 400, height: 700 },
  });
  if (
    !(await page.evaluate(
      () => matchMedia('(pointer: coarse)').matches && !matchMedia('(any-pointer: fine)').matches,
    ))
  )
    return t.skip('this browser always has a mouse');
  await page.tap('.answer textarea');
  await page.keyboard.type('one');
  await page.keyboard.press('Enter');
  await page.keyboard.type('two');
  assert.deepEqual(mock.answers, []);
  await page.tap('.answer .primary');
  assert.equal(await said(page), 'one\ntwo');
});

test('the Enter key of a touch screen is labelled by what it does', async (t) => {
  const { page } = await asked(t, {
    hasTouch: true,
    isMobile: true,
    viewport: { width: 400, height: 700 },
  });
  if (
    !(await page.evaluate(
      () => matchMedia('(pointer: coarse)').matches && !matchMedia('(any-pointer: fine)').matches,
    ))
  )
    return t.skip('this browser always has a mouse');
  assert.deepEqual(
    await page
      .locator('.panel .own textarea, .answer textarea')
      .evaluateAll((fields) => fields.map((field) => field.enterKeyHint)),
    ['enter', 'enter'],
  );
});

test('touch screens see no key caps', async (t) => {
  const { page } = await asked(t, {
    hasTouch: true,
    isMobile: true,
    viewport: { width: 375, height: 667 },
  });
  assert.equal(await page.locator('.key:visible').count(), 0);
  await page.tap('#help-button');
  assert.equal(await page.locator('kbd:visible').count(), 0);
  assert.ok(await page.locator('#undo').isVisible());
});

test('images can be picked, are shown, and can be removed', async (t) => {
  const { page, mock } = await asked(t);
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.click('text=Add images'),
  ]);
  await chooser.setFiles([image('a.png'), image('b.png')]);
  await page.waitForSelector('.answer .tray li >> nth=1');
  assert.equal(
    await page
      .locator('.answer .tray img')
      .first()
      .evaluate(async (shown) => (await shown.decode(), shown.naturalWidth)),
    1,
  );
  await page.click('[aria-label="Remove a.png"]');
  assert.equal(
    await page.evaluate(() => document.activeElement?.getAttribute('aria-label')),
    'Remove b.png',
    'the focus stays near',
  );
  await page.click('.take >> nth=2');
  await answered(page);
  assert.deepEqual(mock.answers, [{ number: 0, suggestion: 2, images: [URL_OF_PNG] }]);
  assert.equal(await page.locator('.answered img').getAttribute('src'), URL_OF_PNG);
});

/** Simulates files on the clipboard, or dragged with the mouse. */
const transfer = (page, type, selector, files, text = '') =>
  page.evaluate(
    ({ type, selector, files, text }) => {
      const data = new DataTransfer();
      for (const { name, bytes } of files)
        data.items.add(new File([new Uint8Array(bytes)], name, { type: 'image/png' }));
      if (text) data.setData('text/plain', text);
      const event =
        type === 'paste'
          ? new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true })
          : new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true });
      document.querySelector(selector)?.dispatchEvent(event);
      return event.defaultPrevented;
    },
    { type, selector, files, text },
  );
const file = (name = 'p.png', buffer = PNG) => ({ name, bytes: [...buffer] });

test('images can be pasted anywhere; a pasted text that comes with a picture stays text', async (t) => {
  const { page, mock } = await asked(t);
  assert.equal(await transfer(page, 'paste', '.answer textarea', [file()]), true);
  assert.equal(await transfer(page, 'paste', 'body', [file()]), true);
  assert.equal(await transfer(page, 'paste', '.answer textarea', [file()], 'cells'), false);
  await page.waitForSelector('.answer .tray li >> nth=1');
  await page.click('.answer .primary');
  await answered(page);
  assert.deepEqual(mock.answers, [{ number: 0, text: '', images: [URL_OF_PNG, URL_OF_PNG] }]);
});

test('a picture is pasted where the text beside it is only the names of the files', async (t) => {
  const { page } = await asked(t);
  assert.equal(
    await transfer(
      page,
      'paste',
      '.answer textarea',
      [file('a.png'), file('b.png')],
      'a.png\rb.png',
    ),
    true,
  );
  await page.waitForSelector('.answer .tray li >> nth=1');
  assert.equal(
    await transfer(page, 'paste', '.answer textarea', [file('a.png')], 'a.png and more'),
    false,
  );
});

test('images can be dropped anywhere, and the browser does not open them', async (t) => {
  const { page, mock } = await asked(t);
  assert.equal(await transfer(page, 'dragover', 'body', [file()]), true);
  await page.waitForSelector('body.drops');
  assert.equal(await transfer(page, 'drop', 'main', [file()]), true);
  await page.waitForSelector('.answer .tray li');
  assert.equal(await page.locator('body.drops').count(), 0);
  await page.fill('.answer textarea', 'see');
  await page.click('.answer .primary');
  await answered(page);
  assert.deepEqual(mock.answers, [{ number: 0, text: 'see', images: [URL_OF_PNG] }]);
});

test('a file that is empty, too large or not an image is refused with the reason, and the others stay', async (t) => {
  const { page } = await asked(t);
  await page.fill('.answer textarea', 'words');
  await transfer(page, 'paste', '.answer textarea', [
    file(),
    file('notes.txt', Buffer.from('hi')),
    file('nothing.png', Buffer.alloc(0)),
  ]);
  await page.waitForSelector('.answer .problem:not([hidden])');
  assert.equal(
    await page.locator('.answer .problem').textContent(),
    'notes.txt is not a PNG, JPEG, GIF or WebP image. nothing.png is empty.',
  );
  assert.equal(await page.locator('.answer .tray li').count(), 1);
  await page.evaluate(
    (head) => {
      const data = new DataTransfer();
      data.items.add(new File([new Uint8Array(head), new Uint8Array(16 << 20)], 'huge.png'));
      document
        .querySelector('.answer textarea')
        ?.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true }));
    },
    [...PNG.subarray(0, 16)],
  );
  await until(page, () =>
    document
      .querySelector('.answer .problem')
      ?.textContent?.startsWith('huge.png has 16 MB; an image may have at most 15 MB'),
  );
  assert.equal(await page.inputValue('.answer textarea'), 'words');
});

test('leaving a question unanswered asks first', async (t) => {
  const { page, mock } = await asked(t);
  await page.click('.answer >> text=Leave unanswered');
  await page.click('.confirm >> text=Keep it');
  await until(page, () => !document.querySelector('dialog[open]'));
  assert.deepEqual(mock.answers, []);
  await page.click('.answer >> text=Leave unanswered');
  await page.click('.confirm .danger');
  await answered(page);
  assert.deepEqual(mock.answers, [{ number: 0, cancel: true }]);
  assert.match(await page.locator('.answered').textContent(), /left this unanswered/);
});

test('when the dialogue has stopped, the user can guide the model', async (t) => {
  const { page, mock, conversation } = await asked(t);
  await page.click('.take >> nth=0');
  await answered(page);
  conversation
    .emit('turn', { index: 1 })
    .emit('rejected', {
      call: 0,
      reason: 'missing_parameter',
      message: 'The question is missing.',
      stopped: true,
    })
    .emit('end', { index: 1, cut_off: false });
  await page.fill('.guidance textarea', 'Ask in one sentence');
  await transfer(page, 'paste', '.guidance textarea', [file()]);
  await page.waitForSelector('.guidance .tray li');
  await page.click('.guidance .primary');
  await page.waitForSelector('.answered >> text=You told the model');
  assert.deepEqual(mock.answers[1], { guide: 'Ask in one sentence', images: [URL_OF_PNG] });
  assert.equal(await page.locator('.guidance').count(), 0);
});

test('a rejected call shows the reason and what had been parsed', async (t) => {
  const { page, conversation } = await asked(t);
  conversation
    .emit('turn', { index: 1 })
    .emit('partial', { call: 0, field: 'question', delta: 'Half a ques' })
    .emit('rejected', {
      call: 0,
      reason: 'truncated',
      message: 'The message ended inside the question.',
      stopped: false,
    });
  const call = page.locator('[data-state=rejected]');
  await call.waitFor();
  assert.match(
    await call.textContent(),
    /could not be asked.*The message ended inside the question\..*Half a ques/,
  );
  assert.equal(await call.locator('form').count(), 0);
});

test('of several questions one is open; the next one opens when it is answered', async (t) => {
  const { page, conversation } = await asked(t);
  conversation.emit('complete', {
    ...QUESTION,
    call: 1,
    number: 1,
    open: false,
    question: 'And then?',
  });
  await page.waitForSelector('[data-state=waiting]');
  assert.equal(await page.locator('[data-state=waiting] .take:enabled').count(), 0);
  await page.keyboard.press('1');
  await answered(page);
  conversation.emit('open', { number: 1 });
  await page.waitForSelector('.call[data-state=open] >> text=And then?');
  await page.keyboard.press('2');
  await until(page, () => document.querySelectorAll('[data-state=answered]').length === 2);
});

test('after an error the text and images stay, the reason is shown, and sending again works', async (t) => {
  const { page, mock } = await asked(t);
  await page.click('.edit >> nth=1');
  await page.fill('.answer textarea', 'my words');
  await transfer(page, 'paste', '.answer textarea', [file()]);
  await page.waitForSelector('.answer .tray li');
  const refusals = [
    [
      { status: 409, code: 'busy', message: 'A turn is still streaming: wait.' },
      /still streaming: wait/,
    ],
    [{ status: 413, code: 'too_large', message: 'The body is too large.' }, /too large/],
    [
      { status: 422, code: 'bad_image', message: 'the image is empty: it has no bytes' },
      /no bytes/,
    ],
    [{ status: 503, code: 'shutting_down', message: 'The service ends.' }, /service ends/],
    [
      {
        status: 503,
        code: 'store_unavailable',
        message: 'The store is away: nothing was changed.',
      },
      /nothing was changed/,
    ],
    [
      { status: 503, code: 'elsewhere', message: 'Another replica is writing.' },
      /replica is writing/,
    ],
    [
      { status: 504, code: 'answer_pending', message: 'It takes longer than usual.' },
      /longer than usual/,
    ],
    ['cut', /can't be reached/],
  ];
  for (const [refusal, reason] of refusals) {
    mock.refuse = refusal;
    await page.click('.answer .primary');
    await until(
      page,
      (source) =>
        new RegExp(source).test(
          document.querySelector('.answer .problem:not([hidden])')?.textContent ?? '',
        ),
      reason.source,
    );
    assert.equal(await page.inputValue('.answer textarea'), 'my words');
    assert.equal(await page.locator('.answer .tray li').count(), 1);
    assert.equal(await page.locator('.take:enabled').count(), 3);
  }
  mock.refuse = null;
  await page.click('.answer .primary');
  await answered(page);
  assert.deepEqual(mock.answers, [
    { number: 0, suggestion: 1, text: 'my words', images: [URL_OF_PNG] },
  ]);
});

test('an answer that is being sent is not sent twice', async (t) => {
  const { page, mock } = await asked(t);
  let let_go;
  mock.refuse = () => new Promise((resolve) => (let_go = () => resolve(null)));
  await page.click('.take >> nth=0');
  await page.waitForSelector('.answer[aria-busy=true]');
  await page.keyboard.press('2');
  assert.equal(await page.locator('.take:enabled').count(), 0);
  await eventually(() => let_go);
  let_go();
  await answered(page);
  assert.deepEqual(mock.answers, [{ number: 0, suggestion: 0 }]);
});

test('an answer from elsewhere is shown, and text that was being written here is not lost', async (t) => {
  const { page, conversation } = await asked(t);
  await page.fill('.answer textarea', 'half a thought');
  conversation.emit('replied', {
    number: 0,
    kind: 'answer',
    said: 'PostgreSQL',
    suggestion: 1,
    images: [],
  });
  assert.equal(await said(page), 'PostgreSQL');
  assert.equal(await page.inputValue('.unsent textarea'), 'half a thought');
  assert.match(await page.locator('.unsent').textContent(), /answered elsewhere/);
  await page.click('text=Discard');
  assert.equal(await page.locator('form.answer').count(), 0);
});

test('an answer that arrived although its connection broke is not reported as unsent', async (t) => {
  const { page, mock, conversation } = await asked(t);
  mock.refuse = 'cut';
  await page.fill('.answer textarea', 'twice');
  await page.keyboard.press('Enter');
  await page.waitForSelector('.answer .problem:not([hidden])');
  conversation.emit('replied', { number: 0, kind: 'answer', said: 'twice', images: [] });
  assert.equal(await said(page), 'twice');
  assert.equal(await page.locator('form.answer').count(), 0);
});

test('images that arrived although their connection broke are not reported as unsent', async (t) => {
  const { page, mock, conversation } = await asked(t);
  mock.refuse = 'cut';
  await transfer(page, 'paste', '.answer textarea', [file()]);
  await page.waitForSelector('.answer .tray li');
  await page.click('.take >> nth=1');
  await page.waitForSelector('.answer .problem:not([hidden])');
  conversation.emit('replied', {
    number: 0,
    kind: 'answer',
    said: 'PostgreSQL',
    suggestion: 1,
    images: [URL_OF_PNG],
  });
  assert.equal(await said(page), 'PostgreSQL');
  assert.equal(await page.locator('form.answer').count(), 0);
});

test('images that were not sent stay when an answer from elsewhere has images', async (t) => {
  const { page, conversation } = await asked(t);
  await transfer(page, 'paste', '.answer textarea', [file()]);
  await page.waitForSelector('.answer .tray li');
  conversation.emit('replied', {
    number: 0,
    kind: 'answer',
    said: 'PostgreSQL',
    suggestion: 1,
    images: [URL_OF_PNG],
  });
  assert.equal(await said(page), 'PostgreSQL');
  assert.equal(await page.locator('.unsent .tray li').count(), 1);
});

test('unsent text is kept while another conversation is shown', async (t) => {
  const { page, mock } = await asked(t);
  mock.conversation('other').emit('turn', { index: 0 }).emit('text', { text: 'Other.' });
  await page.fill('.answer textarea', 'not finished');
  await page.evaluate(() => (location.hash = '#/c/other'));
  await page.waitForSelector('text=Other.');
  await page.goBack();
  await page.waitForSelector('.answer textarea');
  assert.equal(await page.inputValue('.answer textarea'), 'not finished');
});

test('large images are described instead of shown', async (t) => {
  const { page, conversation } = await asked(t);
  conversation.emit('replied', {
    number: 0,
    kind: 'answer',
    said: 'x',
    images: ['image/png, 412345 bytes'],
  });
  assert.equal(await page.locator('.answered .described').textContent(), 'PNG image, 403 kB');
});

test('text that was written stays visible when a suggestion is taken instead', async (t) => {
  const { page } = await asked(t);
  await page.fill('.answer textarea', 'something else');
  await page.click('.take >> nth=1');
  assert.equal(await said(page), 'PostgreSQL');
  assert.equal(await page.inputValue('.unsent textarea'), 'something else');
  assert.match(
    await page.locator('.unsent').textContent(),
    /You also had this, which was not sent/,
  );
});
