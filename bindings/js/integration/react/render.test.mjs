// What is rendered, on a server: nothing is read there.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { build } from "esbuild";
import { Followup, FollowupStore, useFollowup } from "followup/react";
import { createElement } from "react";
import { renderToString } from "react-dom/server";
import { VERSIONS } from "./help.mjs";

test("a server renders the state before the stream, and reads nothing", () => {
  let begun = 0;
  const source = () => (begun++, []);
  const Message = () => createElement("p", null, useFollowup(source).status);
  assert.equal(renderToString(createElement(Message)), "<p>idle</p>");
  assert.equal(begun, 0);
});

test("a source of a wrong type is a TypeError that says what was expected", () => {
  const Message = ({ source }) => createElement("p", null, useFollowup(source).status);
  const render = (source) => renderToString(createElement(Message, { source }));
  const wrong = {
    number: [5, 0, NaN],
    boolean: [true, false],
    bigint: [0n],
    symbol: [Symbol("s")],
    object: [{}, { status: 200 }, new Date(0)],
  };
  for (const [kind, sources] of Object.entries(wrong)) {
    const known =
      "a stream, a promise or a function that gives one, a FollowupStore, null or undefined";
    const message = `source: ${known} was expected, not ${kind}`;
    for (const source of sources)
      assert.throws(() => render(source), { name: "TypeError", message }, String(source));
  }
  const right = [
    null,
    undefined,
    "text",
    "",
    [],
    new Response(""),
    new ReadableStream(),
    Promise.resolve([]),
    () => [],
    new FollowupStore(),
  ];
  for (const source of right) assert.equal(render(source), "<p>idle</p>");
});

test("a store of another copy of the package, as after a hot reload, is a source", async () => {
  const copy = new URL("./store.js?copy", import.meta.resolve("followup/react"));
  const { FollowupStore: Other } = await import(copy.href);
  assert.notEqual(Other, FollowupStore);
  const store = new Other();
  const changed = new Promise((resolve) => store.subscribe(resolve));
  store.push([{ type: "text", text: "Hi" }]);
  await changed;
  let result;
  const Message = () => createElement("p", null, (result = useFollowup(store)).status);
  renderToString(createElement(Message));
  result.stop();
  await new Promise((resolve) => store.subscribe(resolve));
  assert.deepEqual([store.getState().text, store.getState().status], ["Hi", "stopped"]);
});

test("options of a wrong type are a TypeError that says what was expected", () => {
  const Message = ({ options }) => createElement("p", null, useFollowup([], options).status);
  const render = (options) => renderToString(createElement(Message, { options }));
  assert.throws(() => render(null), {
    name: "TypeError",
    message: "options: an object was expected, not null",
  });
  assert.throws(() => render({ strickt: true }), {
    name: "TypeError",
    message: "options.strickt is no option",
  });
  assert.equal(render({ strict: true }), "<p>idle</p>");
});

test("a server renders a call, and escapes its texts", () => {
  const call = {
    state: "open",
    index: 0,
    tool: "ask_followup_question",
    notes: [],
    questions: [{ text: "<b>Q</b>", suggestions: [{ answer: "A" }] }],
  };
  const html = renderToString(createElement(Followup, { call, onAnswer() {} }));
  assert.match(html, /data-state="open"/);
  assert.match(html, /&lt;b&gt;Q&lt;\/b&gt;/);
});

test("a value that is no call is a TypeError that says what was expected", () => {
  for (const [call, kind] of [
    [undefined, "undefined"],
    [null, "null"],
    [0, "number"],
  ]) {
    const message = `call: a call of useFollowup was expected, not ${kind}`;
    assert.throws(() => renderToString(createElement(Followup, { call, onAnswer() {} })), {
      name: "TypeError",
      message,
    });
  }
});

