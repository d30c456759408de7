// The interface through which text blocks and calls write to the response they belong to.

import type { Ask } from "./asks.js";
import type { StreamPart } from "./parts.js";
import type { Settings } from "./settings.js";

/** The response that is being written, as its blocks and calls see it. */
export interface Output {
  readonly settings: Settings;
  enqueue(part: StreamPart): void;
  /** Returns an id for a part of text that no other has. */
  textId(id: string): string;
  /** Begins a call of a question tool. Its parts are enqueued with it. */
  ask(isNative: boolean, mayDrop: boolean): Ask;
}
