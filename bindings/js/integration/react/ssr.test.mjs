// On a server nothing is read, and the component is rendered as it is.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Followup, useFollowup } from "followup/react";
import { createElement } from "react";
import { renderToString } from "react-dom/server";

test("a server renders the state before the stream, and reads nothing", () => {
  let begun = 0;
  const source = () => (begun++, []);
  const Message = () => createElement("p", null, useFollowup(source).status);
  assert.equal(renderToString(createElement(Message)), "<p>idle</p>");
  assert.equal(begun, 0);
});

test("a server renders a call, and escapes its texts", () => {
  const call = { state: "open", index: 0, tool: "ask_followup_question", notes: [], questions: [{ text: "<b>Q</b>", suggestions: [{ answer: "A" }] }] };
  const html = renderToString(createElement(Followup, { call, onAnswer() {} }));
  assert.match(html, /data-state="open"/);
  assert.match(html, /&lt;b&gt;Q&lt;\/b&gt;/);
});
