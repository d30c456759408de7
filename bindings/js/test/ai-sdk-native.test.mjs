import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ASK, block, CLINE, finish, joined, native, rewrite } from "./ai-sdk-help.mjs";
import { assertLaws, everyCut } from "./ai-sdk-laws.mjs";

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

  /** Returns the input of a native call, the same at every cut, and checks the laws. */
  async function written(tool, value) {
    const given = JSON.stringify(value);
    const inputs = new Set();
    for (const deltas of everyCut(given)) {
      const got = await rewrite([...native(tool.name, deltas), finish("tool-calls")], { tools: [tool] });
      assertLaws(got);
      inputs.add(call(got).input);
    }
    assert.equal(inputs.size, 1, [...inputs].join("\n"));
    return [...inputs][0];
  }

  const string = { type: "string" };
  const flag = { type: "boolean" };
  const orNull = (schema) => ({ anyOf: [schema, { type: "null" }] });
  const object = (properties, required = Object.keys(properties)) => ({ type: "object", properties, required });
  const list = (items) => ({ type: "array", items });

  test("keeps the blank values that its schema requires", async () => {
    // As the host of AskUserQuestion has it.
    const option = object({ label: string, description: string, preview: string }, ["label", "description"]);
    const question = object({ question: string, header: string, options: list(option), multiSelect: flag });
    const claude = { type: "function", name: "AskUserQuestion", inputSchema: object({ questions: list(question) }) };
    const options = [{ label: "A", description: "" }, { label: "B", description: "" }];
    assert.deepEqual(
      JSON.parse(await written(claude, { questions: [{ question: "Q", header: "", options, multiSelect: false }] })),
      { questions: [{ question: "Q", header: "", options, multiSelect: false }] },
    );
    const marked = object({ label: string, recommended: flag });
    const editor = object({ questions: list(object({ question: string, options: list(marked) })) });
    assert.equal(
      await written(
        { type: "function", name: "askQuestions", inputSchema: editor },
        { questions: [{ question: "Q", options: [{ label: "A", recommended: true }, { label: "B", recommended: false }] }] },
      ),
      '{"questions":[{"question":"Q","options":[{"label":"A","recommended":true},{"label":"B","recommended":false}]}]}',
    );
    const cursor = (title, required) => ({
      type: "function",
      name: "AskQuestion",
      inputSchema: object({ title, questions: list(object({ prompt: string, options: list(object({ id: string, label: string })) })) }, ["questions", ...required]),
    });
    const asked = '"questions":[{"prompt":"Q","options":[{"label":"A","id":""}]}]';
    const titled = JSON.parse(`{"title":"",${asked}}`);
    assert.equal(await written(cursor(string, ["title"]), titled), `{${asked},"title":""}`);
    assert.equal(await written(cursor(orNull(string), ["title"]), titled), `{${asked},"title":null}`);
    assert.equal(await written(cursor(string, []), titled), `{${asked}}`);
  });

  test("stays as it is, byte for byte, if nothing is wrong with it", async () => {
    const option = object({ label: string, description: string });
    const claude = {
      type: "function",
      name: "AskUserQuestion",
      inputSchema: object({ questions: list(object({ question: string, header: string, options: list(option), multiSelect: flag })) }),
    };
    const options = [{ label: " A", description: "d " }, { label: "B", description: "e" }];
    const many = (count) => Array.from({ length: count }, (_, i) => ({ text: `${i}` }));
    const ask = (question, follow_up) => ({ question, follow_up });
    for (const [tool, value, isShort = true] of [
      [ASK, ask(" Tea? ", [{ text: "  indented\n", mode: "code" }, { text: "B\t" }])],
      [ASK, ask("Tea?", [])],
      [ASK, ask("Tea?", many(40)), false],
      [ASK, ask("Tea?", [{ text: "x".repeat(17_000) }, { text: "B" }]), false],
      [ASK, ask("é 🙂 \" \\ \n </question> &lt;", [{ text: "<suggest>" }])],
      [CLINE, { question: "Q", options: ["a ", "b"] }],
      [claude, { questions: [{ question: "Q", header: "H", options, multiSelect: false }, { question: "R", header: "I", options, multiSelect: true }] }],
      [claude, { questions: [{ question: "Q", header: "H", multiSelect: true, options }] }],
      [claude, { questions: Array.from({ length: 18 }, (_, i) => ({ question: `Q${i}`, header: "H", options, multiSelect: false })) }, false],
    ]) {
      for (const given of [JSON.stringify(value), JSON.stringify(value, null, 2), JSON.stringify(value).replaceAll("T", "\\u0054")]) {
        for (const deltas of isShort ? everyCut(given) : [[given], given.match(/[^]{1,100}/g)]) {
          const got = await rewrite([...native(tool.name, deltas), finish("tool-calls")], { tools: [tool] });
          assertLaws(got);
          assert.equal(call(got).input, given);
        }
      }
    }
  });

  test("has the limits that the caller sets", async () => {
    const value = { question: "Tea?", follow_up: [{ text: "A" }, { text: "B" }] };
    const got = await rewrite([...native("ask_followup_question", [JSON.stringify(value)]), finish()], { limits: { suggestions: 1 } });
    assert.deepEqual(JSON.parse(call(got).input).follow_up, [{ text: "A" }]);
  });

  test("without options has none, null or an empty list, as its schema demands", async () => {
    const item = object({ text: string });
    for (const [options, required, expected] of [
      [list(item), [], '{"question":"Q"}'],
      [orNull(list(item)), [], '{"question":"Q"}'],
      [orNull(list(item)), ["follow_up"], '{"question":"Q","follow_up":null}'],
      [list(item), ["follow_up"], '{"question":"Q","follow_up":[]}'],
    ]) {
      const tool = { ...ASK, inputSchema: object({ question: string, follow_up: options }, ["question", ...required]) };
      assert.equal(await written(tool, { question: "Q" }), expected);
      assert.equal(await written(tool, { question: "Q", follow_up: ["A"] }), '{"question":"Q","follow_up":[{"text":"A"}]}');
    }
    const form = object({ question: string, options: list(object({ label: string })) }, ["question"]);
    const claude = { type: "function", name: "AskUserQuestion", inputSchema: object({ questions: list(form) }) };
    assert.equal(
      await written(claude, { questions: [{ question: "Q" }, { question: "R", options: ["A"] }, { question: "S" }] }),
      '{"questions":[{"question":"Q"},{"question":"R","options":[{"label":"A"}]},{"question":"S"}]}',
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
    // The form of the deltas stays.
    assert.equal(got[3].input, '{"question":"Tea?","follow_up":[{"text":"A"}]}');
  });

  test("has the input of its call, if that contradicts what has come out of the deltas; then no more deltas come", async () => {
    for (const [sent, input, deltas] of [
      ['{"question":"Te', '{"question":"Coffee?"}', '{"question":"Te'],
      ['{"question":"Tea?"}', '{"question":"Te"}', '{"question":"Tea?'],
      ['{"question":"Tea?","follow_up":["Yes","No"]}', '{"question":"Tea?","follow_up":["Yes"]}', undefined],
    ]) {
      const [start, delta, end, whole] = native("ask_followup_question", [sent]);
      const got = joined(await rewrite([start, delta, end, { ...whole, input }, finish("tool-calls")]));
      assert.deepEqual(types(got), ["tool-input-start", "tool-input-delta", "tool-input-end", "tool-call", "finish"]);
      if (deltas !== undefined) assert.equal(got[1].delta, deltas);
      assert.ok(!got[3].input.startsWith(got[1].delta), "the deltas can't be taken back");
      const [, , , other] = native("ask_followup_question", [input]);
      assert.equal(got[3].input, joined(await rewrite([other, finish("tool-calls")]))[0].input);
    }
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
