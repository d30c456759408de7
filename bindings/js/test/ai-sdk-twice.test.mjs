// A question that comes natively and in text is asked once: the first of the two counts.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import {
  ASK,
  block,
  CLAUDE,
  contentOf,
  finish,
  joined,
  native,
  regenerate,
  rewrite,
} from "./ai-sdk-help.mjs";
import { assertLaws, everyCut, MARKUP } from "./ai-sdk-laws.mjs";
import { cut } from "./help.mjs";

const TOOL = "ask_followup_question";
const args = (question, answer = "A") => JSON.stringify({ question, follow_up: [answer] });
const envelope = (input, tool = TOOL) =>
  `<tool_call>{"name": "${tool}", "arguments": ${input}}</tool_call>`;
const markup = (question) =>
  `<${TOOL}><question>${question}</question><suggest>A</suggest></${TOOL}>`;
const input = (question, answer = "A") =>
  `{"question":"${question}","follow_up":[{"text":"${answer}"}]}`;

/** Returns the ids and the inputs of the tool calls. */
const calls = (parts) =>
  parts.filter(({ type }) => type === "tool-call").map((part) => [part.toolCallId, part.input]);
const texts = (parts) => contentOf(parts).content.flatMap(({ text }) => text ?? []);
const idsOf = (parts) => new Set(parts.flatMap(({ id, toolCallId }) => id ?? toolCallId ?? []));

/**
 * Rewrites the parts with their deltas cut in every way, or in one of `every` ways, and as content.
 * Returns the one result of all.
 */
async function everyWay(first, second, { reason = "tool-calls", every = 1, ...options } = {}) {
  const run = (one, two) =>
    rewrite([...first.parts(one), ...second.parts(two), finish(reason)], options);
  const whole = await run([first.text], [second.text]);
  const cuts = [
    ...everyCut(first.text).map((one) => [one, [...second.text]]),
    ...everyCut(second.text).map((two) => [[...first.text], two]),
  ];
  for (const [one, two] of cuts.filter((_, i) => i % every === 0)) {
    const got = await run(one, two);
    assertLaws(got);
    assert.deepEqual(joined(got), joined(whole), JSON.stringify([one, two]));
  }
  const content = [first, second].map((one) => one.item);
  const generated = await regenerate(content, reason, options);
  assert.deepEqual(
    { content: generated.content, finishReason: generated.finishReason },
    contentOf(whole),
  );
  for (const text of texts(whole)) assert.doesNotMatch(text, MARKUP);
  return whole;
}

function inText(text) {
  return { text, parts: (deltas) => block(deltas), item: { type: "text", text } };
}

function natively(text, tool = TOOL) {
  const item = { type: "tool-call", toolCallId: "n", toolName: tool, input: text };
  return { text, parts: (deltas) => native(tool, deltas), item };
}

