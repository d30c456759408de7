// Chunks of any size, and modules whose memory ends.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { Dialogue, installDialogue } from "followup/dialogue/host";
import { ArgumentsParser, install, Parser, ResponseParser } from "followup/host";
import { joined } from "./help.mjs";

const MIB = 2 ** 20;
const QUESTION = "<ask_followup_question><question>";

/** Returns a number in LEB128, as modules have it. */
function leb(number) {
  return number < 0x80 ? [number] : [(number & 0x7f) | 0x80, ...leb(number >>> 7)];
}

/** Reads such a number. Returns it, and where the next byte is. */
function fromLeb(bytes, at) {
  let number = 0;
  for (let shift = 0; ; shift += 7) {
    number |= (bytes[at] & 0x7f) << shift;
    if (bytes[at++] < 0x80) return [number, at];
  }
}

/** Returns a module of the package whose memory can't grow by more than this. */
function capped(name, growth) {
  const bytes = readFileSync(fileURLToPath(import.meta.resolve(`followup/${name}`)));
  for (let at = 8; at < bytes.length;) {
    const [size, start] = fromLeb(bytes, at + 1);
    if (bytes[at] === 5) {
      const [least] = fromLeb(bytes, start + 2);
      const memory = [1, 1, ...leb(least), ...leb(least + growth / 65_536)];
      const section = [5, ...leb(memory.length), ...memory];
      return new WebAssembly.Module(
        Buffer.concat([bytes.subarray(0, at), Buffer.from(section), bytes.subarray(start + size)]),
      );
    }
    at = start + size;
  }
  throw new Error("the module has no memory");
}

install(capped("followup.wasm", 6 * MIB));
installDialogue(capped("followup-dialogue.wasm", 8 * MIB));

/** Asserts that a new parser works. */
function assertWorks() {
  const parser = new Parser();
  assert.equal(
    parser.feed(`${QUESTION}Tea?</question></ask_followup_question>`).at(-1).question,
    "Tea?",
  );
  parser.free();
}

describe("a chunk that is larger than the memory of the module", () => {
  const call = `${QUESTION}Tea?</question></ask_followup_question>`;

  test("is read, as text and as bytes, with the same events as a small one", () => {
    for (const filling of ["ä", "ab😀"]) {
      const prose = filling.repeat((5 * MIB) / filling.length);
      const text = `${prose}${call} Well.`;
      const feeds = [
        (parser) => parser.feed(text),
        (parser) => parser.feed(new TextEncoder().encode(text)),
      ];
      for (const feed of feeds) {
        const parser = new Parser();
        const [before, ...events] = feed(parser);
        const after = events.pop();
        assert.ok(before.text === prose && after.text === " Well.", "a text differs");
        assert.deepEqual(parser.finish(), []);
        assert.deepEqual(
          events.map(({ type, delta, question }) => [type, delta ?? question]),
          [
            ["partial", "Tea?"],
            ["complete", "Tea?"],
          ],
        );
        parser.free();
      }
    }
  });

  test("is cut nowhere that shows: the deltas add up to the question", () => {
    const question = "a😀é".repeat(100_000);
    for (let shift = 0; shift < 4; shift++) {
      const text = `${"-".repeat(2 ** 19 + shift)}${QUESTION}${question}</question></ask_followup_question>`;
      const bytes = new TextEncoder().encode(text);
      const small = Array.from({ length: text.length / 1000 + 1 }, (_, i) =>
        text.slice(i * 1000, i * 1000 + 1000),
      );
      const [expected, ...others] = [small, [text], [bytes]].map((chunks) => {
        const parser = new Parser({ limits: { question: MIB } });
        const events = chunks.flatMap((chunk) => parser.feed(chunk));
        parser.free();
        return chunks === small ? joined(events) : events;
      });
      for (const events of others) assert.ok(isDeepStrictEqual(events, expected));
      const deltas = expected.filter(({ type }) => type === "partial").map(({ delta }) => delta);
      assert.ok(deltas.join("") === question && expected.at(-1).question === question);
    }
  });
});

