// Tests that `followup/core` parses as the whole package does, and works next to it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { ArgumentsParser, Parser } from "followup/core";
import { evaluate, run } from "./help.mjs";

const MESSAGE =
  "So: <ask_followup_question><question>Tea or 😀?</question><follow_up><suggest mode='code'>Tea</suggest>" +
  '</follow_up></ask_followup_question><tool_call>{"name": "AskUserQuestion", "arguments": ' +
  '{"questions": [{"question": "Which?", "options": [{"label": "A"}]}]}}</tool_call>.';

test("core parses messages and arguments, envelopes and other tools included", () => {
  const options = { shapes: ["claude"] };
  const ends = run(new Parser(options), [...MESSAGE]).filter(({ type }) => type === "complete");
  assert.deepEqual(
    ends.map(({ tool, question }) => [tool, question]),
    [
      ["ask_followup_question", "Tea or 😀?"],
      ["AskUserQuestion", "Which?"],
    ],
  );
  const [last] = run(new ArgumentsParser("AskUserQuestion"), [
    '{"questions": [{"question": "Q?"}]}',
  ]).slice(-1);
  assert.equal(last.question, "Q?");
});

test("core has the same events and views as the whole package", () => {
  const print = (entry) =>
    evaluate(`
      import { Parser } from "${entry}";
      const parser = new Parser();
      const events = [];
      for (const unit of ${JSON.stringify(MESSAGE)}) events.push(...parser.feed(unit), structuredClone(parser.view()) ?? null);
      console.log(JSON.stringify([...events, ...parser.finish()]));
    `);
  assert.equal(print("followup/core"), print("followup"));
});

test("core is inlined as well, and decoded by what the engine has", () => {
  const decoders = {
    fromBase64:
      "let used; const { Buffer } = globalThis; Uint8Array.fromBase64 = (text) => (used = " +
      "Buffer.from(text, 'base64'));",
    Buffer:
      "delete Uint8Array.fromBase64; let used; const { from } = Buffer; Buffer.from = " +
      "(...args) => (used = from.apply(Buffer, args));",
    atob:
      "delete Uint8Array.fromBase64; delete globalThis.Buffer; let used; const own = atob; " +
      "globalThis.atob = (text) => (used = own(text));",
  };
  for (const [name, prepare] of Object.entries(decoders)) {
    const printed = evaluate(`
      ${prepare}
      const { default: module } = await import("../dist/module/core-inlined.js");
      const { install, Parser } = await import("followup/core/host");
      install(module);
      console.log(used !== undefined, JSON.stringify(new Parser().feed("Hi")));
    `);
    assert.equal(printed, 'true [{"type":"text","text":"Hi"}]', name);
  }
});

test("the middleware runs in the module that the host gives", () => {
  const printed = evaluate(`
    import module from "../dist/module/core-inlined.js";
    import { followup, install } from "followup/ai-sdk/host";
    try { followup(); } catch (error) { console.log(error.name + ": " + error.message); }
    install(module);
    const tools = [{ type: "function", name: "ask_followup_question", inputSchema: {} }];
    const content = [{ type: "text", text: "<ask_followup_question><question>Tea?</question></ask_followup_question>" }];
    const doGenerate = async () => ({ content, finishReason: { unified: "stop" } });
    const result = await followup().wrapGenerate({ doGenerate, params: { prompt: [], tools } });
    console.log(result.content[0].input);
  `);
  const expected = [
    "TypeError: there is no module yet: call install first",
    '{"question":"Tea?","follow_up":[]}',
  ];
  assert.equal(printed, expected.join("\n"));
});

test("core has no checkpoints, and says where they are", () => {
  const printed = evaluate(`
    import { Parser } from "followup/core";
    for (const run of [() => new Parser().checkpoint(), () => new Parser({}, new Uint8Array(40))]) {
      try { run(); } catch (error) { console.log(error.name + ": " + error.message); }
    }
  `);
  const expected = "TypeError: followup/core has no checkpoints: import from followup";
  assert.equal(printed, [expected, expected].join("\n"));
});

test("core and the whole package work in one process, in either order", () => {
  for (const [first, second] of [
    ["followup", "followup/core"],
    ["followup/core", "followup"],
  ]) {
    const printed = evaluate(`
      const one = await import("${first}");
      const early = new one.Parser();
      const two = await import("${second}");
      const whole = "ResponseParser" in one ? one : two;
      console.log(early.feed("a")[0].text + new two.Parser().feed("b")[0].text);
      console.log(new whole.ResponseParser().feed("data: [DONE]\\n\\n").length, new whole.Parser().checkpoint().length > 2);
      early.free();
    `);
    assert.equal(printed, "ab\n0 true");
  }
});
