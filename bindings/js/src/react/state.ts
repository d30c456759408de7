// The types of a message's state: its status, its parts, and its calls in each state.

import type { Answer, FormAnswer } from "../dialogue-types.js";
import type { ErrorEvent, Question } from "../events.js";

/**
 * What a stream has given so far. Each change is another object; what has not changed stays the
 * same one.
 */
export type FollowupState = Content & Status;

/** What became of the stream. */
export type Status =
  | { readonly status: "idle" | "streaming" | "done" | "stopped" }
  /** The stream broke. What it gave before stays. */
  | { readonly status: "failed"; readonly error: unknown };

/** What a stream has given so far. */
export interface Content {
  /**
   * Prose, calls, other tools and errors, in order. A part keeps its index until an earlier call is
   * superseded and dropped.
   */
  readonly parts: readonly Part[];
  /** All prose. */
  readonly text: string;
  readonly calls: readonly Call[];
  /** What is wrong with the provider's stream. */
  readonly errors: readonly ErrorEvent[];
}

/** A part of a message. */
export type Part =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "call"; readonly call: Call }
  /** A call of another tool, as it was written. */
  | { readonly type: "tool"; readonly tool: string; readonly raw: string; readonly id?: string }
  | { readonly type: "error"; readonly error: ErrorEvent };

/** A call of a question tool. */
export type Call =
  GrowingCall | OpenCall | AnsweredCall | ClosedCall | DiscussedCall | RejectedCall;

/** What a call has in each state. */
export interface CallBase {
  /** The index of the call in the stream, from 0. */
  readonly index: number;
  readonly id?: string;
  readonly tool: string;
  /** A text above all questions. */
  readonly title?: string;
  /** The questions; one, if `ask_followup_question` was called. */
  readonly questions: readonly Question[];
}

/** The call is being written. It can't be answered yet. */
export interface GrowingCall extends CallBase {
  readonly state: "growing";
}

/** The call is complete, and waits for its answer. */
export interface OpenCall extends CallBase {
  readonly state: "open";
  /** What was repaired in the call or dropped from it, in words. */
  readonly notes: readonly string[];
}

/** The call was answered. */
export interface AnsweredCall extends CallBase {
  readonly state: "answered";
  readonly notes: readonly string[];
  readonly answer: Answer;
  /** The images that go with the answer, as data URLs. */
  readonly images?: readonly string[];
}

/** The user left the call unanswered, or declined to answer. */
export interface ClosedCall extends CallBase {
  readonly state: "cancelled" | "declined";
  readonly notes: readonly string[];
}

/** The user wants to talk about the call first. */
export interface DiscussedCall extends CallBase {
  readonly state: "discussed";
  readonly notes: readonly string[];
  /** The answers so far, in the order of the questions; an empty object is none. */
  readonly answers: readonly FormAnswer[];
}

/** The call has ended and can't be asked. */
export interface RejectedCall extends CallBase {
  readonly state: "rejected";
  /** Why, as a word, such as `truncated`. */
  readonly code: string;
  /** Why, as a sentence. */
  readonly message: string;
}

/** The state before anything was read. */
export const IDLE: FollowupState = { status: "idle", parts: [], text: "", calls: [], errors: [] };
