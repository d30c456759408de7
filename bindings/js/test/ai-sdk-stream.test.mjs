// Tests what the middleware passes through, and how its streams end, fail and are cancelled.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { followup } from "followup/ai-sdk";
import {
  ASK,
  block,
  CLAUDE,
  contentOf,
  finish,
  joined,
  middleware,
  native,
  OTHER,
  regenerate,
  rewrite,
} from "./ai-sdk-help.mjs";
import { assertLaws } from "./ai-sdk-laws.mjs";
import { openParsers } from "./open-parsers.mjs";

const CALL = "<ask_followup_question><question>Tea?</question></ask_followup_question>";
const INPUT = '{"question":"Tea?","follow_up":[]}';

const types = (parts) => parts.map(({ type }) => type);
const call = (parts) => parts.find(({ type }) => type === "tool-call");

describe("the middleware", () => {
  test("leaves a stream alone if no question tool may be called", async () => {
    const parts = [...block([CALL]), finish()];
    assert.deepEqual(await rewrite(parts, { tools: [OTHER] }), parts);
    assert.deepEqual(await rewrite(parts, { tools: [] }), parts);
    assert.deepEqual(await rewrite(parts, { toolChoice: { type: "none" } }), parts);
    assert.deepEqual(await rewrite(parts, { tools: [{ ...ASK, type: "provider" }] }), parts);
  });

  test("keeps a call as text if the caller does not have its tool", async () => {
    const got = await rewrite([...block([`A ${CALL} B`]), finish()], { tools: [CLAUDE] });
    assert.deepEqual(contentOf(got).content, [{ type: "text", text: `A ${CALL} B` }]);
    const other = '<tool_call>{"name": "read_file", "arguments": {"path": "/a"}}</tool_call>';
    assert.deepEqual(contentOf(await rewrite([...block([other]), finish()])).content, [
      { type: "text", text: other },
    ]);
  });

  test("passes other parts through, errors too", async () => {
    const others = [
      { type: "stream-start", warnings: [] },
      { type: "response-metadata", id: "r" },
      { type: "reasoning-start", id: "t" },
      { type: "reasoning-delta", id: "t", delta: CALL },
      { type: "reasoning-end", id: "t" },
      { type: "ping" },
      { type: "raw", rawValue: 1 },
      { type: "custom", kind: "a.b" },
      { type: "reasoning-file", mediaType: "image/png", data: { type: "data", data: "AA==" } },
      { type: "error", error: "overloaded" },
      ...native("read_file", ['{"path":', ' "/a"}']),
      { type: "tool-result", toolCallId: "n", toolName: "read_file", result: 1 },
      { type: "text-delta", id: "unknown", delta: CALL },
      { type: "text-end", id: "unknown" },
    ];
    assert.deepEqual(await rewrite([...others, finish()]), [...others, finish()]);
  });

  test("keeps the metadata of the provider", async () => {
    const providerMetadata = { p: { a: 1 } };
    const marked = [
      ...block(["A ", CALL]),
      ...native("ask_followup_question", ['{"question":"Milk?"}']),
    ];
    const got = await rewrite([...marked.map((part) => ({ ...part, providerMetadata })), finish()]);
    assert.deepEqual(types(got.filter((part) => part.providerMetadata)), [
      "text-start",
      "text-delta",
      "text-end",
      "tool-input-start",
      "tool-input-delta",
      "tool-input-end",
      "tool-call",
    ]);
    const { content } = await regenerate([{ type: "text", text: `A ${CALL}`, providerMetadata }]);
    assert.deepEqual(content[0], { type: "text", text: "A ", providerMetadata });
  });

  test("keeps the metadata of a part of text that does not come out, on the next one of its block", async () => {
    const [one, two] = [
      { google: { thoughtSignature: "s" } },
      { google: { other: 2 }, p: { a: 1 } },
    ];
    const both = { google: { thoughtSignature: "s", other: 2 }, p: { a: 1 } };
    const delta = (delta, providerMetadata) => ({
      type: "text-delta",
      id: "t",
      delta,
      ...(providerMetadata && { providerMetadata }),
    });
    const start = { type: "text-start", id: "t" };
    const end = (providerMetadata) => ({
      type: "text-end",
      id: "t",
      ...(providerMetadata && { providerMetadata }),
    });
    const texts = async (...parts) => {
      const got = await rewrite([start, ...parts, finish()]);
      assertLaws(got);
      const marked = ({ type, id, delta, providerMetadata }) =>
        [type, id, delta, providerMetadata].filter((one) => one !== undefined);
      return got
        .filter(({ type }) => /^text/.test(type))
        .slice(1)
        .map(marked);
    };
    // An empty delta, before and after the text, and before a call.
    assert.deepEqual(await texts(delta("", one), delta("A"), end()), [
      ["text-delta", "t", "A", one],
      ["text-end", "t"],
    ]);
    assert.deepEqual(await texts(delta("A"), delta("", one), end()), [
      ["text-delta", "t", "A"],
      ["text-end", "t", one],
    ]);
    assert.deepEqual(await texts(delta("A"), delta("", one), end(two)), [
      ["text-delta", "t", "A"],
      ["text-end", "t", both],
    ]);
    assert.deepEqual(await texts(delta("", one), delta("A", two), end()), [
      ["text-delta", "t", "A", both],
      ["text-end", "t"],
    ]);
    assert.deepEqual(await texts(delta("A "), delta(CALL), delta("", one), end()), [
      ["text-delta", "t", "A "],
      ["text-end", "t", one],
    ]);
    // The end of a block whose text has ended with a call, and a delta that is all of a call.
    assert.deepEqual(await texts(delta("A "), delta(CALL), end(one)), [
      ["text-delta", "t", "A "],
      ["text-end", "t", one],
    ]);
    assert.deepEqual(await texts(delta("A "), delta(CALL, one), delta(" B"), end()), [
      ["text-delta", "t", "A "],
      ["text-end", "t"],
      ["text-start", "t:1"],
      ["text-delta", "t:1", " B", one],
      ["text-end", "t:1"],
    ]);
    // What may be the beginning of a call comes out with what follows it, or with the end.
    assert.deepEqual(await texts(delta("A "), delta("<", one), delta("b"), end()), [
      ["text-delta", "t", "A "],
      ["text-delta", "t", "<b", one],
      ["text-end", "t"],
    ]);
    assert.deepEqual(await texts(delta("A "), delta("<ask", one), end(two)), [
      ["text-delta", "t", "A "],
      ["text-delta", "t", "<ask", one],
      ["text-end", "t", two],
    ]);
    assert.deepEqual(await texts(delta("A"), delta("", one)), [
      ["text-delta", "t", "A"],
      ["text-end", "t", one],
    ]);
    // There is no text that could have it.
    assert.deepEqual(await texts(delta(CALL), delta("", one), end(two)), []);
  });

  test("keeps the citations of a text, on the last part of it", async () => {
    const citations = [{ type: "url", url: "https://a.example" }];
    const texts = (content) => content.filter(({ type }) => type === "text");
    for (const [message, expected] of [
      ["A", [{ type: "text", text: "A", citations }]],
      [`A ${CALL}`, [{ type: "text", text: "A ", citations }]],
      [
        `A ${CALL} B`,
        [
          { type: "text", text: "A " },
          { type: "text", text: " B", citations },
        ],
      ],
      [CALL, []],
    ]) {
      const { content } = await regenerate([{ type: "text", text: message, citations }]);
      assert.deepEqual(texts(content), expected, message);
      for (const deltas of [[message], [...message]]) {
        const [start, ...rest] = block(deltas);
        const got = await rewrite([
          start,
          ...rest.map((part) => (part.type === "text-end" ? { ...part, citations } : part)),
          finish(),
        ]);
        assertLaws(got);
        const ends = got
          .filter(({ type }) => type === "text-end")
          .map(({ citations }) => citations);
        assert.deepEqual(
          ends,
          expected.map(({ citations }) => citations),
          message,
        );
      }
    }
  });

  test("passes deltas on that are not JSON, and repairs the input of their call", async () => {
    for (const [deltas, input, written] of [
      [["Tea", "?"], '"Tea?"', '"Tea?"'],
      [
        ["question: ", "Tea?"],
        '{"question":"Tea?","follow_up":["Yes"]}',
        '{"question":"Tea?","follow_up":[{"text":"Yes"}]}',
      ],
    ]) {
      const [start, ...rest] = native("ask_followup_question", deltas);
      const before = [{ ...start, inputEncoding: "text" }, ...rest.slice(0, -1)];
      const call = { ...rest.at(-1), input };
      const expected = { ...call, input: written };
      assert.deepEqual(await rewrite([...before, call, finish("tool-calls")]), [
        ...before,
        expected,
        finish("tool-calls"),
      ]);
      assert.deepEqual((await regenerate([call], "tool-calls")).content, [expected]);
    }
  });

  test("keeps files of the reasoning where they are in the content", async () => {
    const file = {
      type: "reasoning-file",
      mediaType: "image/png",
      data: { type: "data", data: "AA==" },
    };
    const { content } = await regenerate([
      { type: "text", text: "A" },
      file,
      { type: "text", text: CALL },
    ]);
    assert.deepEqual(types(content), ["text", "reasoning-file", "tool-call"]);
    assert.deepEqual(content[1], file);
  });

  test("keeps the order of other content between texts and calls", async () => {
    const source = { type: "source", sourceType: "url", id: "s", url: "https://a.example" };
    const bare = {
      type: "tool-call",
      toolCallId: "n",
      toolName: "ask_followup_question",
      input: '{"question":"Milk?"}',
    };
    const content = [
      { type: "text", text: `A ${CALL}` },
      source,
      bare,
      { type: "text", text: "B" },
    ];
    const got = await regenerate(content, "stop");
    assert.deepEqual(types(got.content), ["text", "tool-call", "source", "tool-call", "text"]);
    const parts = [
      ...block([`A ${CALL}`], "1"),
      source,
      ...native(bare.toolName, [bare.input]),
      ...block(["B"], "2"),
    ];
    const streamed = contentOf(await rewrite([...parts, finish()])).content;
    assert.deepEqual(
      streamed,
      got.content.filter(({ type }) => type !== "source"),
    );
  });

  test("reads several blocks of text at once", async () => {
    const [one, two] = [block([...CALL], "1"), block([...`x${CALL}y`], "2")];
    const mixed = Array.from({ length: two.length }, (_, i) => [one[i], two[i]])
      .flat()
      .filter(Boolean);
    const got = await rewrite([...mixed, finish()]);
    assert.deepEqual(
      got.filter(({ type }) => type === "tool-call").map(({ input }) => input),
      [INPUT, INPUT],
    );
    assert.deepEqual(
      got.filter(({ type }) => type === "text-delta").map(({ id, delta }) => [id, delta]),
      [
        ["2", "x"],
        ["2:1", "y"],
      ],
    );
  });

  test("gives a block whose id was used before another id", async () => {
    const got = await rewrite([...block(["a"]), ...block(["b"]), finish()]);
    assert.deepEqual(
      got.filter(({ type }) => type === "text-start").map(({ id }) => id),
      ["t", "t:1"],
    );
  });

  test("reads a surrogate pair that is cut in two", async () => {
    const text = `🙂${CALL.replace("Tea", "🙂")}`;
    const got = joined(await rewrite([...block(text.split("")), finish()]));
    assert.equal(got[1].delta, "🙂");
    assert.equal(JSON.parse(call(got).input).question, "🙂?");
  });

  test("reports why a call is rejected, and how it was written", async () => {
    const rejected = [];
    const broken = "<ask_followup_question><question>Tea";
    const parts = [
      ...block([`A ${broken}`]),
      ...native("ask_followup_question", ['{"question": 1']),
      finish("length"),
    ];
    const got = await rewrite(parts, { onRejected: (one) => rejected.push(one) });
    assert.deepEqual(
      rejected.map(({ toolCallId, code, raw }) => [toolCallId, code, raw]),
      [
        ["n", "truncated", '{"question": 1'],
        ["c0", "truncated", broken],
      ],
    );
    assert.equal(got.at(-1).finishReason.unified, "length");
  });

  test("has ids that differ if none are given", async () => {
    const params = { prompt: [], tools: [ASK] };
    const doStream = async () => ({
      stream: ReadableStream.from([...block([CALL, CALL]), finish()]),
    });
    const ids = new Set();
    for await (const part of (await followup().wrapStream({ doStream, params })).stream)
      if (part.toolCallId) ids.add(part.toolCallId);
    assert.equal(ids.size, 2);
  });

  test("has ids on a page without https, too, where there is no randomUUID", async (t) => {
    const value = globalThis.crypto;
    t.after(() => Object.defineProperty(globalThis, "crypto", { value, configurable: true }));
    const getRandomValues = value.getRandomValues.bind(value);
    Object.defineProperty(globalThis, "crypto", { value: { getRandomValues }, configurable: true });
    const doStream = async () => ({ stream: ReadableStream.from([...block([CALL]), finish()]) });
    const { stream } = await followup().wrapStream({
      doStream,
      params: { prompt: [], tools: [ASK] },
    });
    const got = [];
    for await (const part of stream) got.push(part);
    assert.match(call(got).toolCallId, /^call_[0-9a-f]{32}$/);
  });

  test("says what is wrong with an option", async () => {
    assert.throws(() => followup({ strict: 1 }), /strict: a boolean was expected/);
    assert.throws(() => followup({ promt: true }), /options.promt is no option/);
  });

  test("fails if generateId returns no id", async () => {
    const parts = [
      ...block(["<ask_followup_question><question>Tea?</question></ask_followup_question>"]),
      finish(),
    ];
    for (const [id, message] of [
      [undefined, "generateId: a text that is not empty was expected, not undefined"],
      [5, "generateId: a text that is not empty was expected, not number"],
      [Promise.resolve("id"), "generateId: a text that is not empty was expected, not a promise"],
      ["", "generateId: a text that is not empty was expected, not an empty text"],
    ]) {
      await assert.rejects(rewrite(parts, { generateId: () => id }), {
        name: "TypeError",
        message,
      });
    }
  });
});

