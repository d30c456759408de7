// Calls in text, against the stream parsers of @ai-sdk-tool/parser, in its formats and ours.

import { hermesProtocol, morphXmlProtocol, qwen3CoderProtocol } from "@ai-sdk-tool/parser";
import { followup } from "../dist/ai-sdk/main.js";
import { Parser } from "../dist/main.js";
import { deltas, least, prose, random, randomCut, time } from "./measure.mjs";

const TOOL = {
  type: "function",
  name: "ask_followup_question",
  inputSchema: {
    type: "object",
    properties: {
      question: { type: "string" },
      follow_up: { type: "array", items: { type: "string" } },
    },
    required: ["question"],
  },
};

const call = (question) => ({
  toolName: TOOL.name,
  toolCallId: "1",
  input: JSON.stringify({ question, follow_up: ["PostgreSQL, for sure", "SQLite"] }),
});
const markup = (question) =>
  `<ask_followup_question>\n<question>${question}</question>\n<follow_up>\n<suggest>PostgreSQL, for sure</suggest>\n` +
  `<suggest>SQLite</suggest>\n</follow_up>\n</ask_followup_question>`;
const qwen = (question) =>
  `<tool_call>\n<function=ask_followup_question>\n<parameter=question>\n${question}\n</parameter>\n` +
  `<parameter=follow_up>\n["PostgreSQL, for sure", "SQLite"]\n</parameter>\n</function>\n</tool_call>`;

/**
 * The formats that both read: the rival's protocol, and a call in it.
 *
 * Its other two are not here: YAML in a tag, which no model was trained to write and is not read
 * here as YAML, and that of UI-TARS, which is qwen3-coder's with quotes around the names. This
 * version of it has no format for EXAONE.
 */
const FORMATS = {
  "hermes, as it writes it": [
    hermesProtocol,
    (question) => hermesProtocol().formatToolCall(call(question)),
  ],
  "morph XML, as it writes it": [
    morphXmlProtocol,
    (question) => morphXmlProtocol().formatToolCall(call(question)),
  ],
  "qwen3-coder, as models write it": [qwen3CoderProtocol, qwen],
  "the markup of ask_followup_question": [morphXmlProtocol, markup],
};

/** Turns parts of a stream into events of the package: what the parser alone costs. */
function events() {
  const parser = new Parser({ envelopes: ["all"] });
  const give = (controller, events) => events.forEach((event) => controller.enqueue(event));
  return new TransformStream({
    transform(part, controller) {
      if (part.type === "text-delta") give(controller, parser.feed(part.delta));
      else controller.enqueue(part);
    },
    flush(controller) {
      give(controller, parser.finish());
      parser.free();
    },
  });
}

const ours = async (stream) => stream.pipeThrough(events());

/** Turns parts of a stream into those with tool calls, as the rival does. */
async function middlewareOfOurs(stream) {
  const result = { doStream: async () => ({ stream }), params: { prompt: [], tools: [TOOL] } };
  return (await followup({ envelopes: ["all"] }).wrapStream(result)).stream;
}

const theirs = (protocol) => async (stream) =>
  stream.pipeThrough(protocol().createStreamParser({ tools: [TOOL], options: {} }));

async function read(transform, chunks) {
  const parts = [
    { type: "text-start", id: "t" },
    ...chunks.map((delta) => ({ type: "text-delta", id: "t", delta })),
    { type: "text-end", id: "t" },
    { type: "finish", finishReason: { unified: "stop" }, usage: {} },
  ];
  const out = [];
  for await (const part of await transform(ReadableStream.from(parts))) out.push(part);
  return out;
}

/** Returns what a reader of the parts has in the end: text and calls in order. */
function result(parts) {
  const all = [];
  for (const part of parts) {
    const { type } = part;
    if (type === "text" || type === "text-delta") {
      const text = part.text ?? part.delta;
      if (typeof all.at(-1) === "string") all.push(all.pop() + text);
      else all.push(text);
    } else if (type === "tool-call") {
      all.push({ input: part.input });
    } else if (type === "complete" || type === "rejected") {
      all.push(part);
    }
  }
  return JSON.stringify(all.filter((one) => one !== ""));
}

/** Returns how many of so many random cuts of each text change the result. */
async function changed(transform, texts, cuts) {
  const next = random(1);
  let count = 0;
  for (const text of texts) {
    const whole = result(await read(transform, [text]));
    for (let i = 0; i < cuts; i++) {
      if (result(await read(transform, randomCut(text, next))) !== whole) count += 1;
    }
  }
  return count;
}

/** Questions in messages that are cut at random. */
const QUESTIONS = [
  "Which one, </tool_call> or 😀? It's 2 < 3 & so on.",
  "Which database should it use?",
  'Two lines:\n\n- "a" or\n- `b`, with {"c": 1}?',
  "Größe in 数据, as \\ or as /?",
];

const CUTS = 125;

export async function middleware() {
  const rows = [];
  for (const [name, [protocol, write]] of Object.entries(FORMATS)) {
    const chunks = deltas(`Let me ask.\n\n${write(prose(2 ** 13))}\n\nThanks.`);
    const cost = async (transform, rounds) =>
      (await least(rounds, { run: () => read(transform, chunks) })) / chunks.length;
    const [mine, whole, other] = [
      await cost(ours, 20),
      await cost(middlewareOfOurs, 10),
      await cost(theirs(protocol), 5),
    ];
    const texts = QUESTIONS.map(
      (question) => `If a < b, ask.\n\n${write(question)}\n\nThanks, and a <b> too.`,
    );
    const cuts = [];
    for (const transform of [ours, middlewareOfOurs, theirs(protocol)])
      cuts.push(await changed(transform, texts, CUTS));
    const ratio = other / mine;
    rows.push({
      what: `stream of 8 KiB: ${name}`,
      ours: time(mine),
      theirs: time(other),
      ratio,
      goal: "≥ 5",
      met: ratio >= 5,
    });
    rows.push({
      what: "… by followup/ai-sdk, which writes the parts of a tool call as well",
      ours: time(whole),
      theirs: time(other),
      ratio: other / whole,
    });
    rows.push({
      what: `… changed by ${CUTS * texts.length} random cuts of ${texts.length} messages`,
      ours: `${cuts[0]}`,
      theirs: `${cuts[2]}`,
      goal: "0",
      met: cuts[0] === 0,
    });
    rows.push({
      what: "… by followup/ai-sdk",
      ours: `${cuts[1]}`,
      theirs: `${cuts[2]}`,
      goal: "0",
      met: cuts[1] === 0,
    });
  }
  return rows;
}
