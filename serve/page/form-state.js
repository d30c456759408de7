// @ts-check
// The questions of a form: how they grow, and what answers to them mean. Without the DOM.

/**
 * @typedef {{
 *   label: string,
 *   description?: string,
 *   value?: string,
 *   mode?: string,
 *   preview?: string,
 *   recommended?: boolean,
 * }} Choice an option of a question
 */
/**
 * @typedef {{
 *   text: string,
 *   id?: string,
 *   header?: string,
 *   detail?: string,
 *   placeholder?: string,
 *   kind?: 'text' | 'yesno' | 'number',
 *   multiple?: boolean,
 *   custom?: boolean,
 *   required?: boolean,
 *   notes?: boolean,
 *   defaults: string[],
 *   options: Choice[],
 * }} Question a question of a form; what is missing is not there, or not known yet
 */
/**
 * @typedef {{
 *   tool: string,
 *   title?: string,
 *   questions: Question[],
 * }} Form the questions of a call of another tool than `ask_followup_question`
 */
/**
 * @typedef {{
 *   picked?: number[],
 *   text?: string,
 *   note?: string,
 * }} FormAnswer the answer to one question of a form
 */
/** @typedef {Record<string, any>} Data */

/** Texts of a question, and of an option, that grow. */
const GROWING = {
  question: ['text', 'header', 'detail'],
  option: ['label', 'description', 'preview'],
};

/**
 * Returns a form with what is new in it. Questions and options arrive in order, so a gap can't be
 * filled.
 * @param {Form} form
 * @param {Data} data
 * @returns {Form}
 */
export function grown(form, data) {
  const {
    question: index,
    option,
    field,
    delta = '',
    known = {},
    known_option: knownOption = {},
  } = data;
  const { questions } = form;
  // It belongs to all questions.
  if (field === 'title') return appended(form, ['title'], field, delta);
  if (!(index <= questions.length)) return form;
  const old = questions[index] ?? { text: '', defaults: [], options: [] };
  let next = { ...old, ...known, defaults: [...old.defaults, ...(known.defaults ?? [])] };
  if (option === undefined) next = appended(next, GROWING.question, field, delta);
  else if (option <= old.options.length) {
    const choice = { ...(old.options[option] ?? { label: '' }), ...knownOption };
    next.options = old.options.toSpliced(option, 1, appended(choice, GROWING.option, field, delta));
  }
  return { ...form, questions: questions.toSpliced(index, 1, next) };
}

/**
 * @template {object} T
 * @param {T} object
 * @param {string[]} fields
 * @param {string} field
 * @param {string} delta
 * @returns {T}
 */
function appended(object, fields, field, delta) {
  if (!fields.includes(field)) return object;
  const before = /** @type {Record<string, string | undefined>} */ (object)[field];
  return { ...object, [field]: (before ?? '') + delta };
}

/** @param {Data} data @returns {Form} */
export function formOf({ tool, title, questions }) {
  const question = (
    /** @type {Data} */ {
      text,
      id,
      header,
      detail,
      placeholder,
      kind,
      multiple,
      custom,
      required,
      notes,
      defaults,
      options,
    },
  ) =>
    present({
      text: text ?? '',
      id,
      header,
      detail,
      placeholder,
      kind,
      multiple,
      custom,
      required,
      notes: notes || undefined,
      defaults: defaults ?? [],
      options: (options ?? []).map(choice),
    });
  const choice = (/** @type {Data} */ { label, description, value, mode, preview, recommended }) =>
    present({
      label: label ?? '',
      description,
      value,
      mode,
      preview,
      recommended: recommended || undefined,
    });
  return present({ tool: tool ?? '', title, questions: (questions ?? []).map(question) });
}

/**
 * Removes fields that are `undefined` or `null`, except for a reply's number, which may be `null`.
 * @param {Data} data
 * @returns {any}
 */
export function present(data) {
  return Object.fromEntries(
    Object.entries(data).filter(
      ([name, value]) => value !== undefined && (value !== null || name === 'number'),
    ),
  );
}

/**
 * The questions of a call, as a form: a call of `ask_followup_question` has one.
 * @param {import('./store.js').CallItem} item
 * @returns {Question[]}
 */
export function questionsOf({ form, question, suggest }) {
  if (form) return form.questions;
  return [
    {
      text: question,
      defaults: [],
      options: suggest.map(({ answer, mode }) => ({ label: answer, mode })),
    },
  ];
}

/** Whether words of the user's own are an answer. @param {Question} question */
export function takesText({ custom, options }) {
  return custom !== false || options.length === 0;
}

/** Whether something was picked or written. @param {FormAnswer | undefined} answer */
export function isAnswered(answer) {
  return Boolean(answer?.picked?.length || answer?.text?.trim() || answer?.note?.trim());
}

/**
 * Returns what is wrong with an answer; empty if nothing is.
 * @param {Question} question
 * @param {FormAnswer} answer
 */
export function problemOf({ kind, required }, answer) {
  if (kind === 'number' && answer.text?.trim() && !isNumber(answer.text))
    return 'This has to be a number.';
  return required && !isAnswered(answer) ? 'This needs an answer.' : '';
}

/**
 * Returns an answer as far as it can be sent now: nothing of it if something is wrong.
 * @param {Question} question
 * @param {FormAnswer} answer
 * @returns {FormAnswer}
 */
export function answerSoFar(question, answer) {
  return problemOf(question, answer) ? {} : answer;
}

/**
 * Whether the text is a number as JSON writes it, in the range of a double.
 * @param {string} text
 */
export function isNumber(text) {
  return (
    /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text.trim()) &&
    Number.isFinite(Number(text))
  );
}

/**
 * Returns the texts of an answer: labels, then the user's own words, then the note.
 * @param {Question} question
 * @param {FormAnswer | undefined} answer
 */
export function textsOf({ options }, answer) {
  const labels = (answer?.picked ?? []).flatMap((index) =>
    options[index] ? [shownLabel(options[index].label, false).trim()] : [],
  );
  const [text = '', note = ''] = [answer?.text?.trim(), answer?.note?.trim()];
  const said = text ? [...labels, text] : labels;
  return note ? [...said, said.length ? `Note: ${note}` : note] : said;
}

/**
 * Returns the answer that a question has at first.
 * @param {Question} question
 * @returns {FormAnswer}
 */
export function defaultOf({ defaults, options, multiple }) {
  const indexes = defaults.map((one) =>
    options.findIndex(({ label, value }) => value === one || label === one),
  );
  const picked = [...new Set(indexes)].filter((index) => index >= 0);
  const text = options.length === 0 ? defaults[0] : undefined;
  return {
    picked: multiple ? picked : picked.slice(0, 1),
    ...(text === undefined ? {} : { text }),
  };
}

const MARK = '(recommended)';

/**
 * Returns a label without "(Recommended)" at its beginning or end, which is drawn as a mark. What
 * may become that is held back while the label grows.
 * @param {string} label
 * @param {boolean} grows
 */
export function shownLabel(label, grows) {
  const text = label.trimEnd();
  const lower = text.toLowerCase();
  if (lower.startsWith(MARK)) return text.slice(MARK.length).trimStart() || (grows ? '' : label);
  if (grows && MARK.startsWith(lower)) return '';
  const open = lower.lastIndexOf('(');
  const end = open < 0 ? '' : lower.slice(open);
  const isHidden = end !== '' && (end === MARK || (grows && MARK.startsWith(end)));
  return isHidden ? text.slice(0, open).trimEnd() : label;
}
