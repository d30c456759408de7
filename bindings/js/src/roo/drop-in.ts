// Wraps Roo Code's tool call parser in a class that handles calls of the question tool itself.

import { check, object, refuse, texts } from "../options.js";
import { QuestionCall, regularArguments, TOOL } from "./question-call.js";
import type { ToolCallParserClass } from "./types.js";

/** What `dropIn` takes over. */
export interface DropInOptions {
  /**
   * The names by which models call the question tool, aliases included. Default:
   * `ask_followup_question`.
   */
  readonly names?: readonly string[];
}

/** The original with its static functions untyped: forks differ in what they take and return. */
type Untyped = Record<keyof ToolCallParserClass, (...args: any[]) => unknown> &
  (new (...args: any[]) => object);

/**
 * Returns a class in place of Roo Code's `NativeToolCallParser`, with the same static functions.
 *
 * Calls of the question tool are parsed as they stream, in linear time; their final arguments are
 * repaired before the original gets them. Everything else is the original's: other tools, raw
 * chunks, and the functions of a fork.
 *
 * ```ts
 * import { dropIn, type ToolCallParserClass } from "followup/roo";
 *
 * declare const Original: ToolCallParserClass; // the class of the host
 * export const NativeToolCallParser = dropIn(Original, { names: ["ask_followup_question", "ask_user"] });
 * ```
 *
 * @throws TypeError if the original is no class, or an option is wrong. What the original throws is
 *   passed on.
 */
export function dropIn<T extends ToolCallParserClass>(original: T, options: DropInOptions = {}): T {
  check(original, "function", "original");
  const { names: given, ...rest } = object(options, "options");
  refuse(rest, "options");
  const names: ReadonlySet<unknown> = new Set(given === undefined ? [TOOL] : texts(given, "names"));
  const callsOf = scopes();

  class DropIn extends (original as unknown as Untyped) {
    static startStreamingToolCall(id: string, name: string, ...rest: unknown[]): unknown {
      const calls = callsOf(rest[0]);
      calls.get(id)?.free();
      calls.delete(id);
      if (names.has(name)) calls.set(id, new QuestionCall(name));
      return super.startStreamingToolCall(id, name, ...rest);
    }

    static processStreamingChunk(id: string, chunk: string, ...rest: unknown[]): unknown {
      const call = callsOf(rest[0]).get(id);
      return call === undefined
        ? super.processStreamingChunk(id, chunk, ...rest)
        : call.feed(chunk);
    }

    static finalizeStreamingToolCall(id: string, ...rest: unknown[]): unknown {
      const calls = callsOf(rest[0]);
      const call = calls.get(id);
      if (call !== undefined) {
        calls.delete(id);
        // The original has got nothing of the arguments so far.
        super.processStreamingChunk(id, call.finish(), ...rest);
      }
      return super.finalizeStreamingToolCall(id, ...rest);
    }

    static clearAllStreamingToolCalls(...rest: unknown[]): unknown {
      const calls = callsOf(rest[0]);
      calls.forEach((call) => call.free());
      calls.clear();
      return super.clearAllStreamingToolCalls(...rest);
    }

    static parseToolCall(call: { name: unknown; arguments: unknown }, ...rest: unknown[]): unknown {
      const isQuestion = names.has(call.name) && typeof call.arguments === "string";
      return super.parseToolCall(
        isQuestion ? { ...call, arguments: regularArguments(call.arguments as string) } : call,
        ...rest,
      );
    }
  }
  return DropIn as unknown as T;
}

/** Returns the open calls of each scope: forks keep the calls of tasks apart by an object. */
function scopes(): (scope: unknown) => Map<string, QuestionCall> {
  const unscoped = new Map<string, QuestionCall>();
  const scoped = new WeakMap<object, Map<string, QuestionCall>>();
  return (scope) => {
    if (typeof scope !== "object" || scope === null) return unscoped;
    const calls = scoped.get(scope) ?? new Map<string, QuestionCall>();
    scoped.set(scope, calls);
    return calls;
  };
}