describe("a question that comes in text and natively", () => {
  for (const [form, text] of Object.entries({
    envelope: envelope(args("Tea?")),
    markup: markup("Tea?"),
  })) {
    test(`is asked once: by the ${form}, if that came first`, async () => {
      const got = await everyWay(inText(`Hm. ${text}`), natively(args("Tea?", "B")));
      assert.deepEqual(calls(got), [["c0", input("Tea?")]]);
      assert.deepEqual([...idsOf(got)], ["t", "c0"]);
      assert.deepEqual(texts(got), ["Hm. "]);
    });

    test(`is asked once: natively, if the ${form} came second`, async () => {
      const got = await everyWay(natively(args("Tea?", "B")), inText(`Hm. ${text} So.`));
      assert.deepEqual(calls(got), [["n", input("Tea?", "B")]]);
      assert.deepEqual([...idsOf(got)], ["n", "t", "t:1"]);
      assert.deepEqual(texts(got), ["Hm. ", " So."]);
    });
  }

  test("ends the message as a call in text does if that is asked", async () => {
    const text = block([envelope(args("Tea?"))]);
    const call = native(TOOL, [args("Tea?")]);
    const reason = async (parts) =>
      (await rewrite([...parts, finish("stop")])).at(-1).finishReason.unified;
    assert.equal(await reason([...text, ...call]), "tool-calls");
    assert.equal(await reason([...call, ...text]), "stop");
  });

  test("is asked once if both come at the same time", async () => {
    const [text, call] = [block([...envelope(args("Tea?"))]), native(TOOL, [...args("Tea?")])];
    for (let lag = 0; lag < text.length; lag++) {
      for (const parts of [interleave(text, call, lag), interleave(call, text, lag)]) {
        const got = await rewrite([...parts, finish("tool-calls")]);
        assertLaws(got);
        assert.equal(calls(got).length, 1, `lag ${lag}`);
        assert.equal(calls(got)[0][1], input("Tea?"));
      }
    }
  });

  test("is asked once although only the end of the message closes it", async () => {
    const open = inText(markup("Tea?").replace(`</${TOOL}>`, ""));
    assert.deepEqual(calls(await everyWay(open, natively(args("Tea?")))), [["c0", input("Tea?")]]);
    assert.deepEqual(calls(await everyWay(natively(args("Tea?")), open)), [["n", input("Tea?")]]);
    const [leaked, asked] = calls(
      await everyWay(open, natively(args("Tea?")), { reason: "length" }),
    );
    assert.throws(() => JSON.parse(leaked[1]));
    assert.deepEqual(asked, ["n", input("Tea?")]);
  });

  test("is asked once if it is a form", async () => {
    const form = (...questions) =>
      JSON.stringify({
        questions: questions.map((question) => ({ question, options: [{ label: "A" }] })),
      });
    const text = inText(envelope(form("One?", "Two?"), CLAUDE.name));
    const call = (...questions) => natively(form(...questions), CLAUDE.name);
    const ids = async (...pair) => calls(await everyWay(...pair, { every: 7 })).map(([id]) => id);
    assert.deepEqual(await ids(text, call("One?", "Two?")), ["c0"]);
    assert.deepEqual(await ids(call("One?", "Two?"), text), ["n"]);
    assert.deepEqual(await ids(text, call("One?", "Three?")), ["c0", "n"]);
    assert.deepEqual(await ids(text, call("One?Two?")), ["c0", "n"]);
  });
});

describe("two questions", () => {
  test("are both asked, although one begins as the other", async () => {
    for (const [one, two] of [
      ["Tea?", "Tea? Now?"],
      ["Tea? Now?", "Tea?"],
      ["Tea?", "Milk?"],
    ]) {
      const inOrder = [
        ["c0", input(one)],
        ["n", input(two)],
      ];
      assert.deepEqual(
        calls(await everyWay(inText(envelope(args(one))), natively(args(two)), { every: 3 })),
        inOrder,
      );
      const reverse = [
        ["n", input(one)],
        ["c0", input(two)],
      ];
      assert.deepEqual(
        calls(await everyWay(natively(args(one)), inText(envelope(args(two))), { every: 3 })),
        reverse,
      );
    }
  });

  test("grow as soon as they differ", async () => {
    const parts = [
      ...block([envelope(args("Tea?"))]),
      ...native(TOOL, ['{"question": "Te', "sts?"]).slice(0, 3),
    ];
    const deltas = (await rewrite(parts)).filter(
      ({ type, id }) => type === "tool-input-delta" && id === "n",
    );
    assert.deepEqual(deltas.map(({ delta }) => delta).join(""), '{"question": "Tests?');
    const held = await rewrite(parts.slice(0, -1));
    assert.ok(!idsOf(held).has("n"));
  });

  test("are both asked if both come in text, or both natively", async () => {
    const text = envelope(args("Tea?"));
    assert.equal(calls(await rewrite([...block([text, text]), finish()])).length, 2);
    const both = [...native(TOOL, [args("Tea?")], "a"), ...native(TOOL, [args("Tea?")], "b")];
    assert.equal(calls(await rewrite([...both, finish()])).length, 2);
  });
});

