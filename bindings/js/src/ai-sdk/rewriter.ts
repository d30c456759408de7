// Rewrites one response part by part: it routes each part to its text block or native call.

import type { CompleteEvent } from "../events.js";
import { type Ask, Asks } from "./asks.js";
import { type DraftCall, ReasoningDraft } from "./draft.js";
import { NativeCall } from "./native-call.js";
import type {
  Finish,
  FinishReason,
  InputStart,
  KnownPart,
  StreamPart,
  TextEnd,
  TextStart,
  ToolCall,
} from "./parts.js";
import { CUT_OFF, type Settings } from "./settings.js";
import { TextBlock, type TextOutput } from "./text-block.js";
import { TextCall } from "./text-call.js";
import type { QuestionTool } from "./tools.js";

/** The reasons to finish after which a call may be executed. */
const WHOLE = ["stop", "tool-calls", "other"];

/**
 * Rewrites the parts of one response: calls in text become tool calls, native ones are repaired.
 */
export class Rewriter implements TextOutput {
  readonly settings: Settings;
  readonly #enqueue: (part: StreamPart) => void;
  readonly #blocks = new Map<string, TextBlock>();
  /** Blocks that the next one continues. */
  readonly #paused: TextBlock[] = [];
  readonly #natives = new Map<string, NativeCall>();
  readonly #textIds = new Set<string>();
  readonly #waiting: ((isCut: boolean) => void)[] = [];
  readonly #asks: Asks;
  #draft: ReasoningDraft | undefined;
  /** Whether a question tool was called. */
  #isCalled = false;
  /**
   * Whether the text is JSON that the caller asked for: the first character that is not blank
   * tells.
   */
  #isData: boolean | undefined;

  constructor(settings: Settings, enqueue: (part: StreamPart) => void) {
    this.settings = settings;
    this.#enqueue = enqueue;
    this.#asks = new Asks(enqueue);
    if (!settings.isJson) this.#isData = false;
    if (settings.reasoning) this.#draft = new ReasoningDraft(settings);
  }

  enqueue(part: StreamPart): void {
    this.#enqueue(part);
  }

  ask(isNative: boolean, mayDrop: boolean): Ask {
    return this.#asks.begin(isNative, mayDrop);
  }

