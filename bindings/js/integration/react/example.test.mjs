// The example chat page, as it is started.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { newPage, violations } from "./help.mjs";

async function started(t) {
  const server = spawn(process.execPath, ["server.mjs", "0", "1"], { cwd: fileURLToPath(new URL("../../examples/react-chat", import.meta.url)), stdio: ["ignore", "pipe", "inherit"] });
  t.after(() => server.kill());
  return new Promise((resolve, reject) => {
    server.stdout.on("data", (data) => resolve(/http:\S+/.exec(String(data))?.[0]));
    server.once("exit", (code) => reject(new Error(`the server ended with ${code}`)));
  });
}

for (const options of [{}, { colorScheme: "dark", viewport: { width: 360, height: 740 } }]) {
  test(`a conversation in the example ${JSON.stringify(options)}`, async (t) => {
    const { page, errors } = await newPage(t, options);
    await page.goto(await started(t));
    await page.fill("#message", "Add an export");
    await page.keyboard.press("Enter");
    await page.waitForSelector("[data-state=open]");
    assert.deepEqual(await violations(page), []);
    await page.setInputFiles("input[type=file]", { name: "a.gif", mimeType: "image/gif", buffer: Buffer.from("R0lGODlhAQABAAAAACwAAAAAAQABAAACAkQBADs=", "base64") });
    await page.getByRole("button", { name: "Remove a.gif" }).waitFor();
    assert.deepEqual(await violations(page), []);
    await page.click("[data-part=take] >> nth=1");
    assert.equal(await page.textContent(".badge"), "mode: architect");
    await page.waitForSelector("[data-state=open] fieldset >> nth=2");
    assert.deepEqual(await violations(page), []);
    await page.getByRole("checkbox", { name: /^Passkey/ }).check();
    await page.click("[data-state=open] [data-part=next]");
    assert.deepEqual(await violations(page), []);
    await page.click("[data-state=open] [data-part=send]");
    await page.locator("[data-state=open] [data-part=question]", { hasText: "Shall I open a pull request?" }).waitFor();
    await page.click("[data-state=open] [data-part=cancel]");
    assert.deepEqual(await violations(page), []);
    await page.click("[data-part=agree]");
    await page.getByText("Thank you").waitFor();
    assert.equal(await page.locator("[data-state=answered]").count(), 2);
    assert.equal(await page.locator("[data-state=cancelled]").count(), 1);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "nothing is wider than the page");
    assert.deepEqual(errors, []);
  });
}
