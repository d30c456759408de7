// @ts-check
// One option of a question: a button, with a second one that copies it into the text box.

import { h, icon, setAttr, setText } from './dom.js';
import { shownLabel } from './form-state.js';
import { MarkdownView } from './markdown-view.js';
import { plain } from './visible.js';

/** @typedef {import('./form-state.js').Choice} Choice */
/**
 * @typedef {object} OptionDisplay how an option is shown
 * @property {boolean} grows
 * @property {boolean} inForm of another tool than `ask_followup_question`
 * @property {boolean} enabled it can be taken or picked
 * @property {boolean} editable it can be copied into the text box
 * @property {boolean} chosen
 * @property {'radio' | 'checkbox' | null} role `null` if a click sends it
 */

const PENCIL = 'M3 13l.7-3L10.5 3.2l2.3 2.3L6 12.3zM9 4.7l2.3 2.3';
let options = 0;

export class OptionView {
  #key = h('span', { class: 'key', 'aria-hidden': 'true' });
  #text = h('span', { class: 'text', dir: 'auto' });
  #recommended = h('span', { class: 'recommended', hidden: true }, 'Recommended');
  #description = h('span', { class: 'description', dir: 'auto', hidden: true });
  #mode = h('span', { class: 'mode', hidden: true });
  #preview = h('div', {
    class: 'preview markdown',
    id: `preview-${options++}`,
    role: 'group',
    'aria-label': 'Preview',
    dir: 'auto',
    tabindex: '0',
    hidden: true,
  });
  #label = h('span', { class: 'label' }, this.#text, ' ', this.#recommended, this.#description);
  #markdown = new MarkdownView(this.#text, { inline: true });
  #described = new MarkdownView(this.#description, { inline: true });
  #previewed = new MarkdownView(this.#preview);
  button = h(
    'button',
    { type: 'button', class: 'take', disabled: true },
    this.#key,
    this.#label,
    this.#mode,
  );
  edit = h('button', { type: 'button', class: 'edit', disabled: true }, icon(PENCIL));
  element = h('li', { class: 'suggestion' }, this.button, this.edit);

  /**
   * @param {number} index
   * @param {(index: number, event: MouseEvent) => void} onTake
   * @param {(index: number) => void} onEdit
   */
  constructor(index, onTake, onEdit) {
    this.#key.textContent = String(index + 1);
    this.edit.setAttribute('aria-label', `Edit suggestion ${index + 1} before sending`);
    this.edit.title = 'Edit before sending';
    this.button.addEventListener('click', (event) => onTake(index, event));
    this.edit.addEventListener('click', () => onEdit(index));
  }

  /** Marks the option that the countdown takes. @param {boolean} isNext */
  mark(isNext) {
    this.element.classList.toggle('next', isNext);
  }

  /** Its label as it is shown. */
  get text() {
    return this.#text.textContent ?? '';
  }

  /**
   * Shows the option. Returns whether a part was postponed.
   * @param {Choice} option
   * @param {OptionDisplay} how
   */
  update(
    { label, description, preview, mode, recommended },
    { grows, inForm, enabled, editable, chosen, role },
  ) {
    this.#mode.hidden = !mode;
    if (mode) {
      setText(this.#mode, mode);
      setAttr(this.#mode, 'title', `Switches the agent to the mode ${plain(mode)}`);
    }
    this.button.disabled = !enabled;
    this.edit.disabled = !editable;
    this.element.classList.toggle('chosen', chosen);
    setAttr(this.button, 'role', role);
    setAttr(this.button, 'aria-checked', role ? String(chosen) : null);
    if (inForm) this.#describe(description, recommended === true, preview);
    const texts = [this.#markdown.show(inForm ? shownLabel(label, grows) : label, grows)];
    if (description) texts.push(this.#described.show(description, grows));
    if (preview) texts.push(this.#previewed.show(preview, grows));
    return texts.includes(true);
  }

  /**
   * Shows the texts of the option besides its label.
   * @param {string | undefined} description
   * @param {boolean} recommended
   * @param {string | undefined} preview
   */
  #describe(description, recommended, preview) {
    this.#recommended.hidden = !recommended;
    this.#description.hidden = !description;
    this.#preview.hidden = !preview;
    if (preview && !this.#preview.isConnected) this.element.append(this.#preview);
    setAttr(this.button, 'aria-details', preview ? this.#preview.id : null);
  }
}
