// A provider of OpenAI's chat completions on this machine. It replays recorded bodies and keeps
// what it was asked.

import { createServer } from "node:http";

function chunk(delta, reason = null) {
  const choices = [{ index: 0, delta, finish_reason: reason }];
  const object = "chat.completion.chunk";
  const chunk = { id: "chatcmpl-1", object, created: 1763710000, model: "example-1", choices };
  return `data: ${JSON.stringify(chunk)}\n\n`;
}

/** The beginning and the end of a streamed chat completion. */
export const OPENING = chunk({ role: "assistant", content: "" });
export const ENDING = `${chunk({}, "stop")}data: [DONE]\n\n`;

/** Returns a text as pieces of a message. */
export function pieces(text) {
  return text
    .match(/[^]{1,5}/gu)
    .map((content) => chunk({ content }))
    .join("");
}

/** Returns the body of a streamed chat completion. */
export function completion(message) {
  return OPENING + pieces(message) + ENDING;
}

/** Returns a chat completion that is not streamed. */
export function whole(message) {
  const choices = [
    { index: 0, message: { role: "assistant", content: message }, finish_reason: "stop" },
  ];
  return JSON.stringify({
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1763710000,
    model: "example-1",
    choices,
  });
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
    response.writeHead(200, {
      "content-type": body.startsWith("data:") ? "text/event-stream" : "application/json",
    });
    response.end(body);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () => new Promise((resolve) => server.close(resolve));
  return { url: `http://127.0.0.1:${server.address().port}/v1`, requests, close };
}
