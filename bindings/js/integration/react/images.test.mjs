// Images that go with an answer.

import assert from "node:assert/strict";
import { test } from "node:test";
import { answers, opened, recorded, VERSIONS, violations } from "./help.mjs";

const QUESTION =
  "<ask_followup_question><question>Where?</question><suggest>Here</suggest></ask_followup_question>";
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const GIF = "R0lGODlhAQABAAAAACwAAAAAAQABAAACAkQBADs=";

const part = (page, name, nth = 0) => page.locator(`[data-part=${name}]`).nth(nth);
const focused = (page) => page.evaluate(() => document.activeElement.dataset.part);
const images = (page) => page.evaluate(() => window.harness.images);
const file = (name, base64, mimeType = "image/png") => ({
  name,
  mimeType,
  buffer: Buffer.from(base64, "base64"),
});
const pick = (page, ...files) => page.setInputFiles("input[type=file]", files);

/**
 * Pastes or drops files on an element, with a text if one is given. Returns whether the page took
 * them.
 */
function give(page, selector, type, base64, text) {
  return page
    .locator(selector)
    .first()
    .evaluate(
      (element, { type, base64, text }) => {
        const data = new DataTransfer();
        data.items.add(
          new File([Uint8Array.from(atob(base64), (unit) => unit.charCodeAt(0))], "given.png"),
        );
        if (text) data.setData("text/plain", text);
        const options = { bubbles: true, cancelable: true };
        const event =
          type === "paste"
            ? new ClipboardEvent(type, { ...options, clipboardData: data })
            : new DragEvent(type, { ...options, dataTransfer: data });
        return !element.dispatchEvent(event);
      },
      { type, base64, text },
    );
}

async function asked(t, version, { form, query = "images", ...options } = {}) {
  const all = await opened(t, version, { query, ...options });
  if (form) await all.stream.raw(recorded("anthropic-form"));
  else await all.stream.text(QUESTION);
  await all.stream.end();
  await all.page.waitForSelector("[data-state=open]");
  return all;
}

