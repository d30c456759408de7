// The example chat page, started by its `run`.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { newPage, violations } from "./help.mjs";

const EXAMPLE = fileURLToPath(new URL("../../examples/react-chat", import.meta.url));

let server;
let url;
before(async () => {
  // As a user starts it, who has none of the settings of these tests.
  const env = { ...process.env, NODE_OPTIONS: undefined, NODE_TEST_CONTEXT: undefined };
  server = spawn("./run", ["0", "1"], { cwd: EXAMPLE, env, stdio: ["ignore", "pipe", "inherit"] });
  let written = "";
  url = await new Promise((resolve, reject) => {
    server.stdout.on("data", (data) => {
      written += data;
      const [, found] = /^listening on (\S+)$/m.exec(written) ?? [];
      if (found) resolve(found);
    });
    server.once("error", reject);
    server.once("exit", (code) => reject(new Error(`the example ended with ${code}: ${written}`)));
  });
});
after(() => server.kill());

for (const options of [{}, { colorScheme: "dark", viewport: { width: 360, height: 740 } }]) {
  test(`a conversation in the example ${JSON.stringify(options)}`, async (t) => {
    const { page, errors } = await newPage(t, options);
    await page.goto(url);
    await page.fill("#message", "Add an export");
    await page.keyboard.press("Enter");
    await page.waitForSelector("[data-state=open]");
    assert.deepEqual(await violations(page), []);
    await page.setInputFiles("input[type=file]", {
      name: "a.gif",
      mimeType: "image/gif",
      buffer: Buffer.from("R0lGODlhAQABAAAAACwAAAAAAQABAAACAkQBADs=", "base64"),
    });
    await page.getByRole("button", { name: "Remove a.gif" }).waitFor();
    assert.deepEqual(await violations(page), []);
    await page.click("[data-part=take] >> nth=1");
    assert.equal(await page.textContent(".badge"), "mode: architect");
    await page.waitForSelector("[data-state=open] fieldset >> nth=2");
    assert.deepEqual(await violations(page), []);
    assert.equal(
      await page.locator("[data-part=discuss]").count(),
      1,
      "only another tool's questions can be talked about",
    );
    await page.getByRole("checkbox", { name: /^Passkey/ }).check();
    await page.click("[data-state=open] [data-part=next]");
    assert.deepEqual(await violations(page), []);
    await page.click("[data-state=open] [data-part=send]");
    await page
      .locator("[data-state=open] [data-part=question]", {
        hasText: "Shall I open a pull request?",
      })
      .waitFor();
    await page.click("[data-state=open] [data-part=cancel]");
    assert.deepEqual(await violations(page), []);
    await page.click("[data-part=agree]");
    await page.getByText("Thank you").waitFor();
    assert.equal(await page.locator("[data-state=answered]").count(), 2);
    assert.equal(await page.locator("[data-state=cancelled]").count(), 1);
    assert.ok(
      await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth),
      "nothing is wider than the page",
    );
    assert.deepEqual(errors, []);
  });
}
