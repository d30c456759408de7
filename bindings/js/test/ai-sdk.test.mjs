// Tests the middleware with all sample messages and calls, at every cut, and with random ones.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { block, contentOf, finish, joined, native, regenerate, rewrite } from "./ai-sdk-help.mjs";
import { assertLaws, everyCut, MARKUP } from "./ai-sdk-laws.mjs";
import { MESSAGES, NATIVE } from "./ai-sdk-corpus.mjs";
import { cut } from "./help.mjs";

const RUNS = { numRuns: 40 };
for (const [name, { message, text, calls, reason, out = reason }] of Object.entries(MESSAGES)) {
  describe(`a message with ${name}`, () => {
    const parts = (deltas) => [...block(deltas), finish(reason)];

    test("has this text and these calls", async () => {
      const { content, finishReason } = contentOf(await rewrite(parts([message])));
      assert.deepEqual(
        content.filter((item) => item.type === "text").map((item) => item.text),
        text,
      );
      assert.deepEqual(
        content
          .filter(({ type }) => type === "tool-call")
          .map(({ toolName, input }) => [toolName, input]),
        calls,
      );
      assert.equal(finishReason.unified, out ?? (calls.length > 0 ? "tool-calls" : "stop"));
    });

    test("obeys the laws at every cut", async () => {
      const expected = joined(await rewrite(parts([message])));
      for (const deltas of everyCut(message)) {
        const got = await rewrite(parts(deltas));
        assertLaws(got);
        assert.deepEqual(joined(got), expected, JSON.stringify(deltas));
        for (const { delta } of got.filter(({ type }) => type === "text-delta"))
          assert.doesNotMatch(delta, MARKUP);
      }
    });

    test("has the same content if it is not streamed", async () => {
      const { content, finishReason } = await regenerate([{ type: "text", text: message }], reason);
      assert.deepEqual({ content, finishReason }, contentOf(await rewrite(parts([message]))));
    });

    test("ends everything where the stream breaks off", async () => {
      for (let length = 0; length < message.length; length += 7) {
        assertLaws(await rewrite(block([message.slice(0, length)]).slice(0, -1)));
      }
    });
  });
}

for (const [name, { tool, arguments: input, written }] of Object.entries(NATIVE)) {
  describe(`a native call with ${name}`, () => {
    test("has the same input at every cut, streamed or not", async () => {
      const bare = { type: "tool-call", toolCallId: "n", toolName: tool, input };
      for (const deltas of everyCut(input)) {
        const got = await rewrite([...native(tool, deltas), finish("tool-calls")]);
        assertLaws(got);
        assert.equal(
          got.find(({ type }) => type === "tool-call").input,
          written,
          JSON.stringify(deltas),
        );
        assert.deepEqual(contentOf(got), await regenerateCall(bare));
      }
      assert.equal((await rewrite([bare, finish("tool-calls")]))[0].input, written);
    });
  });
}

async function regenerateCall(call) {
  const { content, finishReason } = await regenerate([call], "tool-calls");
  return { content, finishReason };
}

test("the laws hold for messages joined and cut at random", async () => {
  const messages = Object.values(MESSAGES).filter(({ reason }) => reason === undefined);
  const message = fc.array(
    fc.constantFrom(...messages.map((one) => one.message), "Text 🙂 ", "\n\n"),
    {
      maxLength: 4,
    },
  );
  const offsets = fc.array(fc.nat(2000), { maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(message, offsets, async (pieces, at) => {
      const whole = pieces.join("");
      const deltas = cut(
        whole,
        at.map((offset) => offset % (whole.length + 1)),
      );
      const got = await rewrite([...block(deltas), finish()]);
      assertLaws(got);
      assert.deepEqual(joined(got), joined(await rewrite([...block([whole]), finish()])));
      const { content, finishReason } = await regenerate([{ type: "text", text: whole }]);
      assert.deepEqual({ content, finishReason }, contentOf(got));
    }),
    RUNS,
  );
});

test("the laws hold for any text and any arguments", async () => {
  const piece = fc.oneof(
    fc.string(),
    fc.constantFrom(
      "<ask_followup_question>",
      "</ask_followup_question>",
      "<question>",
      "</question>",
      "<follow_up>",
      "</follow_up>",
      "<suggest>",
      '<suggest mode="code">',
      "</suggest>",
      "Which?",
      "A",
      '<tool_call>{"name": "ask_followup_question", "arguments": ',
      '{"question": "Q"',
      ', "follow_up": ["A"',
      "]",
      "}",
      "</tool_call>",
      '"',
      "\\u00e9",
      "🙂",
      " ",
      "\n",
    ),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(piece, { maxLength: 25 }),
      fc.constantFrom("stop", "length", undefined),
      async (deltas, reason) => {
        const end = reason === undefined ? [] : [finish(reason)];
        const whole = deltas.join("");
        for (const parts of [
          (pieces) => block(pieces),
          (pieces) => native("ask_followup_question", pieces),
        ]) {
          const got = await rewrite([...parts(deltas), ...end]);
          assertLaws(got);
          assert.deepEqual(joined(got), joined(await rewrite([...parts([whole]), ...end])));
        }
      },
    ),
    { numRuns: 200 },
  );
});
