// Tests that `dropIn` streams questions and behaves like Roo Code's parser for all other calls.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { ArgumentsParser } from "followup";
import { dropIn } from "followup/roo";
import { cut } from "./help.mjs";
import { original } from "./roo-original.mjs";

const QUESTION = "Which database?";
const LIST = [{ text: "PostgreSQL", mode: "code" }, { text: "SQLite" }];
const REGULAR = JSON.stringify({ question: QUESTION, follow_up: LIST });

/**
 * Does with raw chunks what the host does with them. Returns the events, the partial calls, and the
 * final ones.
 */
function drive(parser, raw) {
  const [events, partial, final] = [[], [], []];
  const take = (event) => {
    events.push(event);
    if (event.type === "tool_call_start") parser.startStreamingToolCall(event.id, event.name);
    else if (event.type === "tool_call_delta")
      partial.push(parser.processStreamingChunk(event.id, event.delta));
    else final.push(parser.finalizeStreamingToolCall(event.id));
  };
  raw.forEach((chunk) => parser.processRawChunk(chunk).forEach(take));
  parser.finalizeRawChunks().forEach(take);
  return { events, partial, final };
}

/** Returns the raw chunks of one call. */
function raw(chunks, name = "ask_followup_question", index = 0) {
  return [
    { index, id: `call_${index}`, name },
    ...chunks.map((text) => ({ index, arguments: text })),
  ];
}

function inPieces(text, size = 4) {
  return text.match(new RegExp(`[^]{1,${size}}`, "g"));
}

describe("a question", () => {
  test("grows with its suggestions, and only at its end", () => {
    const { partial } = drive(dropIn(original()), raw(inPieces(REGULAR, 1)));
    const shown = partial.map(({ nativeArgs = {} }) => [
      nativeArgs.question ?? "",
      ...(nativeArgs.follow_up ?? []).map(({ text }) => text),
    ]);
    shown.reduce((before, after) => {
      before.forEach((text, i) =>
        assert.ok(after[i].startsWith(text), `${text} is a beginning of ${after[i]}`),
      );
      return after;
    });
    assert.ok(
      shown.some(([question]) => question === "Which d"),
      "the question is shown while it grows",
    );
    assert.ok(
      shown.some((texts) => texts[1] === "Postg"),
      "so is a suggestion",
    );
    assert.deepEqual(partial.at(-1).nativeArgs, { question: QUESTION, follow_up: LIST });
  });

  test("has the fields of a partial tool use", () => {
    const [first, ...rest] = drive(dropIn(original()), raw(inPieces(REGULAR))).partial;
    assert.deepEqual(first, {
      type: "tool_use",
      name: "ask_followup_question",
      params: {},
      partial: true,
    });
    const { params, nativeArgs } = rest.at(-1);
    assert.equal(params.question, QUESTION);
    assert.deepEqual(JSON.parse(params.follow_up), nativeArgs.follow_up);
  });

  test("keeps what was returned before as it was", () => {
    const { partial } = drive(dropIn(original()), raw(inPieces(REGULAR)));
    const one = partial.find(({ nativeArgs }) => nativeArgs?.follow_up?.length === 1);
    assert.equal(one.nativeArgs.follow_up.length, 1);
    assert.ok(one.nativeArgs.follow_up[0].text.length < "PostgreSQL".length);
  });

  test("reaches the original unchanged if its arguments are regular", () => {
    const spaced = `{"question": "Q?", "follow_up": [{"text": "A", "mode": null}], "more": 1}`;
    for (const text of [REGULAR, spaced]) {
      const expected = original().parseToolCall({
        id: "call_0",
        name: "ask_followup_question",
        arguments: text,
      });
      assert.deepEqual(drive(dropIn(original()), raw(inPieces(text))).final, [expected]);
    }
  });

  test("is known by an alias, whose name is kept", () => {
    const parser = dropIn(original(), { names: ["ask_followup_question", "ask_user"] });
    const { partial, final } = drive(parser, raw([REGULAR], "ask_user"));
    for (const use of [partial[0], final[0]]) {
      assert.deepEqual([use.name, use.originalName], ["ask_followup_question", "ask_user"]);
      assert.deepEqual(use.nativeArgs, { question: QUESTION, follow_up: LIST });
    }
  });

  test("does not depend on where its chunks end", () => {
    const whole = drive(dropIn(original()), raw([REGULAR]));
    fc.assert(
      fc.property(fc.array(fc.nat(REGULAR.length)), (offsets) => {
        const { partial, final } = drive(dropIn(original()), raw(cut(REGULAR, offsets)));
        // A chunk may be empty.
        assert.deepEqual(partial.at(-1)?.nativeArgs, whole.partial.at(-1).nativeArgs);
        assert.deepEqual(final, whole.final);
      }),
    );
  });
});

