// What the user has entered for a question of a form, before it is sent, and how it is validated.

import type { FormAnswer } from "../dialogue-types.js";
import type { Question } from "../events.js";

/** What the user has picked and written for a question so far. */
export interface Draft {
  readonly picked: readonly number[];
  readonly text: string;
  /** Whether the text is the answer, or a part of it; else it is only kept. */
  readonly usesText: boolean;
}

/** What is wrong with an answer. */
export type Problem = "required" | "notANumber";

/** Returns the draft of an answer. */
export function draftOf({ picked = [], text = "" }: FormAnswer): Draft {
  return { picked, text, usesText: text !== "" };
}

/** Returns the draft that a question has at first: that of its defaults. */
export function defaultDraft({ defaults = [], suggestions, multiple }: Question): Draft {
  if (suggestions.length === 0) return draftOf({ text: defaults[0] ?? "" });
  const found = defaults.map((one) =>
    suggestions.findIndex(({ answer, value }) => value === one || answer === one),
  );
  const picked = [...new Set(found)].filter((index) => index >= 0);
  return draftOf({ picked: multiple ? picked : picked.slice(0, 1) });
}

/**
 * Picks a suggestion, or takes the pick back. Where one can be picked, it replaces the others and
 * the text.
 */
export function pick(draft: Draft, index: number, isMultiple: boolean): Draft {
  if (!isMultiple) return { ...draft, picked: [index], usesText: false };
  const isPicked = draft.picked.includes(index);
  const picked = isPicked ? draft.picked.filter((one) => one !== index) : [...draft.picked, index];
  return { ...draft, picked: picked.sort((one, other) => one - other) };
}

/** Sets the text. Where one suggestion can be picked, the text replaces it. */
export function write(draft: Draft, text: string, isMultiple: boolean): Draft {
  const usesText = text.trim() !== "";
  return { picked: usesText && !isMultiple ? [] : draft.picked, text, usesText };
}

/** Returns the answer of a draft. */
export function answerOf({ picked, text, usesText }: Draft): FormAnswer {
  const words = usesText ? text.trim() : "";
  return { ...(picked.length > 0 && { picked }), ...(words !== "" && { text: words }) };
}

/** Returns the answers so far: those of the drafts, without what can't be sent. */
export function answersSoFar(
  questions: readonly Question[],
  drafts: readonly Draft[],
): FormAnswer[] {
  return questions.map((question, i) => {
    const answer = answerOf(drafts[i] as Draft);
    return problemOf(question, answer) === undefined ? answer : {};
  });
}

export function isAnswered({ picked, text }: FormAnswer): boolean {
  return picked !== undefined || text !== undefined;
}

/** Whether an own answer can be written. */
export function takesText({ custom, suggestions }: Question): boolean {
  return custom !== false || suggestions.length === 0;
}

/** Returns what is wrong with an answer, if anything is. */
export function problemOf({ kind, required }: Question, answer: FormAnswer): Problem | undefined {
  if (required && !isAnswered(answer)) return "required";
  return kind === "number" && answer.text !== undefined && !isNumber(answer.text)
    ? "notANumber"
    : undefined;
}

/**
 * Whether first answers can be sent: there is a suggestion, and one for each question that needs an
 * answer.
 */
export function canAnswerFirst(questions: readonly Question[]): boolean {
  const hasSuggestions = ({ suggestions }: Question) => suggestions.length > 0;
  return (
    questions.some(hasSuggestions) &&
    questions.every((question) => !question.required || hasSuggestions(question))
  );
}

/** Returns the answers that the countdown sends: what is there, or else the first suggestion. */
export function firstAnswers(
  questions: readonly Question[],
  drafts: readonly Draft[],
): FormAnswer[] {
  return questions.map(({ suggestions }, i) => {
    const answer = answerOf(drafts[i] as Draft);
    return isAnswered(answer) || suggestions.length === 0 ? answer : { picked: [0] };
  });
}

/** Whether a text is a number as JSON writes it. */
function isNumber(text: string): boolean {
  return /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text);
}
