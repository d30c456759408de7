// A provider of OpenAI's chat completions on this machine. It replays recorded bodies and keeps what it was asked.

import { createServer } from "node:http";

/** Returns the body of a streamed chat completion whose message comes in pieces of this length. */
export function completion(message, { length = 5, reason = "stop" } = {}) {
  const chunk = (choice) =>
    `data: ${JSON.stringify({ id: "chatcmpl-1", object: "chat.completion.chunk", created: 1763710000, model: "example-1", choices: [{ index: 0, ...choice }] })}\n\n`;
  const pieces = message.match(new RegExp(`[^]{1,${length}}`, "gu")) ?? [];
  const deltas = [{ role: "assistant", content: "" }, ...pieces.map((content) => ({ content }))];
  return [...deltas.map((delta) => chunk({ delta, finish_reason: null })), chunk({ delta: {}, finish_reason: reason }), "data: [DONE]\n\n"].join("");
}

/** Returns a chat completion that is not streamed. */
export function whole(message, reason = "stop") {
  const choices = [{ index: 0, message: { role: "assistant", content: message }, finish_reason: reason }];
  return JSON.stringify({ id: "chatcmpl-1", object: "chat.completion", created: 1763710000, model: "example-1", choices });
}

/** Starts the provider, which answers with these bodies, one after the other. */
export async function provide(bodies) {
  const requests = [];
  const rest = [...bodies];
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    requests.push(JSON.parse(text));
    const body = rest.shift();
    response.writeHead(200, { "content-type": body.startsWith("data:") ? "text/event-stream" : "application/json" });
    response.end(body);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () => new Promise((resolve) => server.close(resolve));
  return { url: `http://127.0.0.1:${server.address().port}/v1`, requests, close };
}
