// The example with useChat in Chromium, with each major of the AI SDK: a question grows, and its
// answer goes back to the model.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { after, before, describe, test } from "node:test";
import { chromium } from "playwright-core";
import { example } from "./example.mjs";
import { ENDING, OPENING, pieces } from "./provider.mjs";

let browser;
let provider;
/** The response of the provider that is being written. */
let response;

/** Waits for the next request of the chat to the provider. */
async function asked() {
  const [request] = await once(provider, "asked");
  response.write(OPENING);
  return request;
}

function say(text) {
  response.write(pieces(text));
}

before(async () => {
  provider = createServer(async (request, answer) => {
    response = answer.writeHead(200, { "content-type": "text/event-stream" });
    provider.emit("asked", await json(request));
  });
  provider.listen(0, "127.0.0.1");
  await once(provider, "listening");
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox"],
  });
});

after(async () => {
  await browser?.close();
  provider?.closeAllConnections();
  provider?.close();
});

for (const major of ["6", "7"]) {
  describe(`useChat of the AI SDK ${major}`, () => {
    let page;
    let server;

    before(async () => {
      const env = {
        ...process.env,
        PORT: "0",
        PROVIDER_URL: `http://127.0.0.1:${provider.address().port}/v1`,
      };
      const cwd = example(major);
      for (const [name, version] of [
        ["ai", major],
        ["@ai-sdk/react", { 6: "3", 7: "4" }[major]],
      ]) {
        const installed = JSON.parse(
          readFileSync(join(cwd, "node_modules", name, "package.json"), "utf8"),
        );
        assert.equal(installed.version.split(".")[0], version, name);
      }
      server = spawn(process.execPath, ["server.mjs"], {
        cwd,
        env,
        stdio: ["ignore", "pipe", "inherit"],
      });
      const ended = once(server, "exit").then(() => assert.fail("the server has ended"));
      const [line] = await Promise.race([once(server.stdout, "data"), ended]);
      page = await browser.newPage();
      page.on("pageerror", (error) => assert.fail(error));
      await page.goto(String(line).trim());
    });

    after(() => void server?.removeAllListeners("exit").kill());

    test(
      "a question and its suggestions grow, and the answer goes back",
      { timeout: 60_000 },
      async () => {
        const shown = (text) => page.getByText(text, { exact: true }).waitFor();
        const request = asked();
        await page.getByLabel("Message").fill("Where to?");
        await page.getByLabel("Message").press("Enter");
        assert.equal((await request).tools[0].function.name, "ask_followup_question");

        say("Let me ask.\n<ask_follow");
        await shown("Let me ask.");
        say("up_question><question>Which data");
        await shown("Which data");
        say("base?</question><follow_up><suggest>Postgre");
        await shown("Which database?");
        await shown("Postgre");
        assert.equal(await page.getByRole("button", { name: "Postgre" }).isDisabled(), true);
        say('SQL</suggest><suggest mode="code">SQ');
        await shown("PostgreSQL");
        await shown("SQ");
        say("Lite</suggest></follow_up></ask_followup_question>");
        response.end(ENDING);
        await page.getByRole("button", { name: "SQLite (code)", disabled: false }).waitFor();
        assert.doesNotMatch(await page.locator("main").innerText(), /[<>]/);

        const next = asked();
        await page.getByRole("button", { name: "PostgreSQL" }).click();
        const { messages } = await next;
        const [assistant, tool] = messages.slice(-2);
        assert.deepEqual(JSON.parse(assistant.tool_calls[0].function.arguments), {
          question: "Which database?",
          follow_up: [{ text: "PostgreSQL" }, { text: "SQLite", mode: "code" }],
        });
        assert.equal(tool.tool_call_id, assistant.tool_calls[0].id);
        assert.equal(tool.content, "PostgreSQL");
        say("Good.");
        response.end(ENDING);
        await shown("Good.");
        await page.locator("output", { hasText: "PostgreSQL" }).waitFor();
      },
    );
  });
}
