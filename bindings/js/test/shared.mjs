// Reads recorded messages and bodies, which are not part of the repository, whole, by byte and at random.
//
//   node test/shared.mjs [FOLDER]

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { ArgumentsParser, Parser, ResponseParser } from "followup";
import { cut, run } from "./help.mjs";

const folder = process.argv[2] ?? fileURLToPath(new URL("../../../../shared/data", import.meta.url));
const read = (name) => readFileSync(join(folder, name));
const records = (name) => read(name).toString().trim().split("\n").map((line) => JSON.parse(line));

/** Returns a function that returns numbers below its argument. */
function random(seed) {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const next = random(7);
const WAYS = {
  whole: () => [],
  "by byte": (length) => Array.from({ length }, (_, i) => i),
  "at random": (length) => Array.from({ length: length / 8 }, () => next(length)),
};

/** Joins neighbouring texts and pieces of calls, and leaves out what the records do not tell. */
function normal(events) {
  const all = [];
  for (const event of events) {
    const last = all.at(-1);
    if (event.type === "text") {
      if (last?.[0] === "text") last[1] += event.text;
      else all.push(["text", event.text]);
    } else if (event.type === "opaque") {
      if (last?.[0] === "opaque" && last[1] === event.tool && !event.start) last[2] += event.raw;
      else all.push(["opaque", event.tool, event.raw]);
    } else if (event.type === "complete") {
      const suggest = event.suggestions.map(({ answer, mode }) => (mode === undefined ? { answer } : { answer, mode }));
      all.push(["complete", { question: event.question, suggest }]);
    } else if (event.type === "rejected") {
      all.push(["rejected", event.code]);
    }
  }
  return all;
}

/** Returns what a record of a provider's body tells: its text, its questions, their notes, and errors. */
function told(events) {
  const asks = events.filter(({ type }) => type === "complete");
  return {
    text: events.map((event) => (event.type === "text" ? event.text : "")).join(""),
    asks: asks.length,
    notes: asks.reduce((sum, { notes }) => sum + notes.length, 0),
    errors: events.some(({ type }) => type === "error"),
  };
}

/** Returns the questions of a native call as the records write them, and why it was rejected. */
function asked(events) {
  const { code, tool, question, suggestions, questions } = events.at(-1) ?? {};
  const isForm = tool !== "ask_followup_question";
  const all = questions ?? (isForm || question === undefined ? [] : [{ text: question, suggestions, multiple: false, custom: true }]);
  return { code, questions: all.map(recorded) };
}

/** Returns a question as the records write it. A text that is empty is not there. */
function recorded({ text, multiple, defaults, suggestions, ...rest }) {
  const options = suggestions.map(({ answer, ...about }) => ({ label: answer, ...about }));
  return {
    ...(text !== "" && { text }),
    ...(multiple !== undefined && { multi: multiple }),
    ...(defaults !== undefined && { default: defaults }),
    ...rest,
    options,
  };
}

/** The codes of the reasons that the records have. */
const CODES = { not_object: "wrong_type", not_json: "malformed", no_questions: "missing_parameter", truncated: "truncated" };

/** Options that differ from the record by decision: a mode is shown once it is whole, because it may be acted on. */
const DECIDED = { "roo-05-cut-in-mode": [{ label: "Yes" }] };

/** Returns what a record tells of a native call. One that is rejected tells no questions, one that is cut off does. */
function wanted({ id, expect: { questions, rejected, at_end } }) {
  const wanted = questions?.map((question) => ({
    ...question,
    ...(question.default !== undefined && { default: [question.default].flat() }),
    options: DECIDED[id] ?? question.options,
  }));
  return { code: CODES[rejected ?? at_end], ...(wanted && { questions: wanted }) };
}

/** Whether a tool is refused, as one that is no question tool. */
function isRefused(tool) {
  try {
    new ArgumentsParser(tool, { shapes: SHAPES });
    return false;
  } catch (error) {
    return error instanceof TypeError && /is no question tool/.test(error.message);
  }
}

/** The shapes that read the recorded tools. */
const SHAPES = "claude codex vscode cursor ask_user opencode cline qwen mcp hermes omp pi droid confirm acp".split(" ");

let disagree = 0;

/** Reads an input in each way, and compares what comes out. */
function check(name, input, create, compare) {
  const bytes = Buffer.from(input);
  let agreed = 0;
  for (const [way, offsets] of Object.entries(WAYS)) {
    const [have, expected] = compare(run(create(), cut(bytes, offsets(bytes.length))));
    if (isDeepStrictEqual(have, expected)) agreed += 1;
    else if (++disagree <= 10) console.log(`${name}, ${way}\n  expected ${JSON.stringify(expected)}\n  have     ${JSON.stringify(have)}`);
  }
  return agreed;
}

function report(what, counts) {
  const sum = counts.reduce((one, two) => one + two, 0);
  console.log(`${what}: ${sum} of ${counts.length * 3} agree`);
}

const messages = (rows, options) =>
  rows.map(({ id, content, expect }) => check(id, content, () => new Parser(options), (events) => [normal(events), expect]));

report("messages", messages([...records("cases.jsonl"), ...records("turns.jsonl")], {}));
report("envelopes", messages(records("envelopes.jsonl"), { envelopes: ["all"] }));

const bodies = Object.entries(JSON.parse(read("bodies/expect.json")));
report(
  "bodies",
  bodies.map(([name, { why, ...expect }]) =>
    check(`${name} (${why})`, read(`bodies/${name}`), () => new ResponseParser(), (events) => {
      const have = told(events);
      return [Object.fromEntries(Object.keys(expect).map((key) => [key, have[key]])), expect];
    }),
  ),
);

report(
  "question tools",
  records("question-tools.jsonl").map((record) => {
    const { id, tool, arguments: input, expect } = record;
    const name = tool.slice(tool.indexOf(":") + 1).replace(/\.form$/, "");
    if (expect.rejected === "unknown_tool") {
      if (isRefused(name)) return 3;
      disagree += 1;
      console.log(`${id}: ${name} is taken for a question tool`);
      return 0;
    }
    return check(id, input, () => new ArgumentsParser(name, { shapes: SHAPES }), (events) => {
      const { code, questions } = asked(events);
      return [expect.questions ? { code, questions } : { code }, wanted(record)];
    });
  }),
);

process.exitCode = disagree === 0 ? 0 : 1;
