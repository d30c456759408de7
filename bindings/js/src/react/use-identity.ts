// The hook that detects when a component gets another call, so that its input is reset.

import { useState } from "react";
import type { Call } from "./state.js";

/** Returns a key that changes when the call becomes another one. */
export function useIdentity(call: Call): number {
  const [known, setKnown] = useState({ call, key: 0 });
  if (known.call === call) return known.key;
  const key = isSame(known.call, call) ? known.key : known.key + 1;
  // While it renders: children with the last key would be shown with the wrong call.
  setKnown({ call, key });
  return key;
}

/**
 * Returns whether a call is what became of the last one. Calls of two messages may have the same
 * index, and no id.
 */
function isSame(last: Call, call: Call): boolean {
  if (call.index !== last.index) return false;
  if (last.state === "growing") {
    // An id may come late, but not after the call is complete.
    const hasId = last.id === undefined || call.id === last.id;
    return hasId && (call.state === "rejected" || continues(last, call));
  }
  // What has ended is not open again: the same question is asked once more.
  if (call.state === "growing" || (call.state === "open" && last.state !== "open")) return false;
  return call.id === last.id && JSON.stringify(texts(call)) === JSON.stringify(texts(last));
}

/**
 * Returns whether the questions of a call are what has grown out of the last ones. White space at
 * their ends may be dropped.
 */
function continues(last: Call, call: Call): boolean {
  const now = texts(call);
  return texts(last).every((text, i) => now[i]?.startsWith(text.trimEnd()) === true);
}

function texts({ questions }: Call): string[] {
  return questions.map(({ text }) => text);
}
