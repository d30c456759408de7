// Text in several blocks, as where a provider ends a block at a citation, or where reasoning comes.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { block, contentOf, CLAUDE, finish, joined, regenerate, rewrite } from "./ai-sdk-help.mjs";
import { assertLaws, everyCut, MARKUP } from "./ai-sdk-laws.mjs";
import { cut } from "./help.mjs";
import { openParsers } from "./open-parsers.mjs";

const CALL =
  "<ask_followup_question><question>Which plan?</question><follow_up><suggest>Renew" +
  "</suggest></follow_up></ask_followup_question>";
const INPUT = '{"question":"Which plan?","follow_up":[{"text":"Renew"}]}';

const inputs = (parts) =>
  parts.filter(({ type }) => type === "tool-call").map(({ input }) => input);
const texts = (parts) =>
  joined(parts)
    .filter(({ type }) => type === "text-delta")
    .map(({ id, delta }) => [id, delta]);
const blocks = (pieces) => pieces.flatMap((piece, i) => block([piece], `b${i}`));

describe("a call in several blocks", () => {
  test("is one call, wherever the blocks end, and its markup is no text", async () => {
    for (const pieces of everyCut(CALL)) {
      const got = await rewrite([...blocks(pieces), finish()]);
      assertLaws(got);
      assert.deepEqual(inputs(got), [INPUT], JSON.stringify(pieces));
      assert.deepEqual(texts(got), []);
      assert.equal(got.at(-1).finishReason.unified, "tool-calls");
    }
  });

  test("has the text before it and after it in the blocks in which that came", async () => {
    const whole = `A ${CALL} B`;
    for (let at = 1; at < whole.length; at++) {
      const got = await rewrite([...blocks([whole.slice(0, at), whole.slice(at)]), finish()]);
      assertLaws(got);
      assert.deepEqual(inputs(got), [INPUT]);
      for (const { delta } of got.filter(({ type }) => type === "text-delta"))
        assert.doesNotMatch(delta, MARKUP);
      if (at > 2 && at < whole.length - 2)
        assert.deepEqual(
          texts(got),
          [
            ["b0", "A "],
            ["b1", " B"],
          ],
          String(at),
        );
    }
  });

  test("is read across other parts", async () => {
    const reasoning = [
      { type: "reasoning-start", id: "r" },
      { type: "reasoning-delta", id: "r", delta: "Hm." },
      { type: "reasoning-end", id: "r" },
    ];
    const source = { type: "source", sourceType: "url", id: "s", url: "https://a.example" };
    const [one, two] = [block([`A ${CALL.slice(0, 50)}`]), block([CALL.slice(50)])];
    const got = await rewrite([...one, ...reasoning, source, ...two, finish()]);
    assertLaws(got);
    assert.deepEqual(inputs(got), [INPUT]);
    assert.deepEqual(
      got.filter(({ type }) => /reasoning|source/.test(type)),
      [...reasoning, source],
    );
  });

  test("is rejected at the end of the response if it is not closed, and asked if only its end is missing", async () => {
    const rejected = [];
    const cutOff = await rewrite([...blocks(["A ", CALL.slice(0, 45)]), finish()], {
      onRejected: ({ raw }) => rejected.push(raw),
    });
    assertLaws(cutOff);
    assert.throws(() => JSON.parse(inputs(cutOff)[0]));
    assert.deepEqual(rejected, [CALL.slice(0, 45)]);
    const parts = blocks([CALL.slice(0, 60), CALL.slice(60, -10)]);
    assert.deepEqual(inputs(await rewrite([...parts, finish()])), [INPUT]);
    for (const end of [[], [finish("length")]]) {
      const [input] = inputs(await rewrite([...parts, ...end]));
      assert.throws(() => JSON.parse(input));
    }
  });

  test("is the same if the response is not streamed", async () => {
    for (let at = 1; at < CALL.length; at += 5) {
      const content = [CALL.slice(0, at), `${CALL.slice(at)} B`].map((text) => ({
        type: "text",
        text,
      }));
      const { content: got, finishReason } = await regenerate(content);
      assert.deepEqual(inputs(got), [INPUT]);
      assert.equal(finishReason.unified, "tool-calls");
    }
  });

  test("stays text, in its blocks, if the caller does not have its tool", async () => {
    const pieces = cut(`A ${CALL} B`, [20, 60]);
    const got = await rewrite([...blocks(pieces), finish()], { tools: [CLAUDE] });
    assertLaws(got);
    assert.deepEqual(
      texts(got),
      pieces.map((piece, i) => [`b${i}`, piece]),
    );
  });
});

test("text that three blocks leave undecided comes out in them, with their metadata", async () => {
  const marks = (i) => ({ providerMetadata: { p: { [`m${i}`]: 1 } } });
  const whole = `A ${CALL} B`;
  for (const at of [
    [3, 4],
    [20, 60],
    [20, 60, 90],
    [10, 11, 12, 13],
  ]) {
    const pieces = cut(whole, at);
    const parts = pieces.flatMap((piece, i) =>
      block([piece], `b${i}`).map((part) => ({ ...part, ...marks(i) })),
    );
    const got = await rewrite([...parts, finish()], { tools: [CLAUDE] });
    assertLaws(got);
    assert.deepEqual(
      texts(got),
      pieces.map((piece, i) => [`b${i}`, piece]),
    );
    const marked = got.filter(({ providerMetadata }) => providerMetadata);
    for (const { id, providerMetadata } of marked)
      assert.deepEqual({ providerMetadata }, marks(id.slice(1)));
    assert.deepEqual(
      [...new Set(marked.map(({ id }) => id))],
      pieces.map((_, i) => `b${i}`),
    );
  }
});

