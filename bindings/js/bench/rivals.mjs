// Arguments of a native call, against those who parse them again after each delta.

import { parsePartialJson } from "ai";
import { parse } from "partial-json";
import { ArgumentsParser } from "../dist/main.js";
import { deltas, least, prose, time } from "./measure.mjs";

const SIZE = 2 ** 13;
const CHUNKS = deltas(JSON.stringify({ question: prose(SIZE), follow_up: [{ text: "PostgreSQL", mode: "code" }, { text: "SQLite" }] }));

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

/** As Roo Code makes a call from its arguments so far. */
function rooCode() {
  let text = "";
  for (const chunk of CHUNKS) {
    text += chunk;
    const { question = "", follow_up = [] } = parse(text) ?? {};
    const nativeArgs = { question, follow_up: Array.isArray(follow_up) ? follow_up : undefined };
    last = { type: "tool_use", name: "ask_followup_question", params: { question }, partial: true, nativeArgs };
  }
}

/** Keeps the result, so that it is made. */
export let last;

export async function rivals() {
  const rows = [
    ["parsePartialJson of ai", 150, aiSdk],
    ["partial-json, as Roo Code calls it", 20, rooCode],
  ];
  const measured = [];
  for (const [name, goal, run] of rows) {
    let [mine, theirs] = [Infinity, Infinity];
    // They take turns, so that both have the same machine.
    for (let i = 0; i < 5; i++) {
      mine = Math.min(mine, await least(5, ours));
      theirs = Math.min(theirs, await least(1, { run }));
    }
    const ratio = theirs / mine;
    const cost = (all) => time(all / CHUNKS.length);
    measured.push({ what: `arguments of 8 KiB: ${name}`, ours: cost(mine), theirs: cost(theirs), ratio, goal: `≥ ${goal}`, met: ratio >= goal });
  }
  return measured;
}
