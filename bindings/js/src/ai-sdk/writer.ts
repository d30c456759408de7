// Converts the events of a call into the JSON input of the caller's question tool.

import type { CompleteEvent, PartialEvent, Question, Suggestion } from "../events.js";
import {
  append,
  type CallView,
  emptyView,
  type QuestionView,
  type SuggestionView,
} from "../view.js";
import { JsonText } from "./json-text.js";
import { type AnyRole, DEFAULTS, type Key, type Keys } from "./tools.js";

type AnyQuestion = Question | QuestionView;
type AnySuggestion = Suggestion | SuggestionView;
type Role = Exclude<AnyRole, "options">;

/** A string of the input that still grows. */
interface GrowingText {
  readonly role: Role;
  deltas: number;
}

/**
 * Writes the input of a question tool as JSON while its call is parsed.
 *
 * JSON only grows at its end, and a call may have its parts in any order. So two things wait until
 * the question or option that they are of ends: what comes of a question once its options are open,
 * and a description that came before its label, since it is shown with the label's first character.
 */
export class InputWriter {
  readonly #keys: Keys;
  readonly #isNative: boolean;
  readonly #json = new JsonText();
  #view: CallView | undefined;
  #final: readonly AnyQuestion[] | undefined;
  #growing: GrowingText | undefined;
  /** The question and the suggestion that are open; -1 if none is. */
  #question = -1;
  #suggestion = -1;
  #hasOptions = false;
  #hasTitle = false;
  readonly #doneOfQuestion = new Set<Role>();
  readonly #doneOfOption = new Set<Role>();

  /**
   * `isNative` if the input is that of a native call, which a `Mirror` compares with what is given.
   * Then what does not grow is written where it becomes known, and not at the end of its question
   * or option. What the call need not have, and has by default, is not written, since the schema
   * may have another default.
   */
  constructor(keys: Keys, isNative = false) {
    this.#keys = keys;
    this.#isNative = isNative;
  }

  /** The input so far. */
  get input(): string {
    return this.#json.whole;
  }

  /** Returns what was written since the last time. */
  take(): string {
    return this.#json.take();
  }

