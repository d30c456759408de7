// The settings for one response, and the reasons for which the middleware itself rejects calls.

import type { RejectedEvent } from "../events.js";
import type { PolicyOptions } from "../options.js";
import type { QuestionTool } from "./tools.js";

/** A call that can't be asked. */
export interface RejectedToolCall {
  readonly toolCallId: string;
  readonly toolName: string;
  /** Why, as a word, such as `truncated`, and as a sentence. */
  readonly code: string;
  readonly message: string;
  /** The call as the model wrote it. */
  readonly raw: string;
}

/** How the calls of one response are read and written. */
export interface Settings {
  readonly tools: ReadonlyMap<string, QuestionTool>;
  readonly policy: PolicyOptions;
  readonly reasoning: boolean;
  /** Whether the caller asked for JSON: a text that is JSON quotes calls, and makes none. */
  readonly isJson: boolean;
  readonly generateId: () => string;
  readonly onRejected: ((call: RejectedToolCall) => void) | undefined;
}

/** Why a call is rejected. */
export type Rejection = Pick<RejectedEvent, "code" | "message">;

export const CUT_OFF: Rejection = {
  code: "truncated",
  message: "the message ended before the call was closed",
};

export const NO_PLACE: Rejection = {
  code: "wrong_type",
  message: "the tool's input has no place for several questions",
};
