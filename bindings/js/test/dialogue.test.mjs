// Expectations are those of the crate's own tests, tests/dialogue/scripts.rs and replies.rs.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { ArgumentsParser, Parser, ResponseParser } from "followup";
import { correctionReply, Dialogue, DialogueError, messages } from "followup/dialogue";
import { evaluate, run } from "./help.mjs";

const BAD = "<ask_followup_question></ask_followup_question>";
const GIF = "data:image/gif;base64,R0lGODlh";

function markup(question, answers = []) {
  const suggest = answers.map((answer) => `<suggest>${answer}</suggest>`).join("");
  return `<ask_followup_question><question>${question}</question><follow_up>${suggest}</follow_up></ask_followup_question>`;
}

const ONE = markup("Tea?", ["Green", "Black"]);

/** Returns the directives for a message, as one line each, without what is only shown. */
function directives(dialogue, message) {
  return run(new Parser(), [message])
    .map((event) => dialogue.event(event))
    .filter(({ type }) => type !== "nothing" && type !== "show")
    .map(({ type, question, correction }) =>
      question ? `${type} ${question.number} ${question.question}` : `${type} ${correction.reason}`,
    );
}

/** Returns a dialogue in which a tool was called. */
function asked(tool, call, options) {
  const dialogue = new Dialogue(options);
  for (const event of run(new ArgumentsParser(tool), [JSON.stringify(call)])) dialogue.event(event);
  return dialogue;
}

function failsWith(action, code, message) {
  assert.throws(action, (error) => {
    assert.ok(error instanceof DialogueError);
    assert.equal(error.code, code);
    if (message) assert.equal(error.message, message);
    return true;
  });
}

