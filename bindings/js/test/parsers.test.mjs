// Tests the three parser classes: events, cuts, checkpoints, options and memory.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { ArgumentsParser, Parser, ResponseParser } from "followup";
import { cut, joined, run } from "./help.mjs";

const MESSAGE =
  "Before that: <ask_followup_question><question>Wohin, 😀 < Süden?</question>" +
  "<follow_up><suggest mode='code'>Ja</suggest><suggest>Nein &amp; 数据</suggest></follow_up>" +
  "</ask_followup_question> Danke.";

describe("Parser", () => {
  test("shows a question while it is being written", () => {
    const parser = new Parser();
    assert.deepEqual(parser.feed("So: <ask_followup_question><question>Tea or co"), [
      { type: "text", text: "So: " },
      { type: "partial", call: 0, field: "question", questionIndex: 0, delta: "Tea or co" },
    ]);
    assert.equal(parser.view()?.questions[0].text, "Tea or co");
    assert.deepEqual(parser.feed("ffee?</question><suggest mode='ask'>Te"), [
      { type: "partial", call: 0, field: "question", questionIndex: 0, delta: "ffee?" },
      {
        type: "partial",
        call: 0,
        field: "suggestion",
        questionIndex: 0,
        suggestionIndex: 0,
        delta: "Te",
        known: { mode: "ask" },
      },
    ]);
    const [complete] = parser.feed("a</suggest></ask_followup_question>").slice(-1);
    assert.equal(complete.type, "complete");
    assert.deepEqual(complete.suggestions, [{ answer: "Tea", mode: "ask" }]);
    assert.equal(parser.view(), undefined);
    assert.deepEqual(parser.finish(), []);
  });

  test("says why a call is rejected, and what was repaired, in words and as data", () => {
    const reason = (options, message) => {
      const { code, part, limit, note } = run(new Parser(options), [message]).find(
        ({ type }) => type === "rejected",
      );
      return { code, part, limit, note };
    };
    const open = "<ask_followup_question><question>Tea?";
    const none = { part: undefined, limit: undefined, note: undefined };
    assert.deepEqual(reason({}, open), { ...none, code: "truncated", part: "question" });
    assert.deepEqual(reason({ limits: { question: 2 } }, open), {
      ...none,
      code: "too_long",
      part: "question",
      limit: 2,
    });
    assert.deepEqual(reason({ strict: true }, `${open}<follow_up>`), {
      ...none,
      code: "malformed",
      note: "unclosed_question",
    });
    assert.deepEqual(
      reason({}, "<ask_followup_question><follow_up></follow_up></ask_followup_question>"),
      { ...none, code: "missing_parameter" },
    );
    const native = run(new ArgumentsParser("ask_followup_question"), [
      '{"question": "Tea?", "follow_up": 7}',
    ]).at(-1);
    assert.deepEqual([native.code, native.part], ["wrong_type", "suggestions"]);
    const { notes, noteCodes } = run(new Parser(), [`${open}<follow_up>`]).find(
      ({ type }) => type === "complete",
    );
    assert.deepEqual(noteCodes, ["unclosed_question", "stream_ended"]);
    assert.deepEqual(notes, [
      "the question has no close tag",
      "the message ended before the call was closed",
    ]);
  });

  test("gives the same events for every cut, of text and of bytes, inside surrogate pairs too", () => {
    const whole = joined(run(new Parser(), [MESSAGE]));
    assert.equal(whole.at(-2).question, "Wohin, 😀 < Süden?");
    const bytes = new TextEncoder().encode(MESSAGE);
    fc.assert(
      fc.property(
        fc.array(fc.nat(MESSAGE.length)),
        fc.array(fc.nat(bytes.length)),
        (inText, inBytes) => {
          assert.deepEqual(joined(run(new Parser(), cut(MESSAGE, inText))), whole);
          assert.deepEqual(joined(run(new Parser(), cut(bytes, inBytes))), whole);
        },
      ),
    );
    const units = Array.from({ length: MESSAGE.length }, (_, i) => MESSAGE[i]);
    assert.deepEqual(joined(run(new Parser(), units)), whole);
  });

  test("reads chunks for which the memory has to grow, and small ones after them", () => {
    const parser = new Parser({ limits: { question: 2 ** 26 } });
    let question = "";
    parser.feed("<ask_followup_question><question>");
    for (const size of [1, 2 ** 16, 3, 2 ** 22, 5, 2 ** 23, 7]) {
      const chunk = "ä".repeat(size);
      const [event, ...others] = parser.feed(chunk);
      assert.deepEqual(others, []);
      assert.equal(event.delta, chunk);
      assert.ok(parser.checkpoint().length > question.length);
      question += chunk;
    }
    assert.equal(parser.view().questions[0].text, question);
    assert.equal(parser.feed("</question></ask_followup_question>").at(-1).question, question);
    parser.free();
  });

  test("reads half a surrogate pair as U+FFFD, wherever the stream is cut", () => {
    for (const [chunks, text] of [
      [["a\ud83d", "b"], "a\ufffdb"],
      [["a\ud83d"], "a\ufffd"],
      [["\ude00"], "\ufffd"],
      [["\ud83d", new TextEncoder().encode("b")], "\ufffdb"],
      [["\ud83d", "", "\ude00"], "😀"],
      [["\ud83d", "\ud83d", "\ude00"], "\ufffd😀"],
    ]) {
      assert.deepEqual(joined(run(new Parser(), chunks)), [{ type: "text", text }]);
    }
  });

  test("reads a surrogate pair with empty chunks of any kind between its halves", () => {
    for (const empty of ["", new Uint8Array(0)]) {
      const parser = new Parser();
      const before = parser.feed("a\ud83d");
      const stored = parser.checkpoint();
      assert.deepEqual(parser.feed(empty), []);
      assert.deepEqual(parser.checkpoint(), stored);
      assert.deepEqual(joined([...before, ...parser.feed("\ude00b"), ...parser.finish()]), [
        { type: "text", text: "a😀b" },
      ]);
      parser.free();
    }
  });

  test("continues from a checkpoint at any place", () => {
    const whole = joined(run(new Parser(), [MESSAGE]));
    for (let at = 0; at <= MESSAGE.length; at++) {
      const first = new Parser();
      const before = first.feed(MESSAGE.slice(0, at));
      const second = new Parser({}, first.checkpoint());
      assert.deepEqual(
        joined([...before, ...second.feed(MESSAGE.slice(at)), ...second.finish()]),
        whole,
        `at ${at}`,
      );
      first.free();
      second.free();
    }
  });

  test("knows all of an open call after a checkpoint, from its next partial on", () => {
    const form = JSON.stringify({
      questions: [
        {
          question: "Which one?",
          header: "Store",
          multiSelect: true,
          options: [{ label: "Ä", description: "D😀" }, { label: "B" }],
        },
        {
          question: "And then?",
          header: "Next",
          multiSelect: false,
          options: [{ label: "C", description: "" }],
        },
      ],
    });
    const body = MESSAGE.match(/[^]{1,9}/gu)
      .map((content) => `data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`)
      .join("");
    const kinds = [
      [(stored) => new Parser({}, stored), MESSAGE + MESSAGE],
      [(stored) => new ArgumentsParser("AskUserQuestion", {}, stored), form],
      [
        (stored) => new ArgumentsParser("ask_followup_question", {}, stored),
        '{"question":"Tea or coffee?","follow_up":[{"text":"Tea","mode":"code"},{"text":"Coffee"}]}',
      ],
      [(stored) => new ResponseParser({ format: "openai-chat" }, stored), body],
    ];
    for (const [create, stream] of kinds) {
      let compared = 0;
      for (let at = 0; at < stream.length; at++) {
        const whole = create();
        whole.feed(stream.slice(0, at));
        const resumed = create(whole.checkpoint());
        let isKnown = false;
        for (const chunk of stream.slice(at)) {
          const events = resumed.feed(chunk);
          assert.deepEqual(events, whole.feed(chunk));
          isKnown ||= events.some(({ type }) => type === "partial");
          if (isKnown) assert.deepEqual(resumed.view(), whole.view(), `cut at ${at}`);
          if (isKnown && resumed.view()) compared += 1;
        }
        whole.free();
        resumed.free();
      }
      assert.ok(compared > 100, `${compared}`);
    }
  });

  test("refuses a checkpoint of other options, and bytes that are none", () => {
    const stored = new Parser().checkpoint();
    assert.throws(() => new Parser({ strict: true }, stored), TypeError);
    assert.throws(() => new Parser({}, new Uint8Array(40)), TypeError);
    assert.throws(() => new Parser({}, stored.slice(0, -1)), TypeError);
    assert.throws(() => new Parser({}, "text"), /checkpoint: bytes were expected, not string/);
  });

  test("refuses a checkpoint of another tool", () => {
    for (const fed of ["", '{"questions":[{"question":"Te']) {
      const parser = new ArgumentsParser("AskUserQuestion");
      parser.feed(fed);
      const stored = parser.checkpoint();
      assert.deepEqual(new ArgumentsParser("AskUserQuestion", {}, stored).checkpoint(), stored);
      const message =
        "the checkpoint was made under another tool: resume it under AskUserQuestion, which its parser had";
      assert.throws(() => new ArgumentsParser("ask_followup_question", {}, stored), {
        name: "TypeError",
        message,
      });
    }
  });

  test("refuses a checkpoint of another format, unless it is to be detected", () => {
    const stored = new ResponseParser({ format: "anthropic" }).checkpoint();
    for (const options of [{ format: "anthropic" }, { format: "auto" }, {}]) {
      assert.equal(new ResponseParser(options, stored).detectedFormat, "anthropic");
    }
    const message =
      "the checkpoint was made under another format: resume it under anthropic, which its parser had, or auto";
    assert.throws(() => new ResponseParser({ format: "openai-chat" }, stored), {
      name: "TypeError",
      message,
    });
    const unknown = new ResponseParser().checkpoint();
    const notYet = "the format of the checkpoint's body is not known yet: pass format auto";
    assert.throws(() => new ResponseParser({ format: "anthropic" }, unknown), {
      name: "TypeError",
      message: notYet,
    });
  });

  test("refuses a checkpoint in which a byte has changed or to which one was added", () => {
    const kinds = [
      [(stored) => new Parser({}, stored), "So: <ask_followup_question><question>Te\ud83d"],
      [
        (stored) => new ArgumentsParser("AskUserQuestion", {}, stored),
        '{"questions": [{"question": "Wh',
      ],
      [(stored) => new ResponseParser({}, stored), 'data: {"choices":[{"delta":{"content":"Hi'],
    ];
    for (const [create, fed] of kinds) {
      for (const text of ["", fed]) {
        const parser = create();
        parser.feed(text);
        const stored = parser.checkpoint();
        for (let at = 0; at < stored.length; at++) {
          for (let change = 1; change < 256; change++) {
            const other = Uint8Array.from(stored);
            other[at] ^= change;
            // Any half of a surrogate pair can be pending: the form, which the package for Python
            // shares, has no check of it.
            if (at < 2 && (other[0] & 0xfc) === 0xd8) continue;
            assert.throws(
              () => create(other),
              TypeError,
              `byte ${at}: ${stored[at]} became ${other[at]}`,
            );
          }
        }
        assert.throws(() => create(Uint8Array.from([...stored, 0])), {
          name: "TypeError",
          message: "the bytes are no checkpoint",
        });
        parser.free();
      }
    }
  });

  test("refuses a checkpoint of another kind of parser, and a tool that is none", () => {
    const kinds = {
      text: (stored) => new Parser({}, stored),
      arguments: (stored) => new ArgumentsParser("AskUserQuestion", {}, stored),
      response: (stored) => new ResponseParser({}, stored),
    };
    for (const [of, create] of Object.entries(kinds)) {
      const stored = create().checkpoint();
      for (const [kind, resume] of Object.entries(kinds)) {
        if (kind === of) assert.deepEqual(resume(stored).checkpoint(), stored);
        else assert.throws(() => resume(stored), { name: "TypeError" }, `${kind} of ${of}`);
      }
    }
    const message = "the bytes are no checkpoint";
    assert.throws(() => kinds.arguments(new Parser().checkpoint()), { name: "TypeError", message });
    assert.throws(() => kinds.text(new ArgumentsParser("AskUserQuestion").checkpoint()), {
      name: "TypeError",
      message,
    });
    const stored = new ArgumentsParser("AskUserQuestion").checkpoint();
    assert.throws(
      () => new ArgumentsParser("read_file", {}, stored),
      /^TypeError: tool: no shape reads the tool read_file/,
    );
  });

  test("refuses a checkpoint of another version", () => {
    const kinds = [
      [(stored) => new Parser({}, stored), MESSAGE.slice(0, 60)],
      [
        (stored) => new ArgumentsParser("AskUserQuestion", {}, stored),
        '{"questions": [{"question": "Wh',
      ],
      [(stored) => new ResponseParser({}, stored), 'data: {"choices":[{"delta":{"content":"Hi'],
    ];
    for (const [create, fed] of kinds) {
      const parser = create();
      parser.feed(fed);
      const stored = parser.checkpoint();
      create(stored).free();
      // After the half of a surrogate pair comes the version of the format.
      for (const version of [0, stored[2] - 1, stored[2] + 1, 127]) {
        const other = Uint8Array.from(stored);
        other[2] = version;
        assert.throws(() => create(other), {
          name: "TypeError",
          message: /^the checkpoint has another format version: /,
        });
      }
    }
  });

  test("says what is wrong with an option", () => {
    for (const [options, message] of [
      [{ strict: 1 }, "strict: a boolean was expected, not number"],
      [{ strickt: true }, "options.strickt is no option"],
      [{ envelopes: "all" }, "envelopes: a list of texts was expected, not string"],
      [
        { limits: { question: -1 } },
        "limits.question: a whole number from 0 to 2147483648 was expected, not -1",
      ],
      [{ limits: { event: 1 } }, /^limits.event is no option; there are: question, /],
      [
        { envelopes: ["herms"] },
        /^envelopes: herms: no family of envelopes has this name; there are: /,
      ],
      [{ shapes: ["claud"] }, /^shapes: there is no built-in shape claud; there are: claude, /],
      [{ shapes: ["shape a\ntool b\ntittle c"] }, /^shapes: line 3, column 1: `tittle` is no role/],
      [{ tools: { tools: ["suggest"] } }, /^tools: "suggest" already means something else/],
      [null, "options: an object was expected, not null"],
    ]) {
      assert.throws(() => new Parser(options), { name: "TypeError", message });
    }
    for (const chunk of [undefined, 7, null, {}, [1]]) {
      assert.throws(() => new Parser().feed(chunk), /a string or a Uint8Array was expected/);
    }
  });

  test("throws once it has been freed, and another parser is not affected", () => {
    const [freed, other] = [new Parser(), new Parser()];
    freed.free();
    freed.free();
    assert.throws(() => freed.feed("x"), {
      name: "TypeError",
      message: "the parser has been freed",
    });
    assert.throws(() => freed.finish(), TypeError);
    assert.throws(() => freed.checkpoint(), TypeError);
    const third = new Parser();
    assert.deepEqual(other.feed("<ask"), []);
    assert.deepEqual(third.feed("a"), [{ type: "text", text: "a" }]);
    assert.deepEqual(other.finish(), [{ type: "text", text: "<ask" }]);
  });

  test("has options of a policy", () => {
    const ends = (options, text) =>
      run(new Parser(options), [text]).filter(({ type }) => type !== "partial");
    const unclosed =
      "<ask_followup_question><question>Q</question></ask_followup_question>".replace(
        "</question>",
        "",
      );
    assert.equal(ends({}, unclosed).at(-1).type, "complete");
    assert.equal(ends({ strict: true }, unclosed).at(-1).code, "malformed");
    assert.equal(
      ends({ limits: { question: 3 } }, "<ask_followup_question><question>Long?</question>")[0]
        .code,
      "too_long",
    );
    const leaked =
      '<tool_call>{"name": "ask_followup_question", "arguments": {"question": "Q?"}}</tool_call>';
    assert.equal(ends({}, leaked)[0].envelope, "hermes");
    assert.deepEqual(
      ends({ envelopes: [] }, leaked).map(({ type }) => type),
      ["text"],
    );
    const tools = { tools: ["deploy"] };
    assert.equal(ends({ tools }, "<deploy><x>1</x></deploy>")[0].tool, "deploy");
    const call =
      "<ask_followup_question><question>a &lt; b</question><suggest mode='&amp;'>&gt;" +
      "</suggest></ask_followup_question>";
    const asked = (options, text) => ends(options, text).find(({ type }) => type === "complete");
    assert.ok(asked({}, `\`\`\`\n${call}\n\`\`\``));
    assert.deepEqual(
      ends({ outsideCode: true }, `\`\`\`\n${call}\n\`\`\``).map(({ type }) => type),
      ["text"],
    );
    assert.ok(asked({ outsideCode: true }, `\`\`\`\n\`\`\`\n${call}`));
    const texts = ({ question, suggestions: [{ answer, mode }] }) => [question, answer, mode];
    assert.deepEqual(texts(asked({}, call)), ["a &lt; b", "&gt;", "&amp;"]);
    assert.deepEqual(texts(asked({ decodeEntities: true }, call)), ["a < b", ">", "&"]);
  });

  test("has limits, each of which has its effect and none where it is not exceeded", () => {
    const markup = (body) => `<ask_followup_question>${body}</ask_followup_question>`;
    const body = (...inputs) =>
      inputs
        .flatMap((input, index) => [
          {
            type: "content_block_start",
            index,
            content_block: {
              type: "tool_use",
              id: `t${index}`,
              name: "ask_followup_question",
              input: {},
            },
          },
          {
            type: "content_block_delta",
            index,
            delta: { type: "input_json_delta", partial_json: input },
          },
        ])
        .map((event) => `data: ${JSON.stringify(event)}\n\n`)
        .join("");
    const form = (question, ...more) => JSON.stringify({ questions: [question, ...more] });
    const text = (options) => new Parser(options);
    const native = (options) => new ArgumentsParser("AskUserQuestion", options);
    const response = (options) => new ResponseParser({ format: "anthropic", ...options });
    const tooLong = (part) => (events, limit) => {
      const { code, ...reason } = events.at(-1);
      assert.deepEqual([code, reason.part, reason.limit], ["too_long", part, limit]);
    };
    const noted = (note) => (events) => assert.ok(events.at(-1).noteCodes.includes(note));
    const isText = (events) =>
      assert.deepEqual([...new Set(events.map(({ type }) => type))], ["text"]);
    const isError = (code) => (events) =>
      assert.equal(events.find(({ type }) => type === "error").code, code);
    // The smallest limit that the input does not exceed, and what the next smaller one does.
    const table = {
      question: [text, markup("<question>Tea?</question>"), 4, tooLong("question")],
      answer: [text, markup("<question>Q</question><suggest>Milk</suggest>"), 4, tooLong("answer")],
      suggestions: [
        text,
        markup("<question>Q</question><suggest>A</suggest><suggest>B</suggest>"),
        2,
        noted("suggestions_dropped"),
      ],
      tag: [
        text,
        markup("<question>Q</question>").replace(">", "   >"),
        "<ask_followup_question   >".length,
        isText,
      ],
      unconfirmed: [text, markup("Tea?<suggest>A</suggest>"), "Tea?<suggest>".length, isText],
      questions: [
        native,
        form({ question: "Q" }, { question: "R" }),
        2,
        noted("questions_dropped"),
      ],
      header: [native, form({ question: "Q", header: "Milk" }), 4, tooLong("header")],
      description: [
        native,
        form({ question: "Q", options: [{ label: "A", description: "Milk" }] }),
        4,
        tooLong("description"),
      ],
      texts: [
        native,
        form({ question: "Tea?", options: [{ label: "Milk" }] }),
        8,
        tooLong("arguments"),
      ],
      event: [response, 'data: {"type":"ping"}\n\n', '{"type":"ping"}'.length, isError("too_long")],
      openCalls: [
        response,
        body('{"question":"Q"}', '{"question":"R"}'),
        2,
        isError("too_many_calls"),
      ],
      arguments: [response, body('{"question":"Tea?"}'), 19, isError("too_many_calls")],
    };
    assert.throws(
      () => response({ limits: { nothing: 1 } }),
      (error) => {
        assert.deepEqual(
          /there are: (.*)/.exec(error.message)[1].split(", ").sort(),
          Object.keys(table).sort(),
        );
        return true;
      },
    );
    for (const [name, [create, input, enough, effect]] of Object.entries(table)) {
      const read = (limit) =>
        run(create({ limits: { [name]: limit } }), [input]).filter(
          ({ type }) => type !== "partial",
        );
      const unlimited = run(create({}), [input]).filter(({ type }) => type !== "partial");
      assert.deepEqual(read(enough), unlimited, name);
      effect(read(enough - 1), enough - 1);
    }
  });
});

