import type { CompleteEvent, PartialEvent, Question, RejectedEvent, Suggestion } from "../events.js";
import { append, type CallView, emptyView, type QuestionView, type SuggestionView } from "../view.js";
import type { OptionRole, QuestionRole } from "./shapes.js";
import type { Key, Keys } from "./tools.js";

type AnyQuestion = Question | QuestionView;
type AnySuggestion = Suggestion | SuggestionView;
type Role = QuestionRole | OptionRole | "title";

/**
 * Writes the input of a question tool as JSON while its call is parsed.
 *
 * JSON only grows at its end, and a call may have its parts in any order. So two things wait until
 * the question or option that they are of ends: what comes of a question once its options are open,
 * and a description that came before its label, since it is shown with the label's first character.
 */
export class InputWriter {
  readonly #keys: Keys;
  #view: CallView | undefined;
  #final: readonly AnyQuestion[] | undefined;
  #text = "";
  #pending = "";
  #last = "";
  /** The string that is open, how much of its value is written, and in how many deltas. */
  #open: Role | undefined;
  #written = 0;
  #deltas = 0;
  /** The question and the suggestion that are open; -1 if none is. */
  #question = -1;
  #suggestion = -1;
  #hasOptions = false;
  readonly #done = new Set<Role>();
  readonly #doneOfOption = new Set<Role>();

  constructor(keys: Keys) {
    this.#keys = keys;
  }

  /** The input so far. */
  get input(): string {
    return this.#text + this.#pending;
  }

  /** Returns what was written since the last time. */
  take(): string {
    const pending = this.#pending;
    this.#text += pending;
    this.#pending = "";
    return pending;
  }

