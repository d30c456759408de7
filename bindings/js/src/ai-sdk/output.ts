import type { CompleteEvent } from "../events.js";
import type { Ask } from "./asks.js";
import type { Part } from "./parts.js";
import type { Settings } from "./settings.js";
import type { TextCall } from "./text-call.js";

/** The response that is being written, as its blocks and calls see it. */
export interface Output {
  readonly settings: Settings;
  enqueue(part: Part): void;
  /** Returns an id for a part of text that no other has. */
  textId(id: string): string;
  /** Begins a call of a question tool. Its parts are enqueued with it. */
  ask(isNative: boolean, mayDrop: boolean): Ask;
  /** Ends a call in text, unless its end has to wait for the reason why the model finished. */
  complete(call: TextCall, event: CompleteEvent, raw: string): void;
}