describe("a dialogue", () => {
  test("shows a growing question, asks the whole one, and wraps its answer", () => {
    const [parser, dialogue] = [new Parser(), new Dialogue()];
    const call =
      '<ask_followup_question><question>Which?</question><suggest mode="code">Do it</suggest></ask_followup_question>';
    const all = [...call]
      .flatMap((unit) => parser.feed(unit))
      .map((event) => dialogue.event(event));
    assert.ok(
      all.slice(0, -1).every(({ type, call }) => type === "show" && call.type === "partial"),
    );
    const question = {
      number: 0,
      question: "Which?",
      suggest: [{ answer: "Do it", mode: "code" }],
    };
    const advice = [{ finding: "too_few", suggestions: 1, least: 2 }];
    assert.deepEqual(all.at(-1), { type: "ask", question: { ...question, advice } });
    assert.deepEqual(dialogue.question, { ...question, advice });
    const reply = dialogue.answer(0, { type: "suggestion", suggestion: 0 });
    assert.deepEqual(reply, {
      kind: "answer",
      number: 0,
      text: "<answer>\nDo it\n</answer>",
      mode: "code",
    });
    assert.equal(dialogue.question, undefined);
  });

  test("keeps the mode of an edited suggestion, and a text has none", () => {
    for (const [answer, text, mode] of [
      [{ type: "edited", suggestion: 0, text: "Do it, slowly" }, "Do it, slowly", "code"],
      [{ type: "text", text: "Do it" }, "Do it", undefined],
    ]) {
      const dialogue = new Dialogue();
      directives(
        dialogue,
        markup("Q?").replace("<follow_up>", "<follow_up><suggest mode='code'>Do it</suggest>"),
      );
      const reply = dialogue.answer(0, answer);
      assert.deepEqual([reply.text, reply.mode], [`<answer>\n${text}\n</answer>`, mode]);
    }
  });

  test("stops after mistakes in a row, and an answer or guidance resets them", () => {
    const dialogue = new Dialogue();
    assert.deepEqual(directives(dialogue, BAD + BAD), [
      "tell missing_parameter",
      "tell missing_parameter",
    ]);
    assert.deepEqual(directives(dialogue, markup("Q?")), ["ask 0 Q?"]);
    assert.equal(dialogue.mistakes, 2);
    failsWith(() => dialogue.guide("not now"), "not_stopped");
    dialogue.answer(0, { type: "text", text: "yes" });
    assert.equal(dialogue.mistakes, 0);
    const tell = "tell missing_parameter";
    assert.deepEqual(directives(dialogue, BAD.repeat(4)), [
      tell,
      tell,
      "stop missing_parameter",
      "stop missing_parameter",
    ]);
    assert.ok(dialogue.hasStopped);
    assert.deepEqual(directives(dialogue, markup("R?")), ["later 1 R?"]);
    assert.equal(dialogue.waitingCount, 1);
    const reply = dialogue.guide("Use tabs");
    assert.equal(reply.kind, "guidance");
    assert.match(reply.text, /<feedback>\nUse tabs\n<\/feedback>$/);
    assert.deepEqual([dialogue.mistakes, dialogue.question.number], [0, 1]);
    const endless = new Dialogue({ mistakeLimit: 0 });
    assert.ok(directives(endless, BAD.repeat(50)).every((line) => line === tell));
  });

  test("gives advice by its rules, or rejects a question", () => {
    const call = markup("Q?", ["Use [path]", "Use [path]"]);
    const advised = new Dialogue();
    directives(advised, call);
    assert.deepEqual(advised.question.advice, [
      { finding: "placeholder", suggestion: 0, placeholder: "[path]" },
      { finding: "placeholder", suggestion: 1, placeholder: "[path]" },
      { finding: "duplicate", suggestion: 1, of: 0 },
    ]);
    const strict = new Dialogue({ rules: { duplicates: "reject", placeholders: "ignore" } });
    const [{ correction }] = run(new Parser(), [call])
      .map((event) => strict.event(event))
      .filter(({ type }) => type === "tell");
    assert.equal(
      correction.model,
      "Failed to parse operations: suggestion 2 is the same as suggestion 1",
    );
    assert.deepEqual(correctionReply(correction), { kind: "correction", text: correction.model });
  });

  test("has dialects: by name, and one's own", () => {
    const ask = (options) => directives(new Dialogue(options), markup("Q?"));
    assert.deepEqual(ask({ dialect: "roo-code" }), ["ask 0 Q?"]);
    assert.deepEqual(ask({ dialect: "roo-code-latest" }), ["tell missing_parameter"]);
    assert.deepEqual(ask({ rules: { followUpRequired: true } }), ["tell missing_parameter"]);
    const own = new Dialogue({ dialect: { reply: { open: "[", close: "]" } }, escape: true });
    directives(own, markup("Q?"));
    assert.equal(own.answer(0, { type: "text", text: "a ]" }).text.slice(0, 2), "[\n");
  });

  test("refuses an answer that does not fit, and is unchanged", () => {
    const dialogue = new Dialogue();
    directives(dialogue, markup("One?") + markup("Two?", ["a", "b"]));
    const text = { type: "text", text: "x" };
    failsWith(
      () => dialogue.answer(0, { type: "suggestion", suggestion: 0 }),
      "no_such_suggestion",
      "the question has no suggestions",
    );
    failsWith(
      () => dialogue.answer(1, text),
      "not_yet_asked",
      "another question is to be answered first",
    );
    failsWith(() => dialogue.answer(7, text), "not_asked");
    failsWith(() => dialogue.discuss(0), "no_discussion");
    failsWith(() => dialogue.timeOut(0, [{}]), "no_form");
    assert.equal(dialogue.cancel(0).kind, "cancelled");
    failsWith(() => dialogue.answer(0, text), "already_cancelled");
    assert.equal(dialogue.decline(1).kind, "declined");
    failsWith(() => dialogue.cancel(1), "already_declined");
  });
});

