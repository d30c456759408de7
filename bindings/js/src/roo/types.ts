// The types of Roo Code's tool call parser, as far as `dropIn` uses them.

/** A suggested answer, as the tool takes it. */
export interface FollowUp {
  readonly text: string;
  readonly mode?: string;
}

/** A question that is still being written. For display only. */
export interface PartialToolUse {
  readonly type: "tool_use";
  readonly name: "ask_followup_question";
  /** The name that the model used, if it is an alias. */
  readonly originalName?: string;
  /** The parameters as texts. `follow_up` is JSON, which is written when it is read. */
  readonly params: { readonly question?: string; readonly follow_up?: string };
  readonly partial: true;
  /** What is known so far; not there while nothing is. */
  readonly nativeArgs?: { readonly question?: string; readonly follow_up?: readonly FollowUp[] };
}

/**
 * The static functions of Roo Code's `NativeToolCallParser` that `dropIn` takes over.
 *
 * Some forks give them further parameters, such as the scope of a task. Those are passed on.
 */
export interface ToolCallParserClass {
  // A class that is extended needs exactly this signature.
  new (...args: any[]): object;
  /** Begins a call whose arguments are streamed. */
  startStreamingToolCall(id: string, name: string, ...rest: never[]): void;
  /** Reads more of the arguments. Returns the call so far, or null. */
  processStreamingChunk(id: string, chunk: string, ...rest: never[]): unknown;
  /** Ends a call that was streamed. Returns the call, or null if it can't be executed. */
  finalizeStreamingToolCall(id: string, ...rest: never[]): unknown;
  /** Parses a call that came as a whole. Returns the call, or null if it can't be executed. */
  parseToolCall(call: never, ...rest: never[]): unknown;
  /** Forgets the calls that are streamed. */
  clearAllStreamingToolCalls(...rest: never[]): void;
}
