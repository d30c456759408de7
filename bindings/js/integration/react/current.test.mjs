// One component for the call that is open now: it begins anew with another call, and only then.

import assert from "node:assert/strict";
import { test } from "node:test";
import { answers, eventually, opened, until, VERSIONS } from "./help.mjs";

const open = (text, rest) => ({
  state: "open",
  index: 0,
  tool: "ask_followup_question",
  notes: [],
  questions: [{ text, suggestions: [{ answer: "A" }, { answer: "B" }] }],
  ...rest,
});
const form = (text, rest) => open(text, { tool: "AskUserQuestion", ...rest });
const growing = (text, rest) => ({ ...open(text, rest), state: "growing" });
const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

const part = (page, name, nth = 0) => page.locator(`[data-part=${name}]`).nth(nth);
const show = (page, call) => page.evaluate((call) => window.harness.show(call), call);
const states = (page) =>
  page.locator(".question").evaluateAll((all) => all.map(({ dataset }) => dataset.state));

for (const version of Object.keys(VERSIONS)) {
  test(`React ${version}: another call is not shown with the answer, the words and the images of the last one`, async (t) => {
    const { page, errors } = await opened(t, version, { query: "current" });
    for (const [first, second] of [
      [open("One?"), open("Two?", { index: 1 })],
      [open("Which?", { id: "a" }), open("Which?", { id: "b" })],
      // Of two messages.
      [open("One?"), open("Two?")],
      [form("One?"), form("Two?", { index: 1 })],
      [open("One?"), growing("On")],
    ]) {
      await show(page, first);
      await page.setInputFiles("input[type=file]", {
        name: "a.png",
        mimeType: "image/png",
        buffer: PNG,
      });
      await part(page, "image").waitFor();
      await page.fill("[data-part=text]", "mine");
      await part(page, "send").click();
      await page.waitForSelector("[data-state=answered]");
      await show(page, second);
      await until(
        page,
        (state) => document.querySelector(".question").dataset.state === state,
        second.state,
      );
      assert.equal(await page.inputValue("[data-part=text]"), "");
      assert.equal(await part(page, "image").count(), 0);
      await show(page, growing("", { index: 9 }));
    }
    assert.equal((await answers(page)).length, 5);
    assert.deepEqual(errors, []);
  });

  test(`React ${version}: the same question again is another call`, async (t) => {
    const { page, errors } = await opened(t, version, { query: "current" });
    const answer = { type: "suggestion", suggestion: 0 };
    for (const end of [
      { state: "answered", answer },
      { state: "cancelled" },
      { state: "discussed", answers: [] },
      { state: "rejected", code: "malformed", message: "bad" },
    ]) {
      await show(page, open("Which?"));
      await part(page, "take").click();
      await show(page, open("Which?", end));
      await until(
        page,
        (state) => document.querySelector(".question").dataset.state === state,
        end.state,
      );
      await show(page, open("Which?"));
      await until(page, () => document.querySelector(".question").dataset.state === "open");
      await show(page, growing("", { index: 9 }));
    }
    assert.equal((await answers(page)).length, 4);
    assert.deepEqual(errors, []);
  });

  test(`React ${version}: a growing question of another text is another call, and one that grows is not`, async (t) => {
    const { page, errors } = await opened(t, version, { query: "current" });
    const words = () => page.inputValue("[data-part=text]");
    await show(page, growing("Which da"));
    await page.fill("[data-part=text]", "mine");
    for (const next of [
      growing("Which database? "),
      growing("Which database? "),
      open("Which database?"),
    ]) {
      await show(page, next);
      await until(
        page,
        (text) => document.querySelector("[data-part=question]").textContent.trim() === text.trim(),
        next.questions[0].text,
      );
      assert.equal(await words(), "mine");
    }
    await show(page, growing("Which da"));
    await page.fill("[data-part=text]", "mine");
    await show(page, growing("Something else"));
    await eventually(async () => (await words()) === "");
    assert.deepEqual(errors, []);
  });

  test(`React ${version}: the focus stays when the next call comes, and a double click does not answer it`, async (t) => {
    const { page, errors } = await opened(t, version, { query: "current" });
    const next = (call) =>
      page.evaluate((call) => {
        const { answers, show } = window.harness;
        const push = answers.push.bind(answers);
        answers.push = (answer) => (push(answer), show(call));
      }, call);
    const text = (page) => page.textContent("[data-part=status]");
    await show(page, open("One?"));
    await page.locator(".question").evaluate((element) => (element.isFirst = true));
    await page.locator("[data-part=status]").evaluate((element) => (element.isFirst = true));
    await next(open("Two?", { index: 1 }));
    await part(page, "take").focus();
    await page.keyboard.press("Enter");
    await eventually(async () => (await text(page)).includes("Two?"));
    assert.equal(await page.evaluate(() => document.activeElement.dataset.state), "open");
    assert.ok(
      await page.evaluate(
        () =>
          document.activeElement.isFirst && document.querySelector("[data-part=status]").isFirst,
      ),
    );
    await next(open("Three?", { index: 2 }));
    await part(page, "take").dblclick();
    await eventually(async () => (await text(page)).includes("Three?"));
    await next(open("Four?", { index: 3 }));
    await new Promise((resolve) => setTimeout(resolve, 200));
    assert.equal((await answers(page)).length, 2);
    assert.deepEqual(errors, []);
  });

  test(`React ${version}: a later click of a series answers, unless an earlier one of it has`, async (t) => {
    const { page, errors } = await opened(t, version, { query: "current" });
    const click = async (clickCount) => {
      const { x, y } = await part(page, "take").boundingBox();
      await page.mouse.move(x + 4, y + 4);
      await page.mouse.down({ clickCount });
      await page.mouse.up({ clickCount });
    };
    const shown = async (call) => {
      await show(page, call);
      await until(
        page,
        (state) => document.querySelector(".question").dataset.state === state,
        call.state,
      );
    };
    await shown(growing("One?"));
    await click(1);
    await shown(open("One?"));
    await click(2);
    await page.waitForSelector("[data-state=answered]");
    await shown(open("Two?", { index: 1 }));
    await click(3);
    assert.equal((await answers(page)).length, 1);
    // The next series begins elsewhere.
    await page.mouse.click(700, 800);
    await click(2);
    await page.waitForSelector("[data-state=answered]");
    assert.equal((await answers(page)).length, 2);
    assert.deepEqual(errors, []);
  });

  test(`React ${version}: another call has a countdown of its own`, async (t) => {
    const { page } = await opened(t, version, {
      query: "current&auto=10",
      prepare: (page) => page.clock.install(),
    });
    const counts = () =>
      eventually(async () => (await page.clock.runFor(50), part(page, "countdown").count()));
    await show(page, open("One?"));
    await counts();
    await part(page, "stop").click();
    await show(page, open("Two?", { index: 1 }));
    await counts();
  });

  test(`React ${version}: a call stays the same one while it grows, also if its id comes late`, async (t) => {
    const { page } = await opened(t, version, { query: "current" });
    await show(page, growing("W"));
    await page.locator(".question").evaluate((element) => (element.isFirst = true));
    await show(page, growing("Whi"));
    await show(page, growing("Which", { id: "late" }));
    await show(page, open("Which one?", { id: "late" }));
    await page.fill("[data-part=text]", "mine");
    await show(page, { ...open("Which one?", { id: "late" }) });
    assert.equal(await page.inputValue("[data-part=text]"), "mine");
    await show(page, {
      ...open("Which one?", { id: "late" }),
      state: "answered",
      answer: { type: "suggestion", suggestion: 1 },
    });
    await page.waitForSelector("[data-state=answered]");
    assert.ok(await page.locator(".question").evaluate((element) => element.isFirst));
    assert.deepEqual(await states(page), ["answered"]);
  });
}
