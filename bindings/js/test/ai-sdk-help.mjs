// Helpers for tests of the middleware: tools, stream parts, and functions that run it.

import { followup } from "followup/ai-sdk";

const text = { type: "string" };
const list = (items) => ({ type: "array", items });
const object = (properties, required = Object.keys(properties)) => ({
  type: "object",
  properties,
  required,
});
const tool = (name, inputSchema) => ({ type: "function", name, inputSchema });

export const ASK = tool(
  "ask_followup_question",
  object({ question: text, follow_up: list(object({ text, mode: text }, ["text"])) }),
);
// What calls often leave out is not required. The tests of native calls have schemas that require
// it.
const form = (question, option) =>
  object({
    questions: list(
      object({ ...question, options: list(object(option, ["label"])) }, ["question", "options"]),
    ),
  });
export const CLAUDE = tool(
  "AskUserQuestion",
  form(
    { question: text, header: text, multiSelect: { type: "boolean" } },
    { label: text, description: text, preview: text },
  ),
);
export const VSCODE = tool(
  "askQuestions",
  form(
    { header: text, question: text, message: text, multiSelect: { type: "boolean" } },
    { label: text, description: text },
  ),
);
export const CLINE = tool("ask_question", object({ question: text, options: list(text) }));
export const CODEX = tool(
  "request_user_input",
  form({ id: text, header: text, question: text }, { label: text, description: text }),
);
export const CURSOR = tool("AskQuestion", {});
export const GEMINI = tool("ask_user", {});
export const OTHER = tool("read_file", object({ path: text }));
export const TOOLS = [ASK, CLAUDE, VSCODE, CLINE, CODEX, CURSOR, GEMINI, OTHER];

/** The parts of a block of text, cut into these deltas. */
export function block(deltas, id = "t") {
  return [
    { type: "text-start", id },
    ...deltas.map((delta) => ({ type: "text-delta", id, delta })),
    { type: "text-end", id },
  ];
}

/** The parts of a native call, its input cut into these deltas. */
export function native(toolName, deltas, id = "n") {
  return [
    { type: "tool-input-start", id, toolName },
    ...deltas.map((delta) => ({ type: "tool-input-delta", id, delta })),
    { type: "tool-input-end", id },
    { type: "tool-call", toolCallId: id, toolName, input: deltas.join("") },
  ];
}

export function finish(unified = "stop") {
  return { type: "finish", finishReason: { unified, raw: unified }, usage: {} };
}

/** Returns the middleware, whose calls have the ids `c0`, `c1` and so on. */
export function middleware(options) {
  let next = 0;
  return followup({ generateId: () => `c${next++}`, ...options });
}

/** Returns the parts that come out of a stream of these parts. */
export async function rewrite(
  parts,
  { tools = TOOLS, toolChoice, responseFormat, ...options } = {},
) {
  const params = { prompt: [], tools, toolChoice, responseFormat };
  const doStream = async () => ({ stream: ReadableStream.from(parts) });
  const { stream } = await middleware(options).wrapStream({ doStream, params });
  const out = [];
  for await (const part of stream) out.push(part);
  return out;
}

/** Returns the content that comes out of a response with this content. */
export async function regenerate(
  content,
  reason = "stop",
  { tools = TOOLS, responseFormat, ...options } = {},
) {
  const result = { content, finishReason: { unified: reason, raw: reason }, usage: {} };
  return middleware(options).wrapGenerate({
    doGenerate: async () => result,
    params: { prompt: [], tools, responseFormat },
  });
}

/** Joins the deltas, which only the cut separates. */
export function joined(parts) {
  const out = [];
  for (const part of parts) {
    const last = out.at(-1);
    if (part.delta !== undefined && last?.type === part.type && last.id === part.id)
      last.delta += part.delta;
    else out.push({ ...part });
  }
  return out;
}

/** Returns what a result of `wrapGenerate` with these parts has. */
export function contentOf(parts) {
  const content = [];
  for (const part of joined(parts)) {
    if (part.type === "text-delta") content.push({ type: "text", text: part.delta });
    else if (part.type === "tool-call") content.push(part);
  }
  return { content, finishReason: parts.find(({ type }) => type === "finish")?.finishReason };
}
