// What the recorded messages and calls are through the middleware for the AI SDK.

import { deepEqual, throws } from "node:assert/strict";
import { ArgumentsParser } from "followup";
import { SHAPES } from "../dist/ai-sdk/shapes.js";
import {
  ASK,
  block,
  contentOf,
  finish,
  joined,
  native,
  regenerate,
  rewrite,
} from "./ai-sdk-help.mjs";
import { assertLaws } from "./ai-sdk-laws.mjs";
import { run } from "./help.mjs";

/** Asserts that a message has the content that its record tells, in these deltas. */
export async function checkMessage({ content: message, expect }, deltas) {
  const options = { tools: [ASK], envelopes: ["all"] };
  const parts = await rewrite([...block(deltas), finish()], options);
  assertLaws(parts);
  deepEqual(joined(parts), joined(await rewrite([...block([message]), finish()], options)));
  const { content, finishReason } = contentOf(parts);
  deepEqual(content.map(told), wantedOf(expect));
  const isAsked = expect.some(([kind]) => kind === "complete");
  deepEqual(finishReason.unified, isAsked ? "tool-calls" : "stop");
  const whole = await regenerate([{ type: "text", text: message }], "stop", options);
  deepEqual(
    { content: whole.content, finishReason: whole.finishReason },
    { content, finishReason },
  );
}

/** Returns what an item of content tells. */
function told({ type, text, toolName, input }) {
  if (type === "text") return ["text", text];
  const call = parsed(input);
  return [type, toolName, call === undefined ? "invalid" : call];
}

/**
 * Returns the content that a record makes: other tools' calls are text, and white space alone is no
 * part.
 */
function wantedOf(expect) {
  const all = [];
  for (const [kind, first, second] of expect) {
    const text = kind === "text" ? first : kind === "opaque" ? second : undefined;
    if (text !== undefined && all.at(-1)?.[0] === "text") all.at(-1)[1] += text;
    else if (text !== undefined) all.push(["text", text]);
    else all.push(["tool-call", ASK.name, kind === "complete" ? inputOf(first) : "invalid"]);
  }
  return all.filter(([kind, text]) => kind !== "text" || /\S/.test(text));
}

function inputOf({ question, suggest }) {
  return { question, follow_up: suggest.map(({ answer, ...mode }) => ({ text: answer, ...mode })) };
}

/** Returns the value of JSON; `undefined` if it is ill-formed. */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Asserts that the input of a native call asks what the arguments ask, and is one that its tool
 * takes, in these deltas.
 */
export async function checkCall(name, args, deltas) {
  const shape = SHAPES.find(({ tools }) => tools.includes(name));
  const inputSchema = shape && schemaOf(shape);
  const tools = [{ type: "function", name, inputSchema: inputSchema ?? {} }];
  const given = [...native(name, deltas), finish("tool-calls")];
  const parts = await rewrite(given, { tools });
  if (shape === undefined) return deepEqual(parts, given);
  assertLaws(parts);
  deepEqual(
    joined(parts),
    joined(await rewrite([...native(name, [args]), finish("tool-calls")], { tools })),
  );
  const call = { type: "tool-call", toolCallId: "n", toolName: name, input: args };
  deepEqual((await regenerate([call], "tool-calls", { tools })).content, contentOf(parts).content);
  const { input } = parts.find(({ type }) => type === "tool-call");
  const asked = questions(name, args);
  if (asked === undefined) {
    // It is passed on as it is, or cut off.
    if (input !== args) throws(() => JSON.parse(input), SyntaxError);
    return;
  }
  assertValid(JSON.parse(input), inputSchema);
  const known = (all) => all.map((one) => withKeys(shape, one));
  deepEqual(known(questions(name, input)), known(asked));
}

/** Returns the questions of arguments; `undefined` if they can't be asked. */
function questions(name, input) {
  const { type, question, suggestions, questions } = run(new ArgumentsParser(name), [input]).at(-1);
  return type === "complete" ? (questions ?? [{ text: question, suggestions }]) : undefined;
}

/** Returns a question with what the input of its tool has keys for. */
function withKeys({ question, strings, option }, { suggestions, ...rest }) {
  return {
    ...only(question, rest),
    suggestions: suggestions.map((one) => only(strings ? { answer: [] } : option, one)),
  };
}

function only(names, value) {
  return Object.fromEntries(
    Object.keys(names)
      .filter((role) => value[role] !== undefined)
      .map((role) => [role, value[role]]),
  );
}

const FLAGS = ["multiple", "custom", "recommended"];
const object = (properties, required) => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
});

/** Returns a schema with all keys that are read from a tool of this shape. */
function schemaOf({ list, title, options, strings, question, option, unread }) {
  const properties = (names) => {
    const read = Object.entries(names).filter(([, [name]]) => name !== unread);
    return Object.fromEntries(
      read.map(([role, [name]]) => [name, { type: FLAGS.includes(role) ? "boolean" : "string" }]),
    );
  };
  const items = strings ? { type: "string" } : object(properties(option), [option.answer[0]]);
  const one = object({ ...properties(question), [options[0]]: { type: "array", items } }, [
    question.text[0],
  ]);
  if (list === undefined) return one;
  return object(
    { ...(title && { [title]: { type: "string" } }), [list]: { type: "array", items: one } },
    [list],
  );
}

/** Asserts that a value is as a schema says. */
function assertValid(value, { type, properties, required, items }) {
  const kind = Array.isArray(value) ? "array" : typeof value;
  deepEqual(kind, type);
  if (items) value.forEach((one) => assertValid(one, items));
  if (properties === undefined) return;
  deepEqual(
    required.filter((name) => !Object.hasOwn(value, name)),
    [],
  );
  for (const [name, one] of Object.entries(value)) {
    deepEqual(Object.hasOwn(properties, name), true, `${name} is not in the schema`);
    assertValid(one, properties[name]);
  }
}