test("what only looked like a call comes out in its block, with its metadata", async () => {
  const marked = (parts, name) =>
    parts.map((part) => ({ ...part, providerMetadata: { p: { [name]: 1 } } }));
  const got = await rewrite([
    ...marked(block(["A <ask"], "1"), "one"),
    ...marked(block([" B"], "2"), "two"),
    finish(),
  ]);
  assertLaws(got);
  assert.deepEqual(texts(got), [
    ["1", "A <ask"],
    ["2", " B"],
  ]);
  for (const { id, providerMetadata } of got.filter(({ providerMetadata }) => providerMetadata)) {
    assert.deepEqual(providerMetadata, { p: { [id === "1" ? "one" : "two"]: 1 } });
  }
  const alone = await rewrite([...block(["<ask"]), finish()]);
  assertLaws(alone);
  assert.deepEqual(texts(alone), [["t", "<ask"]]);
});

test("a block that waits for the next one is freed if the response is not read to its end", async () => {
  openParsers.clear();
  async function* failing() {
    yield* block([CALL.slice(0, 50)]);
    throw new Error("lost");
  }
  await assert.rejects(rewrite(failing()), /lost/);
  assert.equal(openParsers.size, 0);
});

test("the laws hold for any blocks, and the cut of a block changes nothing", async () => {
  const piece = fc.constantFrom(
    CALL.slice(0, 20),
    CALL.slice(20, 60),
    CALL.slice(60),
    CALL,
    "<",
    "A ",
    " B",
    "\n",
    "🙂",
    "<read_file>",
  );
  const message = fc.array(fc.array(piece, { maxLength: 4 }), { maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(message, fc.constantFrom("stop", "length", undefined), async (all, reason) => {
      const end = reason === undefined ? [] : [finish(reason)];
      const got = await rewrite([...all.flatMap((deltas, i) => block(deltas, `b${i}`)), ...end]);
      assertLaws(got);
      const whole = await rewrite([
        ...all.flatMap((deltas, i) => block([deltas.join("")], `b${i}`)),
        ...end,
      ]);
      assert.deepEqual(joined(got), joined(whole));
      const spread = await rewrite([
        ...all.flatMap((deltas, i) => block([...deltas.join("")], `b${i}`)),
        ...end,
      ]);
      assert.deepEqual(joined(spread), joined(whole));
    }),
    { numRuns: 200 },
  );
});

test("calls in JSON that the caller asked for are not read, and those in other text are", async () => {
  const responseFormat = { type: "json" };
  for (const json of [
    JSON.stringify({ doc: `Write ${CALL} to ask.` }),
    ` \n[${JSON.stringify(CALL)}]`,
    "  ",
    "{",
  ]) {
    const whole = joined(await rewrite([...block([json]), finish()], { responseFormat }));
    assert.deepEqual(inputs(whole), []);
    assert.equal(
      texts(whole)
        .map(([, delta]) => delta)
        .join(""),
      json.trim() && json,
    );
    for (const deltas of everyCut(json)) {
      const got = await rewrite([...block(deltas), finish()], { responseFormat });
      assertLaws(got);
      assert.deepEqual(joined(got), whole);
    }
    const { content } = await regenerate([{ type: "text", text: json }], "stop", {
      responseFormat,
    });
    assert.deepEqual(content, contentOf(whole).content);
  }
  for (const deltas of everyCut(` ${CALL}`)) {
    assert.deepEqual(inputs(await rewrite([...block(deltas), finish()], { responseFormat })), [
      INPUT,
    ]);
  }
});

test("the first text of the response tells whether all of its blocks are JSON", async () => {
  const responseFormat = { type: "json" };
  const json = ` {"doc":"Write ${CALL} to ask."}`;
  for (let at = 1; at < json.length; at++) {
    const pieces = cut(json, [at]);
    const got = await rewrite([...blocks(pieces), finish()], { responseFormat });
    assertLaws(got);
    assert.deepEqual(inputs(got), []);
    assert.equal(
      texts(got)
        .map(([, delta]) => delta)
        .join("")
        .trim(),
      json.trim(),
    );
    const { content } = await regenerate(
      pieces.map((text) => ({ type: "text", text })),
      "stop",
      { responseFormat },
    );
    assert.deepEqual(content, contentOf(got).content);
  }
  assert.deepEqual(
    inputs(
      await rewrite([...blocks([" ", `A ${CALL}`, `{${CALL}`]), finish()], { responseFormat }),
    ),
    [INPUT, INPUT],
  );
});

test("another tool's call is one part a delta", async () => {
  const other = `<write_to_file><path>a</path><content>${"line of code\n".repeat(150)}</content></write_to_file>`;
  const deltas = (await rewrite([...block([other]), finish()])).filter(
    ({ type }) => type === "text-delta",
  );
  assert.ok(deltas.length < 10, `${deltas.length} parts`);
  assert.equal(deltas.map(({ delta }) => delta).join(""), other);
});