  textId(id: string): string {
    let free = id;
    for (let n = 1; this.#textIds.has(free); n++) free = `${id}:${n}`;
    this.#textIds.add(free);
    return free;
  }

  complete(call: TextCall, event: CompleteEvent, raw: string, isAtEnd: boolean): void {
    this.#isCalled = true;
    const end = (isCut: boolean) => {
      if (isCut) call.reject(CUT_OFF, raw);
      else call.complete(event, raw);
    };
    const notes = event.noteCodes;
    const isOpen =
      notes.includes("stream_ended") || (isAtEnd && notes.includes("unclosed_envelope"));
    if (isOpen) this.#waiting.push(end);
    else end(false);
  }

  isData(next: string): boolean | undefined {
    if (this.#isData !== undefined) return this.#isData;
    const first = /\S/.exec(next)?.[0];
    if (first !== undefined) this.#isData = first === "{" || first === "[";
    return this.#isData;
  }

  /** Rewrites the next part. What is not known is passed through. */
  part(unknown: StreamPart): void {
    const part = unknown as KnownPart;
    switch (part.type) {
      case "text-start":
        this.#textEnd({ type: "text-end", id: part.id });
        return this.#textStart(part);
      case "text-delta": {
        const block = this.#blocks.get(part.id);
        return block ? block.delta(part) : this.#enqueue(part);
      }
      case "text-end":
        return this.#blocks.has(part.id) ? this.#textEnd(part) : this.#enqueue(part);
      case "tool-input-start":
        this.#inputStart(part);
        return;
      case "tool-input-delta": {
        const call = this.#natives.get(part.id);
        return call ? call.delta(part) : this.#enqueue(part);
      }
      case "tool-input-end": {
        const call = this.#natives.get(part.id);
        return call ? call.inputEnd(part) : this.#enqueue(part);
      }
      case "tool-call":
        return this.#call(part);
      case "reasoning-delta":
        this.#draft?.feed(part.delta);
        return this.#enqueue(part);
      case "finish":
        return this.#finish(part);
      default:
        return this.#enqueue(unknown);
    }
  }

  /** Ends what is open where the response ended without a `finish`. */
  end(): void {
    this.#close(undefined);
  }

  /**
   * Frees what is open, without its end: nobody reads on. What ends counts as open until then: a
   * callback may throw.
   */
  free(): void {
    for (const block of [...this.#paused, ...this.#blocks.values()]) block.free();
    this.#paused.length = 0;
    this.#blocks.clear();
    for (const call of this.#natives.values()) call.free();
    this.#natives.clear();
    this.#draft?.free();
    this.#draft = undefined;
    this.#waiting.length = 0;
  }

  #textStart(part: TextStart): void {
    const block = this.#paused.shift() ?? new TextBlock(this);
    block.start(part);
    this.#blocks.set(part.id, block);
  }

  #textEnd(part: TextEnd): void {
    const block = this.#blocks.get(part.id);
    const isPaused = block?.pause(part);
    this.#blocks.delete(part.id);
    if (block && isPaused) this.#paused.push(block);
  }

  #inputStart(part: InputStart): void {
    const tool = part.inputEncoding === "text" ? undefined : this.#native(part);
    if (tool === undefined) return this.#enqueue(part);
    const call = new NativeCall(tool, part.id, this);
    this.#natives.set(part.id, call);
    call.inputStart(part);
  }

  #call(part: ToolCall): void {
    const tool = this.#native(part);
    const open = this.#natives.get(part.toolCallId);
    const call = open ?? (tool && new NativeCall(tool, part.toolCallId, this));
    if (call === undefined) return this.#enqueue(part);
    this.#isCalled = true;
    this.#natives.set(part.toolCallId, call);
    call.call(part, open !== undefined);
    this.#natives.delete(part.toolCallId);
  }

  /** Returns the question tool that a native call is for; `undefined` if the call is not read. */
  #native({ toolName, providerExecuted }: InputStart | ToolCall): QuestionTool | undefined {
    return providerExecuted === true ? undefined : this.settings.tools.get(toolName);
  }

  #finish(part: Finish): void {
    const { unified } = part.finishReason;
    this.#close(part.finishReason);
    const isAnswered = this.#asks.isAskedInText && (unified === "stop" || unified === "other");
    const finishReason = isAnswered
      ? { ...part.finishReason, unified: "tool-calls" }
      : part.finishReason;
    this.#enqueue({ ...part, finishReason } as StreamPart);
  }

  #close(reason: FinishReason | undefined): void {
    const isCut = !isWhole(reason);
    for (const block of [...this.#paused, ...this.#blocks.values()]) block.end();
    this.#paused.length = 0;
    this.#blocks.clear();
    for (const call of this.#natives.values()) call.drop();
    this.#natives.clear();
    const drafts = this.#draft?.end() ?? [];
    this.#draft = undefined;
    if (!isCut && !this.#isCalled) drafts.forEach((draft) => this.#ask(draft));
    for (const end of this.#waiting.splice(0)) end(isCut);
  }

  #ask({ tool, partials, event }: DraftCall): void {
    const call = new TextCall(tool, this);
    for (const partial of partials) call.partial(partial);
    // A draft is asked only if the message is whole.
    this.complete(call, event, "", false);
  }
}

/**
 * Returns whether the model stopped by itself. Providers give `other` without more where the
 * response breaks off.
 */
function isWhole(reason: FinishReason | undefined): boolean {
  if (reason === undefined || !WHOLE.includes(reason.unified)) return false;
  return reason.unified !== "other" || (reason.raw ?? undefined) !== undefined;
}