const ODD = {
  "one object instead of a list": { question: "Q?", follow_up: { text: "A", mode: "code" } },
  "an object with the indexes as keys": {
    question: "Q?",
    follow_up: { 0: { mode: "code", text: "A" } },
  },
  "the list as JSON in a string": {
    question: "Q?",
    follow_up: JSON.stringify([{ text: "A", mode: "code" }]),
  },
  "markup in a string": { question: "Q?", follow_up: '<suggest mode="code">A</suggest>' },
};
const CALL = { id: "call_0", name: "ask_followup_question" };

describe("suggestions", () => {
  for (const [name, args] of Object.entries(ODD)) {
    const text = JSON.stringify(args);
    const expected = { question: "Q?", follow_up: [{ text: "A", mode: "code" }] };

    test(`are read from ${name}, streamed or not`, () => {
      const { final } = drive(dropIn(original()), raw(inPieces(text)));
      assert.deepEqual(final[0].nativeArgs, expected);
      assert.deepEqual(JSON.parse(final[0].params.follow_up), expected.follow_up);
      assert.deepEqual(
        dropIn(original()).parseToolCall({ ...CALL, arguments: text }).nativeArgs,
        expected,
      );
    });
  }

  test("are read from a list of texts", () => {
    const { nativeArgs } = dropIn(original()).parseToolCall({
      ...CALL,
      arguments: '{"question":"Q?","follow_up":["A","B"]}',
    });
    assert.deepEqual(nativeArgs.follow_up, [{ text: "A" }, { text: "B" }]);
  });

  test("of one object grow as well", () => {
    const { partial } = drive(
      dropIn(original()),
      raw(['{"question":"Q?","follow_up":{"text":"Postg', 'reSQL"}}']),
    );
    assert.deepEqual(
      partial.map(({ nativeArgs }) => nativeArgs.follow_up),
      [[{ text: "Postg" }], [{ text: "PostgreSQL" }]],
    );
  });
});

describe("a call that can't be asked", () => {
  const broken = {
    "is cut off": '{"question":"Which datab',
    "is cut off in a suggestion": '{"question":"Q?","follow_up":[{"text":"Postg',
    "has no question": '{"follow_up":[{"text":"A"}]}',
    "has no suggestions": '{"question":"Q?"}',
    "has an empty list": '{"question":"Q?","follow_up":[]}',
    "has no arguments": "",
    "is not JSON": "<question>Q?</question>",
  };
  for (const [name, text] of Object.entries(broken)) {
    test(`gets the original's error if it ${name}`, () => {
      const expected = original().parseToolCall({ ...CALL, arguments: text });
      assert.deepEqual(drive(dropIn(original()), raw(text === "" ? [] : inPieces(text))).final, [
        expected,
      ]);
      assert.deepEqual(dropIn(original()).parseToolCall({ ...CALL, arguments: text }), expected);
    });
  }
});

