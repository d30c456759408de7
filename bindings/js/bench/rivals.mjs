// Arguments of a native call, against those who parse them again after each delta.

import { deepEqual } from "node:assert/strict";
import { parsePartialJson } from "ai";
import { parse } from "partial-json";
import { ArgumentsParser } from "../dist/main.js";
import { dropIn } from "../dist/roo/index.js";
import { deltas, least, prose, time } from "./measure.mjs";

const SIZE = 2 ** 13;
const CHUNKS = deltas(
  JSON.stringify({
    question: prose(SIZE),
    follow_up: [{ text: "PostgreSQL", mode: "code" }, { text: "SQLite" }],
  }),
);

const ours = {
  prepare: () => new ArgumentsParser("ask_followup_question"),
  run(parser) {
    for (const chunk of CHUNKS) {
      parser.feed(chunk);
      parser.view();
    }
  },
  done: (parser) => parser.free(),
};

/** As `useChat` makes the input of a tool's part. */
async function aiSdk() {
  let text = "";
  for (const chunk of CHUNKS) {
    text += chunk;
    await parsePartialJson(text);
  }
}

/**
 * A parser that does with a call of the question tool what Roo Code's `NativeToolCallParser` does:
 * each delta is appended, all of the arguments are parsed by partial-json, and their values are
 * copied into a new object. The class itself is not on npm.
 */
class Original {
  static calls = new Map();

  static startStreamingToolCall(id, name) {
    this.calls.set(id, { name, text: "" });
  }

  static processStreamingChunk(id, chunk) {
    const call = this.calls.get(id);
    call.text += chunk;
    return toolUse(call.name, parse(call.text) ?? {}, true);
  }

  static finalizeStreamingToolCall(id) {
    const { name, text } = this.calls.get(id);
    this.calls.delete(id);
    return this.parseToolCall({ id, name, arguments: text });
  }

  static parseToolCall({ name, arguments: text }) {
    return toolUse(name, JSON.parse(text), false);
  }

  static clearAllStreamingToolCalls() {
    this.calls.clear();
  }
}

function toolUse(name, args, partial) {
  const params = {};
  for (const [key, value] of Object.entries(args))
    params[key] = typeof value === "string" ? value : JSON.stringify(value);
  const { question, follow_up } = args;
  return {
    type: "tool_use",
    name,
    params,
    partial,
    nativeArgs: { question, follow_up: Array.isArray(follow_up) ? follow_up : undefined },
  };
}

/** Streams the call through a parser, as Roo Code does. Returns the final call. */
function stream(parser) {
  parser.startStreamingToolCall("1", "ask_followup_question");
  for (const chunk of CHUNKS) last = parser.processStreamingChunk("1", chunk);
  return parser.finalizeStreamingToolCall("1");
}

/** Keeps the result, so that it is made. */
export let last;

const DropIn = dropIn(Original);

export async function rivals() {
  const rows = [
    ["parsePartialJson of ai", 150, ours, { run: aiSdk }],
    [
      "the original of the drop-in, followup/roo",
      20,
      { run: () => stream(DropIn) },
      { run: () => stream(Original) },
    ],
  ];
  deepEqual(stream(DropIn), stream(Original));
  const measured = [];
  for (const [name, goal, mineOf, theirsOf] of rows) {
    let [mine, theirs] = [Infinity, Infinity];
    // They take turns, so that both have the same machine.
    for (let i = 0; i < 5; i++) {
      mine = Math.min(mine, await least(5, mineOf));
      theirs = Math.min(theirs, await least(1, theirsOf));
    }
    const ratio = theirs / mine;
    const cost = (all) => time(all / CHUNKS.length);
    measured.push({
      what: `arguments of 8 KiB: ${name}`,
      ours: cost(mine),
      theirs: cost(theirs),
      ratio,
      goal: `≥ ${goal}`,
      met: ratio >= goal,
    });
  }
  return measured;
}
