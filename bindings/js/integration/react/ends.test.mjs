// A question that is left unanswered, declined, or talked about first.

import assert from "node:assert/strict";
import { test } from "node:test";
import { answers, opened, recorded, VERSIONS, violations } from "./help.mjs";

const QUESTION =
  "<ask_followup_question><question>Tea?</question><suggest>Yes</suggest></ask_followup_question>";

const part = (page, name, nth = 0) => page.locator(`[data-part=${name}]`).nth(nth);
const focused = (page) => page.evaluate(() => document.activeElement.dataset.part);
const ends = (page) => page.evaluate(() => window.harness.ends);

async function asked(t, version, { form, query = "ends", ...options } = {}) {
  const all = await opened(t, version, { query, ...options });
  if (form) await all.stream.raw(recorded("anthropic-form"));
  else await all.stream.text(QUESTION);
  await all.stream.end();
  await all.page.waitForSelector("[data-state=open]");
  return all;
}

for (const version of Object.keys(VERSIONS)) {
  test(`React ${version}: a question is left unanswered, if the user means it`, async (t) => {
    const { page, errors } = await asked(t, version);
    await page.fill("[data-part=text]", "Wait");
    await part(page, "cancel").click();
    const dialog = page.getByRole("dialog", { name: "Leave this question unanswered?" });
    assert.equal(await focused(page), "keep");
    await page.keyboard.press("Enter");
    await dialog.waitFor({ state: "detached" });
    assert.equal(await focused(page), "cancel");
    await page.keyboard.press("Enter");
    await dialog.waitFor();
    assert.deepEqual(await violations(page), []);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    assert.deepEqual(await ends(page), []);
    await part(page, "cancel").click();
    await part(page, "agree").click();
    await page.waitForSelector("[data-state=cancelled]");
    assert.deepEqual([await ends(page), await answers(page)], [["cancel"], []]);
    assert.equal(await part(page, "closed").textContent(), "Left unanswered");
    assert.equal(await part(page, "status").textContent(), "Left unanswered");
    assert.equal(
      await page.inputValue("[data-part=text]"),
      "Wait",
      "what was written can be copied",
    );
    assert.equal(
      await page.evaluate(() => document.activeElement.getAttribute("data-state")),
      "cancelled",
      "the focus stays in the component",
    );
    assert.deepEqual(await violations(page), []);
    assert.deepEqual(errors, []);
  });

  test(`React ${version}: the questions of another tool are declined`, async (t) => {
    const { page, errors } = await asked(t, version, { form: true });
    assert.equal(await part(page, "cancel").textContent(), "Leave unanswered");
    await part(page, "decline").click();
    await page.getByRole("dialog", { name: "Decline to answer? The model is told so." }).waitFor();
    await part(page, "agree").click();
    await page.waitForSelector("[data-state=declined]");
    assert.deepEqual(await ends(page), ["decline"]);
    assert.equal(await page.locator("fieldset:enabled").count(), 0);
    assert.deepEqual(errors, []);
  });

  test(`React ${version}: no key sends the answers while a confirmation is open, and a key that repeats does not end it`, async (t) => {
    const { page, errors } = await asked(t, version, { form: true });
    await page.getByRole("checkbox", { name: /^Passkey/ }).check();
    await part(page, "next").click();
    await part(page, "decline").focus();
    const dialog = page.getByRole("dialog", { name: "Decline to answer? The model is told so." });
    await page.keyboard.down("Enter");
    await dialog.waitFor();
    await page.keyboard.down("Enter");
    assert.equal(await focused(page), "keep");
    await page.keyboard.up("Enter");
    await page.keyboard.press("Control+Enter");
    assert.deepEqual([await answers(page), await ends(page)], [[], []]);
    await page.waitForSelector("[data-state=open]");
    assert.deepEqual(errors, []);
  });

  test(`React ${version}: the user talks about the questions of another tool first, with the answers so far`, async (t) => {
    const { page, errors } = await asked(t, version, { form: true, query: "ends&talks&slow" });
    const fields = page.locator("fieldset");
    await fields
      .nth(1)
      .getByRole("checkbox", { name: /^Passkey/ })
      .check();
    await fields.nth(2).locator("textarea").fill("On a Monday ");
    await part(page, "discuss").click();
    const dialog = page.getByRole("dialog", {
      name: "Talk about it first? The model gets your answers so far.",
    });
    assert.equal(await focused(page), "keep");
    assert.deepEqual(await violations(page), []);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    assert.equal(await focused(page), "discuss");
    assert.deepEqual(await ends(page), []);
    await page.keyboard.press("Enter");
    assert.equal(await part(page, "agree").textContent(), "Talk about it");
    await part(page, "agree").click();
    await page.waitForSelector("[data-state=sending]");
    await page.evaluate(() => window.harness.settle());
    await page.waitForSelector("[data-state=discussed]");
    assert.deepEqual([await ends(page), await answers(page)], [["discuss"], []]);
    assert.deepEqual(await page.evaluate(() => window.harness.soFar), [
      [{}, { picked: [1] }, { text: "On a Monday" }],
    ]);
    assert.equal(await part(page, "closed").textContent(), "To be talked about first");
    assert.equal(await part(page, "status").textContent(), "To be talked about first");
    assert.equal(await page.locator("fieldset:enabled").count(), 0);
    assert.equal(
      await page.locator("[data-part=option][data-chosen]").count(),
      1,
      "the answers so far stay in view",
    );
    assert.equal(await fields.nth(2).locator("textarea").inputValue(), "On a Monday");
    assert.deepEqual(await violations(page), []);
    assert.deepEqual(errors, []);
  });

  test(`React ${version}: a talk that the page has kept shows the answers so far`, async (t) => {
    const { page } = await opened(t, version, { query: "pushed&talks" });
    await page.evaluate(() => {
      const questions = [
        { text: "Tea?", suggestions: [{ answer: "Yes" }, { answer: "No" }] },
        { text: "When?", suggestions: [] },
      ];
      const { store } = window.harness;
      store.push([
        {
          type: "complete",
          call: 0,
          tool: "AskUserQuestion",
          question: "Tea?",
          suggestions: questions[0].suggestions,
          questions,
          notes: [],
          noteCodes: [],
        },
      ]);
      store.discuss(0, [{ picked: [1] }, { text: "At noon" }]);
    });
    await page.waitForSelector("[data-state=discussed]");
    assert.equal(await page.textContent("[data-part=option][data-chosen]"), "No");
    assert.equal(await page.inputValue("[data-part=text]"), "At noon");
    assert.equal(await part(page, "closed").textContent(), "To be talked about first");
    assert.equal(await part(page, "discuss").count(), 0);
  });

  test(`React ${version}: an end that could not be sent can be sent again, and stays if the page does not keep it`, async (t) => {
    const { page } = await asked(t, version, { query: "ends&refuses&unstored" });
    await part(page, "cancel").click();
    await part(page, "agree").click();
    await page.waitForSelector("[role=alert]");
    await page.evaluate(() => (window.harness.refuses = false));
    await part(page, "cancel").click();
    await part(page, "agree").click();
    await page.waitForSelector("[data-state=cancelled]");
    assert.deepEqual(await ends(page), ["cancel", "cancel"]);
    const talk = await asked(t, version, { query: "talks&refuses&unstored", form: true });
    await part(talk.page, "discuss").click();
    await part(talk.page, "agree").click();
    await talk.page.waitForSelector("[role=alert]");
    await talk.page.evaluate(() => (window.harness.refuses = false));
    await part(talk.page, "discuss").click();
    await part(talk.page, "agree").click();
    await talk.page.waitForSelector("[data-state=discussed]");
    assert.deepEqual(await ends(talk.page), ["discuss", "discuss"]);
  });

  test(`React ${version}: nothing can be left unanswered where the host does not take it`, async (t) => {
    const { page } = await asked(t, version, { form: true, query: "" });
    assert.equal(
      await page.locator("[data-part=cancel], [data-part=decline], [data-part=discuss]").count(),
      0,
    );
    const single = await asked(t, version, { query: "ends&talks" });
    assert.equal(
      await single.page.locator("[data-part=decline], [data-part=discuss]").count(),
      0,
      "ask_followup_question has only one end",
    );
  });
}
