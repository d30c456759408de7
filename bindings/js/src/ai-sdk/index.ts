// The middleware for the AI SDK: its options, its types, and what it does with each response.

import { check, kind, object, type PolicyOptions, refuse } from "../options.js";
import { Parser } from "../parsers.js";
import type { FinishReason, StreamPart } from "./parts.js";
import { toText, type CallOptions } from "./prompt.js";
import { rewritten } from "./rewritten.js";
import { Rewriter } from "./rewriter.js";
import { content, type ContentItem, items } from "./content.js";
import type { RejectedToolCall, Settings } from "./settings.js";
import { questionTool, type QuestionTool } from "./tools.js";

export { install } from "../parsers.js";
export type { RejectedToolCall } from "./settings.js";
export type { CallOptions, OfferedTool } from "./prompt.js";
export type { FinishReason, StreamPart } from "./parts.js";
export type { ContentItem } from "./content.js";

/** Options of the middleware. */
export interface FollowupOptions extends Omit<PolicyOptions, "shapes"> {
  /** Ask by calls in the model's reasoning, too, if its message asks nothing. */
  readonly reasoning?: boolean;
  /**
   * Write `ask_followup_question` into the prompt, and its calls and answers as text, for models
   * without tools. A string is what the prompt says of the tool, instead of the usual text.
   */
  readonly prompt?: boolean | string;
  /**
   * Returns the id of a call in text. No two calls of a conversation may have the same. Default:
   * random. A result that is no string, or an empty one, breaks the stream with a `TypeError`.
   */
  readonly generateId?: () => string;
  /** Observes calls that can't be asked. What it throws breaks the stream. */
  readonly onRejected?: (call: RejectedToolCall) => void;
}

/** What a model returns for a stream, as far as the middleware reads it. */
export interface StreamResult {
  readonly stream: ReadableStream<StreamPart>;
}

/** What a model returns as a whole, as far as the middleware reads it. */
export interface GenerateResult {
  readonly content: readonly ContentItem[];
  readonly finishReason: FinishReason;
}

/** A middleware for language models of the AI SDK 6 and 7. */
export interface FollowupMiddleware {
  /** The version of the interface; the AI SDK 7 takes it, too. */
  readonly specificationVersion: "v3";
  /**
   * Writes the question tool into the prompt, and its calls and results in the history as text, if
   * the option `prompt` says so.
   */
  transformParams<Params extends CallOptions>(options: { params: Params }): Promise<Params>;
  /**
   * Returns the model's message with its calls of question tools as tool calls: what `wrapStream`
   * gives, as a whole.
   */
  wrapGenerate<Result extends GenerateResult>(options: {
    doGenerate: () => PromiseLike<Result>;
    params: CallOptions;
  }): Promise<Result>;
  /**
   * Returns the model's stream with its calls of question tools as tool calls, while they grow. It
   * breaks with the error of the model's stream, or of `generateId` or `onRejected`, and cancels
   * the model's stream when it is cancelled.
   */
  wrapStream<Result extends StreamResult>(options: {
    doStream: () => PromiseLike<Result>;
    params: CallOptions;
  }): Promise<Result>;
}

/**
 * Returns a middleware that turns calls of question tools in text into tool calls, while they
 * stream, and repairs native ones.
 *
 * Only the tools that the caller passes are read, and none if its `toolChoice` is `none`. The
 * deltas of an input add up to it, no text part holds markup, and a call that was cut off is never
 * executed. The cost is linear in the length of the stream, and the model's stream is read no
 * faster than its reader asks. One middleware serves any number of models and responses.
 *
 * ```ts
 * import { followup } from "followup/ai-sdk";
 *
 * // For `wrapLanguageModel` of `ai`, before other middleware that changes the text:
 * const middleware = followup({ onRejected: ({ toolName, message }) => console.warn(toolName, message) });
 * ```
 *
 * A middleware is an object of functions, which the AI SDK calls:
 *
 * ```js
 * import { followup } from "followup/ai-sdk";
 *
 * const text = "<ask_followup_question><question>Tea?</question></ask_followup_question>";
 * const middleware = followup({ generateId: () => "call_1" });
 * const { content, finishReason } = await middleware.wrapGenerate({
 *   doGenerate: async () => ({ content: [{ type: "text", text }], finishReason: { unified: "stop", raw: "stop" } }),
 *   params: { prompt: [], tools: [{ type: "function", name: "ask_followup_question", inputSchema: {} }] },
 * });
 * const input = '{"question":"Tea?","follow_up":[]}';
 * assert.deepEqual(content, [{ type: "tool-call", toolCallId: "call_1", toolName: "ask_followup_question", input }]);
 * assert.equal(finishReason.unified, "tool-calls");
 * ```
 *
 * @throws TypeError if an option is wrong.
 */
