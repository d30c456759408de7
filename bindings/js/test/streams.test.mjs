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

  /** Returns a source that never ends, and what happens to it. */
  function endless() {
    const seen = { pulled: 0 };
    seen.reason = new Promise((resolve) => (seen.cancel = resolve));
    const source = new ReadableStream(
      {
        pull(controller) {
          seen.pulled += 1;
          controller.enqueue(BODY);
        },
        cancel: seen.cancel,
      },
      { highWaterMark: 0 },
    );
    return { source, seen };
  }

  test("cancels its source with the reader's reason", async () => {
    const { source, seen } = endless();
    const reader = source.pipeThrough(new FollowupStream()).getReader();
    assert.equal((await reader.read()).value.type, "text");
    await reader.cancel("enough");
    assert.equal(await seen.reason, "enough");
    assert.deepEqual(await reader.read(), { done: true, value: undefined });
  });

  test("ends with the error of its source, without the events of an end", async () => {
    const half = BODY.slice(0, BODY.indexOf("</question>"));
    for (const broken of [false, true]) {
      async function* chunks() {
        yield `${half}"}}]}\n\n`;
        if (broken) throw new Error("connection lost");
      }
      const taken = [];
      const read = async () => {
        for await (const event of ReadableStream.from(chunks()).pipeThrough(new FollowupStream())) taken.push(event.type);
      };
      await (broken ? assert.rejects(read, /^Error: connection lost$/) : read());
      assert.deepEqual(taken.includes("rejected"), !broken, "an open call is rejected only by an end");
    }
  });

  test("reads no further than its reader asks", async () => {
    const { source, seen } = endless();
    const reader = source.pipeThrough(new FollowupStream()).getReader();
    // Longer than any source that is read ahead would wait.
    const settled = async () => {
      for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
    };
    await settled();
    const before = seen.pulled;
    assert.ok(before <= 1, `${before} chunks were read before anybody asked`);
    await reader.read();
    await settled();
    const once = seen.pulled;
    assert.ok(once <= 2, `${once} chunks were read for one event`);
    await settled();
    assert.equal(seen.pulled, once);
    await reader.cancel();
  });

  test("ends with an error for a chunk that is neither text nor bytes", async () => {
    const events = ReadableStream.from([7]).pipeThrough(new FollowupStream());
    await assert.rejects(events.getReader().read(), { name: "TypeError", message: /a string or a Uint8Array was expected/ });
  });
});
