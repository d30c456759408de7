// A question that is left unanswered, or declined.

import assert from "node:assert/strict";
import { test } from "node:test";
import { answers, opened, recorded, VERSIONS, violations } from "./help.mjs";

const QUESTION = "<ask_followup_question><question>Tea?</question><suggest>Yes</suggest></ask_followup_question>";

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
    assert.equal(await page.inputValue("[data-part=text]"), "Wait", "what was written can be copied");
    assert.equal(await page.evaluate(() => document.activeElement.getAttribute("data-state")), "cancelled", "the focus stays in the component");
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
  });

  test(`React ${version}: nothing can be left unanswered where the host does not take it`, async (t) => {
    const { page } = await asked(t, version, { form: true, query: "" });
    assert.equal(await page.locator("[data-part=cancel], [data-part=decline]").count(), 0);
    const single = await asked(t, version);
    assert.equal(await part(single.page, "decline").count(), 0, "a question of ask_followup_question can't be declined");
  });
}