for (const version of Object.keys(VERSIONS)) {
  test(`React ${version}: images are picked, and go with the answer as data URLs`, async (t) => {
    const { page, errors } = await asked(t, version, { colorScheme: "dark" });
    const chooser = page.waitForEvent("filechooser");
    await part(page, "add").press("Enter");
    assert.equal((await chooser).isMultiple(), true);
    // The bytes tell the type, not the name.
    await pick(page, file("plan.jpg", PNG, "image/jpeg"), file("b.gif", GIF, "image/gif"));
    await part(page, "image", 1).waitFor();
    assert.deepEqual(
      await page
        .locator("[data-part=image] img")
        .evaluateAll((all) => all.map(({ alt, naturalWidth }) => [alt, naturalWidth])),
      [
        ["plan.jpg", 1],
        ["b.gif", 1],
      ],
    );
    assert.deepEqual(await violations(page), []);
    await page.fill("[data-part=text]", "There");
    await part(page, "send").click();
    await page.waitForSelector("[data-state=answered]");
    assert.deepEqual(await answers(page), [{ type: "text", text: "There" }]);
    assert.deepEqual(await images(page), [
      `data:image/png;base64,${PNG}`,
      `data:image/gif;base64,${GIF}`,
    ]);
    assert.equal(
      await page.locator("[data-part=image] img").count(),
      2,
      "they are shown with the answer",
    );
    assert.equal(await page.locator("[data-part=remove]").count(), 0);
    assert.equal(await part(page, "status").textContent(), "Answered: There, with 2 images");
    assert.deepEqual(await violations(page), []);
    assert.deepEqual(errors, []);
  });

  test(`React ${version}: images are pasted and dropped, and are an answer alone`, async (t) => {
    const { page } = await asked(t, version);
    assert.equal(await give(page, "[data-part=text]", "paste", PNG), true);
    await part(page, "image").waitFor();
    assert.equal(await give(page, "[data-part=question]", "dragover", PNG), true);
    assert.equal(await give(page, "[data-part=question]", "drop", GIF), true);
    await part(page, "image", 1).waitFor();
    assert.equal(
      await give(page, "[data-part=text]", "paste", PNG, "1\t2"),
      false,
      "the text of a table is meant, not its picture",
    );
    await part(page, "send").click();
    await page.waitForSelector("[data-state=answered]");
    assert.deepEqual(await answers(page), [{ type: "text", text: "" }]);
    assert.equal((await images(page)).length, 2);
    assert.equal(await part(page, "answered").count(), 0);
  });

  test(`React ${version}: images go with a suggestion, and with a form after its review`, async (t) => {
    const { page } = await asked(t, version);
    await pick(page, file("a.png", PNG));
    await part(page, "image").waitFor();
    await part(page, "take").click();
    await page.waitForSelector("[data-state=answered]");
    assert.deepEqual(
      [await answers(page), (await images(page)).length],
      [[{ type: "suggestion", suggestion: 0 }], 1],
    );
    const form = (await asked(t, version, { form: true })).page;
    assert.equal(await part(form, "add").count(), 0);
    await part(form, "next").click();
    await pick(form, file("a.png", PNG));
    await part(form, "image").waitFor();
    // The model would be told that the user declined.
    assert.equal(
      await part(form, "send").getAttribute("aria-disabled"),
      "true",
      "an image alone is no answer to a form",
    );
    await form.locator("[data-part=change]").first().click();
    await form.locator("input[type=radio]").first().check();
    await part(form, "next").click();
    await part(form, "send").click();
    await form.waitForSelector("[data-state=answered]");
    assert.deepEqual(
      [await answers(form), (await images(form)).length],
      [[{ type: "form", answers: [{ picked: [0] }, {}, {}] }], 1],
    );
  });

  test(`React ${version}: what is no image, or too large, is refused, and the rest is kept`, async (t) => {
    const { page } = await asked(t, version);
    await pick(
      page,
      file("notes.png", Buffer.from("hello").toString("base64")),
      file("a.png", PNG),
      file("empty.png", ""),
    );
    await part(page, "image").waitFor();
    assert.deepEqual(await page.locator("[role=alert] p").allTextContents(), [
      "notes.png is not a PNG, JPEG, GIF or WebP image.",
      "empty.png is empty.",
    ]);
    assert.equal(await page.locator("[data-part=image]").count(), 1);
    await page.evaluate((png) => {
      const data = new DataTransfer();
      data.items.add(
        new File(
          [Uint8Array.from(atob(png), (unit) => unit.charCodeAt(0)), new Uint8Array(15 << 20)],
          "large.png",
        ),
      );
      const picker = document.querySelector("input[type=file]");
      picker.files = data.files;
      picker.dispatchEvent(new Event("change", { bubbles: true }));
    }, PNG);
    await page.getByText("large.png is too large: an image may have at most 15 MiB.").waitFor();
    assert.equal(await page.locator("[data-part=image]").count(), 1);
    assert.deepEqual(await violations(page), []);
  });

  test(`React ${version}: an answer waits for an image that is being read, and is not sent if that is refused`, async (t) => {
    const { page } = await asked(t, version);
    /** Drops an image, and takes the suggestion before it can be read. */
    const dropAndTake = (base64) =>
      page.evaluate((base64) => {
        const data = new DataTransfer();
        data.items.add(
          new File([Uint8Array.from(atob(base64), (unit) => unit.charCodeAt(0))], "given.png"),
        );
        const drop = new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer: data });
        document.querySelector("[data-part=question]").dispatchEvent(drop);
        document.querySelector("[data-part=take]").click();
        return window.harness.answers.length;
      }, base64);
    assert.equal(await dropAndTake(Buffer.from("hello").toString("base64")), 0);
    await page.getByText("given.png is not a PNG, JPEG, GIF or WebP image.").waitFor();
    assert.deepEqual(await answers(page), []);
    assert.equal(await dropAndTake(PNG), 0);
    await page.waitForSelector("[data-state=answered]");
    assert.deepEqual(await answers(page), [{ type: "suggestion", suggestion: 0 }]);
    assert.deepEqual(await images(page), [`data:image/png;base64,${PNG}`]);
  });

  test(`React ${version}: an image is removed by the keyboard, and the focus stays near`, async (t) => {
    const { page } = await asked(t, version);
    await pick(page, ...["a", "b", "c"].map((name) => file(`${name}.png`, PNG)));
    await part(page, "image", 2).waitFor();
    await page.getByRole("button", { name: "Remove b.png" }).press("Enter");
    assert.equal(
      await page.evaluate(() => document.activeElement.getAttribute("aria-label")),
      "Remove c.png",
    );
    await page.keyboard.press("Enter");
    assert.equal(
      await page.evaluate(() => document.activeElement.getAttribute("aria-label")),
      "Remove a.png",
    );
    await page.keyboard.press("Enter");
    assert.equal(await page.locator("[data-part=images]").count(), 0);
    assert.equal(await focused(page), "text");
  });

  test(`React ${version}: nothing is taken before the question is open, after it was answered, or where the host takes none`, async (t) => {
    const { page, stream } = await opened(t, version, { query: "images" });
    await stream.text(QUESTION.slice(0, 60));
    await page.waitForSelector("[data-state=growing]");
    assert.equal(await give(page, "[data-part=question]", "paste", PNG), false);
    await stream.text(QUESTION.slice(60));
    await stream.end();
    await page.waitForSelector("[data-state=open]");
    await part(page, "take").click();
    await page.waitForSelector("[data-state=answered]");
    assert.equal(await give(page, "[data-part=question]", "drop", PNG), false);
    assert.deepEqual(await images(page), []);
    const none = await asked(t, version, { query: "" });
    assert.equal(await give(none.page, "[data-part=question]", "paste", PNG), false);
    assert.equal(await none.page.locator("[data-part=add], input[type=file]").count(), 0);
  });
}
