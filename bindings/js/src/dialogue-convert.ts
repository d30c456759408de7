// Converts options, calls and answers into the form that the dialogue's module expects.

import type { Answer, DialogueOptions, Form, OpenQuestion, StoredAnswer } from "./dialogue-types.js";
import type { CompleteEvent, Question, RejectedEvent } from "./events.js";
import { kind } from "./options.js";

/** Returns options as the module names them. */
export function storedOptions(options: DialogueOptions): object {
  if (typeof options !== "object" || options === null || Array.isArray(options)) {
    throw new TypeError(`options: an object was expected, not ${kind(options)}`);
  }
  const { rules } = options;
  if (typeof rules !== "object" || rules === null) return options;
  const { followUpRequired, ...rest } = rules;
  // It is the module's own name.
  if ("follow_up_required" in rest) throw new TypeError("rules.follow_up_required is no option: it is followUpRequired");
  return { ...options, rules: { ...rest, follow_up_required: followUpRequired } };
}

/** Returns the question of a call. The dialogue numbers it. */
export function toQuestion(call: CompleteEvent): OpenQuestion {
  const { id, question, suggestions } = call;
  const suggest = list(suggestions, "suggestions").map(({ answer, mode }) => ({ answer, ...(mode !== undefined && { mode }) }));
  const form = toForm(call);
  return { number: 0, question, suggest, ...(id !== undefined && { id }), ...(form && { form }) };
}

function toForm({ tool, shape, title, questions }: CompleteEvent): Form | undefined {
  if (shape === undefined) return undefined;
  return { tool, shape, questions: list(questions, "questions").map(toFormQuestion), ...(title !== undefined && { title }) };
}

function toFormQuestion({ suggestions, ...question }: Question): Form["questions"][number] {
  const options = list(suggestions, "suggestions").map(({ answer, ...rest }) => ({ label: answer, ...rest }));
  return { ...question, options };
}

/** Returns what the dialogue has to know of a rejected call. */
export function rejection(call: RejectedEvent): object {
  const { suggestions, questions, ...rest } = call;
  return { ...rest, questions: (questions ?? []).map(({ text }) => ({ text })) };
}

/** Returns an answer as it is stored. */
export function storedAnswer(answer: Answer): StoredAnswer {
  switch (answer?.type) {
    case "text":
      return { text: answer.text };
    case "suggestion":
      return { suggestion: answer.suggestion };
    case "edited":
      return { edited: { suggestion: answer.suggestion, text: answer.text } };
    case "form":
      return { form: answer.answers };
    default:
      throw new TypeError(`answer: an object with the type text, suggestion, edited or form was expected, not ${kind(answer)}`);
  }
}

function list<T>(value: readonly T[] | undefined, name: string): readonly T[] {
  if (!Array.isArray(value)) throw new TypeError(`event: ${name}: a list was expected, not ${kind(value)}`);
  value.forEach((one, i) => {
    if (typeof one !== "object" || one === null) throw new TypeError(`event: ${name}[${i}]: an object was expected, not ${kind(one)}`);
  });
  return value;
}
