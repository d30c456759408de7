// @ts-check
// The form under a question, or under a dialogue that has stopped. Errors never discard what was
// written in it.

import { announce } from './announce.js';
import { hint, inWords, isSendKey, isTouch } from './answer-words.js';
import { copyButton } from './copy.js';
import { focusAt, h, icon, setText } from './dom.js';
import { endButtons } from './ends.js';
import { isAnswered } from './form-state.js';
import { ImageTray, filesOf } from './images.js';
import { UndoBar } from './undo.js';
import { plain } from './visible.js';

/** @typedef {import('./store.js').Suggestion} Suggestion */
/** @typedef {import('./store.js').UserReply} UserReply */
/** @typedef {import('./store.js').Closed} Closed */
/**
 * @typedef {object} FormPart what the form needs to know of the questions of another tool
 * @property {boolean} several they are sent together, after a review
 * @property {boolean} picks options are picked before they are sent
 * @property {boolean} takesText the text box is a part of the answer
 * @property {string} label of the text box
 * @property {string} [placeholder]
 * @property {() => boolean} reviews whether the review is shown
 * @property {() => import('./store.js').FormAnswer[]} answers the answers so far
 * @property {(text: string) => import('./store.js').FormAnswer[]} answersSoFar the answers that can
 *   be sent before all are given, with what is in the text box
 * @property {() => string} note the note with an option that a click sends
 * @property {() => boolean} touched the user has answered something
 * @property {(text: string) => string} problem what is wrong with the answers
 * @property {() => string} texts the answers as text
 */
/**
 * @typedef {{
 *   purpose: 'answer' | 'guidance',
 *   form?: FormPart,
 *   canDiscuss?: boolean,
 *   send: (body: Record<string, unknown>) => Promise<void>,
 *   draft: import('./drafts.js').DraftStore,
 *   onSending?: (sending: boolean, taken: number | null) => void,
 *   onTakenBack?: (taken: number) => void,
 *   onGone?: () => void,
 * }} AnswerOptions `onTakenBack`: focuses the suggestion that was not sent after all
 */

const ADD =
  'M2.5 3h11v10h-11zM5 7.2a1.2 1.2 0 1 0 0-2.4 1.2 1.2 0 0 0 0 2.4M2.5 11.5l3.5-3 2.5 2 2.5-3 2.5 2.5';
let forms = 0;

