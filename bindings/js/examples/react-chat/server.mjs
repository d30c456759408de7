// Serves the page, and replays recorded bodies of providers as the model's messages.
//
//   node server.mjs [PORT] [MILLISECONDS BETWEEN EVENTS]

import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";

const [port = "4130", delay = "45"] = process.argv.slice(2);
const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const recorded = (name) => readFileSync(here(`../../../../examples/responses/${name}.sse`), "utf8");

/** The messages of the model, in order; then it begins anew. */
const MESSAGES = [
  recorded("openai-chat"),
  recorded("anthropic-form"),
  asMarkup(),
  asText("Thank you, that is all I need. I will start with the export."),
];

const script = buildSync({
  entryPoints: [here("src/main.tsx")],
  bundle: true,
  format: "esm",
  write: false,
  minify: true,
  jsx: "automatic",
  // The package is a link, and has no react of its own.
  preserveSymlinks: true,
  define: { "process.env.NODE_ENV": '"production"' },
}).outputFiles[0].contents;

const FILES = {
  "/": ["text/html; charset=utf-8", readFileSync(here("index.html"))],
  "/style.css": ["text/css", readFileSync(here("style.css"))],
  "/main.js": ["text/javascript", script],
};

const server = createServer(async (request, response) => {
  const { pathname } = new URL(request.url, "http://localhost");
  if (request.method === "POST" && pathname === "/chat") return replay(request, response);
  const [type, content] = FILES[pathname] ?? ["text/plain", undefined];
  response.writeHead(content === undefined ? 404 : 200, { "content-type": type }).end(content);
});
server.listen(Number(port), "127.0.0.1", () =>
  console.log(`listening on http://localhost:${server.address().port}`),
);

/** Answers with the next message, event by event. */
async function replay(request, response) {
  let body = "";
  for await (const chunk of request) body += chunk;
  const { turn } = JSON.parse(body);
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
  for (const event of MESSAGES[turn % MESSAGES.length].split(/(?<=\n\n)/)) {
    if (response.destroyed) return;
    response.write(event);
    await sleep(Number(delay));
  }
  response.end();
}

/** A message whose call came as text, as models without tools write it. */
function asMarkup() {
  return asText(`The sign-in works, and its tests pass.

<ask_followup_question>
<question>Shall I open a pull request?</question>
<follow_up>
<suggest>Yes, as a draft</suggest>
<suggest mode="ask">First explain what changed</suggest>
<suggest mode="code">First rename the module to auth</suggest>
</follow_up>
</ask_followup_question>`);
}

/** A chat completion with this text, a few characters an event. */
function asText(text) {
  const events = text
    .match(/[^]{1,6}/g)
    .map((content) => JSON.stringify({ choices: [{ index: 0, delta: { content } }] }));
  return [...events, "[DONE]"].map((data) => `data: ${data}\n\n`).join("");
}
