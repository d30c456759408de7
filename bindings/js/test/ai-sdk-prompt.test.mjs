// Tests the option `prompt`: the tool in the system message, and the history as text.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Parser } from "followup";
import { followup } from "followup/ai-sdk";
import { ASK, block, CLAUDE, finish, middleware, OTHER, TOOLS } from "./ai-sdk-help.mjs";

const user = (text) => ({ role: "user", content: [{ type: "text", text }] });
const call = (input, toolName = "ask_followup_question") => ({
  type: "tool-call",
  toolCallId: "1",
  toolName,
  input,
});
const result = (output, toolName = "ask_followup_question") => ({
  type: "tool-result",
  toolCallId: "1",
  toolName,
  output,
});
const INPUT = {
  question: 'Tea & "cake"?',
  follow_up: [{ text: "Yes", mode: "code" }, { text: "No" }],
};

async function transform(params, options = { prompt: true }) {
  return followup(options).transformParams({
    params: { prompt: [user("Hi")], tools: [ASK], ...params },
  });
}

/** Returns the messages into which an answer turns. */
async function answered(output) {
  const { prompt } = await transform({
    prompt: [
      { role: "assistant", content: [call(INPUT)] },
      { role: "tool", content: [result(output)] },
    ],
  });
  return prompt.at(-1);
}