describe("a call that can't be asked", () => {
  test("does not stand for the native one", async () => {
    const cutOff = inText(`${envelope(args("Tea?")).slice(0, 70)}`);
    const all = calls(await everyWay(cutOff, natively(args("Tea?"))));
    // The one in text might continue in another block, so it is rejected at the end.
    assert.deepEqual(all[0], ["n", input("Tea?")]);
    const rejected = [];
    const broken = native(TOOL, ['{"question": "Tea?", "follow_up": 7}']);
    const got = await rewrite([...block([envelope(args("Tea?"))]), ...broken, finish()], {
      onRejected: ({ toolCallId, code }) => rejected.push([toolCallId, code]),
    });
    assert.deepEqual(rejected, [["n", "wrong_type"]]);
    assert.deepEqual(calls(got)[0], ["c0", input("Tea?")]);
    assert.equal(calls(got).length, 2);
  });

  test("leaves nothing behind if it never came, and another asks the same", async () => {
    const got = await rewrite([
      ...block([envelope(args("Tea?"))]),
      ...native(TOOL, [args("Te")]).slice(0, 2),
      finish(),
    ]);
    assertLaws(got);
    assert.ok(!idsOf(got).has("n"));
  });
});

test("a native call with keys that are not known is never dropped, and counts for one in text that comes later", async () => {
  const inputSchema = structuredClone(ASK.inputSchema);
  inputSchema.properties.urgent = { type: "boolean" };
  const options = { tools: [{ ...ASK, inputSchema }] };
  const urgent = '{"question": "Tea?", "urgent": true}';
  const pair = [inText(envelope(args("Tea?"))), natively(urgent)];
  assert.deepEqual(calls(await everyWay(...pair, { ...options, every: 3 })), [
    ["c0", input("Tea?")],
    ["n", urgent],
  ]);
  assert.deepEqual(calls(await everyWay(pair[1], pair[0], { ...options, every: 3 })), [
    ["n", urgent],
  ]);
  const open = native(TOOL, [urgent]).slice(0, 2);
  assertLaws(await rewrite([...open, finish("error")], options));
});

test("no question is asked natively and in text, and none is lost, whatever comes", async () => {
  const question = fc.constantFrom("Tea?", "Tea? Now?", "T", "Milk?", "🙂 Tea?");
  const call = fc.record({
    question,
    form: fc.constantFrom("native", "envelope", "markup", "prose"),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(call, { maxLength: 6 }), fc.array(fc.nat(500)), async (list, at) => {
      const parts = (split) =>
        list.flatMap(({ question: asked, form }, i) => {
          if (form === "native") return native(TOOL, split(args(asked)), `n${i}`);
          return block(
            split(
              form === "prose" ? "Hm." : form === "markup" ? markup(asked) : envelope(args(asked)),
            ),
            `t${i}`,
          );
        });
      const whole = await rewrite([...parts((text) => [text]), finish()]);
      const got = await rewrite([
        ...parts((text) =>
          cut(
            text,
            at.map((offset) => offset % text.length),
          ),
        ),
        finish(),
      ]);
      assertLaws(got);
      assert.deepEqual(joined(got), joined(whole));
      const asked = calls(got).map(([id, text]) => [id[0], JSON.parse(text).question]);
      const wanted = list.filter(({ form }) => form !== "prose");
      for (const one of new Set(wanted.map((call) => call.question))) {
        const kinds = asked.filter(([, text]) => text === one).map(([kind]) => kind);
        const first = wanted.find((call) => call.question === one).form === "native" ? "n" : "c";
        const same = wanted.filter(
          (call) => call.question === one && (call.form === "native") === (first === "n"),
        );
        assert.deepEqual(
          kinds,
          same.map(() => first),
        );
      }
    }),
    { numRuns: 300 },
  );
});

/**
 * Returns the parts of both, the second's from the place on where the first has `lag` of its own,
 * one by one.
 */
function interleave(first, second, lag) {
  const parts = first.slice(0, lag);
  const rest = first.slice(lag);
  while (rest.length > 0 || second.length > 0) {
    if (second.length > 0) parts.push(second[0]);
    if (rest.length > 0) parts.push(rest.shift());
    second = second.slice(1);
  }
  return parts;
}
