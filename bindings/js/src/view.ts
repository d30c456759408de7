// Builds the view of an open call, as it is to be displayed, from partial events.

import type { PartialEvent, Question } from "./events.js";

/** An open call as far as it has been shown: the sum of its partials. For display only. */
export interface CallView {
  readonly call: number;
  readonly tool: string;
  readonly id?: string;
  title: string;
  readonly questions: QuestionView[];
}

/** A question of an open call, as far as it has been shown. */
export interface QuestionView {
  text: string;
  header: string;
  detail: string;
  id?: string;
  placeholder?: string;
  kind?: NonNullable<Question["kind"]>;
  multiple?: boolean;
  custom?: boolean;
  required?: boolean;
  defaults?: readonly string[];
  readonly suggestions: SuggestionView[];
}

/** A suggested answer of an open call, as far as it has been shown. */
export interface SuggestionView {
  answer: string;
  description: string;
  preview: string;
  mode?: string;
  value?: string;
  recommended?: boolean;
}

/** Returns the empty view of a call. */
export function emptyView(partial: PartialEvent): CallView {
  const { call, id } = partial;
  const view = { call, tool: partial.tool ?? "ask_followup_question", title: "", questions: [] };
  return id === undefined ? view : { ...view, id };
}

/** Appends a partial to the view of its call. Cost: that of appending its delta. */
export function append(view: CallView, partial: PartialEvent): void {
  if (partial.field === "title") {
    view.title += partial.delta;
    return;
  }
  const question = (view.questions[partial.questionIndex] ??= {
    text: "",
    header: "",
    detail: "",
    suggestions: [],
  });
  if (partial.suggestionIndex === undefined) {
    if (partial.field === "question") question.text += partial.delta;
    else if (partial.field === "header") question.header += partial.delta;
    else question.detail += partial.delta;
    if (partial.known) Object.assign(question, partial.known);
    return;
  }
  const suggestion = (question.suggestions[partial.suggestionIndex] ??= {
    answer: "",
    description: "",
    preview: "",
  });
  if (partial.field === "suggestion") suggestion.answer += partial.delta;
  else if (partial.field === "description") suggestion.description += partial.delta;
  else suggestion.preview += partial.delta;
  if (partial.known) Object.assign(suggestion, partial.known);
}
