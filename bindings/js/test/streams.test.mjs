// Tests `events` and `FollowupStream`: sources, backpressure, abort signals and cleanup.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { events, FollowupStream } from "followup";
import { openParsers } from "./open-parsers.mjs";

const BODY =
  'data: {"choices":[{"delta":{"content":"Hi. "}}]}\n\n' +
  'data: {"choices":[{"delta":{"content":"<ask_followup_question><question>Tea?</question>' +
  '</ask_followup_question>"}}]}\n\n' +
  "data: [DONE]\n\n";

function chunks() {
  return Array.from({ length: Math.ceil(BODY.length / 11) }, (_, i) =>
    BODY.slice(i * 11, i * 11 + 11),
  );
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
    for (const source of [
      new Response(BODY),
      ReadableStream.from(bytes()),
      later(),
      chunks(),
      bytes(),
    ]) {
      assert.deepEqual(ends(await all(source)), ends(expected));
    }
  });

  test("ends with the signal's reason", async () => {
    const abort = new AbortController();
    const endless = new ReadableStream({
      pull: (controller) => controller.enqueue(new TextEncoder().encode(BODY)),
    });
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

describe("events with a signal", () => {
  const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

  /** Returns what became of a loop that has to end soon. */
  async function outcome(source, options) {
    let timer;
    const late = new Promise((resolve) => (timer = setTimeout(resolve, 2000, "still waiting")));
    const ended = await Promise.race([all(source, options).catch((error) => error.message), late]);
    clearTimeout(timer);
    return ended;
  }

  /** Returns a signal that is aborted once what has begun waits. */
  function abortedSoon() {
    const abort = new AbortController();
    setTimeout(() => abort.abort(new Error("enough")), 20);
    return abort.signal;
  }

  test("causes no unhandled rejection where the signal has broken the source, as it does fetch's response", async () => {
    const unhandled = [];
    const note = (reason) => unhandled.push(reason);
    process.on("unhandledRejection", note);
    const signal = abortedSoon();
    const source = new ReadableStream({
      start: (controller) =>
        signal.addEventListener("abort", () => controller.error(signal.reason)),
    });
    assert.equal(await outcome(source, { signal }), "enough");
    await nextTurn();
    await nextTurn();
    process.off("unhandledRejection", note);
    assert.deepEqual(unhandled, []);
  });

  test("ends while a stream waits, without the events of an end", async () => {
    let reason;
    const half = BODY.slice(0, BODY.indexOf("</question>"));
    const start = (controller) => controller.enqueue(`${half}"}}]}\n\n`);
    const source = new ReadableStream({ start, cancel: (given) => void (reason = given) });
    const taken = [];
    const loop = (async () => {
      for await (const event of events(source, { signal: abortedSoon() })) taken.push(event.type);
    })();
    await assert.rejects(loop, /^Error: enough$/);
    assert.equal(reason.message, "enough");
    assert.ok(!taken.includes("rejected"), taken.join());
  });

  test("ends while an iterable waits, and lets go of it", async () => {
    let returned = 0;
    const never = new Promise(() => {});
    const byHand = {
      [Symbol.asyncIterator]: () => ({ next: () => never, return: () => (returned++, never) }),
    };
    assert.equal(await outcome(byHand, { signal: abortedSoon() }), "enough");
    assert.equal(returned, 1);
    async function* stalled() {
      await never;
    }
    assert.equal(await outcome(stalled(), { signal: abortedSoon() }), "enough");
  });

  test("ends if the source aborts the signal itself while it is asked for a chunk", async () => {
    const abort = new AbortController();
    const next = () => {
      abort.abort(new Error("enough"));
      return new Promise(() => {});
    };
    assert.equal(
      await outcome({ [Symbol.asyncIterator]: () => ({ next }) }, { signal: abort.signal }),
      "enough",
    );
  });

  test("cancels the source at once, also while the loop is busy with an event", async () => {
    let isCancelled = false;
    const source = new ReadableStream({
      pull: (controller) => controller.enqueue(BODY),
      cancel: () => void (isCancelled = true),
    });
    const abort = new AbortController();
    const loop = events(source, { signal: abort.signal });
    await loop.next();
    abort.abort(new Error("enough"));
    assert.ok(isCancelled);
    await loop.return();
  });

  /**
   * Returns the types of the events of a source, of which the first of this type aborts, and how
   * the loop ends.
   */
  async function abortedAt(source, type) {
    const abort = new AbortController();
    const taken = [];
    try {
      for await (const event of events(source, { signal: abort.signal })) {
        taken.push(event.type);
        if (event.type === type) abort.abort(new Error("enough"));
      }
      return [taken, "ended"];
    } catch (error) {
      return [taken, error.message];
    }
  }

  test("gives no event after the signal, not even one of the same chunk", async () => {
    assert.deepEqual(await abortedAt([BODY], "partial"), [["text", "partial"], "enough"]);
    assert.deepEqual(await abortedAt([BODY], "complete"), [
      ["text", "partial", "complete"],
      "enough",
    ]);
  });

  test("gives no event of the end after the signal, and throws after the last one as well", async () => {
    // What has no empty line after it is read at the end.
    const source = [BODY.slice(0, BODY.indexOf("\n\ndata: [DONE]"))];
    const whole = ["text", "partial", "complete"];
    assert.deepEqual(
      (await all(source)).map(({ type }) => type),
      whole,
    );
    assert.deepEqual(await abortedAt(source, "partial"), [["text", "partial"], "enough"]);
    assert.deepEqual(await abortedAt(source, "complete"), [whole, "enough"]);
  });

  test("cancels the source if the signal is aborted already, or an option is wrong", async () => {
    for (const [options, message] of [
      [{ signal: AbortSignal.abort(new Error("before")) }, /^before$/],
      [{ strickt: true }, /is no option/],
    ]) {
      let [isCancelled, isReturned] = [false, false];
      const stream = () => new ReadableStream({ cancel: () => void (isCancelled = true) });
      for (const source of [stream(), new Response(stream())]) {
        isCancelled = false;
        assert.match(await outcome(source, options), message);
        assert.ok(isCancelled);
      }
      const byHand = {
        [Symbol.iterator]: () => ({
          next: () => assert.fail("was read"),
          return: () => ((isReturned = true), {}),
        }),
      };
      assert.match(await outcome(byHand, options), message);
      assert.ok(isReturned);
    }
  });

  describe("that have not started", () => {
    /** Returns a stream, and a list with what it was cancelled with. */
    function endless() {
      const cancelled = [];
      const pull = (controller) => controller.enqueue(new TextEncoder().encode("Hi. "));
      return [
        new ReadableStream({ pull, cancel: (reason) => void cancelled.push(reason) }),
        cancelled,
      ];
    }

    test(
      "cancel their source when they are ended, but do not wait for it",
      { timeout: 10_000 },
      async () => {
        for (const end of [
          (generator) => generator.return(),
          (generator) =>
            generator
              .throw(new Error("mine"))
              .catch(({ message }) => assert.equal(message, "mine")),
          (generator) => ReadableStream.from(generator).cancel(),
        ]) {
          openParsers.clear();
          const [source, cancelled] = endless();
          const generator = events(source);
          await end(generator);
          assert.equal(cancelled.length, 1);
          assert.equal(openParsers.size, 0);
          assert.deepEqual(await generator.next(), { value: undefined, done: true });
        }
        const stuck = new ReadableStream({ cancel: () => new Promise(() => {}) });
        assert.deepEqual(await events(stuck).return("left"), { done: true, value: "left" });
        let isClosed = false;
        const iterable = {
          [Symbol.iterator]: () => ({
            next: () => ({ value: "a" }),
            return: () => ((isClosed = true), {}),
          }),
        };
        await events(iterable).return();
        assert.ok(isClosed);
      },
    );

    test("cancel their source with the signal, and throw its reason", async () => {
      const abort = new AbortController();
      const [source, cancelled] = endless();
      const generator = events(source, { signal: abort.signal });
      abort.abort("enough");
      await new Promise((resolve) => setImmediate(resolve));
      assert.deepEqual(cancelled, ["enough"]);
      await assert.rejects(generator.next(), (reason) => reason === "enough");
    });

    test("are refused at once if an option is wrong or there is no source", async () => {
      const [source, cancelled] = endless();
      assert.throws(() => events(source, { strict: 1 }), /strict: a boolean was expected/);
      assert.throws(() => events(3), /a Response, a ReadableStream or an iterable was expected/);
      await new Promise((resolve) => setImmediate(resolve));
      assert.equal(cancelled.length, 1);
    });
  });

  test(
    "cancels a source that stalls when it is left, and ends the wait for it",
    { timeout: 10_000 },
    async () => {
      let isCancelled = false;
      const stalled = new ReadableStream({
        start: (controller) => controller.enqueue(BODY.slice(0, 60)),
        cancel: () => void (isCancelled = true),
      });
      async function* stuck() {
        yield BODY.slice(0, 60);
        await new Promise(() => {});
      }
      for (const source of [stalled, stuck()]) {
        openParsers.clear();
        const iterator = events(source);
        assert.deepEqual(await iterator.next(), {
          done: false,
          value: { type: "text", text: "Hi. " },
        });
        const pending = iterator.next();
        await new Promise((resolve) => setImmediate(resolve));
        assert.deepEqual(await iterator.return("left"), { done: true, value: "left" });
        assert.deepEqual(await pending, { done: true, value: undefined });
        assert.equal(openParsers.size, 0);
      }
      assert.ok(isCancelled);
    },
  );

  test(
    "ends the wait for a source that stalls when an error is thrown into it",
    { timeout: 10_000 },
    async () => {
      openParsers.clear();
      const stalled = new ReadableStream({
        start: (controller) => controller.enqueue(BODY.slice(0, 60)),
      });
      const iterator = events(stalled);
      await iterator.next();
      const pending = iterator.next();
      await new Promise((resolve) => setImmediate(resolve));
      await assert.rejects(iterator.throw(new Error("thrown")), /^Error: thrown$/);
      assert.deepEqual(await pending, { done: true, value: undefined });
      assert.equal(openParsers.size, 0);
    },
  );

  test("waits for what an iterable does when the loop is left, and asks nothing of one that has ended", async () => {
    let isClean = false;
    async function* source() {
      try {
        yield* [BODY, BODY];
      } finally {
        await nextTurn();
        isClean = true;
      }
    }
    for await (const event of events(source())) if (event.type === "text") break;
    assert.ok(isClean);
    const chunks = [BODY].values();
    await all({
      [Symbol.iterator]: () => ({
        next: () => chunks.next(),
        return: () => assert.fail("it had ended"),
      }),
    });
    await assert.rejects(
      all(
        (async function* () {
          yield BODY;
          throw new Error("lost");
        })(),
      ),
      /^Error: lost$/,
    );
  });
});

describe("FollowupStream", () => {
  test("turns chunks into events", async () => {
    const taken = [];
    for await (const event of ReadableStream.from(chunks()).pipeThrough(new FollowupStream()))
      taken.push(event);
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
        for await (const event of ReadableStream.from(chunks()).pipeThrough(new FollowupStream()))
          taken.push(event.type);
      };
      await (broken ? assert.rejects(read, /^Error: connection lost$/) : read());
      assert.deepEqual(
        taken.includes("rejected"),
        !broken,
        "an open call is rejected only by an end",
      );
    }
  });

  test("reads at most one chunk more than its reader asks for", async () => {
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
    await assert.rejects(events.getReader().read(), {
      name: "TypeError",
      message: /a string or a Uint8Array was expected/,
    });
  });

  test("frees its parser however it ends", async () => {
    // Not every engine tells a transformer that it was cancelled; there the parser is collected.
    let tells = false;
    await new TransformStream({ cancel: () => void (tells = true) }).readable.cancel();
    openParsers.clear();
    const read = async (source) => {
      for await (const event of source.pipeThrough(new FollowupStream())) void event;
    };
    await read(ReadableStream.from([BODY]));
    assert.equal(openParsers.size, 0, "the end");
    await assert.rejects(read(ReadableStream.from([BODY, 7])), TypeError);
    assert.equal(openParsers.size, 0, "a wrong chunk");
    if (!tells) return;
    const reader = endless().source.pipeThrough(new FollowupStream()).getReader();
    await reader.read();
    assert.equal(openParsers.size, 1);
    await reader.cancel();
    assert.equal(openParsers.size, 0, "a reader that cancels");
    let pulled = 0;
    const broken = new ReadableStream({
      pull: (controller) =>
        pulled++ === 0 ? controller.enqueue(BODY) : controller.error(new Error("lost")),
    });
    await assert.rejects(read(broken), /lost/);
    assert.equal(openParsers.size, 0, "a source that breaks");
  });
});