describe("the tool in the prompt", () => {
  test("is off unless it is asked for", async () => {
    const params = { prompt: [user("Hi")], tools: [ASK] };
    assert.equal(await followup().transformParams({ params }), params);
  });

  test("is taken out of the tools, and no others are", async () => {
    const params = await transform({ tools: [ASK, OTHER, CLAUDE], toolChoice: { type: "auto" } });
    assert.deepEqual(params.tools, [OTHER, CLAUDE]);
    assert.deepEqual(params.toolChoice, { type: "auto" });
    const alone = await transform({ toolChoice: { type: "auto" } });
    assert.deepEqual([alone.tools, alone.toolChoice], [undefined, undefined]);
  });

  test("is in the first system message, or in one of its own", async () => {
    const own = await transform({ tools: [{ ...ASK, description: "Ask when unsure." }] });
    assert.deepEqual([own.prompt.length, own.prompt[0].role], [2, "system"]);
    for (const part of ["Ask when unsure.", "<ask_followup_question>", "mode=", "<answer>"])
      assert.ok(own.prompt[0].content.includes(part));
    const system = { role: "system", content: "Be kind.", providerOptions: { p: {} } };
    const added = await transform({ prompt: [system, user("Hi")] });
    assert.equal(added.prompt.length, 2);
    assert.match(added.prompt[0].content, /^Be kind\.\n\n# Asking/);
    assert.deepEqual(added.prompt[0].providerOptions, { p: {} });
    const custom = await transform({}, { prompt: "Ask with <ask_followup_question>." });
    assert.equal(custom.prompt[0].content, "Ask with <ask_followup_question>.");
  });

  test("is described so that the description is itself a call", async () => {
    const [{ content }] = (await transform({})).prompt;
    const parser = new Parser();
    const events = [...parser.feed(content), ...parser.finish()];
    const asked = events.filter(({ type }) => type === "complete" || type === "rejected");
    assert.deepEqual(
      asked.map(({ type, question, notes }) => [type, question, notes]),
      [["complete", "Your question", []]],
    );
  });

  test("is demanded in words where the choice of tool demands it", async () => {
    for (const toolChoice of [
      { type: "tool", toolName: "ask_followup_question" },
      { type: "required" },
    ]) {
      const params = await transform({ toolChoice });
      assert.equal(params.toolChoice, undefined);
      assert.match(params.prompt[0].content, /must ask/);
    }
    const other = await transform({ tools: [ASK, OTHER], toolChoice: { type: "required" } });
    assert.deepEqual(other.toolChoice, { type: "required" });
    assert.doesNotMatch(other.prompt[0].content, /must ask/);
  });

  test("is not there if it may not be called", async () => {
    const none = await transform({ toolChoice: { type: "none" } });
    assert.deepEqual(
      [none.prompt, none.tools, none.toolChoice],
      [[user("Hi")], undefined, undefined],
    );
    assert.deepEqual((await transform({ tools: [OTHER] })).prompt, [user("Hi")]);
  });

  test("is still read in the response", async () => {
    const made = middleware({ prompt: true });
    const params = await made.transformParams({ params: { prompt: [], tools: [ASK] } });
    const text = "<ask_followup_question><question>Tea?</question></ask_followup_question>";
    const { stream } = await made.wrapStream({
      params,
      doStream: async () => ({ stream: ReadableStream.from([...block([text]), finish()]) }),
    });
    const types = [];
    for await (const { type } of stream) types.push(type);
    assert.ok(types.includes("tool-call"));
  });
});

describe("the history", () => {
  test("has calls as markup that means the same", async () => {
    for (const input of [
      INPUT,
      { question: INPUT.question, suggestions: INPUT.follow_up },
      JSON.stringify(INPUT),
    ]) {
      const { prompt } = await transform({
        prompt: [{ role: "assistant", content: [{ type: "text", text: "Hm." }, call(input)] }],
      });
      const [kept, { type, text }] = prompt.at(-1).content;
      assert.deepEqual([kept.text, type], ["Hm.", "text"]);
      const parser = new Parser();
      const [event] = [...parser.feed(text), ...parser.finish()].filter(
        ({ type }) => type === "complete",
      );
      assert.deepEqual(
        [event.question, event.suggestions, event.notes],
        [INPUT.question, [{ answer: "Yes", mode: "code" }, { answer: "No" }], []],
      );
    }
  });

  test("has all suggestions of a call, and all of its words", async () => {
    const words = "word ".repeat(5000).trim();
    const follow_up = Array.from({ length: 40 }, (_, i) => ({ text: `${i} ${words}` }));
    const { prompt } = await transform({
      prompt: [{ role: "assistant", content: [call({ question: words, follow_up })] }],
    });
    const [{ text }] = prompt.at(-1).content;
    assert.equal(text.match(/<suggest>/g)?.length, 40);
    assert.equal(text.split(words).length, 42);
  });

  test("has results as answers of the user", async () => {
    const text = (value) => ({ role: "user", content: [{ type: "text", text: value }] });
    assert.deepEqual(
      await answered({ type: "text", value: "Yes" }),
      text("<answer>\nYes\n</answer>"),
    );
    assert.deepEqual(
      await answered({ type: "json", value: { answer: "Yes" } }),
      text('<answer>\n{"answer":"Yes"}\n</answer>'),
    );
    assert.deepEqual(await answered({ type: "error-text", value: "invalid" }), text("invalid"));
    assert.deepEqual(
      await answered({ type: "execution-denied", reason: "Later." }),
      text("The user denied this operation. Later."),
    );
  });

  test("keeps an answer in a result of a type that is not known", async () => {
    const text = (value) => ({ role: "user", content: [{ type: "text", text: value }] });
    assert.deepEqual(
      await answered({ type: "new", value: "Yes" }),
      text("<answer>\nYes\n</answer>"),
    );
    assert.deepEqual(
      await answered({ type: "new", value: { to: "Yes" } }),
      text('<answer>\n{"to":"Yes"}\n</answer>'),
    );
  });

  test("has a result without a value as it is, not as an answer", async () => {
    const text = (value) => ({ role: "user", content: [{ type: "text", text: value }] });
    assert.deepEqual(
      await answered({ type: "new", reason: "No" }),
      text('{"type":"new","reason":"No"}'),
    );
    assert.deepEqual(await answered(undefined), text("{}"));
  });

  test("keeps images, of both versions of the specification", async () => {
    const [mediaType, filename] = ["image/png", "a.png"];
    const images = [
      [
        { type: "image-data", data: "aGk=", mediaType },
        { type: "file", data: "aGk=", mediaType },
      ],
      [
        { type: "file-data", data: "aGk=", mediaType, filename },
        { type: "file", data: "aGk=", mediaType, filename },
      ],
      [
        { type: "image-url", url: "https://a.example/b.png" },
        { type: "file", data: new URL("https://a.example/b.png"), mediaType: "image/*" },
      ],
      [
        { type: "image-url", url: "/uploads/b.png" },
        { type: "text", text: "[image-url: /uploads/b.png]" },
      ],
      [
        { type: "file", data: { type: "data", data: "aGk=" }, mediaType },
        { type: "file", data: { type: "data", data: "aGk=" }, mediaType },
      ],
    ];
    for (const [item, part] of images) {
      const { content } = await answered({
        type: "content",
        value: [{ type: "text", text: "This one" }, item],
      });
      assert.deepEqual(content, [{ type: "text", text: "<answer>\nThis one\n</answer>" }, part]);
    }
  });

  test("keeps the calls and results of other tools", async () => {
    const prompt = [
      { role: "assistant", content: [call({ path: "/a" }, "read_file"), call(INPUT)] },
      {
        role: "tool",
        content: [
          result({ type: "text", value: "a" }, "read_file"),
          result({ type: "text", value: "Yes" }),
        ],
        providerOptions: { p: { cacheControl: { type: "ephemeral" } } },
      },
    ];
    const changed = (await transform({ prompt, tools: TOOLS })).prompt.slice(1);
    assert.deepEqual(
      changed.map(({ role }) => role),
      ["assistant", "tool", "user"],
    );
    assert.deepEqual(changed[0].content[0], prompt[0].content[0]);
    assert.deepEqual(changed[1], { role: "tool", content: [prompt[1].content[0]] });
    assert.deepEqual(changed[2].providerOptions, prompt[1].providerOptions);
  });

  test("keeps what messages and their parts have for the provider, such as where its cache ends", async () => {
    const cached = (name) => ({
      providerOptions: { [name]: { cacheControl: { type: "ephemeral" } } },
    });
    const prompt = [
      { role: "assistant", content: [{ ...call(INPUT), ...cached("a") }], ...cached("b") },
      {
        role: "tool",
        content: [{ ...result({ type: "text", value: "Yes" }), ...cached("c") }],
        ...cached("d"),
      },
    ];
    const last = { ...user("And now?"), ...cached("e") };
    const [asked, told] = (await transform({ prompt })).prompt.slice(1);
    assert.deepEqual(
      [asked.providerOptions, asked.content[0].providerOptions],
      [cached("b").providerOptions, cached("a").providerOptions],
    );
    assert.deepEqual(
      [told.providerOptions, told.content[0].providerOptions],
      [cached("d").providerOptions, cached("c").providerOptions],
    );
    const joined = (await transform({ prompt: [...prompt, last] })).prompt.at(-1);
    assert.deepEqual(
      joined.content.map(({ providerOptions }) => providerOptions),
      [cached("c").providerOptions, undefined],
    );
    assert.deepEqual(joined.providerOptions, {
      ...cached("d").providerOptions,
      ...cached("e").providerOptions,
    });
    const image = { type: "image-data", data: "aGk=", mediaType: "image/png", ...cached("i") };
    const output = {
      type: "content",
      value: [{ type: "text", text: "This" }, image],
      ...cached("o"),
    };
    const { content } = await answered(output);
    assert.deepEqual(
      content.map(({ providerOptions }) => providerOptions),
      [undefined, { ...cached("i").providerOptions, ...cached("o").providerOptions }],
    );
  });

  test("has no two messages of the user in a row", async () => {
    const tool = (value) => ({ role: "tool", content: [result({ type: "text", value })] });
    const prompt = [
      { role: "assistant", content: [call(INPUT), call(INPUT)] },
      tool("A"),
      tool("B"),
      user("And now?"),
    ];
    const changed = (await transform({ prompt })).prompt.slice(1);
    assert.deepEqual(
      changed.map(({ role }) => role),
      ["assistant", "user"],
    );
    assert.deepEqual(
      changed[1].content.map(({ text }) => text),
      ["<answer>\nA\n</answer>", "<answer>\nB\n</answer>", "And now?"],
    );
  });
});
