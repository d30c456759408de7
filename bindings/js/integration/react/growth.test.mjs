// How a question grows, and what becomes of the stream.

import assert from "node:assert/strict";
import { test } from "node:test";
import { answers, eventually, opened, until, VERSIONS, violations } from "./help.mjs";

const MARKUP =
  "Let me ask.\n<ask_followup_question><question>Which database?</question><follow_up>" +
  '<suggest>PostgreSQL</suggest><suggest mode="code">SQLite</suggest>' +
  "</follow_up></ask_followup_question>";

/** Records each text of these elements that the page ever had. */
function observe(selector) {
  window.observed = {};
  new MutationObserver(() => {
    document.querySelectorAll(selector).forEach((element, i) => {
      const texts = (window.observed[`${element.dataset.part} ${i}`] ??= []);
      if (texts.at(-1) !== element.textContent) texts.push(element.textContent);
    });
  }).observe(document, { childList: true, subtree: true, characterData: true });
}

for (const version of Object.keys(VERSIONS)) {
  test(`React ${version}: a question grows and never flickers, and its suggestions appear`, async (t) => {
    const { page, stream, errors } = await opened(t, version, {
      prepare: (page) =>
        page.addInitScript(`(${observe})("[data-part=question], [data-part=answer]")`),
    });
    for (let i = 0; i < MARKUP.length; i += 2) {
      await stream.text(MARKUP.slice(i, i + 2));
      const question = /<question>([^<]+)$/.exec(MARKUP.slice(0, i + 2))?.[1];
      if (question)
        await until(
          page,
          (text) => document.querySelector("[data-part=question]")?.textContent === text,
          question,
        );
    }
    await page.waitForSelector("[data-state=open]");
    await stream.end();
    await page.waitForSelector("[data-status=done]");
    const observed = await page.evaluate(() => window.observed);
    assert.deepEqual(
      Object.values(observed).map((texts) => texts.at(-1)),
      ["Which database?", "PostgreSQL", "SQLite"],
    );
    for (const texts of Object.values(observed)) {
      texts.reduce(
        (before, after) => (
          assert.ok(after.startsWith(before), `${before} is a beginning of ${after}`),
          after
        ),
      );
    }
    assert.ok(
      observed["question 0"].length >= "Which database?".length / 2,
      `the question grew: ${observed["question 0"]}`,
    );
    assert.equal(await page.textContent("[data-part=mode]"), "code");
    assert.equal(await page.textContent(".text"), "Let me ask.\n");
    assert.equal(stream.requests, 1, "strict mode does not begin a second request");
    assert.deepEqual(errors, []);
  });

  test(`React ${version}: events can be pushed, and there is at most one render a frame`, async (t) => {
    const { page, stream } = await opened(t, version, { query: "pushed" });
    const [renders, frames] = await page.evaluate(async () => {
      const { store } = window.harness;
      const before = { ...window.harness };
      const { port1, port2 } = new MessageChannel();
      for (const delta of "Which database?") {
        store.push([{ type: "partial", call: 0, field: "question", questionIndex: 0, delta }]);
        // Each event is another task, and most frames have many of them.
        await new Promise((resolve) => ((port1.onmessage = resolve), port2.postMessage("")));
      }
      while (document.querySelector("[data-part=question]")?.textContent !== "Which database?")
        await new Promise(requestAnimationFrame);
      return [window.harness.renders - before.renders, window.harness.frames - before.frames];
    });
    assert.ok(renders >= 1 && renders <= frames, `${renders} renders in ${frames} frames`);
    assert.equal(stream.requests, 0);
  });

  test(`React ${version}: nothing can be sent before the call is complete`, async (t) => {
    const { page, stream } = await opened(t, version);
    await stream.text(MARKUP.slice(0, -30));
    await page.waitForSelector("[data-state=growing] [data-part=take] >> nth=1");
    for (const part of ["take", "edit"]) {
      assert.equal(await page.getAttribute(`[data-part=${part}]`, "aria-disabled"), "true");
      await page.click(`[data-part=${part}]`, { force: true });
    }
    await page.fill("[data-part=text]", "mine");
    await page.keyboard.press("Enter");
    await page.click("[data-part=send]", { force: true });
    assert.deepEqual(await answers(page), []);
    assert.equal(await page.inputValue("[data-part=text]"), "mine");
    await stream.text(MARKUP.slice(-30));
    await page.waitForSelector("[data-state=open]");
    await page.focus("[data-part=text]");
    await page.keyboard.press("Enter");
    assert.deepEqual(await answers(page), [{ type: "text", text: "mine" }]);
  });

  test(`React ${version}: the focus stays where it is while the question grows and opens`, async (t) => {
    const { page, stream } = await opened(t, version);
    const focused = () => page.evaluate(() => document.activeElement.dataset.part);
    await stream.text(MARKUP.slice(0, 120));
    await page.focus("[data-part=take]");
    await stream.text(MARKUP.slice(120, 160));
    await page.waitForSelector("[data-part=take] >> nth=1");
    assert.equal(await focused(), "take");
    await stream.text(MARKUP.slice(160));
    await page.waitForSelector("[data-state=open]");
    assert.equal(await focused(), "take");
    await page.keyboard.press("Enter");
    await page.waitForSelector("[data-state=answered]");
    assert.equal(await focused(), "take");
    assert.deepEqual(await answers(page), [{ type: "suggestion", suggestion: 0 }]);
  });

  test(`React ${version}: a call that is cut off is rejected, and keeps what was shown`, async (t) => {
    const { page, stream } = await opened(t, version);
    await stream.text(MARKUP.slice(0, 70));
    await page.waitForSelector("[data-state=growing]");
    await stream.end();
    await page.waitForSelector("[data-state=rejected]");
    assert.match(
      await page.textContent("[role=alert]"),
      /could not be asked: the message ended inside the question\.$/,
    );
    assert.match(await page.textContent("[data-part=question]"), /^Which/);
    assert.equal(await page.locator("[data-part=send]").count(), 0);
    assert.deepEqual(await violations(page), []);
  });

  test(`React ${version}: a connection that breaks fails, and rejects the call`, async (t) => {
    const { page, stream } = await opened(t, version);
    await stream.text(MARKUP.slice(0, 70));
    await page.waitForSelector("[data-state=growing]");
    await stream.break();
    await page.waitForSelector("[data-status=failed] [data-state=rejected]");
  });

  test(`React ${version}: unmounting aborts the request`, async (t) => {
    const { page, stream } = await opened(t, version);
    await stream.text("Hi");
    await page.waitForSelector(".text");
    assert.equal(stream.isAborted, false);
    await page.click("#toggle");
    await eventually(() => stream.isAborted);
    assert.equal(stream.requests, 1);
  });

  test(`React ${version}: another source begins anew, and aborts the last one`, async (t) => {
    const { page, stream } = await opened(t, version);
    await stream.text("First.");
    await page.waitForSelector(".text");
    await page.click("#next");
    await eventually(() => stream.isAborted && stream.requests === 2);
    await stream.text("Second.");
    await page.waitForSelector(".text");
    assert.equal(await page.textContent(".text"), "Second.");
  });

  test(`React ${version}: a stream that is stopped is aborted, rejects its call, and keeps what was written`, async (t) => {
    const { page, stream } = await opened(t, version);
    await stream.text(MARKUP.slice(0, 70));
    await page.fill("[data-part=text]", "mine");
    await page.click("#stop");
    await page.waitForSelector("[data-status=stopped] [data-state=rejected]");
    await eventually(() => stream.isAborted);
    assert.equal(await page.inputValue("[data-part=text]"), "mine");
    assert.equal(await page.locator("[data-part=send]").count(), 0);
    assert.deepEqual(await answers(page), []);
  });

  test(`React ${version}: a model's text is never HTML`, async (t) => {
    const { page, stream, errors } = await opened(t, version);
    await stream.text(
      "<b>bold</b><ask_followup_question><question>&lt;img src=x onerror=alert(1)&gt; " +
        '<img src=x onerror="window.hit=1"></question>' +
        "<follow_up><suggest><i>no</i></suggest></follow_up></ask_followup_question>",
    );
    await page.waitForSelector("[data-state=open]");
    assert.equal(await page.locator("main img, main b, main i").count(), 0);
    assert.match(
      await page.textContent("[data-part=question]"),
      /<img src=x onerror="window.hit=1">/,
    );
    assert.equal(await page.evaluate(() => window.hit), undefined);
    assert.deepEqual(errors, []);
  });
}