describe("a memory that ends", () => {
  /** Feeds a parser until the memory ends. */
  function exhaust(parser) {
    parser.feed(QUESTION);
    for (let fed = 0; fed < 16; fed++) parser.feed("a".repeat(MIB));
  }
  const FAILED = { name: "Error", message: /^the module has failed, .*: create a new parser$/ };

  test("ends the parsers in that instance with a clear error, and no others", () => {
    for (const create of [
      () => new Parser({ limits: { question: 2 ** 31 } }),
      () => new ArgumentsParser("AskUserQuestion"),
      () => new ResponseParser(),
    ]) {
      const [greedy, idle] = [new Parser({ limits: { question: 2 ** 31 } }), create()];
      idle.feed("{");
      assert.throws(
        () => exhaust(greedy),
        (error) =>
          error.cause instanceof WebAssembly.RuntimeError && FAILED.message.test(error.message),
      );
      assertWorks();
      const uses = [
        () => greedy.feed("a"),
        () => greedy.finish(),
        () => idle.feed("a"),
        () => idle.finish(),
        () => idle.checkpoint(),
      ];
      for (const use of uses) assert.throws(use, FAILED);
      greedy.free();
      idle.free();
      assertWorks();
    }
  });

  test("does not matter for a checkpoint and options that do not fit: they are refused", () => {
    const idle = new Parser();
    idle.feed(`${QUESTION}Te`);
    const message = /^\d+ bytes do not fit into the memory of the module$/;
    assert.throws(() => new Parser({}, new Uint8Array(16 * MIB)), { name: "RangeError", message });
    assert.throws(() => new Parser({ shapes: [" ".repeat(16 * MIB)] }), {
      name: "RangeError",
      message,
    });
    assert.equal(idle.feed("a?").at(-1).delta, "a?");
    idle.free();
  });

  test("does not matter for a chunk that finds no room: fed again, it is read as if for the first time", () => {
    const large = "-".repeat(340_000);
    const cases = [
      ["a\ud83d", `\ude00${large}\ud83d`, `a😀${large}\ufffd`],
      ["a", `${large}\ud83d`, `a${large}\ufffd`],
      ["a\ud83d", new TextEncoder().encode(large.repeat(4)), `a\ufffd${large.repeat(4)}`],
    ];
    for (const [before, chunk, expected] of cases) {
      const parser = new Parser();
      const events = parser.feed(before);
      const fillers = [];
      while (hasRoom(parser, 900_000)) {
        const filler = new Parser();
        filler.feed(QUESTION + "a".repeat(30_000));
        fillers.push(filler);
      }
      assert.throws(() => parser.feed(chunk), { name: "RangeError" });
      for (const filler of fillers) filler.free();
      events.push(...parser.feed(chunk), ...parser.finish());
      assert.ok(
        joined(events)
          .map(({ text }) => text)
          .join("") === expected,
        "the text differs",
      );
      parser.free();
    }
  });

  /**
   * Returns whether the module has room for input of this length. A checkpoint gives back the
   * memory of the last input.
   */
  function hasRoom(parser, length) {
    parser.checkpoint();
    try {
      new Parser({}, new Uint8Array(length));
    } catch (error) {
      return !(error instanceof RangeError);
    } finally {
      parser.checkpoint();
    }
  }

  test("ends the dialogues in that instance, and no others", () => {
    const complete = (question) => ({
      type: "complete",
      call: 0,
      tool: "ask_followup_question",
      question,
      suggestions: [{ answer: "A" }],
    });
    const idle = new Dialogue();
    idle.event(complete("Tea?"));
    assert.throws(() => idle.event(complete("a".repeat(16 * MIB))), {
      name: "RangeError",
      message: /do not fit/,
    });
    assert.equal(idle.question.question, "Tea?");
    const greedy = new Dialogue();
    assert.throws(
      () => {
        for (let asked = 0; asked < 16; asked++) greedy.event(complete("a".repeat(MIB)));
      },
      { name: "Error", message: /^the module has failed, .*: create a new dialogue$/ },
    );
    for (const use of [() => idle.history(), () => idle.cancel(0), () => greedy.history()])
      assert.throws(use, /the module has failed/);
    greedy.free();
    idle.free();
    const other = new Dialogue();
    other.event(complete("Coffee?"));
    assert.equal(other.question.question, "Coffee?");
    other.free();
  });
});
