// Reads recorded messages and bodies, which are not part of the repository: whole, by byte, by code
// unit, and cut at random.
//
//   node test/shared.mjs [FOLDER]

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { ArgumentsParser, Parser, ResponseParser } from "followup";
import { cut, random, run } from "./help.mjs";
import { checkCall, checkMessage } from "./shared-ai-sdk.mjs";

const folder =
  process.argv[2] ?? fileURLToPath(new URL("../../../../shared/data", import.meta.url));
const read = (name) => readFileSync(join(folder, name));
const records = (name) =>
  read(name)
    .toString()
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

const SEEDS = [1, 2, 3, 4, 5];

/**
 * Returns the ways to cut bytes, or a text into strings, by name. A code unit may be half of a
 * surrogate pair.
 */
function ways(whole, unit) {
  const atRandom = SEEDS.map((seed) => {
    const next = random(seed);
    return [
      `${unit}s at random, ${seed}`,
      cut(
        whole,
        Array.from({ length: whole.length / 8 }, () => next(whole.length)),
      ),
    ];
  });
  return [
    [`all ${unit}s`, [whole]],
    [`by ${unit}`, Array.from({ length: whole.length }, (_, i) => whole.slice(i, i + 1))],
    ...atRandom,
  ];
}

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
      const suggest = event.suggestions.map(({ answer, mode }) =>
        mode === undefined ? { answer } : { answer, mode },
      );
      all.push(["complete", { question: event.question, suggest }]);
    } else if (event.type === "rejected") {
      all.push(["rejected", event.code]);
    }
  }
  return all;
}

/**
 * Returns what a record of a provider's body tells: its text, its questions, their notes, and
 * errors.
 */
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
  const all =
    questions ??
    (isForm || question === undefined
      ? []
      : [{ text: question, suggestions, multiple: false, custom: true }]);
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
const CODES = {
  not_object: "wrong_type",
  not_json: "malformed",
  no_questions: "missing_parameter",
  truncated: "truncated",
};

/**
 * Options that differ from the record by decision: a mode is shown once it is whole, because it may
 * be acted on.
 */
const DECIDED = { "roo-05-cut-in-mode": [{ label: "Yes" }] };

/**
 * Returns what a record tells of a native call. One that is rejected tells no questions, one that
 * is cut off does.
 */
function wanted({ id, expect: { questions, rejected, at_end } }) {
  const wanted = questions?.map((question) => ({
    ...question,
    ...(question.default !== undefined && { default: [question.default].flat() }),
    options: DECIDED[id] ?? question.options,
  }));
  return { code: CODES[rejected ?? at_end], ...(wanted && { questions: wanted }) };
}

/** Returns the name of a record's tool, without that of its agent. */
function nameOf({ tool }) {
  return tool.slice(tool.indexOf(":") + 1).replace(/\.form$/, "");
}

/** Whether a tool is refused, as one that is no question tool. */
function isRefused(tool) {
  try {
    new ArgumentsParser(tool, { shapes: SHAPES });
    return false;
  } catch (error) {
    return error instanceof TypeError && /no shape reads the tool/.test(error.message);
  }
}

/** The shapes that read the recorded tools. */
const SHAPES =
  "claude codex vscode cursor cursor-tool ask_user opencode cline qwen mcp hermes omp pi droid confirm acp".split(
    " ",
  );

let disagree = 0;

/**
 * Reads an input in each way, and compares the results. Returns how many agree, and of how many.
 */
function check(name, input, create, compare) {
  const bytes = Buffer.from(input);
  const text = bytes.toString();
  const all = [
    ...ways(bytes, "byte"),
    ...(Buffer.from(text).equals(bytes) ? ways(text, "code unit") : []),
  ];
  const agreed = all.filter(([way, chunks]) => {
    const [have, expected] = compare(run(create(), chunks));
    return agree(`${name}, ${way}`, have, expected);
  });
  return [agreed.length, all.length];
}

/** Returns whether these are equal, and prints the first that are not. */
function agree(name, have, expected) {
  const isSame = isDeepStrictEqual(have, expected);
  if (!isSame && ++disagree <= 10)
    console.log(
      `${name}\n  expected ${JSON.stringify(expected)}\n  have     ${JSON.stringify(have)}`,
    );
  return isSame;
}

/** Prints how many of these readings agree. */
function report(what, counts) {
  const sum = (which) => counts.reduce((all, count) => all + count[which], 0);
  console.log(`${what}: ${sum(0)} of ${sum(1)} agree`);
}

/** The formats of the families that are not read by default. */
const BY_CHOICE = ["mistral", "deepseek-v3", "deepseek-v31", "llama"];

const cases = [...records("cases.jsonl"), ...records("turns.jsonl")];
const leaked = records("envelopes.jsonl");
const tools = records("question-tools.jsonl");
const messages = (rows, options) =>
  rows.map(({ id, content, expect }) =>
    check(
      id,
      content,
      () => new Parser(options),
      (events) => [normal(events), expect],
    ),
  );

report("messages", messages(cases, {}));
report("envelopes", messages(leaked, { envelopes: ["all"] }));
report(
  "envelopes that are read by default",
  messages(
    leaked.filter(({ format }) => !BY_CHOICE.includes(format)),
    {},
  ),
);

const bodies = Object.entries(JSON.parse(read("bodies/expect.json")));
report(
  "bodies",
  bodies.map(([name, { why, ...expect }]) =>
    check(
      `${name} (${why})`,
      read(`bodies/${name}`),
      () => new ResponseParser(),
      (events) => {
        const have = told(events);
        return [Object.fromEntries(Object.keys(expect).map((key) => [key, have[key]])), expect];
      },
    ),
  ),
);

report(
  "question tools",
  tools.map((record) => {
    const { id, arguments: input, expect } = record;
    const name = nameOf(record);
    if (expect.rejected === "unknown_tool")
      return [agree(`${id}: ${name} is no question tool`, isRefused(name), true) ? 1 : 0, 1];
    return check(
      id,
      input,
      () => new ArgumentsParser(name, { shapes: SHAPES }),
      (events) => {
        const { code, questions } = asked(events);
        return [expect.questions ? { code, questions } : { code }, wanted(record)];
      },
    );
  }),
);

/** Reads a text in each way, and counts the ways that a check does not throw at. */
async function checkText(name, text, check) {
  const all = ways(text, "code unit");
  let agreed = 0;
  for (const [way, deltas] of all) {
    try {
      await check(deltas);
      agreed += 1;
    } catch (error) {
      if (++disagree <= 10) console.log(`${name}, ${way}\n  ${error.stack}`);
    }
  }
  return [agreed, all.length];
}

async function checkAll(what, rows, textOf, check) {
  const counts = [];
  for (const row of rows)
    counts.push(
      await checkText(`${row.id} through followup/ai-sdk`, textOf(row), (deltas) =>
        check(row, deltas),
      ),
    );
  report(`${what} through followup/ai-sdk`, counts);
}

await checkAll("messages", cases, ({ content }) => content, checkMessage);
await checkAll("envelopes", leaked, ({ content }) => content, checkMessage);
await checkAll(
  "question tools",
  tools,
  (row) => row.arguments,
  (row, deltas) => checkCall(nameOf(row), row.arguments, deltas),
);

process.exitCode = disagree === 0 ? 0 : 1;
