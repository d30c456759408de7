// Prose is fed in long chunks, and calls by the character: no order of events may depend on that.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Parser } from "followup";
import { feed, TextFeed } from "../dist/ai-sdk/feed.js";
import { MESSAGES } from "./ai-sdk-corpus.mjs";
import { cut } from "./help.mjs";

const ENVELOPES = [
  "function-xml",
  "hermes",
  "bare-json",
  "invoke",
  "dsml",
  "glm",
  "harmony",
  "kimi",
  "mistral",
  "deepseek",
  "llama",
];
const FORM =
  '{"questions":"[{\\"options\\":[{\\"description\\":\\"d\\",\\"label\\":\\"A\\"}],\\"question\\":\\"Q\\"}]"}';
const PIECES = [
  ...Object.values(MESSAGES).map(({ message }) => message),
  `<tool_call>{"name": "AskUserQuestion", "arguments": ${FORM}}</tool_call>`,
  `{"name": "AskUserQuestion", "arguments": ${FORM}}`,
  `<tool_call><function=AskUserQuestion><parameter=questions>${FORM}</parameter></function></tool_call>`,
  '<invoke name="ask_followup_question"><parameter name="follow_up">["A"]</parameter>' +
    '<parameter name="question">Q</parameter></invoke>',
  "<tool_call>ask_followup_question\n<arg_key>question</arg_key>\n<arg_value>Q</arg_value></tool_call>",
  '[TOOL_CALLS]ask_followup_question[ARGS]{"question":"Q"}',
  '<|python_tag|>{"name": "ask_followup_question", "parameters": {"question": "Q"}};',
  "<|start|>assistant<|channel|>commentary to=functions.ask_followup_question " +
    '<|constrain|>json<|message|>{"question":"Q"}<|call|>',
  "<|tool_calls_section_begin|><|tool_call_begin|>functions.ask_followup_question:0<|tool_call_argument_begin|>",
  "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>ask_followup_question\n```json\n",
  '<write_to_file><path>a</path><content>a "} b</content></write_to_file>',
  '<tool_call>{"name": "read_file", "arguments": {"path": "/a } ] \\" b"}}',
  "</tool_call>",
  "```",
  "~~~",
  "<!--",
  "-->",
  "<think>",
  "</think>",
  "\n",
  "    ",
  "; ",
  "}",
  "]",
  '"',
  "🙂",
  "\ud83d",
  "\ude42",
  "long prose without any call in it. ",
];

const OPTIONS = { envelopes: ENVELOPES, shapes: ["claude"] };

test("each form of a call has the events of each character", () => {
  for (const one of PIECES) {
    for (const whole of [one, `Prose. ${one} More.`, `Prose.\n\n${one}\n${one}`]) {
      const parsers = [new Parser(OPTIONS), new Parser(OPTIONS)];
      assert.deepEqual(new TextFeed(parsers[0]).feed(whole), feed(parsers[1], whole), whole);
      for (const parser of parsers) parser.free();
    }
  }
});

test("prose in long chunks has the events of each character, in the same order, at any cut", () => {
  const piece = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...PIECES) },
    { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 5 }) },
  );
  // Beginnings and ends of pieces, too.
  const part = fc
    .tuple(piece, fc.nat(300), fc.nat(3))
    .map(([text, at, kind]) =>
      kind === 0 ? text.slice(0, at) : kind === 1 ? text.slice(at % 20) : text,
    );
  fc.assert(
    fc.property(
      fc.array(part, { maxLength: 6 }),
      fc.array(fc.nat(2000), { maxLength: 6 }),
      (parts, at) => {
        const whole = parts.join("");
        const [slow, once, often] = Array.from({ length: 3 }, () => new Parser(OPTIONS));
        const expected = feed(slow, whole);
        assert.deepEqual(new TextFeed(once).feed(whole), expected);
        const pieces = new TextFeed(often);
        const deltas = cut(
          whole,
          at.map((offset) => offset % (whole.length + 1)),
        );
        assert.deepEqual(joined(deltas.flatMap((delta) => pieces.feed(delta))), joined(expected));
        const end = slow.finish();
        assert.deepEqual(once.finish(), end);
        assert.deepEqual(often.finish(), end);
        for (const parser of [slow, once, often]) parser.free();
      },
    ),
    { numRuns: Number(process.env.RUNS ?? 300) },
  );
});

/** Returns the events without the cuts of text and of other tools' calls. */
function joined(events) {
  return events.reduce((all, event) => {
    const last = all.at(-1);
    if (event.type === "text" && last?.type === "text") last.text += event.text;
    else if (event.type === "opaque" && last?.type === "opaque" && !event.start)
      last.raw += event.raw;
    else all.push({ ...event });
    return all;
  }, []);
}

test("prose is fed in as many chunks as a call may begin", () => {
  const chunks = [];
  const parser = { feed: (chunk) => (chunks.push(chunk), [{ type: "text", text: chunk }]) };
  new TextFeed(parser).feed(`${"word and more. ".repeat(1000)}a < b {`);
  assert.deepEqual(chunks, [`${"word and more. ".repeat(1000)}a `, "<", " b ", "{"]);
});