describe("a stream", () => {
  test(
    "is read no faster than it is taken, and cancelled with its reader",
    { timeout: 10_000 },
    async () => {
      let pulled = 0;
      let cancel;
      const cancelled = new Promise((resolve) => (cancel = resolve));
      const source = new ReadableStream(
        {
          pull(controller) {
            controller.enqueue(
              pulled++ === 0
                ? { type: "text-start", id: "t" }
                : { type: "text-delta", id: "t", delta: "a " },
            );
          },
          cancel: (reason) => cancel(reason),
        },
        { highWaterMark: 0 },
      );
      const params = { prompt: [], tools: [ASK] };
      const { stream } = await middleware().wrapStream({
        doStream: async () => ({ stream: source }),
        params,
      });
      const reader = stream.getReader();
      assert.deepEqual(types([(await reader.read()).value, (await reader.read()).value]), [
        "text-start",
        "text-delta",
      ]);
      assert.ok(pulled < 6, `${pulled} parts were pulled`);
      await reader.cancel("enough");
      assert.equal(await cancelled, "enough");
    },
  );

  test(
    "fails with the error of an observer, and cancels its source",
    { timeout: 10_000 },
    async () => {
      let cancel;
      const cancelled = new Promise((resolve) => (cancel = resolve));
      const parts = block(["<ask_followup_question></ask_followup_question>"]);
      const source = new ReadableStream({
        pull: (controller) => controller.enqueue(parts.shift()),
        cancel,
      });
      const onRejected = () => {
        throw new Error("broken");
      };
      const params = { prompt: [], tools: [ASK] };
      const { stream } = await middleware({ onRejected }).wrapStream({
        doStream: async () => ({ stream: source }),
        params,
      });
      await assert.rejects(stream.pipeTo(new WritableStream()), /broken/);
      assert.match(String(await cancelled), /broken/);
    },
  );

  test("fails with the error of its source", async () => {
    async function* failing() {
      yield* block(["A <ask_followup_question><question>Te"]).slice(0, -1);
      throw new Error("lost");
    }
    await assert.rejects(rewrite(failing()), /lost/);
  });

  test("ends a call that waits for its end without asking it if there is no finish", async () => {
    const got = await rewrite(block([CALL.slice(0, -10)]));
    assert.throws(() => JSON.parse(call(got).input));
    const closed = await rewrite(block([CALL]));
    assert.equal(call(closed).input, INPUT);
  });
});

