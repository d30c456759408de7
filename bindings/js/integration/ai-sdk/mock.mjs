// The AI SDK of the major that SDK names, 6 or 7, and models of it that stream given parts.

import { followup } from "followup/ai-sdk";

export const version = process.env.SDK;
export const ai = await import(`ai-${version}`);
export const { [version === "6" ? "MockLanguageModelV3" : "MockLanguageModelV4"]: MockModel } =
  await import(`ai-${version}/test`);
export const { createOpenAICompatible } = await import(
  version === "6" ? "@ai-sdk/openai-compatible-6" : "@ai-sdk/openai-compatible"
);

export const USAGE = { inputTokens: { total: 1, noCache: 1 }, outputTokens: { total: 1, text: 1 } };

export function reason(unified) {
  return { unified, raw: unified };
}

/** Returns a model that streams these texts, each in a step of its own. */
export function streaming(texts, unified = "stop") {
  return new MockModel({
    doStream: texts.map((text) => ({ stream: streamed(textParts(text), unified) })),
  });
}

export function streamed(parts, unified) {
  const start = { type: "stream-start", warnings: [] };
  const finish = { type: "finish", finishReason: reason(unified), usage: USAGE };
  return ai.simulateReadableStream({
    initialDelayInMs: null,
    chunkDelayInMs: null,
    chunks: [start, ...parts, finish],
  });
}

export function textParts(text, id = "1") {
  const deltas = [...text].map((delta) => ({ type: "text-delta", id, delta }));
  return [{ type: "text-start", id }, ...deltas, { type: "text-end", id }];
}

export function nativeParts(toolName, input, id = "n") {
  const deltas = [...input].map((delta) => ({ type: "tool-input-delta", id, delta }));
  const call = { type: "tool-call", toolCallId: id, toolName, input };
  return [
    { type: "tool-input-start", id, toolName },
    ...deltas,
    { type: "tool-input-end", id },
    call,
  ];
}

export const wrap = (model, options) =>
  ai.wrapLanguageModel({ model, middleware: followup(options) });