export class AnswerForm {
  /** @type {AnswerOptions} */ #options;
  #id = `answer-${forms++}`;
  /** @type {number | null} the suggestion that is being edited */ #edited = null;
  #sending = false;
  #sent = false;
  /** Whether it has a draft. */ #isKept = false;
  /** The number of images in the last request, which may have arrived although it failed. */
  #tried = 0;
  /** Whether the focus was in the question when the answer was given. */ #hadFocus = false;
  /** @type {{reply: UserReply | null, why?: Closed['why']} | null} */ #closed = null;
  #problem = h('p', { class: 'problem', id: `${this.#id}-problem`, hidden: true });
  #chip = h('p', { class: 'chip', hidden: true });
  #text = h('textarea', {
    id: this.#id,
    rows: 2,
    dir: 'auto',
    'aria-describedby': `${this.#id}-problem ${this.#id}-hint`,
    enterkeyhint: isTouch() ? 'enter' : 'send',
  });
  #tray = new ImageTray((problem) => this.#report(problem));
  #picker = h('input', {
    type: 'file',
    accept: 'image/png,image/jpeg,image/gif,image/webp',
    multiple: true,
    hidden: true,
  });
  #send = h('button', { type: 'submit', class: 'primary' }, 'Send');
  #add = h('button', { type: 'button', class: 'quiet' }, icon(ADD), 'Add images');
  /** @type {HTMLButtonElement[]} the buttons that end the question without an answer */ #ends = [];
  #undo = new UndoBar();
  #buttons = h('div', { class: 'buttons' }, this.#send, this.#add);
  #label;
  #hint = h('p', { class: 'hint', id: `${this.#id}-hint` }, hint());
  element = h('form', { class: 'answer', novalidate: true });

  /** @param {AnswerOptions} options */
  constructor(options) {
    this.#options = options;
    const asks = options.purpose === 'answer';
    const { form, canDiscuss = false } = options;
    this.#label = h(
      'label',
      { for: this.#id },
      form?.label ?? (asks ? 'Your own answer' : 'Tell the model how to go on'),
    );
    if (asks)
      this.#ends = endButtons(
        { isForm: form !== undefined, several: form?.several ?? false, canDiscuss },
        (end) => this.#end(end),
      );
    if (asks) this.#buttons.append(h('span', { class: 'aside' }, ...this.#ends));
    if (form?.placeholder) this.#text.placeholder = plain(form.placeholder);
    this.element.append(
      this.#label,
      this.#chip,
      this.#text,
      this.#tray.element,
      this.#picker,
      this.#problem,
      this.#undo.element,
      this.#buttons,
      this.#hint,
    );
    this.#listen();
    this.#restore();
    this.refresh();
  }

  /** Shows what belongs to the questions as they are now, and keeps the answers. */
  refresh() {
    const { form } = this.#options;
    if (!form || this.#closed) return;
    for (const part of [this.#label, this.#text, this.#hint]) part.hidden = !form.takesText;
    // A plain choice without words of one's own is sent by a click.
    this.#send.hidden = form.several ? !form.reviews() : !form.takesText && !form.picks;
    this.#add.hidden = form.several && !form.reviews();
    this.#check();
    this.#keep();
  }

  /**
   * Sends these answers to the questions at once. What is in the text box is none of them, and
   * stays.
   * @param {import('./store.js').FormAnswer[]} answers
   */
  sendNow(answers) {
    void this.#submit(
      { form: answers },
      { text: this.#options.form?.several === true, images: true, undo: false },
    );
  }

  /** Sends a suggestion unchanged. @param {number} index @param {{undo?: boolean}} [how] */
  take(index, { undo = true } = {}) {
    const note = this.#options.form?.note() ?? '';
    const body = note ? { form: [{ picked: [index], note }] } : { suggestion: index };
    void this.#submit(body, { text: false, images: true, undo, taken: index });
  }

  /** Sends at once what waits to be sent. */
  flush() {
    this.#undo.end(true);
  }

  /**
   * Copies a suggestion into the text box for editing.
   * @param {number} index
   * @param {Suggestion} suggestion
   */
  edit(index, suggestion) {
    this.#setEdited(index, suggestion.mode);
    this.#text.value = suggestion.answer;
    this.focus();
    this.#text.setSelectionRange(this.#text.value.length, this.#text.value.length);
    this.#check();
    this.#keep();
  }

  focus() {
    this.#text.focus();
  }

  /** @param {Iterable<File>} files */
  addImages(files) {
    if (this.#closed || this.#sending) return;
    void this.#tray.add(files).then(() => this.#check());
  }

  /** Adds pasted images. Returns whether there were any. @param {DataTransfer | null} data */
  paste(data) {
    const files = filesOf(data);
    const lines = (data?.getData('text/plain') ?? '')
      .split(/[\r\n]+/)
      .map((line) => line.trim())
      .filter(Boolean);
    // A file manager also copies the names of its files. A spreadsheet also copies a picture of its
    // cells: there the text is what the user means.
    if (!lines.every((line) => files.some(({ name }) => name === line))) return false;
    if (files.length) this.addImages(files);
    return files.length > 0;
  }

  /**
   * Closes the form after an answer from here or elsewhere. It stays if it holds something that was
   * not sent.
   * @param {UserReply | null} reply
   * @param {Closed['why']} [why]
   */
  close(reply, why) {
    if (this.#closed) return;
    this.#closed = { reply, why };
    this.#undo.end(false);
    if (!this.#sending) this.#finish();
  }

  #listen() {
    this.element.addEventListener('submit', (event) => {
      event.preventDefault();
      this.#sendText();
    });
    this.#text.addEventListener('keydown', (event) => this.#key(event));
    this.#text.addEventListener('input', () => {
      this.#check();
      this.#keep();
    });
    this.#text.addEventListener(
      'paste',
      (event) => this.paste(event.clipboardData) && event.preventDefault(),
    );
    this.#add.addEventListener('click', () => this.#picker.click());
    this.#picker.addEventListener('change', () => {
      this.addImages([...(this.#picker.files ?? [])]);
      this.#picker.value = '';
    });
    this.#check();
  }

  /**
   * Ends the question without an answer to it. A talk has the answers so far.
   * @param {import('./ends.js').End} end
   */
  #end(end) {
    const isTalk = end === 'discuss';
    const answers = isTalk
      ? { form: this.#options.form?.answersSoFar(this.#text.value.trim()) ?? [] }
      : {};
    void this.#submit({ [end]: true, ...answers }, { text: isTalk, images: false, undo: false });
  }

  /** Shows what was written before the page was reloaded. */
  #restore() {
    const draft = this.#options.draft.load();
    if (!draft) return;
    this.#isKept = true;
    this.#text.value = draft.text;
    if (draft.edited !== null) this.#setEdited(draft.edited);
    this.#check();
  }

  #keep() {
    const { draft, form } = this.#options;
    const answers = form?.touched() ? { answers: form.answers() } : {};
    const isKept = this.#text.value.trim() !== '' || 'answers' in answers;
    // Without anything of its own, a form must not drop the draft of another tab.
    if (isKept || this.#isKept)
      draft.save({ text: this.#text.value, edited: this.#edited, ...answers });
    this.#isKept = isKept;
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.key === 'Escape') {
      event.stopPropagation();
      this.#text.blur();
    }
    if (!isSendKey(event)) return;
    event.preventDefault();
    // A key that is held down has done that already.
    if (!event.repeat) this.#sendText();
  }

  #sendText() {
    if (this.#isEmpty() || this.#send.hidden) return;
    const problem = this.#options.form?.problem(this.#text.value) ?? '';
    if (problem) this.#report(problem);
    else
      void this.#submit(this.#body(), {
        text: true,
        images: true,
        undo: this.#options.purpose === 'answer',
      });
  }

  #body() {
    const text = this.#text.value;
    const { form } = this.#options;
    if (this.#options.purpose === 'guidance') return { guide: text };
    if (form?.several) return { form: form.answers() };
    if (form?.picks)
      return {
        form: form.answers().map((answer) => ({ ...answer, ...(text.trim() ? { text } : {}) })),
      };
    const note = form?.note() ?? '';
    if (this.#edited !== null)
      return { suggestion: this.#edited, text: note ? `${text}\n${note}` : text };
    return note ? { form: [{ text, note }] } : { text };
  }

  /**
   * @param {Record<string, unknown>} body
   * @param {{text: boolean, images: boolean, undo: boolean, taken?: number}} parts which parts of
   *   the form it sends, whether it can be undone, and the suggestion that it sends unchanged
   */
  async #submit(body, parts) {
    if (this.#sending || this.#sent || this.#closed) return;
    this.#hadFocus = this.element.closest('.call')?.contains(document.activeElement) === true;
    this.#setSending(true, parts.taken);
    this.#report('');
    const sends = !parts.undo || (await this.#undo.wait());
    if (sends) await this.#deliver(body, parts);
    const hadFocus = this.element.closest('.call')?.contains(document.activeElement);
    this.#setSending(false);
    if (!sends && !this.#closed && hadFocus) this.#focusTakenBack(parts.taken);
    if (this.#closed) this.#finish();
  }

  /** Focuses what was to be sent. @param {number | undefined} taken the suggestion */
  #focusTakenBack(taken) {
    if (taken !== undefined) this.#options.onTakenBack?.(taken);
    else if (this.#text.hidden) this.#send.focus();
    else this.focus();
  }

  /** @param {Record<string, unknown>} body @param {{text: boolean, images: boolean}} parts */
  async #deliver(body, parts) {
    try {
      const images = parts.images ? await this.#tray.dataUrls() : [];
      this.#tried = images.length;
      await this.#options.send(images.length ? { ...body, images } : body);
      this.#onSent(parts);
    } catch (error) {
      this.#report(inWords(error));
    }
  }

  /** @param {{text: boolean, images: boolean}} parts */
  #onSent(parts) {
    this.#sent = true;
    if (parts.text) {
      this.#text.value = '';
      this.#options.draft.drop();
    }
    if (parts.images) this.#tray.clear();
    setText(this.#hint, 'Sent.');
  }

  #finish() {
    const said = this.#closed?.reply?.said.trim();
    this.#showUnsentAnswers();
    const nothingUnsent = this.#text.value.trim() === '' || this.#text.value.trim() === said;
    const images = this.#closed?.reply?.images.length ?? 0;
    const hasSameImages =
      this.#tray.count === 0 || (this.#tray.count === this.#tried && this.#tried === images);
    if (nothingUnsent && hasSameImages) return this.#discard();
    this.element.classList.add('unsent');
    this.#text.readOnly = true;
    this.#problem.hidden = true;
    this.#chip.hidden = true;
    this.#label.textContent = this.#unsentLabel();
    [this.#hint.hidden, this.#label.hidden, this.#text.hidden] = [true, false, false];
    this.#buttons.replaceChildren(
      copyButton('Copy', () => this.#text.value),
      h('button', { type: 'button', class: 'quiet', onclick: () => this.#discard() }, 'Discard'),
    );
  }

  /** Puts answers to questions that were not sent into the text box, so that they can be copied. */
  #showUnsentAnswers() {
    const { form } = this.#options;
    if (!form || this.#sent || !form.touched()) return;
    if (!form.picks) {
      if (form.note())
        this.#text.value = [this.#text.value.trim(), form.note()].filter(Boolean).join('\n\n');
      return;
    }
    const isSame = JSON.stringify(this.#closed?.reply?.answers) === JSON.stringify(form.answers());
    this.#text.value = isSame
      ? ''
      : [form.texts(), this.#text.value.trim()].filter(Boolean).join('\n\n');
  }

  #unsentLabel() {
    if (this.#sent) return 'You also had this, which was not sent:';
    return this.#closed?.why === 'dismissed'
      ? 'This was dismissed. What you had was not sent:'
      : 'This was answered elsewhere. What you had was not sent:';
  }

  #discard() {
    this.#options.draft.drop();
    this.#tray.clear();
    const call = this.element.closest('.call');
    const hadFocus = this.#hadFocus || this.element.contains(document.activeElement);
    this.element.remove();
    this.#options.onGone?.();
    if (hadFocus && call instanceof HTMLElement && call.isConnected) focusAt(call);
  }

  /** @param {number | null} index @param {string} [mode] */
  #setEdited(index, mode) {
    this.#edited = index;
    this.#chip.hidden = index === null;
    if (index === null) return this.#chip.replaceChildren();
    const drop = h(
      'button',
      {
        type: 'button',
        class: 'remove',
        'aria-label': 'Make it an answer of your own',
        title: 'Make it an answer of your own',
        onclick: () => this.#ownWords(),
      },
      icon('M4 4l8 8M12 4l-8 8'),
    );
    const what = h(
      'span',
      {},
      `Changes suggestion ${index + 1}`,
      ...(mode ? [', mode ', h('bdi', {}, plain(mode))] : []),
    );
    this.#chip.replaceChildren(what, drop);
  }

  #ownWords() {
    this.#setEdited(null);
    this.#keep();
    this.focus();
  }

  /**
   * @param {boolean} sending
   * @param {number | null} [taken] the suggestion that is sent unchanged
   */
  #setSending(sending, taken = null) {
    this.#sending = sending;
    this.#text.readOnly = sending || this.#sent;
    for (const button of [this.#send, this.#add, ...this.#ends])
      button.disabled = sending || this.#sent;
    this.#send.textContent = sending ? 'Sending…' : 'Send';
    this.element.setAttribute('aria-busy', String(sending));
    this.#options.onSending?.(sending || this.#sent, taken);
    if (!sending) this.#check();
  }

  #check() {
    this.#send.disabled = this.#sending || this.#sent || this.#isEmpty();
  }

  #isEmpty() {
    const { form } = this.#options;
    const isPicked = form?.picks && form.answers().some(isAnswered);
    return this.#text.value.trim() === '' && this.#tray.count === 0 && !isPicked;
  }

  /** @param {string} problem */
  #report(problem) {
    this.#problem.hidden = problem === '';
    setText(this.#problem, problem);
    if (problem) announce(problem);
  }
}