describe("a response that broke off", () => {
  // What providers of the AI SDK give where the body has no reason to finish.
  const reasons = [
    { unified: "other", raw: undefined },
    { unified: "other", raw: null },
  ];

  test("asks no call that only its end closes", async () => {
    for (const finishReason of reasons) {
      const [rejected, onRejected] = collector();
      const parts = [...block([CALL.slice(0, -10)]), { type: "finish", finishReason, usage: {} }];
      const got = await rewrite(parts, { onRejected });
      assert.throws(() => JSON.parse(call(got).input));
      assert.deepEqual(got.at(-1).finishReason, finishReason);
      assert.deepEqual(rejected, ["truncated"]);
      const doGenerate = async () => ({
        content: [{ type: "text", text: CALL.slice(0, -10) }],
        finishReason,
        usage: {},
      });
      const { content } = await middleware().wrapGenerate({
        doGenerate,
        params: { prompt: [], tools: [ASK] },
      });
      assert.equal(call(content).input, call(got).input);
    }
    const raw = { unified: "other", raw: "pause" };
    const got = await rewrite([
      ...block([CALL.slice(0, -10)]),
      { type: "finish", finishReason: raw, usage: {} },
    ]);
    assert.equal(call(got).input, INPUT);
  });

  test("asks a call that is closed, and none in the reasoning", async () => {
    for (const finishReason of reasons) {
      const end = { type: "finish", finishReason, usage: {} };
      assert.equal(call(await rewrite([...block([CALL]), end])).input, INPUT);
      const reasoning = [{ type: "reasoning-delta", id: "r", delta: CALL }, end];
      assert.deepEqual(await rewrite(reasoning, { reasoning: true }), reasoning);
    }
  });

  /** Returns a list of the codes of rejected calls, and what adds one. */
  function collector() {
    const codes = [];
    return [codes, ({ code }) => codes.push(code)];
  }
});