describe("ArgumentsParser", () => {
  test("shows what is known of several questions, and what becomes known later", () => {
    const parser = new ArgumentsParser("AskUserQuestion");
    const events = [
      ...parser.feed(
        '{"questions": [{"question": "Which?", "header": "W", "options": [{"label": "A (Recommended)", ',
      ),
      ...parser.feed(
        '"description": "a"}, {"label": "B"}], "multiSelect": true}, {"question": "Why?"}]}',
      ),
    ];
    assert.deepEqual(events[0].known, { custom: true });
    const view = parser.view();
    assert.deepEqual(view.questions[0], {
      text: "Which?",
      header: "W",
      detail: "",
      custom: true,
      multiple: true,
      suggestions: [
        { answer: "A (Recommended)", description: "a", preview: "", recommended: true },
        { answer: "B", description: "", preview: "" },
      ],
    });
    const [complete] = parser.finish();
    assert.equal(complete.tool, "AskUserQuestion");
    assert.deepEqual(
      complete.questions.map(({ text }) => text),
      ["Which?", "Why?"],
    );
    assert.throws(
      () => new ArgumentsParser("read_file"),
      /tool: no shape reads the tool read_file/,
    );
  });
});

describe("ResponseParser", () => {
  const body =
    'data: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use",' +
    '"id":"t1","name":"ask_followup_question","input":{}}}\n\n' +
    'data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta",' +
    '"partial_json":"{\\"question\\":\\"Tea?\\"}"}}\n\n' +
    'data: {"type":"content_block_stop","index":0}\n\n';

  test("detects the format of a body", () => {
    const parser = new ResponseParser();
    assert.equal(parser.detectedFormat, undefined);
    const events = parser.feed(body);
    assert.equal(parser.detectedFormat, "anthropic");
    assert.deepEqual(
      events.map(({ type, id }) => [type, id]),
      [
        ["partial", "t1"],
        ["complete", "t1"],
      ],
    );
    parser.finish();
    assert.throws(
      () => new ResponseParser({ format: "antropic" }),
      /^TypeError: format: .*antropic/,
    );
  });

  test("returns what is wrong as an event, and continues", () => {
    const events = run(new ResponseParser({ format: "anthropic" }), ["data: {oops\n\n" + body]);
    assert.deepEqual(
      events.map(({ type, code }) => code ?? type),
      ["unreadable", "partial", "complete"],
    );
    assert.equal(events[0].data, "{oops");
  });
});
