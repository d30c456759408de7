// The middleware with a real AI SDK: SDK=6 or SDK=7.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { followup } from "followup/ai-sdk";
import { z } from "zod";
import {
  ai,
  createOpenAICompatible,
  MockModel,
  nativeParts,
  reason,
  streamed,
  streaming,
  textParts,
  USAGE,
  version,
  wrap,
} from "./mock.mjs";
import { completion, provide, whole } from "./provider.mjs";

const { generateText, readUIMessageStream, stepCountIs, streamText, wrapLanguageModel } = ai;
const { lastAssistantMessageIsCompleteWithToolCalls: isComplete } = ai;

const shared = (name) =>
  readFileSync(new URL(`../../../../examples/${name}`, import.meta.url), "utf8");
const MESSAGE = shared("messages/database.md");
const QUESTION = "Where should the recipes live from now on?";
const CALL =
  '<ask_followup_question><question>Tea?</question><follow_up><suggest mode="code">Yes' +
  "</suggest></follow_up></ask_followup_question>";
const INPUT = { question: "Tea?", follow_up: [{ text: "Yes", mode: "code" }] };

const inputSchema = z.object({
  question: z.string(),
  follow_up: z.array(z.object({ text: z.string(), mode: z.string().optional() })),
});

/** Returns the tools; `executed` gets the inputs with which the question tool is executed. */
function askTools(executed) {
  const execute = executed && ((input) => (executed.push(input), "Yes, please"));
  return {
    ask_followup_question: ai.tool({
      description: "Ask the user",
      inputSchema,
      ...(execute && { execute }),
    }),
  };
}

async function messages(result) {
  const all = [];
  for await (const message of readUIMessageStream({
    stream: result.toUIMessageStream(),
    onError: (error) => assert.fail(error),
  })) {
    all.push(structuredClone(message));
  }
  return all;
}

async function replayed(body, run) {
  const provider = await provide([body].flat());
  try {
    const model = createOpenAICompatible({ name: "local", baseURL: provider.url })("example-1");
    return await run(model, provider.requests);
  } finally {
    await provider.close();
  }
}