describe("a form", () => {
  const questions = [
    {
      id: "a",
      header: "Store",
      question: 'Which "store"?',
      options: [{ label: "Redis, 7" }, { label: 'say "hi"' }],
    },
    {
      id: "b",
      header: "Parts",
      question: "Which parts?",
      multiSelect: true,
      options: [{ label: "A, B" }, { label: "C" }, { label: "E" }],
    },
    { id: "c", question: "Why?" },
  ];

  test("is answered in the words of the tool's host", () => {
    const dialogue = asked("AskUserQuestion", { questions });
    const { form } = dialogue.question;
    assert.deepEqual(
      [form.tool, form.shape, form.questions.length],
      ["AskUserQuestion", "claude", 3],
    );
    assert.deepEqual(
      form.questions[1].options.map(({ label }) => label),
      ["A, B", "C", "E"],
    );
    failsWith(() => dialogue.answer(0, { type: "form", answers: [] }), "wrong_number_of_answers");
    failsWith(
      () => dialogue.answer(0, { type: "form", answers: [{ picked: [0, 1] }, {}, {}] }),
      "only_one",
    );
    const reply = dialogue.answer(0, {
      type: "form",
      answers: [{ picked: [1] }, { picked: [2, 0] }, { text: 'It\'s\n"new"' }],
    });
    assert.equal(
      reply.text,
      'The user answered: "Which "store"?"="say "hi"", "Which parts?"="E, A, B", "Why?"="It\'s\n"new"". ' +
        "Read the answers carefully — they may request clarification, changes, or that you not proceed — " +
        "and follow what they actually say.",
    );
    const declined = asked("AskUserQuestion", { questions }).decline(0);
    assert.match(declined.text, /^The user doesn't want to proceed with this tool use/);
    assert.equal(declined.isError, true);
  });

  test("takes a note with an option where its tool has a place for one", () => {
    const noted = (options) => {
      const dialogue = asked("AskUserQuestion", { questions: questions.slice(0, 1) }, options);
      const [{ notes }] = dialogue.question.form.questions;
      return [
        notes,
        dialogue.answer(0, { type: "form", answers: [{ picked: [0], note: "for now" }] }).text,
      ];
    };
    const [takesNotes, text] = noted();
    assert.equal(takesNotes, true);
    assert.match(text, /"Which "store"\?"="Redis, 7" notes: for now/);
    const elsewhere = noted({ templates: { AskUserQuestion: "gemini" } });
    assert.deepEqual(
      elsewhere,
      [undefined, '{"answers":{"0":"Redis, 7, for now"}}'],
      "else it is the end of the text",
    );
  });

  test("can be talked about where its tool has a reply for that, with the answers so far", () => {
    const dialogue = asked("AskUserQuestion", { questions });
    assert.equal(dialogue.question.canDiscuss, true);
    failsWith(() => dialogue.discuss(0, [{}]), "wrong_number_of_answers");
    const reply = dialogue.discuss(0, [{}, { picked: [2, 0] }, {}]);
    assert.equal(reply.kind, "declined");
    assert.ok(
      reply.text.endsWith('- "Which parts?"\n  Answer: E, A, B\n- "Why?"\n  (No answer provided)'),
    );
    failsWith(() => dialogue.cancel(0), "already_discussed");
    const other = asked(
      "AskUserQuestion",
      { questions },
      { templates: { AskUserQuestion: "gemini" } },
    );
    assert.equal(other.question.canDiscuss, undefined);
    failsWith(() => other.discuss(0), "no_discussion");
  });

  test("times out with the answers so far, in the words of its tool or as if it was cancelled", () => {
    const call = {
      questions: [{ id: "x", question: "One?", choices: ["a", "b"] }, { question: "Two?" }],
    };
    const timedOut = asked("clarify", call);
    const reply = timedOut.timeOut(0, [{ picked: [1] }, {}]);
    assert.equal(reply.kind, "cancelled");
    assert.deepEqual(JSON.parse(reply.text).timed_out, true);
    assert.equal(JSON.parse(reply.text).responses[0].user_response, "b");
    failsWith(() => timedOut.answer(0, { type: "text", text: "late" }), "already_timed_out");
    const withoutWords = () =>
      asked("AskUserQuestion", { questions }, { templates: { AskUserQuestion: "gemini" } });
    assert.deepEqual(withoutWords().timeOut(0), withoutWords().cancel(0));
  });

  test("is answered by the template of its tool, or one of the host's own", () => {
    const general = asked(
      "AskUserQuestion",
      { questions },
      { templates: { AskUserQuestion: "gemini" } },
    );
    assert.doesNotMatch(general.cancel(0).text, /STOP what you are doing/);
    assert.throws(
      () => new Dialogue({ templates: { x: "gemeni" } }),
      /^TypeError: options: templates.x: there is no built-in gemeni; there are: /,
    );
    assert.throws(
      () => new Dialogue({ templates: { x: { answred: "" } } }),
      /^TypeError: options: templates.x: unknown field `answred`/,
    );
  });
});

describe("messages", () => {
  test("carry the result of a native call with its images in each format", () => {
    const body =
      '{"contentBlockStart":{"contentBlockIndex":0,"start":{"toolUse":{"toolUseId":"id7",' +
      '"name":"ask_followup_question"}}}}\n' +
      '{"contentBlockDelta":{"contentBlockIndex":0,"delta":{"toolUse":{"input":"{\\"question\\":\\"Q?\\"}"}}}}\n' +
      '{"contentBlockStop":{"contentBlockIndex":0}}\n';
    const dialogue = new Dialogue();
    for (const event of run(new ResponseParser({ format: "bedrock" }), [body]))
      dialogue.event(event);
    const reply = dialogue.answer(0, { type: "text", text: "See" }, [GIF]);
    assert.deepEqual(reply.images, [GIF]);
    const text = "<answer>\nSee\n</answer>";
    assert.deepEqual(messages(reply, "openai-chat"), [
      { role: "tool", tool_call_id: "id7", content: text },
      { role: "user", content: [{ type: "image_url", image_url: { url: GIF } }] },
    ]);
    const output = [
      { type: "input_text", text },
      { type: "input_image", image_url: GIF },
    ];
    assert.deepEqual(messages([reply], "openai-responses"), [
      { type: "function_call_output", call_id: "id7", output },
    ]);
    const source = { type: "base64", media_type: "image/gif", data: "R0lGODlh" };
    const content = [
      { type: "text", text },
      { type: "image", source },
    ];
    assert.deepEqual(messages(reply, "anthropic"), [
      { role: "user", content: [{ type: "tool_result", tool_use_id: "id7", content }] },
    ]);
    const image = { image: { format: "gif", source: { bytes: "R0lGODlh" } } };
    const toolResult = { toolUseId: "id7", content: [{ text }, image] };
    assert.deepEqual(messages(reply, "bedrock-converse"), [
      { role: "user", content: [{ toolResult }] },
    ]);
    assert.throws(
      () => messages(reply, "gemni"),
      /^TypeError: messages: format: gemni is not known; known are: openai-chat, .*, ollama$/,
    );
  });

  test("answer a native call without an id under the name of its tool", () => {
    const call = (question) => ({
      functionCall: { name: "ask_followup_question", args: { question } },
    });
    const parts = [
      { text: "<ask_followup_question><question>Written?</question></ask_followup_question>" },
      call("Q?"),
      call(""),
    ];
    const body = `data: ${JSON.stringify({ candidates: [{ content: { parts, role: "model" }, finishReason: "STOP" }] })}\n\n`;
    const dialogue = new Dialogue();
    const events = run(new ResponseParser({ format: "gemini" }), [body]);
    const told = events.map((event) => dialogue.event(event)).filter(({ type }) => type === "tell");
    const replies = told.map(({ correction }) => correctionReply(correction));
    const written = dialogue.answer(0, { type: "text", text: "A" });
    replies.push(written, dialogue.answer(1, { type: "text", text: "B" }));
    assert.deepEqual(
      replies.map(({ tool }) => tool),
      ["ask_followup_question", undefined, "ask_followup_question"],
    );
    const result = ({ text }) => ({
      functionResponse: { name: "ask_followup_question", response: { output: text } },
    });
    assert.deepEqual(messages(replies, "gemini"), [
      { role: "user", parts: [result(replies[0]), result(replies[2])] },
      { role: "user", parts: [{ text: written.text }] },
    ]);
    const [{ role, tool_name: name }] = messages(replies, "ollama");
    assert.deepEqual([role, name], ["tool", "ask_followup_question"]);
  });

  test("mark the results that the tool's host marks as errors", () => {
    const declined = asked("AskUserQuestion", { questions: [{ question: "Q?" }] }).decline(0);
    const [message] = messages({ ...declined, id: "t1" }, "anthropic");
    assert.equal(message.content[0].is_error, true);
  });
});

describe("a checkpoint", () => {
  test("continues a dialogue without its history", () => {
    const whole = new Dialogue();
    const read = (dialogue, message) =>
      new Parser().feed(message).map((event) => dialogue.event(event));
    read(whole, BAD + ONE + ONE);
    assert.ok(whole.takeHistory().length > 0);
    const resumed = new Dialogue({ checkpoint: whole.checkpoint() });
    assert.deepEqual(resumed.history(), []);
    assert.deepEqual(resumed.question, whole.question);
    assert.deepEqual([resumed.waitingCount, resumed.mistakes], [1, 1]);
    for (const dialogue of [whole, resumed]) {
      dialogue.answer(0, { type: "text", text: "Yes" });
      assert.equal(read(dialogue, ONE).at(-1).question.number, 2);
    }
    assert.deepEqual(resumed.history(), whole.history());
    assert.equal(resumed.checkpoint(), whole.checkpoint());
  });

  test("may come with an empty history", () => {
    const dialogue = new Dialogue();
    new Parser().feed(ONE).forEach((event) => dialogue.event(event));
    assert.deepEqual(
      new Dialogue({ checkpoint: dialogue.checkpoint(), history: [] }).question,
      dialogue.question,
    );
  });

  test("is an error if it is damaged or no checkpoint", () => {
    const dialogue = new Dialogue();
    new Parser().feed(ONE).forEach((event) => dialogue.event(event));
    const stored = dialogue.checkpoint();
    for (const text of [
      stored.replace("Tea?", "Two?"),
      stored.replace('"mistakes":0', '"mistakes":1'),
      stored.slice(0, -1),
      "",
      "{}",
      "null",
    ]) {
      assert.notEqual(text, stored);
      failsWith(() => new Dialogue({ checkpoint: text }), "checkpoint");
    }
    assert.throws(() => new Dialogue({ checkpoint: 7 }), {
      name: "TypeError",
      message: "checkpoint: a string was expected, not number",
    });
    const both = { checkpoint: stored, history: dialogue.history() };
    assert.throws(() => new Dialogue(both), {
      name: "TypeError",
      message: "checkpoint: a history or a checkpoint was expected, not both",
    });
  });
});

describe("a history", () => {
  test("replays to the same dialogue", () => {
    const dialogue = new Dialogue();
    directives(dialogue, markup("A?", ["One [path]"]) + BAD + markup("B?") + BAD);
    dialogue.answer(0, { type: "edited", suggestion: 0, text: "One" }, [GIF]);
    directives(dialogue, BAD.repeat(3));
    dialogue.cancel(1);
    dialogue.guide("Go on");
    directives(dialogue, markup("C?"));
    const history = JSON.parse(JSON.stringify(dialogue.history()));
    assert.deepEqual(
      history.slice(0, 5).map(({ role, turn }) => `${role} ${turn}`),
      [
        "assistant asked",
        "assistant corrected",
        "assistant asked",
        "assistant corrected",
        "user answered",
      ],
    );
    const replayed = new Dialogue({ history });
    assert.deepEqual(replayed.history(), history);
    assert.deepEqual(replayed.question, dialogue.question);
    failsWith(() => new Dialogue({ history: history.slice(1) }), "history");
    assert.deepEqual(dialogue.takeHistory(), history);
    assert.deepEqual(dialogue.history(), []);
    assert.equal(dialogue.answer(2, { type: "text", text: "x" }).kind, "answer");
  });

  test("has talks and time-outs as the crate stores them", () => {
    const dialogue = new Dialogue();
    const call = JSON.stringify({ questions: [{ question: "Tea?" }, { question: "When?" }] });
    for (let i = 0; i < 3; i++)
      for (const event of run(new ArgumentsParser("AskUserQuestion"), [call]))
        dialogue.event(event);
    assert.equal(dialogue.discuss(1, [{ text: "Yes" }, {}]).number, 1);
    dialogue.timeOut(0);
    const history = dialogue.history();
    assert.deepEqual(history.slice(3), [
      { turn: "discussed", role: "user", number: 1, answers: [{ text: "Yes" }, {}] },
      { turn: "timed_out", role: "user", number: 0 },
    ]);
    const replayed = new Dialogue({ history });
    assert.deepEqual(replayed.history(), history);
    assert.equal(replayed.question.number, 2);
  });
});

describe("a correction", () => {
  const told = (reason) =>
    new Dialogue().event({ type: "rejected", tool: "ask_followup_question", ...reason }).correction;
  /** Returns the names of the variants of an enum of the crate. */
  const variants = (file, name) => {
    const [, body] = new RegExp(`pub enum ${name} \\{\n(.*?)\n\\}`, "s").exec(
      readFileSync(new URL(`../../../src/${file}`, import.meta.url), "utf8"),
    );
    return [...body.matchAll(/^ {4}([A-Z]\w*)/gm)].map(([, variant]) =>
      variant.replace(/(?<!^)[A-Z]/g, "_$&").toLowerCase(),
    );
  };
  /** Returns the members of a union of the types. */
  const union = (name) => {
    const [, body] = new RegExp(`type ${name} =(.*?);`, "s").exec(
      readFileSync(new URL("../dist/names.d.ts", import.meta.url), "utf8"),
    );
    return body
      .split("|")
      .map((member) => member.trim().slice(1, -1))
      .filter(Boolean);
  };

  test("knows every part and every note of the crate, and so do the types", () => {
    const [parts, notes] = [variants("reason.rs", "CallPart"), variants("note.rs", "Note")];
    assert.ok(parts.length > 10 && notes.length > 30);
    assert.deepEqual(union("CallPart"), parts);
    assert.deepEqual(union("NoteCode"), notes);
    const places = parts.map((part) => told({ code: "truncated", part }).model);
    const details = notes
      .filter((note) => note !== "envelope")
      .map((note) => told({ code: "malformed", note }).user);
    assert.ok(places.every((text) => typeof text === "string" && text !== ""));
    assert.equal(
      new Set(["opening", "question", "answer"].map((part) => places[parts.indexOf(part)])).size,
      3,
    );
    assert.equal(new Set(details).size, details.length);
  });

  test("has the words of the crate for the fields of the event", () => {
    const longest = new Parser({ limits: { answer: 3 } });
    const [rejected] = run(longest, [markup("Q?", ["four"])]).filter(
      ({ type }) => type === "rejected",
    );
    const { message, ...rest } = rejected;
    assert.match(message, /longer than the limit of 3 bytes/);
    assert.match(new Dialogue().event(rest).correction.model, /3 bytes/);
    assert.deepEqual(new Dialogue().event(rest), new Dialogue().event(rejected));
  });
});

test("every event of every golden body can be given to a dialogue", () => {
  const bodies = new URL("../../../tests/wire/bodies/", import.meta.url);
  const codes = new Set();
  for (const format of readdirSync(bodies).filter((name) => !name.includes("."))) {
    const folder = new URL(`${format}/`, bodies);
    for (const name of readdirSync(folder).filter((file) => !file.endsWith(".json"))) {
      const dialogue = new Dialogue({ mistakeLimit: 0 });
      for (const event of run(new ResponseParser({ format, strict: true }), [
        readFileSync(new URL(name, folder)),
      ])) {
        const { type } = dialogue.event(event);
        if (event.type === "complete") assert.ok(type === "ask" || type === "later", name);
        if (event.type === "rejected")
          assert.equal(type, event.code === "superseded" ? "nothing" : "tell", name);
        if (event.type === "rejected") codes.add(event.code);
      }
      dialogue.free();
    }
  }
  for (const code of ["malformed", "missing_parameter", "truncated"])
    assert.ok(codes.has(code), code);
});

const WHOLE = "a whole number from 0 to 2147483648 was expected";

test("what is of a wrong type is a TypeError that says what was expected", () => {
  const dialogue = new Dialogue();
  directives(dialogue, markup("Q?", ["a", "b"]));
  for (const [action, message] of [
    [() => new Dialogue(7), "options: an object was expected, not number"],
    [
      () => new Dialogue({ dialekt: "vjsp" }),
      /^options: unknown field `dialekt`, expected one of `dialect`, /,
    ],
    [
      () => new Dialogue({ dialect: "klingon" }),
      /^options: dialect: there is no built-in klingon; there are: roo-code, /,
    ],
    [() => new Dialogue({ mistakeLimit: -1 }), `mistakeLimit: ${WHOLE}, not -1`],
    [() => new Dialogue({ mistakeLimit: "3" }), `mistakeLimit: ${WHOLE}, not string`],
    [() => new Dialogue({ mistakeLimit: NaN }), `mistakeLimit: ${WHOLE}, not NaN`],
    [() => new Dialogue({ escape: 1 }), "escape: a boolean was expected, not number"],
    [() => new Dialogue({ dialect: null }), "dialect: a name or an object was expected, not null"],
    [
      () => new Dialogue({ dialect: ["vjsp"] }),
      "dialect: a name or an object was expected, not a list",
    ],
    [
      () => new Dialogue({ dialect: Symbol("vjsp") }),
      "dialect: a name or an object was expected, not symbol",
    ],
    [
      () => new Dialogue({ dialect: { suggestionWithoutText: NaN } }),
      "suggestionWithoutText: plain data was expected, not NaN",
    ],
    [() => new Dialogue({ templates: null }), "templates: an object was expected, not null"],
    [() => new Dialogue({ history: null }), "history: a list was expected, not null"],
    [() => new Dialogue({ history: ["turn"] }), "history[0]: an object was expected, not string"],
    [() => new Dialogue({ rules: null }), "rules: an object was expected, not null"],
    [
      () => new Dialogue({ rules: { minSuggestions: "1" } }),
      `rules.minSuggestions: ${WHOLE}, not string`,
    ],
    [
      () => new Dialogue({ rules: { maxSuggestions: 1.5 } }),
      `rules.maxSuggestions: ${WHOLE}, not 1.5`,
    ],
    [
      () => new Dialogue({ rules: { followUpRequired: 1 } }),
      "rules.followUpRequired: a boolean was expected, not number",
    ],
    [
      () => new Dialogue({ rules: { follow_up_required: true } }),
      /^rules\.follow_up_required is no option: it is followUpRequired$/,
    ],
    [
      () => new Dialogue({ rules: { required: true } }),
      /`followUpRequired`, `minSuggestions`, `maxSuggestions`, `suggestionCount`/,
    ],
    [
      () => new Dialogue({ rules: { suggestionCount: "no" } }),
      /^options: unknown variant `no`, expected one of `ignore`, /,
    ],
    [() => dialogue.event({ type: "question" }), /^event: an event of a parser was expected/],
    [
      () => dialogue.event({ type: "complete", question: "Q?" }),
      "event: suggestions: a list was expected, not undefined",
    ],
    [
      () => dialogue.event({ type: "rejected", tool: "t", code: "bad" }),
      /^event: unknown variant `bad`, expected one of `missing_parameter`, /,
    ],
    [
      () => dialogue.event({ type: "rejected", tool: "t", code: "too_long", part: "answer" }),
      "event: missing field `limit`",
    ],
    [
      () => dialogue.event({ type: "rejected", tool: "t", code: "malformed", note: "ärger_" }),
      "event: ärger_ is no reason of a rejection",
    ],
    [
      () => dialogue.answer(0, "yes"),
      /^answer: an object with the type text, suggestion, edited or form was expected, not string/,
    ],
    [
      () => dialogue.answer(0, null),
      /^answer: an object with the type text, suggestion, edited or form was expected, not null/,
    ],
    [
      () => dialogue.answer(0, { type: "text" }),
      "answer.text: a string was expected, not undefined",
    ],
    [
      () => dialogue.answer(0, { type: "edited", suggestion: 0, text: 5 }),
      "answer.text: a string was expected, not number",
    ],
    [
      () => dialogue.answer(0, { type: "suggestion", suggestion: -1 }),
      `answer.suggestion: ${WHOLE}, not -1`,
    ],
    [
      () => dialogue.answer(0, { type: "edited", suggestion: "0", text: "a" }),
      `answer.suggestion: ${WHOLE}, not string`,
    ],
    [
      () => dialogue.answer(0, { type: "form" }),
      "answer.answers: a list was expected, not undefined",
    ],
    [
      () => dialogue.answer(0, { type: "form", answers: ["a"] }),
      "answer.answers[0]: an object was expected, not string",
    ],
    [() => dialogue.answer("0", { type: "text", text: "a" }), `number: ${WHOLE}, not string`],
    [() => dialogue.answer(0, { type: "text", text: "a" }, ["http://x"]), /^answer: /],
    [
      () => dialogue.answer(0, { type: "text", text: "a" }, null),
      "images: a list of texts was expected, not null",
    ],
    [() => dialogue.guide(5), "text: a string was expected, not number"],
    [
      () => dialogue.discuss(0, [{ pick: [0] }]),
      /^answers: unknown field `pick`, expected one of `picked`, /,
    ],
    [() => dialogue.discuss(0, null), "answers: a list was expected, not null"],
    [
      () => dialogue.discuss(0, [{ picked: ["a"] }]),
      'answers: invalid type: string "a", expected a whole number',
    ],
    [
      () => dialogue.discuss(0, [{ picked: 1 }]),
      "answers: invalid type: integer `1`, expected a list",
    ],
    [() => dialogue.timeOut(0, "none"), "answers: a list was expected, not string"],
    [() => dialogue.cancel(), `number: ${WHOLE}, not undefined`],
    [() => dialogue.decline(1.5), `number: ${WHOLE}, not 1.5`],
  ]) {
    assert.throws(action, { name: "TypeError", message });
  }
  assert.equal(dialogue.question.number, 0);
  const half = dialogue.answer(0, { type: "text", text: "a\ud83d" });
  assert.equal(half.text, "<answer>\na\ufffd\n</answer>");
  dialogue.free();
  dialogue.free();
  assert.throws(() => dialogue.mistakes, {
    name: "TypeError",
    message: "the dialogue has been freed",
  });
});

test("a dialogue runs where nothing tells what was collected, as in a Worker", () => {
  const printed = evaluate(`
    delete globalThis.FinalizationRegistry;
    const { Dialogue } = await import("followup/dialogue");
    const dialogue = new Dialogue();
    dialogue.event({ type: "complete", call: 0, tool: "ask_followup_question", question: "Tea?", suggestions: [] });
    console.log(dialogue.question.question);
    dialogue.free();
  `);
  assert.equal(printed, "Tea?");
});
