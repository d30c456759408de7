// How a question is answered: by mouse, by keyboard, edited, by the countdown.

import assert from "node:assert/strict";
import { test } from "node:test";
import { answers, eventually, opened, VERSIONS, violations } from "./help.mjs";

const QUESTION =
  "<ask_followup_question><question>Which database?</question><follow_up>" +
  '<suggest>PostgreSQL</suggest><suggest mode="code">SQLite</suggest>' +
  "</follow_up></ask_followup_question>";

/** Opens the page with an open question. */
async function asked(t, version, options) {
  const all = await opened(t, version, options);
  await all.stream.text(QUESTION);
  await all.stream.end();
  await all.page.waitForSelector("[data-state=open]", { state: "attached" });
  return all;
}

const part = (page, name, nth = 0) => page.locator(`[data-part=${name}]`).nth(nth);

for (const version of Object.keys(VERSIONS)) {
  test(`React ${version}: a suggestion is taken by a click, once`, async (t) => {
    const { page, errors } = await asked(t, version, { query: "slow" });
    await part(page, "take", 1).evaluate((button) => (button.click(), button.click()));
    await page.waitForSelector("[data-state=sending]");
    await part(page, "take").click({ force: true });
    await page.evaluate(() => window.harness.settle());
    await page.waitForSelector("[data-state=answered]");
    await part(page, "take").click({ force: true });
    assert.deepEqual(await answers(page), [{ type: "suggestion", suggestion: 1 }]);
    assert.equal(
      await page.locator("[data-part=suggestion][data-chosen]").textContent(),
      "SQLite codeEdit",
    );
    assert.equal(await part(page, "send").count(), 0);
    assert.deepEqual(errors, []);
  });

  test(`React ${version}: the name of a suggestion keeps its answer and its mode apart`, async (t) => {
    const { page } = await asked(t, version);
    const session = await page.context().newCDPSession(page);
    // The component has no styles; with those of the harness its spans are no longer inline.
    await page.evaluate(() =>
      [...document.styleSheets].forEach((sheet) => (sheet.disabled = true)),
    );
    const { nodes } = await session.send("Accessibility.getFullAXTree");
    const names = nodes
      .filter(({ role }) => role?.value === "button")
      .map(({ name }) => name.value);
    assert.deepEqual(
      names.filter((name) => /^(Postgre|SQLite)/.test(name)),
      ["PostgreSQL", "SQLite code"],
    );
  });

  test(`React ${version}: a suggestion is taken by the keyboard alone`, async (t) => {
    const { page } = await asked(t, version);
    await page.focus("#next");
    for (const expected of ["take", "edit", "take"]) {
      await page.keyboard.press("Tab");
      assert.equal(await page.evaluate(() => document.activeElement.dataset.part), expected);
    }
    await page.keyboard.press("Space");
    await page.waitForSelector("[data-state=answered]");
    assert.deepEqual(await answers(page), [{ type: "suggestion", suggestion: 1 }]);
  });

  test(`React ${version}: a suggestion is edited before it is sent, and keeps its mode`, async (t) => {
    const { page } = await asked(t, version);
    await part(page, "edit", 1).click();
    assert.equal(await page.evaluate(() => document.activeElement.value), "SQLite");
    assert.equal(await part(page, "edited").textContent(), "Suggestion 2, edited (mode code)");
    await page.keyboard.press("End");
    await page.keyboard.type(" 3");
    await page.keyboard.press("Enter");
    await page.waitForSelector("[data-state=answered]");
    assert.deepEqual(await answers(page), [{ type: "edited", suggestion: 1, text: "SQLite 3" }]);
    assert.equal(await part(page, "answered").textContent(), "SQLite 3");
    assert.equal(
      await page.evaluate(() => document.activeElement.getAttribute("data-state")),
      "answered",
      "the focus stays in the component",
    );
  });

  test(`React ${version}: an edited suggestion that is not changed is that suggestion, and an emptied one is none`, async (t) => {
    const { page } = await asked(t, version, { query: "refuses" });
    await part(page, "edit", 1).click();
    await page.keyboard.press("Enter");
    await page.waitForSelector("[role=alert]");
    await page.fill("[data-part=text]", "");
    await page.fill("[data-part=text]", "MySQL");
    assert.equal(await part(page, "edited").count(), 0);
    await part(page, "send").click();
    await eventually(async () => (await answers(page)).length === 2);
    assert.deepEqual(await answers(page), [
      { type: "suggestion", suggestion: 1 },
      { type: "text", text: "MySQL" },
    ]);
  });

  test(`React ${version}: a suggestion that is edited comes after words of the user's own, and in place of another suggestion`, async (t) => {
    const { page } = await asked(t, version);
    const [first, second] = await part(page, "answer")
      .count()
      .then(() => page.locator("[data-part=answer]").allTextContents());
    await part(page, "edit", 0).click();
    await part(page, "edit", 1).click();
    assert.equal(await page.inputValue("[data-part=text]"), second);
    await page.fill("[data-part=text]", "mine");
    await part(page, "edit", 0).click();
    assert.equal(await page.inputValue("[data-part=text]"), `mine\n${first}`);
    for (const expected of [second, second, first]) {
      await part(page, "edit", expected === first ? 0 : 1).click();
      assert.equal(await page.inputValue("[data-part=text]"), `mine\n${expected}`);
    }
    await page.fill("[data-part=text]", `mine\n${first}, too`);
    await part(page, "edit", 1).click();
    assert.equal(await page.inputValue("[data-part=text]"), `mine\n${first}, too\n${second}`);
  });

  test(`React ${version}: an own answer is sent by Enter, and Shift+Enter makes a new line`, async (t) => {
    const { page } = await asked(t, version);
    await page.focus("[data-part=text]");
    await page.keyboard.press("Enter");
    assert.deepEqual(await answers(page), [], "nothing is sent without a text");
    await page.keyboard.type("one");
    await page.keyboard.press("Shift+Enter");
    await page.keyboard.type("two ");
    await page.keyboard.press("Enter");
    await page.waitForSelector("[data-state=answered]");
    assert.deepEqual(await answers(page), [{ type: "text", text: "one\ntwo" }]);
  });

  test(`React ${version}: Enter that ends the composition of a word sends nothing`, async (t) => {
    const { page } = await asked(t, version);
    await page.fill("[data-part=text]", "\u65e5\u672c");
    const press = (isComposing) =>
      part(page, "text").dispatchEvent("keydown", { key: "Enter", isComposing, bubbles: true });
    await press(true);
    assert.deepEqual(await answers(page), []);
    await press(false);
    await page.waitForSelector("[data-state=answered]");
  });

  test(`React ${version}: an answer that could not be sent can be sent again`, async (t) => {
    const { page } = await asked(t, version, { query: "refuses" });
    await page.fill("[data-part=text]", "mine");
    await part(page, "send").click();
    assert.equal(await page.textContent("[role=alert]"), "The answer was not sent: offline");
    assert.equal(await page.inputValue("[data-part=text]"), "mine");
    await page.evaluate(() => (window.harness.refuses = false));
    await part(page, "send").click();
    await page.waitForSelector("[data-state=answered]");
    assert.equal(await page.locator("[role=alert]").count(), 0);
    assert.deepEqual(await answers(page), [
      { type: "text", text: "mine" },
      { type: "text", text: "mine" },
    ]);
  });

  test(`React ${version}: a sent answer stays, also if the page does not keep it`, async (t) => {
    const { page } = await asked(t, version, { query: "unstored" });
    await part(page, "take").click();
    await page.waitForSelector("[data-state=answered] [data-chosen]");
  });

  test(`React ${version}: labels and class names can be set`, async (t) => {
    const { page } = await asked(t, version, { query: "german" });
    assert.equal(await part(page, "send").textContent(), "Senden");
    assert.equal(await part(page, "mode").getAttribute("class"), "pill");
  });

  test(`React ${version}: axe finds nothing wrong with an open and an answered question, light or dark`, async (t) => {
    for (const colorScheme of ["light", "dark"]) {
      const { page } = await asked(t, version, { query: "auto=60", colorScheme });
      await page.waitForSelector("[data-part=countdown]");
      await part(page, "edit", 1).focus();
      assert.deepEqual(await violations(page), []);
      await part(page, "edit", 1).click();
      assert.deepEqual(await violations(page), []);
      await part(page, "send").click();
      await page.waitForSelector("[data-state=answered]");
      assert.deepEqual(await violations(page), []);
    }
  });

  test(`React ${version}: a screen reader is told when the question can be answered, and not each word of it`, async (t) => {
    const { page, stream } = await opened(t, version);
    await stream.text(QUESTION.slice(0, 60));
    await page.waitForSelector("[data-state=growing]");
    assert.equal(await part(page, "status").textContent(), "A question is being written.");
    await stream.text(QUESTION.slice(60));
    await page.waitForSelector("[data-state=open]");
    assert.equal(await part(page, "status").textContent(), "Which database? 2 suggestions.");
    assert.equal(await part(page, "status").getAttribute("role"), "status");
    assert.equal(await page.locator("[aria-live=polite], [aria-live=assertive]").count(), 0);
  });

  // The countdown, with a clock that the test advances.

  /** From the beginning, only the test moves the clock. */
  const installed = async (page) => {
    await page.clock.install({ time: 0 });
    await page.clock.pauseAt(1000);
  };

  /** Opens a question with a countdown of 10 s that has just begun. */
  async function counting(t, query = "auto=10") {
    const all = await opened(t, version, { query, prepare: installed });
    await all.stream.text(QUESTION);
    await eventually(
      async () => (await all.page.clock.runFor(50), part(all.page, "countdown").count()),
    );
    return all;
  }
  const clock = (page) => page.locator("[data-part=countdown] [role=timer]");
  const isGone = (page) =>
    eventually(
      async () => (await page.clock.runFor(20), (await part(page, "countdown").count()) === 0),
    );

  test(`React ${version}: the countdown takes the first suggestion`, async (t) => {
    const { page } = await counting(t);
    assert.match(await clock(page).textContent(), /^Takes “PostgreSQL” in (10|9) s$/);
    assert.equal(
      await part(page, "status").textContent(),
      "Which database? 2 suggestions. Takes “PostgreSQL” in 10 s.",
    );
    assert.equal(await page.locator("[data-next]").count(), 1);
    await page.clock.runFor(5000);
    assert.match(await clock(page).textContent(), /in [45] s/);
    assert.deepEqual(await answers(page), []);
    await page.clock.runFor(6000);
    await eventually(async () => (await page.clock.runFor(20), (await answers(page)).length));
    assert.deepEqual(await answers(page), [{ type: "suggestion", suggestion: 0 }]);
    await isGone(page);
  });

  const stops = {
    "a key": (page) => page.keyboard.press("a"),
    "a click anywhere": (page) => page.mouse.click(700, 800),
    "the wheel": (page) => page.mouse.wheel(0, 10),
    "its button": (page) => part(page, "stop").click(),
    "a click without a pointer, as of a screen reader": (page) =>
      page.evaluate(() => document.body.click()),
    "a suggestion that is edited": (page) => part(page, "edit").click(),
  };
  for (const [name, stop] of Object.entries(stops)) {
    test(`React ${version}: ${name} stops the countdown for good`, async (t) => {
      const { page } = await counting(t);
      await stop(page);
      await isGone(page);
      await page.clock.runFor(30_000);
      assert.deepEqual(await answers(page), []);
    });
  }

  test(`React ${version}: the countdown can be paused, and what is typed meanwhile stops it`, async (t) => {
    const { page } = await counting(t);
    await part(page, "edit", 1).focus();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await eventually(
      async () => (
        await page.clock.runFor(20),
        (await part(page, "pause").textContent()) === "Resume"
      ),
    );
    await page.clock.runFor(60_000);
    assert.deepEqual(await answers(page), []);
    await part(page, "pause").click();
    await eventually(
      async () => (
        await page.clock.runFor(20),
        (await part(page, "pause").textContent()) === "Pause"
      ),
    );
    await page.clock.runFor(3000);
    assert.match(await clock(page).textContent(), /in [67] s/);
    await part(page, "pause").click();
    await page.clock.runFor(20);
    await page.fill("[data-part=text]", "m");
    await isGone(page);
    await page.clock.runFor(60_000);
    assert.deepEqual(await answers(page), []);
  });

  test(`React ${version}: the countdown pauses while the page is hidden`, async (t) => {
    const { page } = await counting(t);
    const hide = (isHidden) =>
      page.evaluate(
        (value) =>
          Object.defineProperty(document, "hidden", { get: () => value, configurable: true }),
        isHidden,
      );
    await hide(true);
    await page.clock.runFor(60_000);
    assert.deepEqual(await answers(page), []);
    await hide(false);
    await eventually(async () => (await page.clock.runFor(1000), (await answers(page)).length));
    assert.deepEqual(await answers(page), [{ type: "suggestion", suggestion: 0 }]);
  });

  test(`React ${version}: there is no countdown unless it is wanted, nor before the call is complete`, async (t) => {
    const { page, stream } = await opened(t, version, { query: "auto=10", prepare: installed });
    await stream.text(QUESTION.slice(0, -30));
    await eventually(async () => (await page.clock.runFor(50), part(page, "take").count()));
    await page.clock.runFor(30_000);
    assert.equal(await part(page, "countdown").count(), 0);
    assert.deepEqual(await answers(page), []);
    const { page: other } = await asked(t, version);
    assert.equal(await part(other, "countdown").count(), 0);
  });
}
