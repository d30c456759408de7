// Nothing aborts the instance of the module.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { describe, test } from "node:test";
import fc from "fast-check";
import { ArgumentsParser, Parser, ResponseParser } from "followup";
import { Dialogue, DialogueError, messages } from "followup/dialogue";

// `RUNS=3000 node --test test/robust.test.mjs` is the long run.
const RUNS = Number(process.env.RUNS ?? 100);

/** All formats of providers: each has golden bodies. */
const FORMATS = readdirSync(new URL("../../../tests/wire/bodies/", import.meta.url)).filter(
  (name) => !name.includes("."),
);

const shapes = new URL("../../../src/shape/tools/", import.meta.url);
const shapeTexts = readdirSync(shapes).map((name) => readFileSync(new URL(name, shapes), "utf8"));

/** A text in which something is missing or added. */
const damaged = (text, insert) =>
  fc.tuple(text, fc.nat(), fc.nat(20), insert).map(([text, at, removed, added]) => {
    const index = at % (text.length + 1);
    return text.slice(0, index) + added + text.slice(index + removed);
  });

const anyText = fc.string({ unit: "binary" });
const half = fc.constantFrom("\ud83d", "\ude00");
const pieces = fc.constantFrom(
  "<ask_followup_question>",
  "<question>",
  "</question>",
  "<follow_up>",
  "<suggest mode='a'>",
  "</suggest>",
  "</follow_up>",
  "</ask_followup_question>",
  "<tool_call>",
  "</tool_call>",
  '{"name": "AskUserQuestion", "arguments": {',
  '"questions": [{"question": "Q',
  '"',
  "{",
  "}",
  "[",
  "]",
  "\\u00",
  "\\",
  "&lt;",
  "&#x1F600;",
  "```\n",
  "<think>",
  "<|tool_calls_section_begin|>",
  'data: {"choices":[{"delta":{"content":"',
  "\n\n",
  "event: content_block_delta\ndata: ",
  '{"type":"content_block_start","index":0',
  "[".repeat(100_000),
  '{"a":'.repeat(20_000),
  "<suggest>".repeat(2000),
);
const chunk = fc.oneof(
  { weight: 4, arbitrary: pieces },
  { weight: 1, arbitrary: anyText },
  { weight: 1, arbitrary: half },
  { weight: 1, arbitrary: fc.uint8Array() },
);
const chunks = fc.array(chunk, { maxLength: 12 });

/** Returns options in which each list has some of these names, and each limit is one of these. */
function optionsOf(names, shapes, limit, extra) {
  const limits = [
    "question",
    "answer",
    "suggestions",
    "tag",
    "unconfirmed",
    "questions",
    "header",
    "description",
    ...extra,
  ];
  const some = (name) => fc.array(name, { maxLength: 2 });
  const all = {
    strict: fc.boolean(),
    outsideCode: fc.boolean(),
    decodeEntities: fc.boolean(),
    envelopes: some(names),
    shapes: some(shapes),
  };
  const tools = fc.record({ tools: some(names), parameters: some(names) });
  return fc.record(
    { ...all, tools, limits: fc.dictionary(fc.constantFrom(...limits), limit, { maxKeys: 2 }) },
    { requiredKeys: [] },
  );
}

const good = optionsOf(
  fc.constantFrom("default", "all", "hermes", "kimi"),
  fc.constantFrom("claude", "codex", ...shapeTexts),
  fc.oneof(fc.constantFrom(0, 1, 3, 2 ** 31 - 1, 2 ** 31), fc.nat()),
  [],
).map(({ tools, ...rest }) => rest);
const wrong = optionsOf(
  fc.oneof(anyText, fc.constantFrom("default", "deploy", "question", "")),
  fc.oneof(anyText, damaged(fc.constantFrom(...shapeTexts), anyText)),
  fc.oneof(fc.double(), anyText, fc.nat()),
  ["event", "openCalls", "arguments"],
);
const options = fc.oneof(
  { weight: 6, arbitrary: good },
  { weight: 3, arbitrary: wrong },
  { weight: 1, arbitrary: fc.anything() },
);

/**
 * Runs a function, which may throw a `TypeError` but nothing else. Returns `undefined` if it does.
 */
function tried(run) {
  try {
    return run();
  } catch (error) {
    assert.ok(
      error instanceof TypeError || error instanceof DialogueError,
      String(error?.stack ?? error),
    );
    return undefined;
  }
}

/** Asserts that the instance still works. */
function assertWorks() {
  const parser = new Parser();
  const question = "<ask_followup_question><question>Tea?</question></ask_followup_question>";
  assert.equal(parser.feed(question).at(-1).question, "Tea?");
  parser.free();
}

