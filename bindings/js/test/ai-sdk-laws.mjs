// Assertions that hold for every stream of the middleware, and the cuts to test them with.

import assert from "node:assert/strict";
import { cut } from "./help.mjs";

/** What no part of text may have. */
export const MARKUP =
  /<\/?(ask_followup_question|question|follow_up|suggest|tool_call|parameter|invoke)|"(name|arguments)"/;

/** Asserts the laws that hold for every stream in which the provider does not contradict itself. */
export function assertLaws(parts) {
  const open = new Map();
  const used = new Set();
  const inputs = new Map();
  for (const part of parts) {
    const kind = /^(text|tool-input)-(start|delta|end)$/.exec(part.type);
    if (kind?.[2] === "start") {
      assert.ok(!used.has(`${kind[1]} ${part.id}`), `${part.id} is used twice`);
      used.add(`${kind[1]} ${part.id}`);
      open.set(part.id, "");
    } else if (kind?.[2] === "delta") {
      assert.ok(open.has(part.id), `${part.id} is not open`);
      assert.notEqual(part.delta, "");
      open.set(part.id, open.get(part.id) + part.delta);
    } else if (kind?.[2] === "end") {
      const whole = open.get(part.id);
      assert.ok(whole !== undefined, `${part.id} is not open`);
      assert.ok(open.delete(part.id));
      if (kind[1] === "text") assert.match(whole, /\S/);
      else inputs.set(part.id, whole);
    } else if (part.type === "tool-call" && inputs.has(part.toolCallId)) {
      assert.equal(inputs.get(part.toolCallId), part.input);
    }
  }
  assert.deepEqual([...open.keys()], [], "a part is not ended");
}

/** Returns a text in one piece, by character, and in two pieces in every way. */
export const everyCut = (text) => [
  [text],
  [...text],
  ...Array.from({ length: text.length - 1 }, (_, i) => cut(text, [i + 1])),
];
