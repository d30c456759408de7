// Tests which native calls the middleware leaves unchanged, and how it repairs the others.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { ASK, block, CLINE, finish, joined, native, rewrite } from "./ai-sdk-help.mjs";
import { assertLaws, everyCut } from "./ai-sdk-laws.mjs";
import { cut } from "./help.mjs";

const CALL = "<ask_followup_question><question>Tea?</question></ask_followup_question>";
const INPUT = '{"question":"Tea?","follow_up":[]}';

const types = (parts) => parts.map(({ type }) => type);
const call = (parts) => parts.find(({ type }) => type === "tool-call");

describe("a native call", () => {
  test("is left alone if the provider executes it", async () => {
    const [start, ...rest] = native("ask_followup_question", ['{"question":', '"Q"}']);
    const executed = { ...start, providerExecuted: true };
    const calls = rest.map((part) =>
      part.type === "tool-call" ? { ...part, providerExecuted: true } : part,
    );
    assert.deepEqual(await rewrite([executed, ...calls, finish()]), [executed, ...calls, finish()]);
  });

  test("is left alone if its tool has keys that are not known", async () => {
    const inputSchema = structuredClone(ASK.inputSchema);
    inputSchema.properties.urgent = { type: "boolean" };
    const parts = [
      ...native("ask_followup_question", ['{"question": "Q", ', '"urgent": true}']),
      finish("tool-calls"),
    ];
    assert.deepEqual(await rewrite(parts, { tools: [{ ...ASK, inputSchema }] }), parts);
    assert.equal(
      call(await rewrite([...block([CALL]), finish()], { tools: [{ ...ASK, inputSchema }] })).input,
      INPUT,
    );
  });

  test("has the keys that its schema has, and null where that demands a key", async () => {
    const option = {
      type: "object",
      properties: {
        answer: { type: "string" },
        mode: { anyOf: [{ type: "string" }, { type: "null" }] },
      },
      required: ["answer", "mode"],
    };
    const properties = {
      question: { type: "string" },
      suggestions: { type: "array", items: option },
    };
    const tools = [{ ...ASK, inputSchema: { type: "object", properties } }];
    const parts = [
      ...native("ask_followup_question", ['{"question":"Q","follow_up":["A"]}']),
      finish(),
    ];
    assert.equal(
      call(await rewrite(parts, { tools })).input,
      '{"question":"Q","suggestions":[{"answer":"A","mode":null}]}',
    );
    delete option.required;
    assert.equal(
      call(await rewrite(parts, { tools })).input,
      '{"question":"Q","suggestions":[{"answer":"A"}]}',
    );
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
      const got = await rewrite([...native(tool.name, deltas), finish("tool-calls")], {
        tools: [tool],
      });
      assertLaws(got);
      inputs.add(call(got).input);
    }
    assert.equal(inputs.size, 1, [...inputs].join("\n"));
    return [...inputs][0];
  }

  const string = { type: "string" };
  const flag = { type: "boolean" };
  const orNull = (schema) => ({ anyOf: [schema, { type: "null" }] });
  const object = (properties, required = Object.keys(properties)) => ({
    type: "object",
    properties,
    required,
  });
  const list = (items) => ({ type: "array", items });

  test("keeps the blank values that its schema requires", async () => {
    // As the host of AskUserQuestion has it.
    const option = object({ label: string, description: string, preview: string }, [
      "label",
      "description",
    ]);
    const question = object({
      question: string,
      header: string,
      options: list(option),
      multiSelect: flag,
    });
    const claude = {
      type: "function",
      name: "AskUserQuestion",
      inputSchema: object({ questions: list(question) }),
    };
    const options = [
      { label: "A", description: "" },
      { label: "B", description: "" },
    ];
    assert.deepEqual(
      JSON.parse(
        await written(claude, {
          questions: [{ question: "Q", header: "", options, multiSelect: false }],
        }),
      ),
      { questions: [{ question: "Q", header: "", options, multiSelect: false }] },
    );
    const marked = object({ label: string, recommended: flag });
    const editor = object({ questions: list(object({ question: string, options: list(marked) })) });
    assert.equal(
      await written(
        { type: "function", name: "askQuestions", inputSchema: editor },
        {
          questions: [
            {
              question: "Q",
              options: [
                { label: "A", recommended: true },
                { label: "B", recommended: false },
              ],
            },
          ],
        },
      ),
      '{"questions":[{"question":"Q","options":[{"label":"A","recommended":true},{"label":"B","recommended":false}]}]}',
    );
    const cursor = (title, required) => ({
      type: "function",
      name: "AskQuestion",
      inputSchema: object(
        {
          title,
          questions: list(
            object({ prompt: string, options: list(object({ id: string, label: string })) }),
          ),
        },
        ["questions", ...required],
      ),
    });
    const asked = '"questions":[{"prompt":"Q","options":[{"label":"A","id":""}]}]';
    const titled = JSON.parse(`{"title":"",${asked}}`);
    assert.equal(await written(cursor(string, ["title"]), titled), `{${asked},"title":""}`);
    assert.equal(
      await written(cursor(orNull(string), ["title"]), titled),
      `{${asked},"title":null}`,
    );
    assert.equal(await written(cursor(string, []), titled), `{${asked}}`);
  });

  test("stays as it is, byte for byte, if nothing is wrong with it", async () => {
    const option = object({ label: string, description: string });
    const claude = {
      type: "function",
      name: "AskUserQuestion",
      inputSchema: object({
        questions: list(
          object({ question: string, header: string, options: list(option), multiSelect: flag }),
        ),
      }),
    };
    const options = [
      { label: " A", description: "d " },
      { label: "B", description: "e" },
    ];
    const many = (count) => Array.from({ length: count }, (_, i) => ({ text: `${i}` }));
    const ask = (question, follow_up) => ({ question, follow_up });
    for (const [tool, value, isShort = true] of [
      [ASK, ask(" Tea? ", [{ text: "  indented\n", mode: "code" }, { text: "B\t" }])],
      [ASK, ask("Tea?", [])],
      [ASK, ask("Tea?", many(40)), false],
      [ASK, ask("Tea?", [{ text: "x".repeat(17_000) }, { text: "B" }]), false],
      [ASK, ask('é 🙂 " \\ \n </question> &lt;', [{ text: "<suggest>" }])],
      [CLINE, { question: "Q", options: ["a ", "b"] }],
      [
        claude,
        {
          questions: [
            { question: "Q", header: "H", options, multiSelect: false },
            { question: "R", header: "I", options, multiSelect: true },
          ],
        },
      ],
      [claude, { questions: [{ question: "Q", header: "H", multiSelect: true, options }] }],
      [
        claude,
        {
          questions: Array.from({ length: 18 }, (_, i) => ({
            question: `Q${i}`,
            header: "H",
            options,
            multiSelect: false,
          })),
        },
        false,
      ],
    ]) {
      for (const given of [
        JSON.stringify(value),
        JSON.stringify(value, null, 2),
        JSON.stringify(value).replaceAll("T", "\\u0054"),
      ]) {
        for (const deltas of isShort ? everyCut(given) : [[given], given.match(/[^]{1,100}/g)]) {
          const got = await rewrite([...native(tool.name, deltas), finish("tool-calls")], {
            tools: [tool],
          });
          assertLaws(got);
          assert.equal(call(got).input, given);
        }
      }
    }
  });

  test("has no flag that the model did not write, since the schema may have another default, and keeps those that it wrote", async () => {
    const yes = { type: "boolean", default: true };
    const cline = {
      ...CLINE,
      inputSchema: object({ question: string, options: list(string), is_multi_select: yes }, [
        "question",
      ]),
    };
    const gemini = {
      type: "function",
      name: "ask_user",
      inputSchema: object(
        {
          question: string,
          choices: list(string),
          allow_freeform: { type: "boolean", default: false },
        },
        ["question"],
      ),
    };
    const option = object({ label: string, recommended: flag, description: string }, ["label"]);
    const question = object(
      { question: string, options: list(option), multiSelect: flag, allowFreeformInput: flag },
      ["question"],
    );
    const editor = {
      type: "function",
      name: "askQuestions",
      inputSchema: object({ questions: list(question) }),
    };
    const opencode = {
      type: "function",
      name: "question",
      inputSchema: object({
        questions: list(
          object({ question: string, options: list(object({ label: string })), custom: flag }, [
            "question",
          ]),
        ),
      }),
    };
    const options = [
      { label: "Abc", recommended: false, description: "d" },
      { label: "B", recommended: true },
      { label: "C", recommended: false },
    ];
    for (const [tool, value] of [
      [cline, { question: "Q", options: ["a", "b"] }],
      [cline, { question: "Q", is_multi_select: false, options: ["a"] }],
      [cline, { question: "Q", options: [], is_multi_select: false }],
      [cline, { options: [], is_multi_select: true, question: "Q" }],
      [gemini, { question: "Q", choices: ["a"] }],
      [gemini, { question: "Q", choices: ["a"], allow_freeform: true }],
      [gemini, { allow_freeform: true, question: "Q", choices: ["a"] }],
      [gemini, { question: "Q", allow_freeform: false, choices: ["a"] }],
      [
        editor,
        {
          questions: [
            { question: "Q", options },
            { question: "R", multiSelect: false, options: [], allowFreeformInput: true },
          ],
        },
      ],
      [
        editor,
        {
          questions: [
            {
              question: "Q",
              multiSelect: false,
              options: [{ label: "A", recommended: false }],
              allowFreeformInput: true,
            },
          ],
        },
      ],
      [opencode, { questions: [{ question: "Q", custom: false, options: [{ label: "A" }] }] }],
    ]) {
      assert.equal(await written(tool, value), JSON.stringify(value));
      const spaced = JSON.stringify(value, null, 2).replaceAll("[]", "[ ]");
      const got = await rewrite([...native(tool.name, [...spaced]), finish("tool-calls")], {
        tools: [tool],
      });
      assert.equal(call(got).input, spaced);
    }
  });

  test("keeps the keys that its schema allows, although it does not list them", async () => {
    const ask = (more = {}, ofOption = {}) => ({
      ...ASK,
      inputSchema: {
        ...object({
          question: string,
          follow_up: list({ ...object({ text: string }), ...ofOption }),
        }),
        ...more,
      },
    });
    const odd = { "}": ['"}\\', { a: null }], b: -1.5e3 };
    const whole = {
      reason: 'r}",',
      question: "Q",
      urgent: true,
      follow_up: [{ text: "A" }, { text: "B" }],
      odd,
      last: [],
    };
    assert.equal(await written(ask(), whole), JSON.stringify(whole));
    // What is required is added, and other shapes are repaired.
    assert.equal(
      await written(ask(), { x: 1, question: "Q", y: [2] }),
      '{"x":1,"question":"Q","y":[2],"follow_up":[]}',
    );
    assert.equal(
      await written(ask(), { x: 1, question: "Q", follow_up: ["A"] }),
      '{"x":1,"question":"Q","follow_up":[{"text":"A"}]}',
    );
    assert.equal(
      await written(ask(), { x: 1, question: "Q", suggestions: ["A"] }),
      '{"x":1,"question":"Q","follow_up":[{"text":"A"}]}',
    );
    // Without the others it is not valid.
    const closed = { additionalProperties: false };
    assert.equal(
      await written(ask({ unevaluatedProperties: false }), { question: "Q", x: 1, follow_up: [] }),
      '{"question":"Q","follow_up":[]}',
    );
    const asked = { question: "Q", x: 1, follow_up: [{ text: "A", y: 2 }] };
    assert.equal(
      await written(ask(closed, closed), asked),
      '{"question":"Q","follow_up":[{"text":"A"}]}',
    );
    assert.equal(
      await written(ask({}, closed), asked),
      '{"question":"Q","x":1,"follow_up":[{"text":"A"}]}',
    );
  });

  test("is JSON also where a member that its schema does not list is none", async () => {
    const mended = '{"question":"Q","follow_up":[{"text":"A"}]}';
    for (const note of ['"a\nb"', '"\\q"', '"\\u12"', "'a'", "NaN", "[1,]", "{a:1}", "[1}", ""]) {
      for (const input of [
        `{"question":"Q","note":${note},"follow_up":[{"text":"A"}]}`,
        `{"note":${note},"question":"Q","follow_up":[{"text":"A"}]}`,
        `{"question":"Q","follow_up":[{"text":"A"}],"note":${note}}`,
      ]) {
        for (const deltas of everyCut(input)) {
          const rejected = [];
          const onRejected = (one) => rejected.push(one);
          const got = await rewrite(
            [...native("ask_followup_question", deltas), finish("tool-calls")],
            { onRejected },
          );
          assertLaws(got);
          // What the parser can't read either is rejected.
          if (rejected.length === 0)
            assert.deepEqual(JSON.parse(call(got).input), JSON.parse(mended));
          assert.ok(rejected.length === 0 || !note.startsWith('"'), note);
        }
      }
    }
    const long = `{"note":"${"x".repeat(2 ** 14)}","question":"Q","follow_up":[{"text":"A"}]}`;
    for (const deltas of [[long], [...long]]) {
      assert.equal(
        call(await rewrite([...native("ask_followup_question", deltas), finish("tool-calls")]))
          .input,
        mended,
      );
    }
  });

  test("has no member of an option that is dropped in the next one", async () => {
    const option = object({ label: string, recommended: flag }, ["label"]);
    const question = object(
      { question: string, header: string, options: list(option), multiSelect: flag },
      ["question"],
    );
    const editor = {
      type: "function",
      name: "askQuestions",
      inputSchema: object({ questions: list(question) }),
    };
    for (const [tool, input, wanted] of [
      [
        ASK,
        '{"question":"Q","follow_up":[{"id":1},{"id":2,"text":"A"}]}',
        '{"question":"Q","follow_up":[{"text":"A"}]}',
      ],
      [
        ASK,
        '{"question":"Q","follow_up":[{"text":"A","id":1}]}',
        '{"question":"Q","follow_up":[{"text":"A"}]}',
      ],
      [
        editor,
        '{"questions":[{"question":"Q","options":[{"recommended":false,"label":""},' +
          '{"label":"A","recommended":true}]}]}',
        '{"questions":[{"question":"Q","options":[{"label":"A","recommended":true}]}]}',
      ],
    ]) {
      for (const deltas of everyCut(input)) {
        const got = await rewrite([...native(tool.name, deltas), finish("tool-calls")], {
          tools: [tool],
        });
        assert.equal(call(got).input, wanted);
      }
    }
  });

  test("is JSON with any members and any options, and each option has only its own", async () => {
    const value = fc.oneof(
      fc.jsonValue({ maxDepth: 2 }).map((one) => JSON.stringify(one)),
      fc.constantFrom('"a\nb"', '"\\q"', "'a'", "True", "[1,]"),
    );
    const members = (names) =>
      fc.array(fc.tuple(fc.constantFrom(...names), value), { maxLength: 2 });
    const text = fc.constantFrom('"A"', '"B"', '"AB"', '""', '" "', '"A\nB"', undefined);
    const option = fc
      .tuple(members(["id", "x"]), text, members(["id", "note"]), fc.nat(1e6))
      .map(([before, label, after, mark]) => {
        const known = label === undefined ? [] : [`"text":${label}`];
        const written = (some) => some.map(([name, one]) => `"${name}":${one}`);
        return `{${[...written(before), `"mark":${mark}`, ...known, ...written(after)].join(",")}}`;
      });
    const input = fc
      .tuple(members(["a"]), fc.array(option, { maxLength: 4 }), members(["b"]), members(["c"]))
      .map(([before, options, between, after]) => {
        const written = (some) => some.map(([name, one]) => `"${name}":${one}`);
        const follow_up = `"follow_up":[${options.join(",")}]`;
        const all = [...written(before), '"question":"Q"', ...written(between), follow_up];
        return `{${[...all, ...written(after)].join(",")}}`;
      });
    await fc.assert(
      fc.asyncProperty(input, fc.array(fc.nat(500), { maxLength: 8 }), async (given, at) => {
        const deltas = cut(
          given,
          at.map((offset) => offset % (given.length + 1)),
        );
        const rejected = [];
        const got = await rewrite(
          [...native("ask_followup_question", deltas), finish("tool-calls")],
          { onRejected: (one) => rejected.push(one) },
        );
        assertLaws(got);
        if (rejected.length > 0) return;
        for (const { text: answer, ...others } of JSON.parse(call(got).input).follow_up) {
          assert.match(answer, /\S/);
          assert.deepEqual(others, {});
        }
      }),
      { numRuns: Number(process.env.RUNS ?? 300) },
    );
  });

  test("stays as it is with any other members in it, at any cut", async () => {
    const member = fc.tuple(
      fc.string({ maxLength: 4 }).map((name) => `x${name}`),
      fc.jsonValue({ maxDepth: 2 }),
    );
    const others = fc.uniqueArray(member, { selector: ([name]) => name, maxLength: 2 });
    const mixed = (known) =>
      fc
        .tuple(others, others, others)
        .map(([a, b, c]) => [...a, known[0], ...b, known[1], ...c].filter(Boolean));
    const text = fc.constantFrom("A", "long enough", "é\n");
    const write = (members) =>
      `{${[...new Map(members)].map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(", ")}}`;
    const json = (members, known = {}) =>
      write(members.map(([name, value]) => [name, name in known ? value : JSON.stringify(value)]));
    const option = fc
      .tuple(text, fc.boolean())
      .map(([label, isMarked]) => json([["text", label], ...(isMarked ? [["mode", "code"]] : [])]));
    const input = fc.tuple(text, fc.array(option, { maxLength: 3 })).chain(([question, options]) =>
      mixed([
        ["question", JSON.stringify(question)],
        ["follow_up", `[${options.join(",")}]`],
      ]).map((all) => json(all, { question: 1, follow_up: 1 })),
    );
    await fc.assert(
      fc.asyncProperty(input, fc.array(fc.nat(500), { maxLength: 8 }), async (given, at) => {
        const deltas = cut(
          given,
          at.map((offset) => offset % (given.length + 1)),
        );
        const got = await rewrite(
          [...native("ask_followup_question", deltas), finish("tool-calls")],
          { tools: [ASK] },
        );
        assertLaws(got);
        assert.equal(call(got).input, given);
      }),
      { numRuns: Number(process.env.RUNS ?? 200) },
    );
  });

  test("has the limits that the caller sets", async () => {
    const value = { question: "Tea?", follow_up: [{ text: "A" }, { text: "B" }] };
    const got = await rewrite(
      [...native("ask_followup_question", [JSON.stringify(value)]), finish()],
      { limits: { suggestions: 1 } },
    );
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
      const tool = {
        ...ASK,
        inputSchema: object({ question: string, follow_up: options }, ["question", ...required]),
      };
      assert.equal(await written(tool, { question: "Q" }), expected);
      assert.equal(
        await written(tool, { question: "Q", follow_up: ["A"] }),
        '{"question":"Q","follow_up":[{"text":"A"}]}',
      );
    }
    const form = object({ question: string, options: list(object({ label: string })) }, [
      "question",
    ]);
    const claude = {
      type: "function",
      name: "AskUserQuestion",
      inputSchema: object({ questions: list(form) }),
    };
    assert.equal(
      await written(claude, {
        questions: [{ question: "Q" }, { question: "R", options: ["A"] }, { question: "S" }],
      }),
      '{"questions":[{"question":"Q"},{"question":"R","options":[{"label":"A"}]},{"question":"S"}]}',
    );
  });

  test("has the rest of its input from its call", async () => {
    const [start, delta, end, whole] = native("ask_followup_question", ['{"question":"Te']);
    const got = joined(
      await rewrite([
        start,
        delta,
        end,
        { ...whole, input: '{"question":"Tea?"}' },
        finish("tool-calls"),
      ]),
    );
    assert.deepEqual(types(got), [
      "tool-input-start",
      "tool-input-delta",
      "tool-input-end",
      "tool-call",
      "finish",
    ]);
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
      [
        '{"question":"Tea?","follow_up":["Yes","No"]}',
        '{"question":"Tea?","follow_up":["Yes"]}',
        undefined,
      ],
    ]) {
      const [start, delta, end, whole] = native("ask_followup_question", [sent]);
      const got = joined(
        await rewrite([start, delta, end, { ...whole, input }, finish("tool-calls")]),
      );
      assert.deepEqual(types(got), [
        "tool-input-start",
        "tool-input-delta",
        "tool-input-end",
        "tool-call",
        "finish",
      ]);
      if (deltas !== undefined) assert.equal(got[1].delta, deltas);
      assert.ok(!got[3].input.startsWith(got[1].delta), "the deltas can't be taken back");
      const [, , , other] = native("ask_followup_question", [input]);
      assert.equal(got[3].input, joined(await rewrite([other, finish("tool-calls")]))[0].input);
    }
  });

  test("has an end to its input where its call never comes", async () => {
    for (const end of [[], [finish("error")]]) {
      const got = await rewrite([
        ...native("ask_followup_question", ['{"question":"Te']).slice(0, 2),
        ...end,
      ]);
      assert.deepEqual(types(got).slice(0, 3), [
        "tool-input-start",
        "tool-input-delta",
        "tool-input-end",
      ]);
    }
  });

  test("leaves the reason to finish as it is", async () => {
    const got = await rewrite([
      ...native("ask_followup_question", ['{"question":"Tea?"}']),
      finish(),
    ]);
    assert.equal(got.at(-1).finishReason.unified, "stop");
  });
});