describe("a stream that is not read to its end", () => {
  // One parser of each kind is open.
  const parts = [
    { type: "reasoning-delta", id: "r", delta: CALL },
    { type: "tool-input-start", id: "n", toolName: "ask_followup_question" },
    { type: "tool-input-delta", id: "n", delta: '{"question":"Te' },
    ...block(["A ", "<ask_followup_question><question>Te"]).slice(0, -1),
  ];
  const options = { reasoning: true };

  test("frees its parsers when it is cancelled, and reports nothing", async () => {
    openParsers.clear();
    const reported = [];
    const source = ReadableStream.from(
      (async function* () {
        yield* parts;
        await new Promise(() => {});
      })(),
    );
    const onRejected = (call) => reported.push(call);
    const params = { prompt: [], tools: [ASK] };
    const { stream } = await middleware({ ...options, onRejected }).wrapStream({
      doStream: async () => ({ stream: source }),
      params,
    });
    const reader = stream.getReader();
    // More than there are parts.
    const reads = Array.from({ length: 20 }, () => reader.read());
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(openParsers.size, 3);
    // The source waits for its next part, so it can't end.
    void reader.cancel("enough");
    assert.equal(openParsers.size, 0);
    assert.equal((await reads.at(-1)).done, true);
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(reported, []);
  });

  test("frees its parsers when its source, or a callback, fails", async () => {
    openParsers.clear();
    async function* failing() {
      yield* parts;
      throw new Error("lost");
    }
    await assert.rejects(rewrite(failing(), options), /lost/);
    assert.equal(openParsers.size, 0);
    const onRejected = () => {
      throw new Error("mine");
    };
    const bad = "<ask_followup_question></ask_followup_question>";
    for (const end of [
      [{ type: "text-end", id: "t" }],
      native("ask_followup_question", ["{}"], "m"),
      [finish()],
    ]) {
      await assert.rejects(rewrite([...parts, ...end], { ...options, onRejected }), /mine/);
      assert.equal(openParsers.size, 0);
    }
    await assert.rejects(
      regenerate([{ type: "text", text: bad }], "stop", { ...options, onRejected }),
      /mine/,
    );
    assert.equal(openParsers.size, 0);
  });
});

