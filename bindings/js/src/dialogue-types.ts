// The types of a dialogue: its options, questions, answers, replies and stored turns.

import type { PartialEvent } from "./events.js";

/** Settings of a dialogue. */
export interface DialogueOptions {
  /**
   * The messages to model and user, and how answers are wrapped: the name of a built-in dialect, or
   * one of your own. Default `roo-code`. See dist/guide/dialects.md.
   */
  readonly dialect?: DialectName | DialectText;
  /** The rules for questions. */
  readonly rules?: RuleOptions;
  /** The number of mistakes in a row that stops the dialogue; 0 for no limit. Default 3. */
  readonly mistakeLimit?: number;
  /** Whether to escape the user's text, so that it can't end the wrapping. Default `false`. */
  readonly escape?: boolean;
  /**
   * How answers go back to other agents' tools, by the tool's name: the name of a built-in
   * template, or one of your own. By default the shape of the call decides. See
   * dist/guide/question-tools.md.
   */
  readonly templates?: Readonly<Record<string, string | TemplateText>>;
  /** All turns of an earlier dialogue, in order, which this one continues. */
  readonly history?: readonly Turn[];
  /**
   * The state of an earlier dialogue, which this one continues with an empty history. Not with
   * `history`.
   */
  readonly checkpoint?: string;
}

/** The built-in dialects. */
export type DialectName = "roo-code" | "roo-code-zh" | "roo-code-latest" | "vjsp" | "kilo-code-zh";

/** A dialect with the keys of dist/guide/dialects.md. What it leaves out is as in `roo-code`. */
export type DialectText = Readonly<Record<string, unknown>>;

/** A template with the keys of dist/guide/question-tools.md. */
export type TemplateText = Readonly<Record<string, unknown>>;

/**
 * What happens to a question that breaks a rule: nothing, it is asked with advice, or it is not
 * asked.
 */
export type Severity = "ignore" | "advice" | "reject";

/** The rules for questions. */
export interface RuleOptions {
  /** Whether a call without suggestions is a mistake. By default the dialect decides. */
  readonly followUpRequired?: boolean;
  /** The smallest number of suggestions, if there are any. Default 2. */
  readonly minSuggestions?: number;
  /** The largest number of suggestions. Default 4. */
  readonly maxSuggestions?: number;
  /** What happens if there are too few or too many. Default `advice`. */
  readonly suggestionCount?: Severity;
  /** What happens if a suggestion has a placeholder. Default `advice`. */
  readonly placeholders?: Severity;
  /** What happens if a suggestion comes twice. Default `advice`. */
  readonly duplicates?: Severity;
}

/** What a host is to do next. */
export type Directive =
  /** Nothing. */
  | { readonly type: "nothing" }
  /** Show the growing call. */
  | { readonly type: "show"; readonly call: PartialEvent }
  /** Ask this question. It is open until it is answered or ended in another way. */
  | { readonly type: "ask"; readonly question: OpenQuestion }
  /** Ask this question later: another one is open, or the dialogue has stopped. */
  | { readonly type: "later"; readonly question: OpenQuestion }
  /** Tell the model and the user what is wrong with a call. */
  | { readonly type: "tell"; readonly correction: Correction }
  /**
   * Tell them, and stop: there were too many mistakes in a row. The user should guide the model.
   */
  | { readonly type: "stop"; readonly correction: Correction };

/** A question that can be asked. */
export interface OpenQuestion {
  /** The number of the question in the dialogue, from 0. It is answered by this number. */
  readonly number: number;
  /** The provider's id of the call, if it is a native call that has one. */
  readonly id?: string;
  /** Whether it is a native call, not one that was written in a message. */
  readonly native?: boolean;
  readonly question: string;
  /** The suggested answers. */
  readonly suggest: readonly { readonly answer: string; readonly mode?: string }[];
  /** What the rules found. */
  readonly advice?: readonly Finding[];
  /** Whether the user can talk about it instead of answering it: the tool has a reply for that. */
  readonly canDiscuss?: boolean;
  /** All questions of a call of another agent's tool; none for `ask_followup_question`. */
  readonly form?: Form;
}

/** The questions of a call of another agent's tool. The user answers them together. */
export interface Form {
  /** The name of the tool, such as `AskUserQuestion`. */
  readonly tool: string;
  /** The name of the shape that read the call. */
  readonly shape: string;
  /** A text above all questions. */
  readonly title?: string;
  /** The questions, in order. There is at least one. */
  readonly questions: readonly FormQuestion[];
}

/** One question of a form. What the call did not say is not there. */
export interface FormQuestion {
  readonly text: string;
  /** The id under which the answer goes back. */
  readonly id?: string;
  /** A short title of the question. */
  readonly header?: string;
  /** A text below the question. */
  readonly detail?: string;
  /** A hint in the empty field of the user's own answer. */
  readonly placeholder?: string;
  /** What it asks for, if it is not a choice. */
  readonly kind?: "text" | "yesno" | "number";
  /** Whether several options can be chosen. */
  readonly multiple?: boolean;
  /** Whether the user can answer in words of their own. Without options, the user always can. */
  readonly custom?: boolean;
  /** Whether it has to be answered. */
  readonly required?: boolean;
  /** Whether the user can add a note to an option: the tool's reply has a place for one. */
  readonly notes?: boolean;
  /** The answers that are chosen at first: labels or values of options, or a text. */
  readonly defaults?: readonly string[];
  readonly options?: readonly FormOption[];
  /** What the rules found in its options. */
  readonly advice?: readonly Finding[];
}

