import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ASK, block, CLINE, finish, joined, native, rewrite } from "./ai-sdk-help.mjs";

const CALL = "<ask_followup_question><question>Tea?</question></ask_followup_question>";
const INPUT = '{"question":"Tea?","follow_up":[]}';

const types = (parts) => parts.map(({ type }) => type);
const call = (parts) => parts.find(({ type }) => type === "tool-call");

describe("a native call", () => {
  test("is left alone if the provider executes it", async () => {
    const [start, ...rest] = native("ask_followup_question", ['{"question":', '"Q"}']);
    const executed = { ...start, providerExecuted: true };
    const calls = rest.map((part) => (part.type === "tool-call" ? { ...part, providerExecuted: true } : part));
    assert.deepEqual(await rewrite([executed, ...calls, finish()]), [executed, ...calls, finish()]);
  });

  test("is left alone if its tool has keys that are not known", async () => {
    const inputSchema = structuredClone(ASK.inputSchema);
    inputSchema.properties.urgent = { type: "boolean" };
    const parts = [...native("ask_followup_question", ['{"question": "Q", ', '"urgent": true}']), finish("tool-calls")];
    assert.deepEqual(await rewrite(parts, { tools: [{ ...ASK, inputSchema }] }), parts);
    assert.equal(call(await rewrite([...block([CALL]), finish()], { tools: [{ ...ASK, inputSchema }] })).input, INPUT);
  });

  test("has the keys that its schema has, and null where that demands a key", async () => {
    const option = {
      type: "object",
      properties: { answer: { type: "string" }, mode: { anyOf: [{ type: "string" }, { type: "null" }] } },
      required: ["answer", "mode"],
    };
    const properties = { question: { type: "string" }, suggestions: { type: "array", items: option } };
    const tools = [{ ...ASK, inputSchema: { type: "object", properties } }];
    const parts = [...native("ask_followup_question", ['{"question":"Q","follow_up":["A"]}']), finish()];
    assert.equal(
      call(await rewrite(parts, { tools })).input,
      '{"question":"Q","suggestions":[{"answer":"A","mode":null}]}',
    );
    delete option.required;
    assert.equal(call(await rewrite(parts, { tools })).input, '{"question":"Q","suggestions":[{"answer":"A"}]}');
    const strings = [{ ...CLINE, inputSchema: {} }];
    const leaked =
      '<tool_call>{"name": "ask_question", "arguments": {"question": "Q", "options": [{"label": "A"}]}}</tool_call>';
    assert.equal(
      call(await rewrite([...block([leaked]), finish()], { tools: strings })).input,
      '{"question":"Q","options":["A"],"is_multi_select":false}',
    );
  });

  test("has the rest of its input from its call", async () => {
    const [start, delta, end, whole] = native("ask_followup_question", ['{"question":"Te']);
    const got = joined(
      await rewrite([start, delta, end, { ...whole, input: '{"question":"Tea?"}' }, finish("tool-calls")]),
    );
    assert.deepEqual(types(got), ["tool-input-start", "tool-input-delta", "tool-input-end", "tool-call", "finish"]);
    assert.deepEqual([got[1].delta, got[3].input], [INPUT, INPUT]);
  });

  test("has the input of its call, if that differs from the deltas", async () => {
    const [start, delta, end, whole] = native("ask_followup_question", ['{"question":"Tea?"}']);
    const got = joined(
      await rewrite([
        start,
        delta,
        end,
        { ...whole, input: '{"question": "Tea?", "follow_up": ["A"]}' },
        finish("tool-calls"),
      ]),
    );
    assert.equal(got[1].delta, got[3].input);
    assert.equal(got[3].input, '{"question":"Tea?","follow_up":[{"text":"A"}]}');
  });

  test("has an end to its input where its call never comes", async () => {
    for (const end of [[], [finish("error")]]) {
      const got = await rewrite([...native("ask_followup_question", ['{"question":"Te']).slice(0, 2), ...end]);
      assert.deepEqual(types(got).slice(0, 3), ["tool-input-start", "tool-input-delta", "tool-input-end"]);
    }
  });

  test("leaves the reason to finish as it is", async () => {
    const got = await rewrite([...native("ask_followup_question", ['{"question":"Tea?"}']), finish()]);
    assert.equal(got.at(-1).finishReason.unified, "stop");
  });
});
