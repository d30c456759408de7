// The middleware for the AI SDK, against what useChat does with each delta that comes out of it.

import { parsePartialJson } from "ai";
import { followup } from "../dist/ai-sdk/main.js";
import { deltas, least, prose, time } from "./measure.mjs";

const SIZE = 2 ** 13;
const NAME = "ask_followup_question";
const QUESTION = prose(SIZE);
const inputOf = (question) =>
  JSON.stringify({
    question,
    follow_up: [{ text: "PostgreSQL", mode: "code" }, { text: "SQLite" }],
  });
const INPUT = inputOf(QUESTION);
const MARKUP =
  `<${NAME}>\n<question>${QUESTION}</question>\n<follow_up>\n<suggest mode="code">PostgreSQL</suggest>\n` +
  `<suggest>SQLite</suggest>\n</follow_up>\n</${NAME}>`;

const text = { type: "string" };
const inputSchema = {
  type: "object",
  properties: {
    question: text,
    follow_up: { type: "array", items: { type: "object", properties: { text, mode: text } } },
  },
};
const params = { prompt: [], tools: [{ type: "function", name: NAME, inputSchema }] };

/** The streams of a model, of which the middleware makes the same tool call. */
const STREAMS = {
  "in text": [
    { type: "text-start", id: "t" },
    ...deltas(MARKUP).map((delta) => ({ type: "text-delta", id: "t", delta })),
    { type: "text-end", id: "t" },
  ],
  natively: native(INPUT),
};

function native(input) {
  return [
    { type: "tool-input-start", id: "n", toolName: NAME },
    ...deltas(input).map((delta) => ({ type: "tool-input-delta", id: "n", delta })),
    { type: "tool-input-end", id: "n" },
    { type: "tool-call", toolCallId: "n", toolName: NAME, input },
  ];
}

async function rewrite(parts, expected = INPUT) {
  const finish = { type: "finish", finishReason: { unified: "stop" }, usage: {} };
  const doStream = async () => ({ stream: ReadableStream.from([...parts, finish]) });
  const { stream } = await followup().wrapStream({ doStream, params });
  let input = "";
  for await (const part of stream) if (part.type === "tool-input-delta") input += part.delta;
  if (input !== expected) throw new Error(`another input came out: ${input.slice(0, 100)}`);
}

/** As `useChat` makes the input of a tool's part. */
async function chat() {
  let input = "";
  for (const delta of deltas(INPUT)) {
    input += delta;
    await parsePartialJson(input);
  }
}

/** How flat the cost of a delta is, for a question near the limit against a short one. */
async function flat() {
  const inputs = [2 ** 16, 2 ** 20 - 1].map((size) => inputOf(prose(size)));
  const costs = [Infinity, Infinity];
  for (let i = 0; i < 4; i++) {
    for (const [j, input] of inputs.entries()) {
      const parts = native(input);
      costs[j] = Math.min(
        costs[j],
        (await least(1, { run: () => rewrite(parts, input) })) / parts.length,
      );
    }
  }
  const ratio = costs[1] / costs[0];
  return {
    what: "the middleware, a delta in a native call of 1 MiB against 64 KiB",
    ours: costs.map(time).reverse().join("; "),
    ratio,
    goal: "≤ 1.5",
    met: ratio <= 1.5,
  };
}

export async function aiSdk() {
  const rows = [await flat()];
  for (const [way, parts] of Object.entries(STREAMS)) {
    let [mine, theirs] = [Infinity, Infinity];
    // They take turns, so that both have the same machine.
    for (let i = 0; i < 10; i++) {
      mine = Math.min(mine, await least(5, { run: () => rewrite(parts) }));
      theirs = Math.min(theirs, await least(1, { run: chat }));
    }
    const cost = (all) => time(all / parts.length);
    const what = `the middleware, a call of 8 KiB ${way}: parsePartialJson of ai`;
    rows.push({
      what,
      ours: cost(mine),
      theirs: cost(theirs),
      ratio: theirs / mine,
      goal: "> 1",
      met: theirs > mine,
    });
  }
  return rows;
}