/** An option of a question. */
export interface FormOption {
  /** What the user reads. */
  readonly label: string;
  /** What the option means. */
  readonly description?: string;
  /** What goes back to the model, if it is not the label. */
  readonly value?: string;
  /** The mode to which the agent should change with this option. */
  readonly mode?: string;
  /** What the option would lead to, as Markdown. */
  readonly preview?: string;
  /** Whether the model recommends it. */
  readonly recommended?: boolean;
}

/** What the rules found. Suggestions are counted from 0. */
export type Finding =
  | { readonly finding: "too_few"; readonly suggestions: number; readonly least: number }
  | { readonly finding: "too_many"; readonly suggestions: number; readonly most: number }
  | { readonly finding: "placeholder"; readonly suggestion: number; readonly placeholder: string }
  | { readonly finding: "duplicate"; readonly suggestion: number; readonly of: number };

/** What the user did with a question, or with a call that asks several. */
export type Answer =
  /** Wrote an answer. */
  | { readonly type: "text"; readonly text: string }
  /** Took the suggestion with this index. */
  | { readonly type: "suggestion"; readonly suggestion: number }
  /** Took a suggestion and changed its text. Its mode is kept. */
  | { readonly type: "edited"; readonly suggestion: number; readonly text: string }
  /** Answered a form: one answer for each question, in order. */
  | { readonly type: "form"; readonly answers: readonly FormAnswer[] };

/** The answer to one question of a form; an empty object is none. */
export interface FormAnswer {
  /** The indexes of the options that were picked. */
  readonly picked?: readonly number[];
  /** The user's own words. */
  readonly text?: string;
  /** A remark on the answer. Where the reply has no place for one, it is the end of the text. */
  readonly note?: string;
}

/** What the model gets as the result of its call. */
export interface Reply {
  /**
   * What the reply is about. A question that timed out is `cancelled`, one that the user wants to
   * talk about is `declined`.
   */
  readonly kind: "answer" | "cancelled" | "declined" | "correction" | "guidance";
  /** The number of the question, if the reply is about one. */
  readonly number?: number;
  /** The provider's id of the call, if it is a native call that has one. */
  readonly id?: string;
  /** The name of the tool, if the call is a native one. */
  readonly tool?: string;
  /** The text for the model, wrapped. */
  readonly text: string;
  /** The images, as data URLs. */
  readonly images?: readonly string[];
  /** The mode to which the agent should change: that of the suggestion that was taken. */
  readonly mode?: string;
  /** Whether the tool's host marks such a result as an error. */
  readonly isError?: boolean;
}

/** Why a call can't be asked, and the messages about it. */
export interface Correction {
  /** The provider's id of the call, if it is a native call that has one. */
  readonly id?: string;
  /** The name of the tool, if it is a native call. */
  readonly tool?: string;
  /** The code of the rejection, or `rule`. */
  readonly reason: string;
  /** The message for the user. */
  readonly user: string;
  /** The message for the model. */
  readonly model: string;
  /** Whether the tool's host marks such a result as an error. */
  readonly isError?: boolean;
}

/** A step of a dialogue, to be stored as it is: one line of JSON, as the Rust crate stores it. */
export type Turn =
  | ({ readonly turn: "asked"; readonly role: "assistant"; readonly can_discuss?: boolean } & Omit<
      OpenQuestion,
      "canDiscuss"
    >)
  | ({ readonly turn: "corrected"; readonly role: "assistant"; readonly is_error?: boolean } & Omit<
      Correction,
      "isError"
    >)
  | {
      readonly turn: "answered";
      readonly role: "user";
      readonly number: number;
      readonly answer: StoredAnswer;
      readonly images?: readonly string[];
    }
  | { readonly turn: "cancelled" | "declined"; readonly role: "user"; readonly number: number }
  | {
      readonly turn: "discussed" | "timed_out";
      readonly role: "user";
      readonly number: number;
      readonly answers?: readonly FormAnswer[];
    }
  | {
      readonly turn: "guided";
      readonly role: "user";
      readonly text: string;
      readonly images?: readonly string[];
    };

/** An answer as a turn stores it. */
export type StoredAnswer =
  | { readonly text: string }
  | { readonly suggestion: number }
  | { readonly edited: { readonly suggestion: number; readonly text: string } }
  | { readonly form: readonly FormAnswer[] };

/**
 * The API that messages are for. For OpenAI Responses, write the result of a custom tool
 * (`custom_tool_call_output`) yourself.
 */
export type MessageFormat =
  "openai-chat" | "openai-responses" | "anthropic" | "gemini" | "bedrock-converse" | "ollama";
