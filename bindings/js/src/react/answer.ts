// Functions that write a user's answer as text.

import type { Answer, FormAnswer } from "../dialogue-types.js";
import type { Question } from "../events.js";

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
export function answerText(questions: readonly Question[], answer: Answer): string {
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
 * words, then the note.
 */
export function textsOf(
  { suggestions }: Question,
  { picked = [], text, note }: FormAnswer,
): string[] {
  const labels = picked.flatMap((index) => suggestions[index]?.answer ?? []);
  return [...labels, ...[text, note].filter((words) => words !== undefined)];
}