export function followup(options: FollowupOptions = {}): FollowupMiddleware {
  checkOptions(options);
  const {
    reasoning = false,
    prompt = false,
    generateId = randomId,
    onRejected,
    ...policy
  } = options;
  new Parser(policy).free(); // throws what is wrong with the others
  /** The tools that a call of the model had before they were written into its prompt. */
  const offered = new WeakMap<CallOptions, CallOptions>();

  const settings = (params: CallOptions): Settings | undefined => {
    const tools = questionTools(offered.get(params) ?? params);
    if (tools.size === 0) return undefined;
    const isJson = params.responseFormat?.type === "json";
    const shapes = [...tools.values()].flatMap(({ shape }) => shape ?? []);
    const all = { ...policy, shapes: [...new Set(shapes)] };
    return {
      tools,
      policy: all,
      reasoning,
      isJson,
      generateId: () => checkedId(generateId()),
      onRejected,
    };
  };

  return {
    specificationVersion: "v3",

    async transformParams({ params }) {
      const changed = prompt === false ? params : toText(params, prompt);
      offered.set(changed, params);
      return changed;
    },

    async wrapGenerate({ doGenerate, params }) {
      const result = await doGenerate();
      const known = settings(params);
      if (known === undefined) return result;
      const parts: StreamPart[] = [];
      const rewriter = new Rewriter(known, (part) => parts.push(part));
      try {
        for (const part of items(result.content, result.finishReason)) rewriter.part(part);
      } finally {
        // A callback of the caller may throw.
        rewriter.free();
      }
      return { ...result, ...content(parts) };
    },

    async wrapStream({ doStream, params }) {
      const result = await doStream();
      const known = settings(params);
      if (known === undefined) return result;
      return { ...result, stream: rewritten(result.stream, known) };
    },
  };
}

/** Throws what is wrong with the options of the middleware itself. */
function checkOptions(options: unknown): void {
  const { reasoning, prompt, generateId, onRejected, shapes } = object(options, "options");
  if (reasoning !== undefined) check(reasoning, "boolean", "reasoning");
  if (prompt !== undefined && typeof prompt !== "boolean" && typeof prompt !== "string") {
    throw new TypeError(`prompt: a boolean or a string was expected, not ${kind(prompt)}`);
  }
  if (generateId !== undefined) check(generateId, "function", "generateId");
  if (onRejected !== undefined) check(onRejected, "function", "onRejected");
  // Those of the tools that are offered are read.
  if (shapes !== undefined) refuse({ shapes }, "options");
}

/** Returns an id that the caller's function made. */
function checkedId(id: unknown): string {
  if (typeof id === "string" && id !== "") return id;
  throw new TypeError(
    `generateId: a text that is not empty was expected, not ${id === "" ? "an empty text" : kind(id)}`,
  );
}

/** Returns the question tools that the model may call. */
function questionTools({ tools, toolChoice }: CallOptions): Map<string, QuestionTool> {
  if (toolChoice?.type === "none") return new Map();
  const known = (tools ?? []).flatMap((tool) => {
    const found = tool.type === "function" ? questionTool(tool.name, tool.inputSchema) : undefined;
    return found ? [[found.name, found] as const] : [];
  });
  return new Map(known);
}

function randomId(): string {
  // Unlike `randomUUID`, this is there on a page without https, too.
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `call_${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
