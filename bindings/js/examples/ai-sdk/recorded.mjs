// A recorded provider, for a chat without a network: it asks once, and thanks for the answer.

import { readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";

const ASKING = readFileSync(
  new URL("../../../../examples/messages/database.md", import.meta.url),
  "utf8",
);

/** Answers a request for a chat completion, in place of `fetch`. */
export async function recorded(_url, { body, signal }) {
  const last = JSON.parse(body).messages.at(-1);
  const message = last.role === "tool" ? `Thanks. I note: ${last.content}` : ASKING;
  const stream = ReadableStream.from(chunks(message, signal)).pipeThrough(new TextEncoderStream());
  return new Response(stream, { headers: { "content-type": "text/event-stream" } });
}

async function* chunks(message, signal) {
  for (const content of message.match(/[^]{1,4}/gu)) {
    await setTimeout(15, undefined, { signal });
    yield chunk({ delta: { content }, finish_reason: null });
  }
  yield chunk({ delta: {}, finish_reason: "stop" });
  yield "data: [DONE]\n\n";
}

function chunk(choice) {
  const meta = { id: "1", object: "chat.completion.chunk", created: 0, model: "recorded" };
  return `data: ${JSON.stringify({ ...meta, choices: [{ index: 0, ...choice }] })}\n\n`;
}
