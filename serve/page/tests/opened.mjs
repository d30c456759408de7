// Opens a conversation of the mocked service in a browser.

import { FORM, completed } from './forms.mjs';
import { newPage } from './help.mjs';
import { Mock } from './mock.mjs';

/** Opens a page with a conversation in its first turn. */
export async function opened(t, options) {
  const mock = await new Mock().start();
  t.after(() => mock.stop());
  const conversation = mock.conversation('c').emit('turn', { index: 0 });
  const { page, context, did } = await newPage(t, options);
  await page.goto(`${mock.url}/#/c/c`);
  await page.waitForSelector('.turn');
  return { mock, conversation, page, context, did };
}

/** Opens a page with a form that can be answered. `more` of its event may be given. */
export async function asked(t, form = FORM, options = {}, more = {}) {
  const all = await opened(t, options);
  all.conversation
    .emit('complete', completed(form, more))
    .emit('end', { index: 0, cut_off: false });
  await all.page.waitForSelector('.call[data-state=open]');
  return all;
}