/**
 * Feeds chunks, and continues from a checkpoint in the middle. Returns `false` if the options are
 * wrong.
 */
function use(create, chunks) {
  let parser = tried(() => create());
  if (parser === undefined) return false;
  for (const [index, chunk] of chunks.entries()) {
    parser.feed(chunk);
    parser.view();
    if (index === chunks.length >> 1) {
      const resumed = create(parser.checkpoint());
      parser.free();
      parser = resumed;
    }
  }
  parser.finish();
  parser.free();
  return true;
}

describe("no input aborts the instance", () => {
  test("options, chunks, and checkpoints in between", () => {
    const kinds = fc.constantFrom(
      (options, stored) => new Parser(options, stored),
      (options, stored) => new ArgumentsParser("ask_followup_question", options, stored),
      (options, stored) => new ArgumentsParser("AskUserQuestion", options, stored),
      (options, stored) => new ResponseParser(options, stored),
      ...FORMATS.map(
        (format) => (options, stored) =>
          new ResponseParser(
            typeof options === "object" && options ? { ...options, format } : options,
            stored,
          ),
      ),
    );
    let used = 0;
    fc.assert(
      fc.property(kinds, options, chunks, (kind, options, chunks) => {
        if (use((stored) => kind(options, stored), chunks)) used += 1;
        assertWorks();
      }),
      { numRuns: RUNS },
    );
    assert.equal(FORMATS.length, 13);
    assert.ok(used > RUNS / 3, `only ${used} of ${RUNS} had options that are right`);
  });

  test("bytes as a checkpoint, also of a real one that was damaged", () => {
    const parser = new Parser();
    parser.feed("<ask_followup_question><question>Which one?</question><suggest mode='a'>One");
    const real = parser.checkpoint();
    const response = new ResponseParser({ format: "anthropic" }).checkpoint();
    const changes = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 4 });
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 300 }),
      fc.tuple(fc.constantFrom(real, response), changes, fc.nat()).map(([stored, changes, end]) => {
        const bytes = stored.slice(0, end % 2 === 0 ? stored.length : end % stored.length);
        for (const [at, byte] of changes) if (bytes.length > 0) bytes[at % bytes.length] = byte;
        return bytes;
      }),
    );
    fc.assert(
      fc.property(bytes, (bytes) => {
        for (const create of [
          () => new Parser({}, bytes),
          () => new ArgumentsParser("AskUserQuestion", {}, bytes),
          () => new ResponseParser({}, bytes),
        ]) {
          const parser = tried(create);
          parser?.feed("a</suggest></ask_followup_question>");
          parser?.free();
        }
        assertWorks();
      }),
      { numRuns: RUNS },
    );
  });

  test("what a dialogue is given", () => {
    const event = fc.oneof(
      fc.anything(),
      fc.record(
        {
          type: fc.constantFrom("complete", "rejected"),
          question: anyText,
          suggestions: fc.array(fc.anything()),
          shape: anyText,
          questions: fc.array(fc.anything()),
          tool: anyText,
          code: anyText,
          message: anyText,
        },
        { requiredKeys: ["type"] },
      ),
      fc.record({
        type: fc.constant("complete"),
        question: anyText,
        suggestions: fc.array(fc.record({ answer: anyText })),
        tool: anyText,
      }),
    );
    const answer = fc.oneof(
      fc.anything(),
      fc.record({
        type: fc.constantFrom("text", "suggestion", "edited", "form"),
        text: anyText,
        suggestion: fc.oneof(fc.nat(3), fc.double()),
        answers: fc.array(fc.record({ picked: fc.array(fc.nat(3)) }, { requiredKeys: [] })),
      }),
    );
    fc.assert(
      fc.property(
        fc.anything(),
        fc.array(event),
        fc.array(answer),
        fc.array(fc.anything()),
        (options, events, answers, images) => {
          tried(() => new Dialogue(options))?.free();
          const dialogue = new Dialogue({ mistakeLimit: 0 });
          for (const event of events) tried(() => dialogue.event(event));
          for (const [number, answer] of answers.entries()) {
            const reply =
              tried(() => dialogue.answer(number, answer, images)) ??
              tried(() => dialogue.answer(number, answer));
            if (reply) assert.ok(Array.isArray(messages(reply, "anthropic")));
          }
          const replayed = new Dialogue({ mistakeLimit: 0, history: dialogue.history() });
          assert.deepEqual(replayed.history(), dialogue.history());
          replayed.free();
          dialogue.free();
        },
      ),
      { numRuns: RUNS },
    );
  });
});
