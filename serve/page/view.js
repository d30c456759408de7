// @ts-check
// The view of a conversation. Items that did not change keep their nodes, a selection in them, and
// the focus.

import { AnswerForm } from './answer.js';
import { CallView } from './call.js';
import { DraftStore } from './drafts.js';
import { copyButton } from './copy.js';
import { failedCorrections } from './delivery.js';
import { h, setAttr, setText } from './dom.js';
import { MarkdownView } from './markdown-view.js';
import { questionsOf } from './form-state.js';
import { replyNodes } from './replies.js';
import { hasFailedCorrections, openCall, wantsGuidance } from './store.js';

/** @typedef {import('./store.js').State} State */
/** @typedef {import('./store.js').Item} Item */
/** @typedef {import('./call.js').Context} Context */
/**
 * @typedef {{
 *   element: HTMLElement,
 *   update: (item: any, grows: boolean) => boolean,
 *   leave?: () => void,
 * }} ItemView
 */
/** @typedef {{view: ItemView, item: Item, grows: boolean, postponed: boolean}} Shown */

export class ConversationView {
  #context;
  /** @type {Map<string, Shown>} */ #shown = new Map();
  #dropped = h(
    'p',
    { class: 'note', hidden: true },
    'The beginning of this conversation is no longer kept.',
  );
  #items = h('div', { class: 'items' });
  #corrections = h('div');
  #guidance = h('div');
  /** @type {AnswerForm | null} */ #guide = null;
  /** @type {readonly Item[]} */ #list = [];
  element = h(
    'div',
    { class: 'conversation' },
    this.#dropped,
    this.#items,
    this.#corrections,
    this.#guidance,
  );

  /** @param {Context} context */
  constructor(context) {
    this.#context = context;
  }

  /**
   * Shows a state. Returns whether a part of it was postponed, so that this must be called again.
   * @param {State} state
   */
  show(state) {
    this.#list = state.items;
    this.#dropped.hidden = state.dropped === 0;
    this.#removeOthers(new Set(state.items.map((item) => item.key)));
    const last = state.items.length - 1;
    const postponed = state.items
      .map((item, index) =>
        this.#showItem(item, index, state.turn === 'streaming' && index === last),
      )
      .includes(true);
    this.#showCorrections(state);
    this.#showGuidance(state);
    return postponed;
  }

  /**
   * Returns the view of the question that can be answered now.
   * @param {State} state
   * @returns {CallView | null}
   */
  open(state) {
    const call = openCall(state);
    const view = call && this.#shown.get(call.key)?.view;
    return view instanceof CallView ? view : null;
  }

  /**
   * Returns the view of the question that is being written.
   * @param {State} state
   * @returns {CallView | null}
   */
  growing(state) {
    const call = state.items.findLast((item) => item.type === 'call' && item.state === 'growing');
    const view = call && this.#shown.get(call.key)?.view;
    return view instanceof CallView ? view : null;
  }

  /**
   * Returns the element of the question that is open or being written.
   * @param {State} state
   * @returns {Element | null}
   */
  asked(state) {
    const call =
      openCall(state) ??
      state.items.findLast((item) => item.type === 'call' && item.state === 'growing');
    return (call && this.#shown.get(call.key)?.view.element) ?? null;
  }

  /**
   * Returns the form that gets images pasted or dropped anywhere on the page.
   * @param {State} state
   */
  form(state) {
    return this.open(state)?.form ?? this.#guide;
  }

  /** What the user has written and not sent. */
  get unsent() {
    return [...this.element.querySelectorAll('.call textarea')]
      .map((field) => /** @type {HTMLTextAreaElement} */ (field).value.trim())
      .filter(Boolean)
      .join('\n\n');
  }

  /** Called when the view is removed from the page. */
  leave() {
    for (const { view } of this.#shown.values()) view.leave?.();
  }

  /** @param {Set<string>} keys */
  #removeOthers(keys) {
    for (const [key, { view }] of this.#shown) {
      if (keys.has(key)) continue;
      view.leave?.();
      view.element.remove();
      this.#shown.delete(key);
    }
  }

  /** @param {Item} item @param {number} index @param {boolean} grows */
  #showItem(item, index, grows) {
    const shown = this.#shown.get(item.key);
    if (shown && shown.item === item && shown.grows === grows && !shown.postponed) return false;
    const view = shown && shown.item.type === item.type ? shown.view : this.#make(item, shown);
    this.#place(view.element, index);
    const postponed = view.update(item, grows);
    this.#shown.set(item.key, { view, item, grows, postponed });
    return postponed;
  }

  /** @param {Item} item @param {Shown} [instead] @returns {ItemView} */
  #make(item, instead) {
    instead?.view.leave?.();
    instead?.view.element.remove();
    if (item.type === 'call') return new CallView(item, this.#context);
    if (item.type === 'turn') return turnView(() => messageOf(this.#list, item.key));
    return VIEWS[item.type](this.#context);
  }

  /** @param {HTMLElement} element @param {number} index */
  #place(element, index) {
    const there = this.#items.children[index] ?? null;
    if (there !== element) this.#items.insertBefore(element, there);
  }

  /** Offers to send corrections again. @param {State} state */
  #showCorrections(state) {
    const isShown = this.#corrections.hasChildNodes();
    if (hasFailedCorrections(state) === isShown) return;
    this.#corrections.replaceChildren(...(isShown ? [] : [failedCorrections(this.#context.retry)]));
  }

  /** @param {State} state */
  #showGuidance(state) {
    if (wantsGuidance(state) === (this.#guide !== null)) return;
    if (this.#guide) {
      const replied = state.items.findLast((item) => item.type === 'replied');
      this.#guide.close(replied ?? null);
      this.#guide = null;
      return;
    }
    this.#guide = this.#makeGuide();
  }

  #makeGuide() {
    const section = h('section', {
      class: 'call guidance',
      'aria-label': 'The model needs guidance',
    });
    const form = new AnswerForm({
      purpose: 'guidance',
      send: this.#context.send,
      draft: new DraftStore(this.#context.conversation, 'guide', ''),
      onGone: () => section.remove(),
    });
    section.append(
      h('p', {}, 'The model made too many mistakes with its questions and waits for you.'),
      form.element,
    );
    this.#guidance.append(section);
    return form;
  }
}

/**
 * The heading of a message, with a button that copies it.
 * @param {() => string} message
 * @returns {ItemView}
 */
function turnView(message) {
  const title = h('h3');
  const button = copyButton('Copy', message);
  button.title = 'Copy the message as Markdown';
  return {
    element: h('div', { class: 'turn' }, title, button),
    update: ({ index }) => ((title.textContent = `Message ${index + 1}`), false),
  };
}

/**
 * Returns a message as the model wrote it, without markup of calls that are shown.
 * @param {readonly Item[]} items
 * @param {string} key of its first item
 */
function messageOf(items, key) {
  const from = items.findIndex((item) => item.key === key) + 1;
  const rest = items.slice(from);
  const end = rest.findIndex(({ type }) => type === 'turn');
  return rest
    .slice(0, end < 0 ? undefined : end)
    .map(sourceOf)
    .filter(Boolean)
    .join('\n\n');
}

/** @param {Item} item */
function sourceOf(item) {
  if (item.type === 'text') return item.text.trim();
  if (item.type === 'opaque') return item.raw;
  if (item.type !== 'call') return '';
  const source = (/** @type {import('./form-state.js').Question} */ { text, detail, options }) =>
    [
      text,
      ...(detail ? [detail] : []),
      options
        .map(
          ({ label, description }, index) =>
            `${index + 1}. ${label}${description ? `: ${description}` : ''}`,
        )
        .join('\n'),
    ]
      .join('\n\n')
      .trim();
  return questionsOf(item).map(source).join('\n\n');
}

/** @type {Record<Exclude<Item['type'], 'call' | 'turn'>, (context: Context) => ItemView>} */
const VIEWS = {
  text: () => {
    const element = h('div', { class: 'prose markdown', dir: 'auto' });
    const markdown = new MarkdownView(element);
    return {
      element,
      update: ({ text }, grows) => {
        setAttr(element, 'aria-busy', grows ? 'true' : null);
        return markdown.show(text, grows);
      },
    };
  },
  opaque: opaqueView,
  error: () => {
    const element = h('p', { class: 'problem item' });
    return { element, update: (item) => (setText(element, errorText(item)), false) };
  },
  end: () => {
    const element = h('p', { class: 'note', hidden: true }, 'The message was cut off here.');
    return { element, update: ({ cut_off }) => ((element.hidden = !cut_off), false) };
  },
  replied: ({ retry }) => {
    const element = h('article', { class: 'answered item', 'aria-label': 'What you said' });
    return {
      element,
      update: (item) => (element.replaceChildren(...replyNodes(item, item.delivery, retry)), false),
    };
  },
};

/**
 * Says for people what went wrong: without the numbers of an operating system.
 * @param {import('./store.js').ErrorItem} item
 */
function errorText({ kind, message }) {
  return message.replace(/ ?\(os error -?\d+\)/g, '') || `An error in the stream: ${kind}`;
}

/**
 * The call of another tool, collapsed. Its text is rendered only when it is expanded.
 * @returns {ItemView}
 */
function opaqueView() {
  const tool = h('code');
  const size = h('span', { class: 'status' });
  const raw = h('pre', { dir: 'ltr' });
  const element = h(
    'details',
    { class: 'opaque item' },
    h('summary', {}, 'Call of ', tool, ' ', size),
    raw,
  );
  let text = '';
  const fill = () => element.open && setText(raw, text);
  element.addEventListener('toggle', fill);
  /** @param {import('./store.js').OpaqueItem} item */
  const update = (item) => {
    text = item.raw;
    setText(tool, item.tool);
    size.textContent = `${text.length.toLocaleString('en')} characters`;
    fill();
    return false;
  };
  return { element, update };
}
