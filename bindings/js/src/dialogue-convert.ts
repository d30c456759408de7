// Converts options, calls and answers into the form that the dialogue's module expects.

import type {
  Answer,
  DialogueOptions,
  Form,
  OpenQuestion,
  StoredAnswer,
} from "./dialogue-types.js";
import type { CompleteEvent, Question, RejectedEvent } from "./events.js";
import { check, kind, object, objects, whole } from "./options.js";

/**
 * Returns options as the module names them. It checks what is inside a dialect, a template and a
 * turn.
 */
export function storedOptions(options: DialogueOptions): object {
  const { dialect, rules, mistakeLimit, escape, templates, history, checkpoint } = object(
    options,
    "options",
  );
  if (
    dialect !== undefined &&
    typeof dialect !== "string" &&
    (typeof dialect !== "object" || dialect === null || Array.isArray(dialect))
  ) {
    throw new TypeError(`dialect: a name or an object was expected, not ${kind(dialect)}`);
  }
  if (mistakeLimit !== undefined) whole(mistakeLimit, "mistakeLimit");
  if (escape !== undefined) check(escape, "boolean", "escape");
  object(templates, "templates");
  const turns = history === undefined ? [] : objects(history as unknown[], "history");
  if (checkpoint !== undefined) {
    check(checkpoint, "string", "checkpoint");
    if (turns.length > 0)
      throw new TypeError("checkpoint: a history or a checkpoint was expected, not both");
  }
  return rules === undefined ? options : { ...options, rules: storedRules(object(rules, "rules")) };
}

/** The rules whose name is another one in the module. */
const RULES = {
  follow_up_required: "followUpRequired",
  min_suggestions: "minSuggestions",
  max_suggestions: "maxSuggestions",
  suggestion_count: "suggestionCount",
};

/** Returns an error's text, in which the module lists the rules by its own names, by ours. */
export function withOurNames(text: string): string {
  return Object.entries(RULES).reduce(
    (text, [name, option]) => text.replaceAll(name, option),
    text,
  );
}

/** Returns the rules by the module's names. */
function storedRules(rules: Record<string, unknown>): object {
  const stored = { ...rules };
  for (const [name, option] of Object.entries(RULES)) {
    if (name in rules) throw new TypeError(`rules.${name} is no option: it is ${option}`);
    delete stored[option];
    if (rules[option] !== undefined) stored[name] = rules[option];
  }
  const { followUpRequired, minSuggestions, maxSuggestions } = rules;
  if (followUpRequired !== undefined) check(followUpRequired, "boolean", "rules.followUpRequired");
  if (minSuggestions !== undefined) whole(minSuggestions, "rules.minSuggestions");
  if (maxSuggestions !== undefined) whole(maxSuggestions, "rules.maxSuggestions");
  return stored;
}

/** Returns the question of a call. The dialogue numbers it. */
export function toQuestion(call: CompleteEvent): OpenQuestion {
  const { id, native, question, suggestions } = call;
  const suggest = objects(suggestions, "event: suggestions").map(({ answer, mode }) => ({
    answer,
    ...(mode !== undefined && { mode }),
  }));
  const form = toForm(call);
  return {
    number: 0,
    question,
    suggest,
    ...(id !== undefined && { id }),
    ...(native && { native }),
    ...(form && { form }),
  };
}

function toForm({ tool, shape, title, questions }: CompleteEvent): Form | undefined {
  if (shape === undefined) return undefined;
  return {
    tool,
    shape,
    questions: objects(questions, "event: questions").map(toFormQuestion),
    ...(title !== undefined && { title }),
  };
}

function toFormQuestion({ suggestions, ...question }: Question): Form["questions"][number] {
  const options = objects(suggestions, "event: suggestions").map(({ answer, ...rest }) => ({
    label: answer,
    ...rest,
  }));
  return { ...question, options };
}

/** Returns what the dialogue has to know of a rejected call. */
export function rejection(call: RejectedEvent): object {
  const { suggestions, questions, ...rest } = call;
  return { ...rest, questions: (questions ?? []).map(({ text }) => ({ text })) };
}

/** Returns an answer as it is stored. */
export function storedAnswer(answer: Answer): StoredAnswer {
  const text = () => check((answer as { text: unknown }).text, "string", "answer.text");
  const suggestion = () =>
    whole((answer as { suggestion: unknown }).suggestion, "answer.suggestion");
  switch (answer?.type) {
    case "text":
      return { text: text() };
    case "suggestion":
      return { suggestion: suggestion() };
    case "edited":
      return { edited: { suggestion: suggestion(), text: text() } };
    case "form":
      return { form: objects(answer.answers, "answer.answers") };
    default:
      throw new TypeError(
        `answer: an object with the type text, suggestion, edited or form was expected, not ${kind(answer)}`,
      );
  }
}
