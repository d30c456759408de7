// Tests that the middleware understands tool schemas with references and alternatives.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { block, contentOf, finish, native, rewrite } from "./ai-sdk-help.mjs";

const string = { type: "string" };
const list = (items) => ({ type: "array", items });
const object = (properties, more = {}) => ({ type: "object", properties, ...more });
const tool = (name, inputSchema) => ({ type: "function", name, inputSchema });

/** Returns the inputs of the calls that come out of a call in an envelope. */
async function leaked(one, value) {
  const text = `<tool_call>{"name": "${one.name}", "arguments": ${JSON.stringify(value)}}</tool_call>`;
  const { content } = contentOf(await rewrite([...block([text]), finish()], { tools: [one] }));
  return content.filter(({ type }) => type === "tool-call").map(({ input }) => input);
}

/** Returns the input that comes out of a native call. */
async function given(one, value) {
  const out = await rewrite(
    [...native(one.name, [...JSON.stringify(value)]), finish("tool-calls")],
    { tools: [one] },
  );
  return JSON.parse(out.find(({ type }) => type === "tool-call").input);
}

describe("a schema with references", () => {
  const option = object({ label: string, description: string });
  const question = (options) =>
    object({ question: string, header: string, options: list(options) });
  const asked = {
    questions: [{ question: "Q", header: "H", options: [{ label: "A", description: "d" }] }],
  };
  const whole = JSON.stringify(asked);
  const odd = {
    questions: [
      { question: "Q", header: "H", options: JSON.stringify([{ label: "A", description: "d" }]) },
    ],
  };

  test(
    "is read also if it is ill-formed or refers to itself many times",
    { timeout: 10_000 },
    async () => {
      const text = { type: "string", anyOf: null, oneOf: 3 };
      const claude = tool(
        "AskUserQuestion",
        object({
          questions: list(object({ question: text }, { required: ["question"], anyOf: null })),
        }),
      );
      assert.deepEqual(await leaked(claude, { questions: [{ question: "Q" }] }), [
        '{"questions":[{"question":"Q"}]}',
      ]);
      const self = { anyOf: Array(20).fill({ $ref: "#/$defs/Self" }) };
      const header = object(
        { question: string, header: { $ref: "#/$defs/Self" } },
        { required: ["question", "header"] },
      );
      const endless = tool(
        "AskUserQuestion",
        object({ questions: list(header) }, { $defs: { Self: self } }),
      );
      assert.deepEqual(await leaked(endless, { questions: [{ question: "Q" }] }), [
        '{"questions":[{"question":"Q","header":""}]}',
      ]);
    },
  );

  test("is read through them, as if what they refer to were in their place", async () => {
    for (const [key, ref] of [
      ["$defs", "#/$defs"],
      ["definitions", "#/definitions"],
    ]) {
      const parts = {
        Option: option,
        Question: question({ $ref: `${ref}/Option` }),
        "a/b c": object({ questions: list({ $ref: `${ref}/Question` }) }),
      };
      for (const schema of [
        object({ questions: list({ $ref: `${ref}/Question` }) }, { [key]: parts }),
        object({ questions: list({ allOf: [{ $ref: `${ref}/Question` }] }) }, { [key]: parts }),
        { $ref: `${ref}/a~1b%20c`, [key]: parts },
      ]) {
        const claude = tool("AskUserQuestion", schema);
        assert.deepEqual(await leaked(claude, asked), [whole]);
        assert.deepEqual(await given(claude, odd), asked, "a native call is repaired");
      }
    }
  });

  test("says nothing where they lead nowhere, or to themselves", async () => {
    for (const ref of [
      "#/$defs/None",
      "#/$defs/Self",
      "other.json#/Question",
      "#/$defs/__proto__",
    ]) {
      const schema = object(
        { questions: list({ $ref: ref }) },
        { $defs: { Self: { $ref: "#/$defs/Self" } } },
      );
      const claude = tool("AskUserQuestion", schema);
      const [input] = await leaked(claude, asked);
      assert.deepEqual(JSON.parse(input).questions[0].options, asked.questions[0].options, ref);
      const more = { questions: [{ question: "Q", slider: 3, options: ["A"] }] };
      assert.deepEqual(await given(claude, more), more, "a native call stays as it is");
    }
  });
});

describe("a schema with alternatives", () => {
  const one = object({ question: string, options: list(string) });
  const slider = object({ question: string, slider: { type: "number" } });

  test("keeps a native call as it is, and a call in text is written as the one that has its keys", async () => {
    const option = object({ label: string, description: string });
    const mixed = tool(
      "ask_question",
      object({ question: string, options: list({ anyOf: [string, option] }) }),
    );
    const value = { question: "Q", options: [{ label: "A", description: "d" }, "B"] };
    assert.deepEqual(await given(mixed, value), value);
    const forms = tool("AskUserQuestion", object({ questions: list({ oneOf: [slider, one] }) }));
    const asked = { questions: [{ question: "Q", slider: 3 }] };
    assert.deepEqual(await given(forms, asked), asked);
    const claude = object({ label: string });
    const other = tool(
      "AskUserQuestion",
      object({
        questions: list(object({ question: string, options: list({ anyOf: [string, claude] }) })),
      }),
    );
    assert.deepEqual(
      await leaked(other, { questions: [{ question: "Q", options: [{ label: "A" }] }] }),
      ['{"questions":[{"question":"Q","options":[{"label":"A"}]}]}'],
    );
  });

  test("may have them at its root, or all of them at once", async () => {
    const root = tool("ask_question", {
      type: "object",
      anyOf: [one, object({ questions: list(one) })],
    });
    const two = {
      questions: [
        { question: "Q", options: ["A"] },
        { question: "R", options: ["B"] },
      ],
    };
    assert.deepEqual(await given(root, two), two);
    const hinted = { allOf: [object({ text: string }), object({ hint: string })] };
    const all = tool(
      "ask_followup_question",
      object({ question: string, follow_up: list(hinted) }),
    );
    const value = { question: "Q", follow_up: [{ text: "A", hint: "h" }] };
    assert.deepEqual(await given(all, value), value);
  });

  test("is the only one if the others are null, or say only what is required", async () => {
    const ask = object({
      question: string,
      follow_up: { anyOf: [list(object({ text: string })), { type: "null" }] },
    });
    const some = { ...ask, anyOf: [{ required: ["question"] }, { required: ["follow_up"] }] };
    for (const schema of [ask, some]) {
      assert.deepEqual(
        await given(tool("ask_followup_question", schema), { question: "Q", follow_up: '["A"]' }),
        {
          question: "Q",
          follow_up: [{ text: "A" }],
        },
      );
    }
  });
});

test("a native call stays as it is if its schema says that there may be other keys", async () => {
  for (const more of [
    { additionalProperties: true },
    { additionalProperties: {} },
    { patternProperties: { "^x-": {} } },
  ]) {
    const ask = tool(
      "ask_followup_question",
      object({ question: string, follow_up: list(object({ text: string })) }, more),
    );
    const value = { reason: "r", question: "Q", follow_up: [{ text: "A" }], priority: "high" };
    assert.deepEqual(await given(ask, value), value);
  }
});

test("a tool whose options have no place for their text is no question tool", async () => {
  const claude = tool(
    "AskUserQuestion",
    object({
      questions: list(object({ question: string, options: list(object({ name: string })) })),
    }),
  );
  const value = { questions: [{ question: "Q", options: [{ name: "A" }] }] };
  assert.deepEqual(await leaked(claude, value), []);
  assert.deepEqual(await given(claude, value), value);
});
