// Tests the store of the React package, and how it reads its source, without React.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { events } from "followup";
import { answerText } from "../dist/react/answer.js";
import { Reading } from "../dist/react/reading.js";
import { FollowupStore } from "../dist/react/store.js";

const body = (name) =>
  readFileSync(new URL(`../../../examples/responses/${name}.sse`, import.meta.url), "utf8");
const CHAT = body("openai-chat");
const FORM = body("anthropic-form");

function pieces(text, size = 40) {
  return text.match(new RegExp(`[^]{1,${size}}`, "g"));
}

/** Waits until the state fulfils a condition. */
function until(store, condition) {
  return new Promise((resolve) => {
    const check = () => condition(store.getState()) && (unsubscribe(), resolve(store.getState()));
    const unsubscribe = store.subscribe(check);
    check();
  });
}

const isOver = ({ status }) => status !== "idle" && status !== "streaming";

/** Reads a source to its end. */
async function readAll(source, options) {
  const reading = new Reading(source, options);
  const leave = reading.subscribe(() => {});
  const state = await until(reading.store, isOver);
  leave();
  return state;
}

async function eventsOf(text, options) {
  const all = [];
  for await (const event of events(pieces(text), options)) all.push(event);
  return all;
}

describe("the state", () => {
  test("holds prose and calls in order", async () => {
    const { status, parts, text, calls, errors } = await readAll(pieces(CHAT));
    assert.deepEqual([status, errors], ["done", []]);
    assert.deepEqual(
      parts.map(({ type }) => type),
      ["text", "call"],
    );
    assert.equal(text, "The export job needs a place to write to.\n");
    assert.equal(parts[0].text, text);
    assert.equal(parts[1].call, calls[0]);
    const [{ state, id, index, tool, questions }] = calls;
    assert.deepEqual([state, id, index, tool], ["open", "call_export", 0, "ask_followup_question"]);
    assert.match(questions[0].text, /^Where should the nightly export go\?/);
    assert.deepEqual(questions[0].suggestions[1], {
      answer: "Into a new table, partitioned by day",
      mode: "architect",
    });
  });

  test("holds all questions of a form", async () => {
    const { calls } = await readAll(pieces(FORM));
    assert.deepEqual(
      calls[0].questions.map(({ header, multiple }) => [header, multiple]),
      [
        ["Store", false],
        ["Sign-in", true],
        ["Rollout", false],
      ],
    );
  });

  test("grows only at its end, and keeps the objects of what has not changed", async () => {
    const store = new FollowupStore();
    let before = store.getState();
    let written = JSON.stringify(before);
    for (const event of [...(await eventsOf(FORM)), { type: "text", text: "Later." }]) {
      store.push([event]);
      const after = await until(store, (state) => state !== before);
      assert.equal(JSON.stringify(before), written, "a state that was given does not change");
      assert.ok(after.text.startsWith(before.text));
      before.calls.forEach((call, i) => {
        call.questions.forEach(({ text, suggestions }, j) => {
          const now = after.calls[i].questions[j];
          assert.ok(now.text.startsWith(text));
          suggestions.forEach(({ answer }, k) =>
            assert.ok(now.suggestions[k].answer.startsWith(answer)),
          );
        });
      });
      if (event.type === "text") assert.equal(after.calls[0], before.calls[0]);
      else assert.equal(after.parts[0], before.parts[0]);
      before = after;
      written = JSON.stringify(before);
    }
    assert.deepEqual(
      before.parts.map(({ type }) => type),
      ["text", "call", "text"],
    );
  });

  test("keeps text that comes while a call grows after the call", async () => {
    const store = new FollowupStore();
    store.push([
      { type: "partial", call: 0, field: "question", questionIndex: 0, delta: "Q" },
      { type: "text", text: "after" },
    ]);
    const { parts } = await until(store, ({ parts }) => parts.length > 0);
    assert.deepEqual(
      parts.map(({ type }) => type),
      ["call", "text"],
    );
    assert.equal(parts[0].call.questions[0].text, "Q");
  });

  test("drops a call instead of which another one counts", async () => {
    const store = new FollowupStore();
    const partial = (call, delta) => ({
      type: "partial",
      call,
      field: "question",
      questionIndex: 0,
      delta,
    });
    const end = {
      tool: "ask_followup_question",
      question: "Tea?",
      suggestions: [],
      start: 0,
      end: 9,
      notes: [],
      noteCodes: [],
    };
    const superseded = {
      ...end,
      type: "rejected",
      call: 0,
      code: "superseded",
      message: "another call counts",
    };
    store.push([
      { type: "text", text: "A" },
      partial(0, "Tea?"),
      { type: "text", text: "B" },
      partial(1, "Tea?"),
    ]);
    await until(store, ({ calls }) => calls.length === 2);
    store.push([superseded, { ...end, type: "complete", call: 1 }, { ...superseded, call: 2 }]);
    const { parts, calls } = await until(store, ({ calls }) => calls.length === 1);
    assert.deepEqual(
      parts.map(({ type }) => type),
      ["text", "text", "call"],
    );
    assert.deepEqual(
      calls.map(({ index, state }) => [index, state]),
      [[1, "open"]],
    );
    store.end();
    assert.equal((await until(store, isOver)).parts.length, 3);
  });

  test("joins the pieces of another tool's call", async () => {
    const piece = (raw, start, id) => ({
      type: "opaque",
      tool: "read_file",
      raw,
      start,
      ...(id && { id }),
    });
    const store = new FollowupStore();
    store.push([
      piece("a", true, "1"),
      piece("x", true, "2"),
      piece("b", false, "1"),
      piece("<r", true),
      piece(">", false),
    ]);
    const { parts } = await until(store, ({ parts }) => parts.length > 0);
    assert.deepEqual(
      parts.map(({ raw, id }) => [raw, id]),
      [
        ["ab", "1"],
        ["x", "2"],
        ["<r>", undefined],
      ],
    );
  });

  test("holds what the provider reports as an error", async () => {
    const { errors, parts, status } = await readAll(['{"error":{"message":"Rate limit reached"}}']);
    assert.deepEqual(
      [errors[0].message, parts[0], status],
      ["Rate limit reached", { type: "error", error: errors[0] }, "done"],
    );
  });

  test("rejects a call that is cut off, whether the stream ends, breaks or is stopped", async () => {
    const half = CHAT.slice(0, CHAT.length / 2);
    async function* broken() {
      yield half;
      throw new Error("connection lost");
    }
    const ended = await readAll([half]);
    const failed = await readAll(broken());
    const reading = new Reading(
      new ReadableStream({ start: (controller) => controller.enqueue(half) }),
    );
    reading.subscribe(() => {});
    await until(reading.store, ({ calls }) => calls[0]?.state === "growing");
    reading.stop();
    const stopped = await until(reading.store, isOver);
    for (const [state, status] of [
      [ended, "done"],
      [failed, "failed"],
      [stopped, "stopped"],
    ]) {
      assert.equal(state.status, status);
      assert.deepEqual([state.calls[0].state, state.calls[0].code], ["rejected", "truncated"]);
      assert.match(state.calls[0].questions[0].text, /^Where/);
    }
    assert.match(failed.error.message, /connection lost/);
  });

  test("keeps the answer to a call, which has to be open", async () => {
    const store = new FollowupStore();
    store.push([{ type: "partial", call: 0, field: "question", questionIndex: 0, delta: "Q" }]);
    assert.throws(() => store.answer(0, { type: "text", text: "too early" }), TypeError);
    assert.throws(() => store.answer(1, { type: "text", text: "no such call" }), TypeError);
    store.push((await eventsOf(CHAT)).filter(({ type }) => type === "complete"));
    for (const [wrong, kind] of [
      [undefined, "undefined"],
      [null, "null"],
      ["yes", "string"],
      [{ type: "yes" }, "object"],
    ]) {
      const message = `answer: an object with the type text, suggestion, edited or form was expected, not ${kind}`;
      assert.throws(() => store.answer(0, wrong), { name: "TypeError", message });
    }
    store.answer(0, { type: "suggestion", suggestion: 1 });
    const { calls } = await until(store, ({ calls }) => calls[0]?.state === "answered");
    assert.deepEqual(calls[0].answer, { type: "suggestion", suggestion: 1 });
    assert.throws(() => store.answer(0, { type: "suggestion", suggestion: 0 }), TypeError);
  });

  test("keeps the images of an answer, and that a call was left unanswered, declined, or is talked about first", async () => {
    const call = "<ask_followup_question><question>Q?</question></ask_followup_question>";
    const store = new FollowupStore();
    store.push(await eventsOf(call.repeat(5), { format: "text" }));
    store.answer(0, { type: "text", text: "" }, ["data:image/png;base64,AA=="]);
    store.cancel(1);
    store.decline(2);
    store.discuss(3, [{ text: "So far" }]);
    store.discuss(4);
    const { calls } = await until(store, ({ calls }) => calls[4]?.state === "discussed");
    assert.deepEqual(
      calls.map(({ state, images, answers }) => [state, images, answers]),
      [
        ["answered", ["data:image/png;base64,AA=="], undefined],
        ["cancelled", undefined, undefined],
        ["declined", undefined, undefined],
        ["discussed", undefined, [{ text: "So far" }]],
        ["discussed", undefined, []],
      ],
    );
    for (const again of [
      () => store.cancel(3),
      () => store.discuss(0),
      () => store.cancel(1),
      () => store.decline(0),
      () => store.answer(2, { type: "text", text: "" }),
    ]) {
      assert.throws(again, TypeError);
    }
  });

  test("is given to listeners once for all events of a frame", async () => {
    const store = new FollowupStore();
    let calls = 0;
    store.subscribe(() => calls++);
    for (const event of await eventsOf(FORM)) store.push([event]);
    await until(store, ({ calls }) => calls.length > 0);
    assert.equal(calls, 1);
  });

  test("is given in a page that is hidden, too, which has no frames", (t) => {
    t.mock.timers.enable({ apis: ["setTimeout"] });
    const frames = [];
    globalThis.requestAnimationFrame = (run) => frames.push(run);
    globalThis.cancelAnimationFrame = (number) => delete frames[number - 1];
    try {
      const store = new FollowupStore();
      let calls = 0;
      store.subscribe(() => calls++);
      store.push([{ type: "text", text: "one" }]);
      t.mock.timers.tick(1000);
      assert.deepEqual([store.getState().text, calls, Object.keys(frames)], ["one", 1, []]);
      store.push([{ type: "text", text: " two" }]);
      assert.equal(store.getState().text, "one");
      frames.at(-1)();
      t.mock.timers.tick(1000);
      assert.deepEqual([store.getState().text, calls], ["one two", 2]);
    } finally {
      // Not every runtime does it at the end of a test.
      delete globalThis.requestAnimationFrame;
      delete globalThis.cancelAnimationFrame;
      t.mock.timers.reset();
    }
  });

  test("rejects a value that is no event, and keeps the events before it", async () => {
    for (const [wrong, kind] of [
      [5, "number"],
      [null, "null"],
      [{ type: "txt" }, "object"],
      [new ArrayBuffer(1), "object"],
    ]) {
      const store = new FollowupStore();
      const message = `event: an event of a parser was expected, not ${kind}`;
      assert.throws(() => store.push([{ type: "text", text: "A" }, wrong]), {
        name: "TypeError",
        message,
      });
      assert.equal((await until(store, ({ text }) => text !== "")).text, "A");
    }
  });

  test("ignores what comes after the end", async () => {
    const store = new FollowupStore();
    store.end();
    store.push([{ type: "text", text: "late" }]);
    const state = await until(store, isOver);
    assert.deepEqual([state.status, state.text], ["done", ""]);
  });
});

