// The types of the events that parsers return.

import type { CallPart, NoteCode } from "./names.js";

export type { CallPart, NoteCode } from "./names.js";

/** What happened in a stream. `type` tells the kinds apart. */
export type FollowupEvent =
  TextEvent | OpaqueEvent | PartialEvent | CompleteEvent | RejectedEvent | ErrorEvent;

/** Prose, to be shown as it is. */
export interface TextEvent {
  readonly type: "text";
  readonly text: string;
}

/** A piece of another tool's call, as it was written: neither prose nor a question. */
export interface OpaqueEvent {
  readonly type: "opaque";
  readonly tool: string;
  /** The pieces of one call add up to its markup, or to its native arguments. */
  readonly raw: string;
  /** Whether this is the first piece of a call. */
  readonly start: boolean;
  /** The provider's id of the call, if it is a native call. */
  readonly id?: string;
}

/** More of an open call is certain. For display only: never act on it. */
export interface PartialEvent {
  readonly type: "partial";
  /** The index of the call in the stream, from 0. */
  readonly call: number;
  /** The part of the call that grew. */
  readonly field: Field;
  /** The index of the question that grew, or whose suggestion did. */
  readonly questionIndex: number;
  /** The index of the suggestion that grew. */
  readonly suggestionIndex?: number;
  /** The text to append to the field. Without any, something else became known. */
  readonly delta: string;
  readonly id?: string;
  /** The tool, if it is another one than `ask_followup_question`. */
  readonly tool?: string;
  /** What became known that does not grow. */
  readonly known?: KnownOfQuestion & KnownOfSuggestion;
}

/** The part of a call that grew. */
export type Field =
  "question" | "suggestion" | "header" | "detail" | "description" | "preview" | "title";

/** The call is closed and valid. The only event to act on. */
export interface CompleteEvent extends CallEnd {
  readonly type: "complete";
  /** The question, or the first one. */
  readonly question: string;
  /** What was repaired in the call or dropped from it, in words. */
  readonly notes: readonly string[];
  /** The same as one word each, in the same order. */
  readonly noteCodes: readonly NoteCode[];
}

/**
 * The call has ended and can't be asked. Its `code` says why, and tells what else is known of that.
 */
export type RejectedEvent = CallEnd &
  Reason & {
    readonly type: "rejected";
    /** Why, as a sentence. */
    readonly message: string;
    /** The question, as far as it was read. */
    readonly question?: string;
  };

/** What is wrong with a provider's stream. Parsing continues after it. */
export interface ErrorEvent {
  readonly type: "error";
  readonly code: ErrorCode;
  readonly message: string;
  /** The data that could not be read. */
  readonly data?: string;
}

/** What is wrong with a provider's stream, as a word. */
export type ErrorCode =
  /**
   * The provider reports an error, or that the message failed or was filtered. `message` is the
   * provider's, or else names the reason.
   */
  | "provider"
  /** The data of an event is not what the provider documents; `data` has it. */
  | "unreadable"
  /** An event was longer than the limit, and was skipped. */
  | "too_long"
  /** A frame of a binary stream is corrupt. */
  | "corrupt"
  /** Arguments belong to no call; `data` has them. */
  | "orphan"
  /**
   * The provider repeats the message with another content, which `data` has. What came first
   * counts.
   */
  | "contradiction"
  /**
   * A call was skipped or rejected, since too many are open, or their arguments are too long
   * together.
   */
  | "too_many_calls"
  /** Nothing in the body is of the format that it is parsed as. */
  | "foreign"
  /** The body breaks off before it has any event. */
  | "empty"
  /** The body is neither text nor a stream of events. Nothing is parsed from there on. */
  | "binary";

/** Why a call can't be asked. `code` tells the kinds apart. */
export type Reason =
  /** There is no question, or another call of the same response counts instead. */
  | { readonly code: "missing_parameter" | "superseded" }
  /** The call needs this repair, which is forbidden or can't be made. */
  | { readonly code: "malformed"; readonly note: NoteCode }
  /** The stream ended inside this part, or this part has a JSON type that means nothing there. */
  | { readonly code: "truncated" | "wrong_type"; readonly part: CallPart }
  /** This part is longer than its limit in bytes. */
  | { readonly code: "too_long"; readonly part: CallPart; readonly limit: number };

/** What a call has at its end. */
export interface CallEnd {
  /** The index of the call in the stream, from 0. */
  readonly call: number;
  readonly id?: string;
  /**
   * Whether it is a native call, not one that was written in a message. Only where it is. Some have
   * no id.
   */
  readonly native?: boolean;
  readonly tool: string;
  /** The name of the shape that read the call; none for `ask_followup_question`. */
  readonly shape?: string;
  /** A text above all questions. */
  readonly title?: string;
  /** The suggested answers of the question. */
  readonly suggestions: readonly Suggestion[];
  /** All questions, if another tool than `ask_followup_question` was called. */
  readonly questions?: readonly Question[];
  /** The family of the envelope that the call came in, as text. */
  readonly envelope?: string;
  /** Where the call begins and ends in the stream, in bytes of UTF-8. */
  readonly start: number;
  readonly end: number;
}

/** A suggested answer. */
export interface Suggestion extends KnownOfSuggestion {
  readonly answer: string;
  /** What the answer means, in a sentence or more. */
  readonly description?: string;
  /** What the answer leads to, such as code, to be shown beside it. */
  readonly preview?: string;
}

/** What is known of a suggestion that does not grow. */
export interface KnownOfSuggestion {
  /** The mode to which the agent should change with this answer. */
  readonly mode?: string;
  /** What goes back to the model, if it is not the answer. */
  readonly value?: string;
  /** Whether the model recommends it. Only where it does. */
  readonly recommended?: boolean;
}

/** One question of a call. */
export interface Question extends KnownOfQuestion {
  readonly text: string;
  /** A word or two that name the question. */
  readonly header?: string;
  /** A text below the question. */
  readonly detail?: string;
  readonly suggestions: readonly Suggestion[];
}

/** What is known of a question that does not grow. */
export interface KnownOfQuestion {
  /** The name under which the answer goes back. */
  readonly id?: string;
  /** What an empty field for the answer shows. */
  readonly placeholder?: string;
  /** What the user writes, if it is not a text of any kind. */
  readonly kind?: "text" | "yesno" | "number";
  /** Whether several suggestions can be chosen. Not there while it is not known. */
  readonly multiple?: boolean;
  /** Whether the user can answer in words of their own. */
  readonly custom?: boolean;
  /** Whether the question must be answered. */
  readonly required?: boolean;
  /** What is chosen at first. */
  readonly defaults?: readonly string[];
}
