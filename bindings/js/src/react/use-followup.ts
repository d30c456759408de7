// The hook `useFollowup`, which returns the state of a stream and the actions of the user.

import { useMemo, useSyncExternalStore } from "react";
import type { Answer, FormAnswer } from "../dialogue-types.js";
import type { ResponseOptions } from "../options.js";
import { Reading } from "./reading.js";
import { checkSource, type StreamSource } from "./source.js";
import { type FollowupState, IDLE } from "./state.js";
import { FollowupStore } from "./store.js";

/** The state of a stream, and what can be done with it. */
export type FollowupResult = FollowupState & {
  /**
   * Sets the answer to an open call, and the images that go with it. Throws if the call is not
   * open.
   */
  readonly answer: (call: number, answer: Answer, images?: readonly string[]) => void;
  /** Notes that the user left an open call unanswered. Throws if the call is not open. */
  readonly cancel: (call: number) => void;
  /** Notes that the user declined to answer an open call. Throws if the call is not open. */
  readonly decline: (call: number) => void;
  /**
   * Notes that the user wants to talk about an open call first, and the answers so far. Throws if
   * the call is not open.
   */
  readonly discuss: (call: number, answers?: readonly FormAnswer[]) => void;
  /** Stops the stream. */
  readonly stop: () => void;
};

/**
 * Returns what a stream has given so far. Renders at most once a frame.
 *
 * A source is read once, from when it is first shown, and aborted after it is shown nowhere any
 * more. Another source begins anew, so keep it in a state or a memo. The options belong to the
 * source. Without a source (`null`, `undefined`) the state is `idle`. An event costs what it adds,
 * and a render what has changed.
 *
 * ```tsx
 * import { useState } from "react";
 * import { Followup, useFollowup } from "followup/react";
 *
 * export function Message() {
 *   const [source] = useState(() => (signal: AbortSignal) => fetch("/chat", { signal }));
 *   const { text, calls, answer } = useFollowup(source);
 *   return (
 *     <>
 *       <p>{text}</p>
 *       {calls.map((call) => (
 *         <Followup key={call.index} call={call} onAnswer={(one) => answer(call.index, one)} />
 *       ))}
 *     </>
 *   );
 * }
 * ```
 *
 * @throws TypeError while it renders, if the source can't be read or an option is of a wrong type.
 *   What goes wrong later, as a function that throws or a stream that breaks, is the state `failed`
 *   with its `error`.
 */
export function useFollowup(
  source: StreamSource | FollowupStore | null | undefined,
  options?: ResponseOptions,
): FollowupResult {
  // A text can be iterated, but is no key.
  const key = useMemo(() => (typeof source === "string" ? [source] : source), [source]);
  const { store, subscribe, stop } =
    key === null || key === undefined ? NO_ACCESS : accessOf(key, options);
  const state = useSyncExternalStore(subscribe, store.getState, () => IDLE);
  return useMemo(
    () => ({
      ...state,
      answer: (call: number, answer: Answer, images?: readonly string[]) =>
        store.answer(call, answer, images),
      cancel: (call: number) => store.cancel(call),
      decline: (call: number) => store.decline(call),
      discuss: (call: number, answers?: readonly FormAnswer[]) => store.discuss(call, answers),
      stop,
    }),
    [state, store, stop],
  );
}

interface Access {
  readonly store: FollowupStore;
  readonly subscribe: FollowupStore["subscribe"];
  readonly stop: () => void;
}

const NO_ACCESS: Access = { store: new FollowupStore(), subscribe: () => () => {}, stop: () => {} };

/**
 * Keeps the access to each source, since a stream can be read only once, and React may render
 * before it keeps anything.
 */
const accesses = new WeakMap<object, Access>();

/**
 * Whether a source is a store. That of another copy of the package, as after a hot reload, has
 * another class.
 */
function isStore(source: object): source is FollowupStore {
  return ["subscribe", "getState", "push", "stop"].every(
    (key) => typeof (source as Record<string, unknown>)[key] === "function",
  );
}

function accessOf(
  source: StreamSource | FollowupStore,
  options: ResponseOptions | undefined,
): Access {
  let access = accesses.get(source);
  if (access === undefined) {
    if (isStore(source)) {
      access = { store: source, subscribe: source.subscribe, stop: () => source.stop() };
    } else {
      checkSource(source, options);
      const reading = new Reading(source, options);
      access = { store: reading.store, subscribe: reading.subscribe, stop: () => reading.stop() };
    }
    accesses.set(source, access);
  }
  return access;
}
