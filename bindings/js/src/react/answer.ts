// The types of a user's answer, and functions that write it as text.

import type { Question } from "../events.js";

/** What the user did with a call. A dialogue takes it as it is. */
export type FollowupAnswer =
  /** Wrote an answer. */
  | { readonly type: "text"; readonly text: string }
  /** Took the suggestion with this index. */
  | { readonly type: "suggestion"; readonly suggestion: number }
  /** Took a suggestion and changed its text. */
  | { readonly type: "edited"; readonly suggestion: number; readonly text: string }
  /** Answered a form: one answer for each question, in order. */
  | { readonly type: "form"; readonly answers: readonly FormAnswer[] };

/** The answer to one question of a form; an empty object is none. */
export interface FormAnswer {
  /** The indexes of the suggestions that were picked. */
  readonly picked?: readonly number[];
  /** Words of the user's own. */
  readonly text?: string;
}

/**
 * Returns an answer as text, as the user would read it: for a message on the page. The model gets
 * the reply of a dialogue.
 *
 * ```js
 * import { answerText } from "followup/react";
 *
 * const questions = [{ text: "Tea?", suggestions: [{ answer: "Yes" }, { answer: "No" }] }];
 * assert.equal(answerText(questions, { type: "suggestion", suggestion: 1 }), "No");
 * assert.equal(answerText(questions, { type: "form", answers: [{ picked: [0], text: "green" }] }), "Yes\ngreen");
 * ```
 */
export function answerText(questions: readonly Question[], answer: FollowupAnswer): string {
  switch (answer.type) {
    case "text":
    case "edited":
      return answer.text;
    case "suggestion":
      return questions[0]?.suggestions[answer.suggestion]?.answer ?? "";
    case "form": {
      const texts = questions.map((question, i) =>
        textsOf(question, answer.answers[i] ?? {}).join("\n"),
      );
      if (texts.length === 1) return texts[0] as string;
      return questions
        .flatMap(({ text }, i) => (texts[i] === "" ? [] : [`${text}\n${texts[i]}`]))
        .join("\n\n");
    }
  }
}

/**
 * Returns the texts of an answer to one question of a form: what was picked, then the user's own
 * words.
 */
export function textsOf({ suggestions }: Question, { picked = [], text }: FormAnswer): string[] {
  const labels = picked.flatMap((index) => suggestions[index]?.answer ?? []);
  return [...labels, ...(text === undefined ? [] : [text])];
}
