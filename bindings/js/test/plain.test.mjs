// Events, views, directives and replies are plain data: they can be stored as JSON, and posted to
// another thread.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { Worker } from "node:worker_threads";
import { ArgumentsParser, ResponseParser } from "followup";
import { Dialogue } from "followup/dialogue";
import { cut, run } from "./help.mjs";

const bodies = new URL("../../../tests/wire/bodies/", import.meta.url);
const names = readdirSync(bodies, { recursive: true })
  .map((name) => name.replaceAll("\\", "/"))
  .filter((name) => /\.(?!md$)\w+$/.test(name));

const FORM = JSON.stringify({
  questions: [
    {
      question: "Which one?",
      header: "Store",
      multiSelect: true,
      options: [{ label: "Ä", description: "D" }, { label: "B" }],
    },
  ],
});

/** Asserts that a value is the same after it was posted, and after it was JSON. */
function assertPlain(value) {
  assert.deepStrictEqual(structuredClone(value), value);
  assert.deepStrictEqual(JSON.parse(JSON.stringify(value)), value);
}

test("the events of every golden body are plain data", () => {
  const types = new Set();
  for (const name of names) {
    const bytes = new Uint8Array(readFileSync(new URL(name, bodies)));
    const events = run(
      new ResponseParser(),
      cut(
        bytes,
        Array.from({ length: bytes.length / 7 }, (_, i) => i * 7),
      ),
    );
    assertPlain(events);
    for (const { type } of events) types.add(type);
  }
  assert.deepEqual([...types].sort(), [
    "complete",
    "error",
    "opaque",
    "partial",
    "rejected",
    "text",
  ]);
});

test("views, directives, questions and replies are plain data", () => {
  const [parser, dialogue] = [new ArgumentsParser("AskUserQuestion"), new Dialogue()];
  for (const piece of [...FORM]) {
    for (const event of parser.feed(piece)) assertPlain(dialogue.event(event));
    assertPlain(parser.view() ?? null);
  }
  for (const event of parser.finish()) assertPlain(dialogue.event(event));
  assertPlain(dialogue.question);
  assertPlain(dialogue.answer(0, { type: "form", answers: [{ picked: [1] }] }));
  assertPlain(dialogue.history());
});

test("a parser runs in a worker thread, and its events reach the main one as they are", async () => {
  const worker = new Worker(new URL("./plain-worker.mjs", import.meta.url));
  try {
    const events = await new Promise((resolve, reject) => {
      worker.on("message", resolve);
      worker.on("error", reject);
      worker.postMessage(FORM);
    });
    assert.deepStrictEqual(events, run(new ArgumentsParser("AskUserQuestion"), [FORM]));
  } finally {
    await worker.terminate();
  }
});
