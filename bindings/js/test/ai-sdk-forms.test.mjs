// Tests that the input the middleware writes has all data of a call; the calls are random.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ArgumentsParser, Parser } from "followup";
import { block, finish, native, rewrite } from "./ai-sdk-help.mjs";
import { cut, run } from "./help.mjs";

const text = fc.oneof(
  fc.constantFrom("A", "Which?", '"', "\\", "🙂\n", "é {["),
  fc.string({ minLength: 1, maxLength: 6 }),
);
const maybe = (arbitrary) => fc.option(arbitrary, { nil: undefined });

/** Objects with these keys in any order, some of them missing. */
const shuffled = (keys) =>
  fc
    .tuple(
      fc.record(keys),
      fc.shuffledSubarray(Object.keys(keys), { minLength: Object.keys(keys).length }),
    )
    .map(([record, order]) =>
      Object.fromEntries(
        order.filter((key) => record[key] !== undefined).map((key) => [key, record[key]]),
      ),
    );

/** A value as it is, or as a string of JSON. */
const odd = (arbitrary) =>
  fc
    .tuple(arbitrary, fc.nat(3))
    .map(([value, kind]) => (kind === 0 ? JSON.stringify(value) : value));

const option = fc.oneof(
  shuffled({ label: text, description: maybe(text), preview: maybe(text) }),
  text,
);
const question = shuffled({
  question: text,
  header: maybe(text),
  id: maybe(text),
  message: maybe(text),
  options: maybe(odd(fc.array(option, { maxLength: 3 }))),
  multiSelect: maybe(fc.boolean()),
});
const questions = odd(fc.array(question, { minLength: 1, maxLength: 3 }));
const suggestion = fc.oneof(shuffled({ text, mode: maybe(text) }), text);

const ARGUMENTS = {
  ask_followup_question: shuffled({
    follow_up: odd(fc.array(suggestion, { maxLength: 3 })),
    question: text,
  }),
  AskUserQuestion: shuffled({ questions }),
  askQuestions: shuffled({ questions }),
  request_user_input: shuffled({ questions }),
  ask_question: shuffled({ question: text, options: odd(fc.array(text, { maxLength: 3 })) }),
};

/** Returns a question of the input, with the names of an event. */
function readQuestion({
  question: text,
  header,
  message: detail,
  id,
  multiSelect: multiple,
  options,
  follow_up,
}) {
  const suggestions = (options ?? follow_up).map((one) => {
    if (typeof one === "string") return { answer: one };
    const { label, text, description, preview, mode } = one;
    return { answer: label ?? text, description, preview, mode };
  });
  return { text, header, detail, id, multiple, suggestions };
}

/** Returns what of a question the input of this tool can have. */
function expectedQuestion(name, value, isNative) {
  const only = (names, given) => (names.includes(name) && given !== "" ? given : undefined);
  const [claude, vscode, codex] = ["AskUserQuestion", "askQuestions", "request_user_input"];
  return {
    text: value.text,
    header: only([claude, vscode, codex], value.header),
    detail: only([vscode], value.detail),
    id: only([codex], value.id),
    // Of a native call, what it need not have is not written if it is the default.
    multiple: only(
      [claude, vscode],
      isNative && value.multiple === false ? undefined : value.multiple,
    ),
    suggestions: value.suggestions.map(({ answer, description, preview, mode }) => {
      if (name === "ask_question") return { answer };
      return {
        answer,
        description: only([claude, vscode, codex], description),
        preview: only([claude], preview),
        mode,
      };
    }),
  };
}

const anyCall = fc.constantFrom(...Object.keys(ARGUMENTS)).chain((name) =>
  fc.record({
    name: fc.constant(name),
    input: ARGUMENTS[name].map((value) => JSON.stringify(value)),
  }),
);
/** Returns a value whose texts have no white space around them: a native call keeps that. */
function trimmed(value) {
  if (typeof value === "string") return value.trim();
  if (Array.isArray(value)) return value.map(trimmed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, trimmed(one)]));
}

const offsets = fc.array(fc.nat(1000), { maxLength: 12 });

test("the input has all that the call has, natively and in an envelope, at any cut", async () => {
  let [complete, rejected] = [0, 0];
  await fc.assert(
    fc.asyncProperty(anyCall, offsets, async ({ name, input }, at) => {
      const leaked = `<tool_call>{"name": "${name}", "arguments": ${input}}</tool_call>`;
      const end = (events) => events.find(({ type }) => type === "complete" || type === "rejected");
      for (const [whole, event, parts] of [
        [input, end(run(new ArgumentsParser(name), [input])), (deltas) => native(name, deltas)],
        [leaked, end(run(new Parser(), [leaked])), (deltas) => block(deltas)],
      ]) {
        if (event === undefined) continue; // a generic name, which counts in no envelope by default
        const deltas = cut(
          whole,
          at.map((offset) => offset % (whole.length + 1)),
        );
        const out = await rewrite([...parts(deltas), finish()]);
        const written = out.find(({ type }) => type === "tool-call").input;
        if (event.type === "rejected") {
          rejected += 1;
          continue;
        }
        complete += 1;
        const value = trimmed(JSON.parse(written));
        const isNative = whole === input;
        const read = (value.questions ?? [value]).map(readQuestion);
        // A native call may have keys that the schema does not list.
        const got = isNative ? read.map((one) => expectedQuestion(name, one, true)) : read;
        const wanted = event.questions ?? [
          { text: event.question, suggestions: event.suggestions },
        ];
        assert.deepEqual(got, trimmed(wanted.map((one) => expectedQuestion(name, one, isNative))));
        const joined = out
          .filter(({ type }) => type === "tool-input-delta")
          .map(({ delta }) => delta);
        assert.equal(joined.join(""), written);
      }
    }),
    { numRuns: 400 },
  );
  assert.ok(complete > rejected * 2, `${complete} complete, ${rejected} rejected`);
});