describe("reasoning", () => {
  const reasoning = [
    { type: "reasoning-start", id: "r" },
    { type: "reasoning-delta", id: "r", delta: CALL },
    { type: "reasoning-end", id: "r" },
  ];
  const item = { type: "reasoning", text: CALL };

  test("asks on request, if nothing else does", async () => {
    const got = await rewrite([...reasoning, ...block(["Hm."]), finish()], { reasoning: true });
    assert.deepEqual(got.slice(0, 3), reasoning);
    assert.equal(call(got).input, INPUT);
    assert.equal(got.at(-1).finishReason.unified, "tool-calls");
    const { content } = await regenerate([item, { type: "text", text: "Hm." }], "stop", {
      reasoning: true,
    });
    assert.deepEqual(types(content), ["reasoning", "text", "tool-call"]);
  });

  test("asks a call that only its end closes", async () => {
    const open = [{ type: "reasoning-delta", id: "r", delta: CALL.slice(0, -10) }];
    const got = await rewrite([...open, finish()], { reasoning: true });
    assert.deepEqual(types(got), [
      "reasoning-delta",
      "tool-input-start",
      "tool-input-delta",
      "tool-input-end",
      "tool-call",
      "finish",
    ]);
    assert.equal(call(got).input, INPUT);
  });

  test("asks nothing if the message asks, or is cut off", async () => {
    const asks = block([CALL.replace("Tea", "Milk")]);
    const inputs = async (parts, reason) =>
      (await rewrite([...parts, finish(reason)], { reasoning: true }))
        .filter(({ type }) => type === "tool-call")
        .map(({ input }) => input);
    assert.deepEqual(await inputs([...reasoning, ...asks]), [
      '{"question":"Milk?","follow_up":[]}',
    ]);
    assert.deepEqual(await inputs(reasoning, "length"), []);
  });
});