test("each part of a form has its name and its text", () => {
  const suggestions = [
    { answer: "Redis", description: "Fast", preview: "store = 1", mode: "code", recommended: true },
  ];
  const question = {
    text: "Where",
    header: "Store",
    detail: "For sessions",
    suggestions,
    multiple: true,
    required: true,
    placeholder: "Else",
  };
  const call = {
    state: "open",
    index: 0,
    tool: "AskUserQuestion",
    title: "Set up",
    notes: [],
    questions: [question],
  };
  const html = renderToString(createElement(Followup, { call, onAnswer() {} }));
  const expected = {
    title: "Set up",
    header: "Store",
    question: "Where",
    detail: "For sessions",
    answer: "Redis",
    recommended: "Recommended",
    mode: "code",
    description: "Fast",
    preview: "store = 1",
  };
  for (const [part, text] of Object.entries(expected))
    assert.match(html, new RegExp(`data-part="${part}"[^>]*>${text}<`), part);
  assert.match(html, /placeholder="Else"/);
});

test("a call instead of which another one counts is not shown", () => {
  const call = {
    state: "rejected",
    code: "superseded",
    message: "another call counts",
    index: 0,
    tool: "ask_followup_question",
    questions: [],
  };
  assert.equal(renderToString(createElement(Followup, { call, onAnswer() {} })), "");
});

test("a server renders a call without a warning, also with React 18", async () => {
  const source = `
    import { createElement } from "react";
    import { renderToString } from "react-dom/server";
    import { Followup } from "followup/react";
    const questions = [{ text: "Q", suggestions: [{ answer: "A" }] }];
    const call = { state: "open", index: 0, tool: "AskUserQuestion", notes: [], questions };
    renderToString(createElement(Followup, { call, onAnswer() {} }));`;
  for (const alias of Object.values(VERSIONS)) {
    const options = {
      bundle: true,
      platform: "node",
      format: "cjs",
      write: false,
      preserveSymlinks: true,
      define: { "process.env.NODE_ENV": '"development"' },
    };
    const { outputFiles } = await build({
      ...options,
      stdin: { contents: source, resolveDir: import.meta.dirname },
      alias,
    });
    const { stderr } = spawnSync(process.execPath, ["-"], {
      input: outputFiles[0].text,
      encoding: "utf8",
    });
    assert.equal(stderr, "");
  }
});

test("a suggestion that is recommended in its words is not marked again", () => {
  const call = {
    state: "open",
    index: 0,
    tool: "ask_followup_question",
    notes: [],
    questions: [{ text: "Q", suggestions: [{ answer: "A (Recommended)", recommended: true }] }],
  };
  assert.doesNotMatch(
    renderToString(createElement(Followup, { call, onAnswer() {} })),
    /data-part="recommended"/,
  );
});

test("the model's texts can be rendered in another way", () => {
  const call = {
    state: "open",
    index: 0,
    tool: "ask_followup_question",
    notes: [],
    questions: [{ text: "Q", suggestions: [{ answer: "A", description: "D" }] }],
  };
  const html = renderToString(
    createElement(Followup, {
      call,
      onAnswer() {},
      renderText: (text) => createElement("em", null, text),
    }),
  );
  for (const text of ["Q", "A", "D"]) assert.ok(html.includes(`<em>${text}</em>`), text);
});

test("an answer is shown again where the component was not mounted when it was given", () => {
  const base = { state: "answered", index: 0, notes: [] };
  const suggestions = [{ answer: "A" }, { answer: "B" }];
  const one = {
    ...base,
    tool: "ask_followup_question",
    questions: [{ text: "Q", suggestions }],
    answer: { type: "edited", suggestion: 1, text: "B2" },
  };
  assert.match(
    renderToString(createElement(Followup, { call: one, onAnswer() {} })),
    /data-chosen="true"><[^>]*data-part="take".*>B<.*data-part="answered"[^>]*>B2</,
  );
  const form = {
    ...base,
    tool: "AskUserQuestion",
    questions: [{ text: "Q", suggestions, multiple: true }],
    answer: { type: "form", answers: [{ picked: [1], text: "own" }] },
  };
  const html = renderToString(createElement(Followup, { call: form, onAnswer() {} }));
  assert.equal(html.match(/checked=""/g).length, 1);
  assert.match(html, />own<\/textarea>/);
});