  /** Writes what a partial adds, unless it has to wait. */
  partial(event: PartialEvent): void {
    append((this.#view ??= emptyView(event)), event);
    if (event.field === "title") {
      if (this.#keys.title !== undefined && this.#question < 0) this.#grow("title", this.#keys.title, event.delta);
      return;
    }
    if (!this.#toQuestion(event.questionIndex)) return;
    if (event.suggestionIndex === undefined) {
      const key = this.#keys.question.find(({ role }) => role === (event.field === "question" ? "text" : event.field));
      if (key && !this.#hasOptions && !this.#hasToWait(key.role)) this.#grow(key.role, key.name, event.delta);
    } else if (this.#toSuggestion(event.suggestionIndex)) {
      const role = event.field === "suggestion" ? "answer" : (event.field as OptionRole);
      if (!this.#hasToWait(role)) this.#growOption(role, event.delta);
    }
  }

  /** Returns whether a text may have come before the label or question that is open, and may still grow. */
  #hasToWait(role: Role): boolean {
    const isSecond = role === "description" || role === "preview" || role === "detail";
    return isSecond && (this.#open === "answer" || this.#open === "text") && this.#deltas === 1;
  }

  /** Writes the rest of the call. Returns `false` if the tool's input has no place for all of it. */
  complete(event: CompleteEvent): boolean {
    const questions = this.#end(event);
    if (questions.length > 1 && this.#keys.list === undefined) return false;
    this.#closeString();
    this.#closeQuestion();
    if (this.#keys.list !== undefined) this.#put("]");
    if (this.#keys.title !== undefined && event.title !== undefined && !this.#done.has("title")) {
      this.#value(this.#keys.title, event.title);
    }
    this.#put("}");
    return true;
  }

  /** Writes what else was read of a call that can't be asked. The JSON stays open, so it is never valid. */
  reject(event: RejectedEvent | CompleteEvent): void {
    this.#end(event);
    if (this.#last === "") this.#put("{");
  }

  /** Goes to the last suggestion of the last question, and writes all before it. */
  #end(event: RejectedEvent | CompleteEvent): readonly AnyQuestion[] {
    this.#final = event.questions ?? [{ text: event.question ?? "", suggestions: event.suggestions }];
    this.#final.forEach((question, i) => {
      if (!this.#toQuestion(i)) return;
      this.#closeRest(question);
      question.suggestions.forEach((suggestion, j) => {
        if (j < this.#suggestion || !this.#toSuggestion(j)) return;
        this.#growOption("answer", suggestion.answer.slice(this.#lengthOf("answer")));
      });
    });
    return this.#final;
  }

  /** Writes the rest of the question's text, if that need not wait. */
  #closeRest(question: AnyQuestion): void {
    const key = this.#keys.question.find(({ role }) => role === "text");
    if (key && !this.#hasOptions && question.text !== "") {
      this.#grow("text", key.name, question.text.slice(this.#lengthOf("text")));
    }
  }

  /** Returns how much of a value is written: all of it if its string is closed. */
  #lengthOf(role: Role): number {
    if (this.#open === role) return this.#written;
    const isDone = this.#done.has(role) || this.#doneOfOption.has(role);
    return isDone ? Number.POSITIVE_INFINITY : 0;
  }

  /** Opens the questions up to this one. Returns `false` if it has no place. */
  #toQuestion(index: number): boolean {
    if (index > 0 && this.#keys.list === undefined) return false;
    while (this.#question < index) {
      if (this.#question < 0) this.#begin();
      else this.#closeQuestion();
      this.#question += 1;
      this.#hasOptions = false;
      this.#suggestion = -1;
      if (this.#keys.list !== undefined) this.#put(`${this.#comma()}{`);
    }
    return this.#question === index;
  }

  #begin(): void {
    this.#closeString();
    if (this.#last === "") this.#put("{");
    if (this.#keys.list !== undefined) this.#put(`${this.#comma()}${JSON.stringify(this.#keys.list)}:[`);
  }

  /** Closes the question, after what waited. */
  #closeQuestion(): void {
    const { list, options, question: keys } = this.#keys;
    const question = this.#final?.[this.#question] ?? this.#view?.questions[this.#question];
    this.#closeString();
    if (this.#hasOptions) this.#closeSuggestion();
    if (this.#hasOptions) this.#put("]");
    const rest = keys.filter(({ role }) => !this.#done.has(role));
    if (question) rest.forEach((key) => this.#fact(key, question[key.role], key.role === "text"));
    if (options !== undefined && !this.#hasOptions) this.#put(`${this.#comma()}${JSON.stringify(options)}:[]`);
    if (list !== undefined) this.#put("}");
    const title = this.#done.has("title");
    this.#done.clear();
    if (title) this.#done.add("title");
  }

  /** Opens the suggestions up to this one. Returns `false` if it has no place. */
  #toSuggestion(index: number): boolean {
    const { options, option } = this.#keys;
    if (options === undefined) return false;
    if (!this.#hasOptions) {
      this.#closeString();
      this.#put(`${this.#comma()}${JSON.stringify(options)}:[`);
      this.#hasOptions = true;
    }
    while (this.#suggestion < index) {
      this.#closeSuggestion();
      this.#suggestion += 1;
      if (option) this.#put(`${this.#comma()}{`);
    }
    return this.#suggestion === index;
  }

  #closeSuggestion(): void {
    if (this.#suggestion < 0) return;
    const question = this.#final?.[this.#question] ?? this.#view?.questions[this.#question];
    const suggestion: AnySuggestion | undefined = question?.suggestions[this.#suggestion];
    this.#closeString();
    const { option } = this.#keys;
    if (option && suggestion) {
      const rest = option.filter(({ role }) => !this.#doneOfOption.has(role));
      rest.forEach((key) => this.#fact(key, suggestion[key.role], key.role === "answer"));
      this.#put("}");
    }
    this.#doneOfOption.clear();
  }

  #growOption(role: OptionRole, delta: string): void {
    const { option } = this.#keys;
    if (option === undefined) {
      if (role === "answer") this.#grow(role, undefined, delta);
      return;
    }
    const key = option.find((one) => one.role === role);
    if (key) this.#grow(role, key.name, delta);
  }

  /** Appends to a string, which is opened first if it has not been yet. */
  #grow(role: Role, name: string | undefined, delta: string): void {
    if (delta === "") return;
    if (this.#open !== role) {
      const done = this.#suggestion >= 0 ? this.#doneOfOption : this.#done;
      if (done.has(role)) return;
      this.#closeString();
      if (this.#last === "") this.#put("{");
      this.#put(`${this.#comma()}${name === undefined ? "" : `${JSON.stringify(name)}:`}"`);
      this.#open = role;
      this.#written = 0;
      this.#deltas = 0;
      done.add(role);
    }
    this.#put(JSON.stringify(delta).slice(1, -1));
    this.#written += delta.length;
    this.#deltas += 1;
  }

  #closeString(): void {
    if (this.#open === undefined) return;
    this.#put('"');
    this.#open = undefined;
  }

  /** Writes a value that does not grow, if there is one. */
  #fact(key: Key<Role>, value: unknown, isRequired: boolean): void {
    if (isRequired || (value !== undefined && value !== "")) this.#value(key.name, value ?? "");
    else if (key.orNull) this.#value(key.name, null);
  }

  #value(name: string, value: unknown): void {
    this.#put(`${this.#comma()}${JSON.stringify(name)}:${JSON.stringify(value)}`);
  }

  /** Returns the comma that belongs before the next value or key. */
  #comma(): string {
    return this.#last === "[" || this.#last === "{" ? "" : ",";
  }

  #put(text: string): void {
    this.#pending += text;
    this.#last = text.slice(-1);
  }
}
