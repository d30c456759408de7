// Tests that what the providers' own SDKs return can be read, as the readme says.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { ROOT } from "../pack.mjs";
import { install } from "./help.mjs";

const { events } = await import(
  pathToFileURL(join(install(), "node_modules/followup/dist/main.js")).href
);

/** Returns the options of a client that gets a recorded body. */
function recorded(name) {
  const body = readFileSync(join(ROOT, "../../examples/responses", name));
  return {
    apiKey: "none",
    fetch: async () => new Response(body, { headers: { "content-type": "text/event-stream" } }),
  };
}

/** Returns the questions of a source. */
async function questions(source) {
  const all = [];
  for await (const event of events(source)) if (event.type === "complete") all.push(event.question);
  return all;
}

const openai = () =>
  new OpenAI(recorded("openai-chat.sse")).chat.completions.create({
    model: "any",
    messages: [],
    stream: true,
  });
const anthropic = () =>
  new Anthropic(recorded("anthropic-form.sse")).messages.create({
    model: "any",
    max_tokens: 1,
    messages: [],
    stream: true,
  });

for (const [name, create, question] of [
  ["OpenAI", openai, /^Where should the nightly/],
  ["Anthropic", anthropic, /^Where should the ses/],
]) {
  test(`the response of the SDK of ${name} is read`, async () => {
    const [asked, ...others] = await questions(await create().asResponse());
    assert.match(asked, question);
    assert.deepEqual(others, []);
  });

  test(`the objects of the SDK of ${name} are refused with a hint`, async () => {
    await assert.rejects(async () => questions(await create()), {
      name: "TypeError",
      message: /a string or a Uint8Array was expected, not object.*asResponse/,
    });
  });
}
