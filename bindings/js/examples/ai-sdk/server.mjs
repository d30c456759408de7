// Serves the chat. With PROVIDER_URL, MODEL and API_KEY it talks to a provider of OpenAI's chat
// completions, otherwise to a recorded one.

import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { json } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { convertToModelMessages, streamText, tool, wrapLanguageModel } from "ai";
import { build } from "esbuild";
import { followup } from "followup/ai-sdk";
import { z } from "zod";
import { recorded } from "./recorded.mjs";

const { PORT = "3000", PROVIDER_URL, MODEL = "recorded", API_KEY } = process.env;
const file = (name) => fileURLToPath(new URL(name, import.meta.url));

const provider = createOpenAICompatible({
  name: "example",
  baseURL: PROVIDER_URL ?? "http://recorded/v1",
  apiKey: API_KEY,
  ...(PROVIDER_URL ? {} : { fetch: recorded }),
});

const model = wrapLanguageModel({ model: provider(MODEL), middleware: followup() });

const tools = {
  ask_followup_question: tool({
    description: "Asks the user a question. Without `execute` the page answers it.",
    inputSchema: z.object({
      question: z.string(),
      follow_up: z.array(z.object({ text: z.string(), mode: z.string().optional() })),
    }),
  }),
};

async function chat(request, response) {
  const { messages } = await json(request);
  const abort = new AbortController();
  response.on("close", () => abort.abort());
  const result = streamText({
    model,
    tools,
    messages: await convertToModelMessages(messages),
    abortSignal: abort.signal,
  });
  result.pipeUIMessageStreamToResponse(response);
}

const bundle = await build({
  entryPoints: [file("page.jsx")],
  bundle: true,
  write: false,
  format: "esm",
  jsx: "automatic",
  minify: true,
});
const script = bundle.outputFiles[0].contents;

const server = createServer(async (request, response) => {
  const { pathname } = new URL(request.url, "http://localhost");
  if (pathname === "/api/chat" && request.method === "POST") return chat(request, response);
  if (pathname === "/page.js")
    return response.setHeader("content-type", "text/javascript").end(script);
  if (pathname === "/")
    return response.setHeader("content-type", "text/html").end(await readFile(file("index.html")));
  response.writeHead(404).end();
});
server.listen(Number(PORT), "127.0.0.1", () =>
  console.log(`http://localhost:${server.address().port}`),
);
