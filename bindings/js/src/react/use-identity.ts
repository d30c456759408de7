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

/** Returns whether a call is what became of the last one. Calls of two messages may have the same index, and no id. */
function isSame(last: Call, call: Call): boolean {
  if (call.index !== last.index) return false;
  // An id may come late, but not after the call is complete. Its questions don't change then, either.
  if (last.state === "growing") return last.id === undefined || call.id === last.id;
  return call.state !== "growing" && call.id === last.id && texts(call) === texts(last);
}

function texts({ questions }: Call): string {
  return JSON.stringify(questions.map(({ text }) => text));
}
