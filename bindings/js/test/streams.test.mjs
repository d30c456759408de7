import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { events, FollowupStream } from "followup";

const BODY =
  'data: {"choices":[{"delta":{"content":"Hi. "}}]}\n\n' +
  'data: {"choices":[{"delta":{"content":"<ask_followup_question><question>Tea?</question></ask_followup_question>"}}]}\n\n' +
  "data: [DONE]\n\n";

function chunks() {
  return Array.from({ length: Math.ceil(BODY.length / 11) }, (_, i) => BODY.slice(i * 11, i * 11 + 11));
}

async function all(source, options) {
  const taken = [];
  for await (const event of events(source, options)) taken.push(event);
  return taken;
}

describe("events", () => {
  test("reads a response, a stream, and anything that can be iterated", async () => {
    const expected = await all([BODY]);
    assert.equal(expected.at(-1).question, "Tea?");
    const bytes = () => chunks().map((chunk) => new TextEncoder().encode(chunk));
    async function* later() {
      yield* chunks();
    }
    const ends = (taken) => taken.filter(({ type }) => type === "complete");
    for (const source of [new Response(BODY), ReadableStream.from(bytes()), later(), chunks(), bytes()]) {
      assert.deepEqual(ends(await all(source)), ends(expected));
    }
  });

  test("ends with the signal's reason", async () => {
    const abort = new AbortController();
    const endless = new ReadableStream({ pull: (controller) => controller.enqueue(new TextEncoder().encode(BODY)) });
    await assert.rejects(async () => {
      for await (const event of events(endless, { signal: abort.signal })) {
        if (event.type === "complete") abort.abort(new Error("enough"));
      }
    }, /enough/);
  });

  test("cancels the source if the loop is left, and reads no further than it is asked to", async () => {
    let [pulled, cancelled] = [0, false];
    const source = new ReadableStream(
      {
        pull(controller) {
          pulled += 1;
          controller.enqueue(new TextEncoder().encode(BODY));
        },
        cancel() {
          cancelled = true;
        },
      },
      { highWaterMark: 0 },
    );
    for await (const event of events(source)) {
      if (event.type === "complete") break;
    }
    assert.deepEqual([pulled, cancelled], [1, true]);
  });
});

describe("FollowupStream", () => {
  test("turns chunks into events", async () => {
    const taken = [];
    for await (const event of ReadableStream.from(chunks()).pipeThrough(new FollowupStream())) taken.push(event);
    assert.equal(taken.at(-1).question, "Tea?");
  });
});