  /** Writes what a partial adds, unless it has to wait. */
  partial(event: PartialEvent): void {
    append((this.#view ??= emptyView(event)), event);
    if (this.#isNative && event.known) this.#writeKnown(event);
    if (event.delta === "") return;
    if (event.field === "title") return this.#appendTitle(event.delta);
    if (!this.#toQuestion(event.questionIndex)) return;
    const role = ROLES[event.field];
    if (event.suggestionIndex === undefined) {
      if (!this.#hasOptions && !this.#hasToWait(role)) this.#appendQuestion(role, event.delta);
    } else if (this.#toSuggestion(event.suggestionIndex)) {
      if (!this.#hasToWait(role)) this.#appendOption(role, event.delta);
    }
  }

  /**
   * Writes what became known of the open question or option, unless its question has its options
   * already.
   */
  #writeKnown({ questionIndex, suggestionIndex, known }: PartialEvent): void {
    if (!this.#toQuestion(questionIndex)) return;
    if (suggestionIndex === undefined) {
      if (!this.#hasOptions) this.#writeFacts(this.#keys.question, this.#doneOfQuestion, known);
    } else if (this.#toSuggestion(suggestionIndex)) {
      this.#writeFacts(this.#keys.option ?? [], this.#doneOfOption, known);
    }
  }

  #writeFacts(
    keys: readonly Key<Role>[],
    done: Set<Role>,
    known: Partial<Record<Role, unknown>> = {},
  ): void {
    for (const key of keys) {
      if (known[key.role] === undefined || done.has(key.role)) continue;
      this.#endString();
      this.#fact(key, known[key.role]);
      done.add(key.role);
    }
  }

  /**
   * Writes the rest of the call. Returns `false` if the tool's input has no place for all of it.
   */
  complete(event: CompleteEvent): boolean {
    const { list, title } = this.#keys;
    this.#final = event.questions ?? [{ text: event.question, suggestions: event.suggestions }];
    if (this.#final.length > 1 && list === undefined) return false;
    this.#toQuestion(0);
    this.#endQuestion();
    if (list !== undefined) this.#json.end("]");
    if (title !== undefined && !this.#hasTitle) this.#fact(title, event.title);
    this.#json.end("}");
    return true;
  }

  /** Leaves the JSON of a call that can't be asked open, so that it is never valid. */
  reject(): void {
    this.#begin();
  }

  /** Opens the questions up to this one. Returns `false` if it has no place. */
  #toQuestion(index: number): boolean {
    const { list } = this.#keys;
    if (index > 0 && list === undefined) return false;
    while (this.#question < index) {
      if (this.#question >= 0) this.#endQuestion();
      else this.#beginQuestions();
      this.#question += 1;
      if (list !== undefined) this.#json.begin("{");
    }
    return this.#question === index;
  }

  #begin(): void {
    if (this.#json.isEmpty) this.#json.begin("{");
  }

  #beginQuestions(): void {
    this.#endString();
    this.#begin();
    if (this.#keys.list !== undefined) this.#json.begin("[", this.#keys.list);
  }

  /** Ends the question, after what waited. */
  #endQuestion(): void {
    const { list, options, question: keys } = this.#keys;
    const question = this.#current();
    this.#endString();
    if (this.#hasOptions) {
      this.#endSuggestion();
      this.#json.end("]");
    }
    for (const key of keys) {
      if (question && !this.#doneOfQuestion.has(key.role)) this.#fact(key, question[key.role]);
    }
    if (options !== undefined && !this.#hasOptions) this.#fact(options, undefined);
    if (list !== undefined) this.#json.end("}");
    this.#doneOfQuestion.clear();
    this.#suggestion = -1;
    this.#hasOptions = false;
  }

  /** Opens the suggestions up to this one. Returns `false` if it has no place. */
  #toSuggestion(index: number): boolean {
    const { options, option } = this.#keys;
    if (options === undefined) return false;
    if (!this.#hasOptions) {
      this.#endString();
      this.#json.begin("[", options.name);
      this.#hasOptions = true;
    }
    while (this.#suggestion < index) {
      this.#endSuggestion();
      this.#suggestion += 1;
      if (option) this.#json.begin("{");
    }
    return this.#suggestion === index;
  }

  /** Ends the suggestion, after what waited. */
  #endSuggestion(): void {
    if (this.#suggestion < 0) return;
    const suggestion: AnySuggestion | undefined = this.#current()?.suggestions[this.#suggestion];
    this.#endString();
    for (const key of this.#keys.option ?? []) {
      if (suggestion && !this.#doneOfOption.has(key.role)) this.#fact(key, suggestion[key.role]);
    }
    if (this.#keys.option) this.#json.end("}");
    this.#doneOfOption.clear();
  }

  /** Returns the open question as far as it has come. */
  #current(): AnyQuestion | undefined {
    return this.#final?.[this.#question] ?? this.#view?.questions[this.#question];
  }

  /**
   * Returns whether there may be a text before the label or question that is open, and it may
   * still grow.
   */
  #hasToWait(role: Role): boolean {
    const isSecond = role === "description" || role === "preview" || role === "detail";
    const open = this.#growing;
    return isSecond && (open?.role === "answer" || open?.role === "text") && open.deltas === 1;
  }

  #appendTitle(delta: string): void {
    if (this.#keys.title === undefined || this.#question >= 0) return;
    this.#begin();
    this.#append("title", this.#keys.title.name, delta, !this.#hasTitle);
    this.#hasTitle = true;
  }

  #appendQuestion(role: Role, delta: string): void {
    const key = this.#keys.question.find((one) => one.role === role);
    if (key) this.#appendOnce(this.#doneOfQuestion, role, key.name, delta);
  }

  #appendOption(role: Role, delta: string): void {
    const { option } = this.#keys;
    const key = option?.find((one) => one.role === role);
    if (key || (option === undefined && role === "answer"))
      this.#appendOnce(this.#doneOfOption, role, key?.name, delta);
  }

  #appendOnce(done: Set<Role>, role: Role, key: string | undefined, delta: string): void {
    if (done.has(role) && this.#growing?.role !== role) return;
    this.#append(role, key, delta, !done.has(role));
    done.add(role);
  }

  #append(role: Role, key: string | undefined, delta: string, isNew: boolean): void {
    if (isNew) {
      this.#json.beginString(key);
      this.#growing = { role, deltas: 0 };
    }
    if (this.#growing === undefined) return;
    this.#json.append(delta);
    this.#growing.deltas += 1;
  }

  #endString(): void {
    this.#json.endString();
    this.#growing = undefined;
  }

  /** Writes a value that does not grow; where there is none, what its key demands. */
  #fact({ role, name, blank }: Key<AnyRole>, value: unknown): void {
    if (this.#isNative && blank === undefined && value === DEFAULTS[role]) return;
    const written = value === undefined || value === "" ? blank : value;
    if (written !== undefined) this.#json.value(written, name);
  }
}

const ROLES: Record<PartialEvent["field"], Role> = {
  question: "text",
  suggestion: "answer",
  header: "header",
  detail: "detail",
  description: "description",
  preview: "preview",
  title: "title",
};