describe("everything else", () => {
  test("is the original's for other tools", () => {
    const args = JSON.stringify({ path: "src/a.ts", content: '{"question":"no"}' });
    for (const name of ["read_file", "write_to_file", "mcp--files--read", "unknown"]) {
      const [ours, theirs] = [dropIn(original()), original()].map((parser) =>
        drive(parser, raw(inPieces(args), name)),
      );
      assert.deepEqual(ours, theirs);
    }
  });

  test("is the original's for raw chunks", () => {
    const chunks = [
      { index: 1, arguments: "{" },
      ...raw(inPieces(REGULAR)),
      ...raw(['{"path":"b"}'], "read_file", 1),
    ];
    assert.deepEqual(drive(dropIn(original()), chunks).events, drive(original(), chunks).events);
    const parser = dropIn(original());
    parser.processRawChunk({ index: 0, id: "a", name: "read_file" });
    assert.deepEqual(parser.processFinishReason("stop"), []);
    assert.deepEqual(parser.processFinishReason("tool_calls"), [
      { type: "tool_call_end", id: "a" },
    ]);
    parser.clearRawChunkState();
    assert.deepEqual(parser.finalizeRawChunks(), []);
  });

  test("is kept apart for calls that interleave", () => {
    const one = raw(inPieces(REGULAR), "ask_followup_question", 0);
    const other = raw(
      inPieces('{"question":"Tea?","follow_up":[{"text":"Yes"}]}'),
      "ask_followup_question",
      1,
    );
    const third = raw(inPieces('{"path":"a.ts"}'), "read_file", 2);
    const mixed = Array.from({ length: one.length }, (_, i) => [one[i], other[i], third[i]])
      .flat()
      .filter(Boolean);
    const { final } = drive(dropIn(original()), mixed);
    assert.deepEqual(
      final.map(({ nativeArgs }) => nativeArgs.question ?? nativeArgs.path),
      [QUESTION, "Tea?", "a.ts"],
    );
  });

  test("shares its state with the original, which other modules may import", () => {
    const base = original();
    const parser = dropIn(base);
    parser.startStreamingToolCall("a", "ask_followup_question");
    assert.equal(base.hasActiveStreamingToolCalls(), true);
    assert.equal(parser.hasActiveStreamingToolCalls(), true);
    parser.clearAllStreamingToolCalls();
    assert.equal(parser.hasActiveStreamingToolCalls(), false);
    assert.equal(parser.processStreamingChunk("a", "{"), null, "a cleared call is unknown");
    assert.equal(parser.finalizeStreamingToolCall("a"), null);
  });

  test("passes on the scopes of a fork, and keeps their calls apart", () => {
    const scopes = [{}, {}];
    const seen = [];
    const base = original();
    const fork = class extends base {
      static startStreamingToolCall(id, name, scope) {
        seen.push(scope);
        super.startStreamingToolCall(id, name);
      }
      static createScope() {
        return {};
      }
    };
    const parser = dropIn(fork);
    assert.deepEqual(parser.createScope(), {});
    for (const scope of scopes)
      parser.startStreamingToolCall("same", "ask_followup_question", scope);
    assert.deepEqual(seen, scopes);
    parser.processStreamingChunk("same", '{"question":"One', scopes[0]);
    assert.deepEqual(
      parser.processStreamingChunk("same", '{"question":"Two', scopes[1]).nativeArgs,
      { question: "Two" },
    );
    parser.clearAllStreamingToolCalls(scopes[1]);
    parser.startStreamingToolCall("same", "read_file", scopes[1]);
    assert.deepEqual(parser.processStreamingChunk("same", "?", scopes[0]).nativeArgs, {
      question: "One?",
    });
  });

  test("begins anew if a call is started twice", () => {
    const parser = dropIn(original());
    parser.startStreamingToolCall("a", "ask_followup_question");
    parser.processStreamingChunk("a", '{"question":"On');
    parser.startStreamingToolCall("a", "ask_followup_question");
    assert.deepEqual(parser.processStreamingChunk("a", '{"question":"Two').nativeArgs, {
      question: "Two",
    });
  });

  test("answers a second end of a call as the original does", () => {
    const parser = dropIn(original());
    const { final } = drive(parser, raw([REGULAR]));
    assert.notEqual(final[0], null);
    assert.equal(parser.finalizeStreamingToolCall("call_0"), null);
  });
});

describe("the cost of a question", () => {
  const texts = [2_000, 20_000].map((length) =>
    JSON.stringify({ question: "q".repeat(length), follow_up: LIST }),
  );

  test("is one reading in the original, which alone reads it again with each chunk", () => {
    const alone = texts.map((text) => {
      const [base, other] = [original(), original()];
      drive(dropIn(base), raw(inPieces(text)));
      assert.equal(base.read.characters, text.length);
      drive(other, raw(inPieces(text)));
      return other.read.characters / text.length;
    });
    assert.ok(alone[1] > alone[0] * 9);
  });

  test("is one reading here: each character goes in twice at most, and comes out once", (t) => {
    for (const text of texts) {
      let [fed, returned] = [0, 0];
      const { feed } = ArgumentsParser.prototype;
      const mock = t.mock.method(ArgumentsParser.prototype, "feed", function (chunk) {
        const events = feed.call(this, chunk);
        fed += chunk.length;
        for (const { type, delta } of events) returned += type === "partial" ? delta.length : 0;
        return events;
      });
      const { partial } = drive(dropIn(original()), raw(inPieces(text)));
      mock.mock.restore();
      const {
        question,
        follow_up: [one, other],
      } = partial.at(-1).nativeArgs;
      const shown = question.length + one.text.length + other.text.length;
      // Once while it streams, and once as a whole at its end.
      assert.deepEqual([fed, returned], [text.length * 2, shown * 2]);
    }
  });
});