describe("a source", () => {
  test("is a response, a stream, anything that can be iterated, a promise, or a function", async () => {
    const expected = await readAll(pieces(CHAT));
    const bytes = () => pieces(CHAT).map((text) => new TextEncoder().encode(text));
    const sources = [
      new Response(CHAT),
      ReadableStream.from(bytes()),
      events(pieces(CHAT)),
      bytes(),
      CHAT,
      Promise.resolve(new Response(CHAT)),
      () => new Response(CHAT),
      async () => bytes(),
      await eventsOf(CHAT),
    ];
    for (const source of sources) assert.deepEqual(await readAll(source), expected);
  });

  test("is read with its options", async () => {
    const { status, error } = await readAll([CHAT], { format: "none" });
    assert.equal(status, "failed");
    assert.ok(error instanceof TypeError);
  });

  test("is cancelled and its signal aborted after the last listener has left", async () => {
    const seen = {};
    const source = (signal) => {
      seen.signal = signal;
      return new ReadableStream({
        start: (controller) => controller.enqueue(CHAT.slice(0, 900)),
        cancel: () => void (seen.cancelled = true),
      });
    };
    const reading = new Reading(source);
    const leave = [reading.subscribe(() => {}), reading.subscribe(() => {})];
    await until(reading.store, ({ text }) => text !== "");
    leave[0]();
    await new Promise((resolve) => setTimeout(resolve, 0));
    assert.equal(seen.signal.aborted, false);
    leave[1]();
    const { status } = await until(reading.store, isOver);
    assert.deepEqual([status, seen.signal.aborted, seen.cancelled], ["stopped", true, true]);
  });

  test("is read on if a listener leaves and comes back at once", async () => {
    let begun = 0;
    const reading = new Reading(() => (begun++, ReadableStream.from(pieces(CHAT))));
    reading.subscribe(() => {})();
    reading.subscribe(() => {});
    const { status } = await until(reading.store, isOver);
    assert.deepEqual([status, begun], ["done", 1]);
  });

  test("is not read before somebody listens", async () => {
    let begun = 0;
    const reading = new Reading(() => (begun++, [CHAT]));
    assert.equal(reading.store.getState().status, "idle");
    assert.equal(begun, 0);
  });

  test("that arrives after everybody has left is cancelled", async () => {
    let [resolve, cancelled] = [() => {}, false];
    const reading = new Reading(new Promise((done) => (resolve = done)));
    reading.subscribe(() => {})();
    await until(reading.store, isOver);
    resolve(new ReadableStream({ cancel: () => void (cancelled = true) }));
    await new Promise((done) => setTimeout(done, 0));
    assert.ok(cancelled);
  });

  test("fails with a chunk that is no text, no bytes and no event", async () => {
    for (const wrong of [5, null, new ArrayBuffer(1)]) {
      const { status, error } = await readAll([CHAT, wrong]);
      assert.equal(status, "failed");
      assert.ok(error instanceof TypeError);
      assert.match(
        error.message,
        /^chunk: a string, a Uint8Array or an event was expected, not (number|null|object)$/,
      );
    }
  });

  test("that can't be had fails", async () => {
    const { status, error } = await readAll(Promise.reject(new Error("offline")));
    assert.deepEqual([status, error.message], ["failed", "offline"]);
  });
});

test("an answer to a form as text has what was picked, the user's words, and the note", () => {
  const questions = [
    { text: "Tea?", suggestions: [{ answer: "Black" }, { answer: "Green" }] },
    { text: "When?", suggestions: [] },
  ];
  const answers = [{ picked: [1], text: "or white", note: "no milk" }, { text: "Now" }];
  const text = "Tea?\nGreen\nor white\nno milk\n\nWhen?\nNow";
  assert.equal(answerText(questions, { type: "form", answers }), text);
});
