// Several questions, and several answers to one.

import assert from "node:assert/strict";
import { test } from "node:test";
import { answers, eventually, opened, recorded, VERSIONS, violations } from "./help.mjs";

/** Returns an event of a chat completion with a piece of a call. */
function piece(text, start = {}) {
  const delta = {
    tool_calls: [{ index: 0, ...start, function: { ...start.function, arguments: text } }],
  };
  return `data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n`;
}

/** Returns the first piece. */
function call(name, text) {
  return piece(text, { id: "call_1", type: "function", function: { name } });
}

const part = (page, name, nth = 0) => page.locator(`[data-part=${name}]`).nth(nth);
const isSendable = async (page) =>
  (await part(page, "send").getAttribute("aria-disabled")) === null;
const focused = (page) => page.evaluate(() => document.activeElement.dataset.part);

async function asked(t, version, body, options) {
  const all = await opened(t, version, options);
  await all.stream.raw(body);
  await all.stream.end();
  await all.page.waitForSelector("[data-state=open]");
  return all;
}

for (const version of Object.keys(VERSIONS)) {
  test(`React ${version}: Ctrl+Enter that ends the composition of a word sends nothing`, async (t) => {
    const { page } = await asked(
      t,
      version,
      call("AskUserQuestion", '{"questions":[{"question":"Which?","options":[{"label":"A"}]}]}'),
    );
    await page.fill("[data-part=text]", "\u65e5\u672c");
    const press = (isComposing) =>
      part(page, "text").dispatchEvent("keydown", {
        key: "Enter",
        ctrlKey: true,
        isComposing,
        bubbles: true,
      });
    await press(true);
    assert.deepEqual(await answers(page), []);
    await press(false);
    await page.waitForSelector("[data-state=answered]");
  });

  test(`React ${version}: a form of several questions is answered with radio buttons, check boxes and words`, async (t) => {
    const { page, errors } = await asked(t, version, recorded("anthropic-form"));
    assert.equal(await page.locator("fieldset").count(), 3);
    assert.equal(await part(page, "send").count(), 0, "several questions are sent after a review");
    const store = page.getByRole("group", { name: "Store" });
    await store.getByRole("radio", { name: "PostgreSQL" }).check();
    await store.getByRole("radio", { name: "Redis" }).check();
    assert.equal(await page.locator("[data-chosen]").count(), 1, "one is picked");
    const signIn = page.getByRole("group", { name: "Sign-in" });
    await signIn.getByRole("checkbox", { name: /^Company account/ }).check();
    await signIn.getByRole("checkbox", { name: /^Passkey/ }).check();
    await signIn.getByRole("checkbox", { name: /^Password/ }).check();
    await signIn.getByRole("checkbox", { name: /^Password/ }).uncheck();
    await signIn.getByRole("textbox").fill("and a code by mail");
    const rollout = page.getByRole("group", { name: "Rollout" });
    await rollout.getByRole("radio", { name: "All at once" }).check();
    await rollout.getByRole("textbox").fill("Next week");
    assert.equal(
      await rollout.getByRole("radio", { name: "All at once" }).isChecked(),
      false,
      "words replace the one that was picked",
    );
    await part(page, "next").click();
    await part(page, "send").click();
    await page.waitForSelector("[data-state=answered]");
    assert.deepEqual(await answers(page), [
      {
        type: "form",
        answers: [
          { picked: [0] },
          { picked: [1, 2], text: "and a code by mail" },
          { text: "Next week" },
        ],
      },
    ]);
    assert.equal(await store.getByRole("radio", { name: "Redis" }).isChecked(), true);
    assert.equal(await store.getByRole("radio", { name: "Redis" }).isDisabled(), true);
    assert.deepEqual(errors, []);
  });

  test(`React ${version}: several questions are reviewed before they are sent, and can be changed`, async (t) => {
    const { page, errors } = await asked(t, version, recorded("anthropic-form"));
    await part(page, "next").click();
    assert.equal(await focused(page), "send");
    assert.equal(await isSendable(page), false, "nothing is answered");
    const review = page.getByRole("group", { name: "Review of your answers" });
    assert.equal(await review.getByText("Not answered yet").count(), 3);
    await review.getByRole("button", { name: "Answer: Store" }).click();
    const store = page.getByRole("group", { name: "Store" });
    assert.equal(
      await store
        .getByRole("radio", { name: "Redis" })
        .evaluate((radio) => radio === document.activeElement),
      true,
    );
    await store.getByRole("radio", { name: "PostgreSQL" }).check();
    await page.getByRole("group", { name: "Rollout" }).getByRole("textbox").fill("Next week");
    await part(page, "next").click();
    assert.deepEqual(await review.locator("[data-part=given]").allTextContents(), [
      "PostgreSQL",
      "Next week",
    ]);
    assert.equal(await page.locator("fieldset:visible").count(), 0);
    await review.getByRole("button", { name: "Change the answer to: Store" }).press("Enter");
    assert.equal(
      await store
        .getByRole("radio", { name: "PostgreSQL" })
        .evaluate((radio) => radio === document.activeElement),
      true,
    );
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Enter");
    await part(page, "send").press("Enter");
    await page.waitForSelector("[data-state=answered]");
    assert.deepEqual(await answers(page), [
      { type: "form", answers: [{ picked: [0] }, {}, { text: "Next week" }] },
    ]);
    assert.equal(await page.locator("fieldset:visible").count(), 3);
    assert.deepEqual(errors, []);
  });

  test(`React ${version}: a double click and a key that is held down do not send what was not reviewed`, async (t) => {
    const { page } = await asked(t, version, recorded("anthropic-form"));
    await page.locator("input[type=radio]").first().check();
    const click = (button, detail) =>
      button.dispatchEvent("click", { detail, bubbles: true, cancelable: true });
    await click(part(page, "next"), 1);
    await page.waitForSelector("[data-part=review]");
    await click(part(page, "send"), 2);
    await page.waitForSelector("[data-state=open]");
    await part(page, "change").click();
    await page.keyboard.down("Enter");
    for (let i = 0; i < 5; i++) await page.keyboard.down("Enter");
    await page.keyboard.up("Enter");
    await page.waitForSelector("[data-part=review]");
    assert.deepEqual(await answers(page), []);
    await part(page, "send").click();
    await page.waitForSelector("[data-state=answered]");
  });

  test(`React ${version}: one question of another tool needs no review`, async (t) => {
    const one =
      '{"questions":[{"question":"Which?","header":"H","options":[{"label":"A"},{"label":"B"}],"multiSelect":false}]}';
    const { page } = await asked(t, version, call("AskUserQuestion", one));
    assert.equal(await isSendable(page), false, "an empty form can't be sent");
    await page.getByRole("radio", { name: "B" }).check();
    await part(page, "send").click();
    await page.waitForSelector("[data-state=answered]");
    assert.deepEqual(await answers(page), [{ type: "form", answers: [{ picked: [1] }] }]);
  });

  test(`React ${version}: a form can be answered by the keyboard alone`, async (t) => {
    const { page } = await asked(t, version, recorded("anthropic-form"));
    await page.focus("#next");
    await page.keyboard.press("Tab");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Space");
    await page.keyboard.press("Control+Enter");
    assert.equal(await focused(page), "send");
    assert.deepEqual(await answers(page), []);
    await page.keyboard.press("Control+Enter");
    await page.waitForSelector("[data-state=answered]");
    assert.deepEqual(await answers(page), [
      { type: "form", answers: [{ picked: [1] }, { picked: [0] }, {}] },
    ]);
  });

  test(`React ${version}: a form grows, and what is picked and written meanwhile stays`, async (t) => {
    const { page, stream } = await opened(t, version);
    const events = recorded("anthropic-form").split(/(?<=\n\n)/);
    const kinds = new Set();
    for (const [i, event] of events.entries()) {
      await stream.raw(event);
      if (i % 8 === 0)
        kinds.add(await page.evaluate(() => document.querySelector("fieldset")?.dataset.kind));
      if (i === Math.floor(events.length / 2)) {
        await page.waitForSelector("[data-state=growing] input[type=radio]");
        await page.locator("input[type=radio]").first().check();
        await page.locator("[data-part=text]").nth(0).focus();
      }
    }
    await page.waitForSelector("[data-state=open]");
    assert.ok(!kinds.has("several"), `${[...kinds]}`);
    assert.equal(await page.evaluate(() => document.activeElement.dataset.part), "text");
    assert.equal(await page.locator("input[type=radio]").first().isChecked(), true);
  });

  test(`React ${version}: an option is neither a radio button nor a check box until that is known`, async (t) => {
    const { page, stream } = await opened(t, version);
    await stream.raw(
      call(
        "AskUserQuestion",
        '{"questions":[{"question":"Which?","header":"H","options":[{"label":"A"},{"label":"B"}]',
      ),
    );
    await page.waitForSelector("fieldset[data-kind=unknown] [data-part=option] >> nth=1");
    assert.equal(await page.locator("input").count(), 0);
    await stream.raw(piece(',"multiSelect":true}]}'));
    await stream.end();
    await page.waitForSelector("[data-state=open]");
    assert.equal(await page.locator("input[type=checkbox]").count(), 2);
  });

  test(`React ${version}: what needs an answer, and what has to be a number, is said and focused`, async (t) => {
    const args = {
      message: "Set it up",
      requestedSchema: {
        type: "object",
        properties: {
          name: { type: "string", title: "Name" },
          size: { type: "integer", title: "Size" },
        },
        required: ["name"],
      },
    };
    const { page } = await asked(t, version, call("elicitation/create", JSON.stringify(args)));
    await part(page, "text", 1).fill("many");
    await part(page, "next").click();
    const entries = page.locator("[data-part=entry] [data-part=problem]");
    assert.deepEqual(await entries.allTextContents(), [
      "Needs an answer.",
      "This has to be a number.",
    ]);
    await part(page, "send").click();
    assert.deepEqual(await page.locator("[role=alert]").allTextContents(), [
      "Needs an answer.",
      "This has to be a number.",
    ]);
    assert.equal(
      await page.evaluate(() => document.activeElement.getAttribute("aria-invalid")),
      "true",
    );
    assert.deepEqual(await violations(page), []);
    await part(page, "text").fill("reports");
    await part(page, "text", 1).fill("12");
    await part(page, "next").click();
    await part(page, "send").click();
    await page.waitForSelector("[data-state=answered]");
    assert.deepEqual(await answers(page), [
      { type: "form", answers: [{ text: "reports" }, { text: "12" }] },
    ]);
  });

  test(`React ${version}: the countdown sends the first answers of a form`, async (t) => {
    const { page, stream } = await opened(t, version, {
      query: "auto=10",
      prepare: (page) => page.clock.install(),
    });
    await stream.raw(recorded("anthropic-form"));
    await eventually(async () => (await page.clock.runFor(50), part(page, "countdown").count()));
    await page.clock.runFor(11_000);
    await eventually(async () => (await page.clock.runFor(20), (await answers(page)).length));
    assert.deepEqual(await answers(page), [
      { type: "form", answers: [{ picked: [0] }, { picked: [0] }, { picked: [0] }] },
    ]);
  });

  test(`React ${version}: axe finds nothing wrong with a form, light or dark, wide or narrow`, async (t) => {
    for (const options of [{}, { colorScheme: "dark", viewport: { width: 320, height: 700 } }]) {
      const { page } = await asked(t, version, recorded("anthropic-form"), options);
      assert.deepEqual(await violations(page), []);
      await page.locator("input[type=checkbox]").first().check();
      await part(page, "next").click();
      assert.deepEqual(await violations(page), []);
      assert.ok(
        await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth),
        "nothing is wider than the page",
      );
      await part(page, "send").click();
      await page.waitForSelector("[data-state=answered]");
      assert.deepEqual(await violations(page), []);
      assert.ok(
        await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth),
        "nothing is wider than the page",
      );
    }
  });
}
