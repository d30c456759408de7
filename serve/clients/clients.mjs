// The AI SDK with its providers for OpenAI and Anthropic, through the service, streamed and not.

import assert from "node:assert/strict";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { generateText, jsonSchema, streamText, tool } from "ai";

const service = process.argv[2];
const openai = createOpenAI({ baseURL: `${service}/v1`, apiKey: "key" });
const anthropic = createAnthropic({ baseURL: `${service}/v1`, apiKey: "key" });
const toolName = "ask_followup_question";
const inputSchema = jsonSchema({
  type: "object",
  properties: { question: { type: "string" } },
  required: ["question"],
});
const tools = { [toolName]: tool({ description: "Asks the user.", inputSchema }) };

async function call(path, body) {
  const response = await fetch(
    service + path,
    body && { method: "POST", body: JSON.stringify(body) },
  );
  assert.ok(response.ok, `${path}: ${response.status}`);
  return response.json();
}

/** Returns the text, the calls and the messages of one request. */
async function ask(model, messages, streamed, providerOptions) {
  const options = { model, messages, tools, providerOptions, maxOutputTokens: 100, maxRetries: 0 };
  if (!streamed) {
    const { text, toolCalls, response } = await generateText(options);
    return { text, toolCalls, messages: response.messages };
  }
  const result = streamText({
    ...options,
    onError: ({ error }) => {
      throw error;
    },
  });
  return {
    text: await result.text,
    toolCalls: await result.toolCalls,
    messages: (await result.response).messages,
  };
}

async function check(name, format, model, providerOptions) {
  for (const streamed of [false, true]) {
    const user = { role: "user", content: `Paint it, ${name}, ${streamed}` };
    const first = await ask(model, [user], streamed, providerOptions);
    const [asked] = first.toolCalls;
    assert.equal(asked.input.question, "Which colour?");
    const [newest] = (await call("/conversations")).conversations;
    assert.equal(newest.open, "Which colour?");
    const { reply } = await call(`/conversations/${newest.id}/answer`, {
      number: 0,
      suggestion: 1,
      format,
    });
    const output = { type: "text", value: reply.text };
    const result = { type: "tool-result", toolCallId: asked.toolCallId, toolName, output };
    const messages = [user, ...first.messages, { role: "tool", content: [result] }];
    const second = await ask(model, messages, streamed, providerOptions);
    assert.equal(second.text, `Then: ${reply.text}`);
    assert.match(second.text, /Blue/);
    const { items } = await call(`/conversations/${newest.id}`);
    const turns = items.filter((item) => item.type === "turn").length;
    assert.equal(turns, 2, `${name}: the second request is a turn of the same conversation`);
    console.log(`ok  ai ${name} ${streamed ? "streamed" : "whole"}`);
  }
}

await check("chat completions", "openai-chat", openai.chat("scripted"));
// The provider keeps the conversation: the request names its items.
await check("responses that are kept", "openai-responses", openai.responses("scripted"));
await check("responses", "openai-responses", openai.responses("scripted"), {
  openai: { store: false },
});
await check("messages", "anthropic", anthropic("scripted"));
