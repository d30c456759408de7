import type { Question } from "../events.js";

/** What the user did with a call. */
export type FollowupAnswer =
  /** Took the suggestion with this index. With a text: and changed it to that. */
  | { readonly suggestion: number; readonly text?: string }
  /** Wrote an answer without a suggestion. */
  | { readonly text: string; readonly suggestion?: undefined }
  /** Answered each question of a form, in order. */
  | { readonly form: readonly FormAnswer[] };

/** The answer to one question of a form; `{}` is none. */
export interface FormAnswer {
  /** The indexes of the suggestions that were picked. */
  readonly picked?: readonly number[];
  /** Words of the user's own. */
  readonly text?: string;
}

/** Returns an answer as text, as the user would read it. */
export function answerText(questions: readonly Question[], answer: FollowupAnswer): string {
  if (!("form" in answer)) return answer.text ?? questions[0]?.suggestions[answer.suggestion as number]?.answer ?? "";
  const texts = questions.map((question, i) => formAnswerText(question, answer.form[i] ?? {}));
  if (texts.length === 1) return texts[0] as string;
  return questions.flatMap(({ text }, i) => (texts[i] === "" ? [] : [`${text}\n${texts[i]}`])).join("\n\n");
}

/** Returns the answer to one question of a form as text. */
export function formAnswerText({ suggestions }: Question, { picked = [], text }: FormAnswer): string {
  const labels = picked.flatMap((index) => suggestions[index]?.answer ?? []);
  return [...labels, ...(text === undefined ? [] : [text])].join("\n");
}