describe(`AI SDK ${version}`, () => {
  test("streams a call in text as a tool call", async () => {
    const result = streamText({
      model: wrap(streaming([`Hm.\n${CALL}`])),
      prompt: "?",
      tools: askTools(),
    });
    const parts = [];
    for await (const part of result.fullStream) parts.push(part);
    assert.deepEqual(
      parts.filter(({ type }) => type === "error"),
      [],
    );
    assert.equal(await result.text, "Hm.\n");
    assert.equal(await result.finishReason, "tool-calls");
    const [call] = await result.toolCalls;
    assert.deepEqual(
      [call.toolName, call.input, call.invalid],
      ["ask_followup_question", INPUT, undefined],
    );
    const deltas = parts
      .filter(({ type }) => type === "tool-input-delta")
      .map(({ delta }) => delta);
    assert.ok(deltas.length > 5);
    assert.deepEqual(JSON.parse(deltas.join("")), INPUT);
  });

  test("executes the tool and goes on with its result", async () => {
    const executed = [];
    const model = streaming([CALL, "Good."]);
    const result = streamText({
      model: wrap(model),
      prompt: "?",
      tools: askTools(executed),
      stopWhen: stepCountIs(2),
    });
    await result.consumeStream();
    assert.deepEqual(executed, [INPUT]);
    assert.equal(await result.text, "Good.");
    const [assistant, tool] = model.doStreamCalls[1].prompt.slice(-2);
    assert.deepEqual(assistant.content[0].input, INPUT);
    assert.deepEqual(tool.content[0].output, { type: "text", value: "Yes, please" });
  });

  test("needs no tools of the model if the tool is in the prompt", async () => {
    await replayed([completion(CALL), completion("Good.")], async (model, requests) => {
      const tools = askTools([]);
      const result = streamText({
        model: wrap(model, { prompt: true }),
        prompt: "Hi",
        tools,
        stopWhen: stepCountIs(2),
      });
      await result.consumeStream();
      assert.equal(await result.text, "Good.");
      assert.deepEqual(
        requests.map((request) => [request.tools, request.tool_choice]),
        [
          [undefined, undefined],
          [undefined, undefined],
        ],
      );
      const [system, user, assistant, answer] = requests[1].messages;
      assert.match(system.content, /^# Asking the user\n\nAsk the user\n/);
      assert.equal(user.content, "Hi");
      assert.match(assistant.content, /^<ask_followup_question>\n<question>Tea\?<\/question>/);
      assert.deepEqual([answer.role, answer.content], ["user", "<answer>\nYes, please\n</answer>"]);
    });
  });

  test("executes no call that was cut off, and tells of it", async () => {
    for (const [text, unified] of [
      [CALL.slice(0, 60), "length"],
      [CALL.slice(0, 40), "stop"],
      [CALL.slice(0, -30), "length"],
    ]) {
      const executed = [];
      const model = streaming([text, "Again."], unified);
      const result = streamText({ model: wrap(model), prompt: "?", tools: askTools(executed) });
      const all = await messages(result);
      assert.deepEqual(executed, []);
      assert.equal(await result.finishReason, unified);
      const [call] = await result.toolCalls;
      assert.equal(call.invalid, true);
      assert.equal(all.at(-1).parts.at(-1).state, "output-error");
    }
  });

  test("executes no call of a response that did not end as the model wanted", async () => {
    // The AI SDK 6 has no `interrupted`.
    const reasons = [
      "length",
      "content-filter",
      "error",
      ...(version === "7" ? ["interrupted"] : []),
    ];
    for (const unified of reasons) {
      const executed = [];
      const model = streaming([CALL, "Again."], unified);
      const result = streamText({
        model: wrap(model),
        prompt: "?",
        tools: askTools(executed),
        stopWhen: stepCountIs(2),
        onError() {},
      });
      await result.consumeStream();
      assert.deepEqual(executed, [], unified);
      assert.equal(await result.finishReason, unified);
      assert.equal(model.doStreamCalls.length, 1, unified);
      assert.deepEqual(
        (await result.toolCalls).map(({ input }) => input),
        [INPUT],
        unified,
      );
      const content = [{ type: "text", text: CALL }];
      const whole = new MockModel({
        doGenerate: { content, finishReason: reason(unified), usage: USAGE, warnings: [] },
      });
      const generated = await generateText({
        model: wrap(whole),
        prompt: "?",
        tools: askTools(executed),
        stopWhen: stepCountIs(2),
      });
      assert.deepEqual(executed, [], unified);
      assert.equal(generated.finishReason, unified);
    }
  });

  test("stops with the caller, and asks nothing then", async () => {
    const abort = new AbortController();
    const executed = [];
    const chunks = [
      { type: "text-start", id: "1" },
      ...[...CALL].map((delta) => ({ type: "text-delta", id: "1", delta })),
    ];
    const doStream = async ({ abortSignal }) => ({
      stream: new ReadableStream({
        start: (controller) =>
          abortSignal.addEventListener("abort", () => controller.error(abortSignal.reason)),
        pull: (controller) =>
          chunks.length > 20 ? controller.enqueue(chunks.shift()) : abort.abort(),
      }),
    });
    const model = wrap(new MockModel({ doStream }));
    const result = streamText({
      model,
      prompt: "?",
      tools: askTools(executed),
      abortSignal: abort.signal,
    });
    const types = [];
    for await (const { type } of result.fullStream) types.push(type);
    assert.equal(types.at(-1), "abort");
    assert.ok(types.includes("tool-input-delta") && !types.includes("tool-call"));
    assert.deepEqual(executed, []);
  });

  test("tells the model of a call that can't be asked", async () => {
    const model = streaming([CALL.replace("Tea?", ""), CALL]);
    const result = streamText({
      model: wrap(model),
      prompt: "?",
      tools: askTools(),
      stopWhen: stepCountIs(3),
    });
    await result.consumeStream();
    const [assistant, tool] = model.doStreamCalls[1].prompt.slice(-2);
    assert.equal(assistant.content[0].type, "tool-call");
    assert.equal(tool.content[0].toolCallId, assistant.content[0].toolCallId);
    assert.match(tool.content[0].output.type, /^error-/);
    assert.deepEqual((await result.toolCalls).at(-1).input, INPUT);
  });

  test("returns the same content if it does not stream", async () => {
    const executed = [];
    const result = {
      content: [{ type: "text", text: `Hm.\n${CALL}` }],
      finishReason: reason("stop"),
      usage: USAGE,
      warnings: [],
    };
    const model = wrap(new MockModel({ doGenerate: result }));
    const generated = await generateText({ model, prompt: "?", tools: askTools(executed) });
    assert.equal(generated.text, "Hm.\n");
    assert.equal(generated.finishReason, "tool-calls");
    assert.deepEqual(
      generated.toolCalls.map(({ input }) => input),
      [INPUT],
    );
    assert.deepEqual(executed, [INPUT]);
  });

  test("meets a choice of tool that demands a call", async () => {
    const options = {
      prompt: "?",
      tools: askTools(),
      toolChoice: { type: "tool", toolName: "ask_followup_question" },
    };
    const result = streamText({ model: wrap(streaming([CALL])), ...options });
    assert.deepEqual(
      (await result.toolCalls).map(({ input }) => input),
      [INPUT],
    );
  });

  test("asks once what leaks and comes natively, and the answer to it completes the message", async () => {
    const leak = textParts(
      `<tool_call>{"name": "ask_followup_question", "arguments": ${JSON.stringify(INPUT)}}</tool_call>`,
    );
    const native = nativeParts("ask_followup_question", JSON.stringify(INPUT));
    for (const parts of [
      [...leak, ...native],
      [...native, ...leak],
    ]) {
      const executed = [];
      const model = () =>
        wrap(new MockModel({ doStream: async () => ({ stream: streamed(parts, "tool-calls") }) }));
      const all = await messages(streamText({ model: model(), prompt: "?", tools: askTools() }));
      for (const { parts } of all)
        assert.ok(parts.filter(({ type }) => type.startsWith("tool-")).length <= 1);
      const message = all.at(-1);
      const call = message.parts.find(({ type }) => type.startsWith("tool-"));
      assert.deepEqual([call.state, call.input], ["input-available", INPUT]);
      assert.equal(isComplete({ messages: [message] }), false);
      Object.assign(call, { state: "output-available", output: "Yes" });
      assert.equal(isComplete({ messages: [message] }), true);
      await streamText({ model: model(), prompt: "?", tools: askTools(executed) }).consumeStream();
      assert.deepEqual(executed, [INPUT]);
    }
  });

  test("keeps an input that has started in the message, so that a call in text can't be withdrawn", async () => {
    const begun = nativeParts("ask_followup_question", JSON.stringify(INPUT), "a").slice(0, -1);
    const parts = [...begun, ...nativeParts("ask_followup_question", JSON.stringify(INPUT), "b")];
    const model = new MockModel({ doStream: { stream: streamed(parts, "tool-calls") } });
    const message = (await messages(streamText({ model, prompt: "?", tools: askTools() }))).at(-1);
    const [withdrawn, call] = message.parts.filter(({ type }) => type.startsWith("tool-"));
    assert.deepEqual([withdrawn.state, call.state], ["input-streaming", "input-available"]);
    Object.assign(call, { state: "output-available", output: "Yes" });
    assert.equal(isComplete({ messages: [message] }), false);
  });

  test("lets a question and its suggestions grow in a message", async () => {
    await replayed(completion(MESSAGE), async (model) => {
      const all = await messages(
        streamText({ model: wrap(model), prompt: "?", tools: askTools() }),
      );
      for (const { parts } of all) {
        for (const part of parts)
          if (part.type === "text")
            assert.doesNotMatch(part.text, /<\/?(ask|question|follow|suggest)/);
      }
      const calls = all.flatMap(({ parts }) =>
        parts.filter(({ type }) => type === "tool-ask_followup_question"),
      );
      const inputs = calls
        .filter(({ state }) => state === "input-streaming")
        .map(({ input }) => input);
      assertGrows(inputs.map((input) => input?.question ?? ""));
      for (const i of [0, 1, 2])
        assertGrows(inputs.map((input) => input?.follow_up?.[i]?.text ?? ""));
      const last = calls.at(-1);
      assert.equal(last.state, "input-available");
      assert.ok(last.input.question.startsWith(QUESTION));
      assert.deepEqual(last.input.follow_up[0], {
        text: "SQLite, and import the old file right away",
        mode: "code",
      });
      assert.equal(last.input.follow_up.length, 3);
    });
  });

  test("reads a completion that is not streamed", async () => {
    await replayed(whole(MESSAGE), async (model) => {
      const { toolCalls, finishReason } = await generateText({
        model: wrap(model),
        prompt: "?",
        tools: askTools(),
      });
      assert.equal(finishReason, "tool-calls");
      assert.equal(toolCalls[0].input.follow_up.length, 3);
    });
  });

  test("runs the example of the README", async () => {
    const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
    const [, example] = /^```javascript\n(.*?)^```$/ms.exec(readme);
    const given = {
      streamText,
      wrapLanguageModel,
      followup,
      provider: () => streaming([CALL]),
      ...askTools(),
    };
    const names = [...Object.keys(given), "messages"];
    const run = new Function(...names, `${example.replace(/^import .*$/gm, "")} return result;`);
    const result = run(...Object.values(given), [{ role: "user", content: "?" }]);
    assert.deepEqual((await result.toolCalls)[0].input, INPUT);
  });

  test("ignores calls in the thinking if it comes before the middleware that extracts the thinking", async () => {
    const reasoning = ai.extractReasoningMiddleware({ tagName: "think" });
    const text = `<think>Maybe ${CALL.replace("Tea?", "Coffee?")}</think>Hm. ${CALL}`;
    const model = wrapLanguageModel({
      model: streaming([text]),
      middleware: [followup(), reasoning],
    });
    const result = streamText({ model, prompt: "?", tools: askTools() });
    assert.deepEqual(
      (await result.toolCalls).map(({ input }) => input.question),
      ["Tea?"],
    );
    assert.match(await result.reasoningText, /^Maybe <ask_followup_question>/);
  });

  test("reads a recorded native call", async () => {
    await replayed(shared("responses/openai-chat.sse"), async (model) => {
      const result = streamText({ model: wrap(model), prompt: "?", tools: askTools() });
      await result.consumeStream();
      const [call] = await result.toolCalls;
      assert.equal(call.toolCallId, "call_export");
      assert.equal(call.invalid, undefined);
      assert.ok(call.input.follow_up.every(({ text }) => text !== ""));
    });
  });
});

/** Asserts that each text begins with the one before, and that there are several. */
function assertGrows(texts) {
  texts.forEach((text, i) =>
    assert.ok(i === 0 || text.startsWith(texts[i - 1]), `${texts[i - 1]} became ${text}`),
  );
  assert.ok(new Set(texts).size > 3);
}
