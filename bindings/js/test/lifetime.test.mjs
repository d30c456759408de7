// Parsers and dialogues that were freed, disposed of or forgotten leave nothing in the memory of
// the module.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** The instances of modules, to look at their memory. */
const instances = [];
const { Instance } = WebAssembly;
WebAssembly.Instance = class extends Instance {
  constructor(...args) {
    super(...args);
    instances.push(this);
  }
};
const { ArgumentsParser, Parser, ResponseParser } = await import("followup");
const { Dialogue } = await import("followup/dialogue");
WebAssembly.Instance = Instance;

// `PARSERS=1000000 node --test test/lifetime.test.mjs` is the long run.
const PARSERS = Number(process.env.PARSERS ?? 20_000);

const memory = () => instances.map(({ exports }) => exports.memory.buffer.byteLength);
const PARSER_KINDS = [
  () => new Parser(),
  () => new ArgumentsParser("AskUserQuestion"),
  () => new ResponseParser(),
];

/** Returns an event after which a dialogue has an open question. */
function complete(question) {
  return {
    type: "complete",
    call: 0,
    tool: "ask_followup_question",
    question,
    suggestions: [{ answer: "A" }],
  };
}

describe("what is freed", () => {
  const message =
    "So: <ask_followup_question><question>Which database?</question><suggest>PostgreSQL</suggest><suggest>SQ";

  /** Makes parsers, some at a time, uses and frees them. */
  function makeAndFree(count) {
    for (let made = 0; made < count; made += 10) {
      const all = Array.from({ length: 10 }, (_, i) => PARSER_KINDS[i % 3]());
      for (const parser of all) parser.feed(message);
      for (const parser of all) parser.free();
    }
  }

  test("memory does not grow with the number of parsers made and freed", () => {
    makeAndFree(1000);
    const before = memory();
    assert.equal(before.length, 2);
    makeAndFree(PARSERS);
    assert.deepEqual(memory(), before);
  });

  test("memory does not grow with the number of dialogues made and freed", () => {
    const makeAndFreeDialogues = (count) => {
      for (let made = 0; made < count; made++) {
        const dialogue = new Dialogue();
        dialogue.event(complete("Q?"));
        dialogue.answer(0, { type: "suggestion", suggestion: 0 });
        dialogue.free();
      }
    };
    makeAndFreeDialogues(100);
    const before = memory();
    makeAndFreeDialogues(PARSERS / 20);
    assert.deepEqual(memory(), before);
  });
});

describe("what is disposed of", () => {
  // Not every runtime has the symbol.
  const dispose = Symbol.dispose ?? Symbol.for("Symbol.dispose");

  test("a parser throws if it is used afterwards, and can be disposed of again", () => {
    for (const create of PARSER_KINDS) {
      const parser = create();
      parser.feed("<ask_followup_question><question>Tea?");
      parser[dispose]();
      parser[dispose]();
      for (const use of [
        () => parser.feed("x"),
        () => parser.finish(),
        () => parser.checkpoint(),
        () => parser.view(),
        () => parser.view(0),
      ]) {
        assert.throws(use, { name: "TypeError", message: "the parser has been freed" });
      }
    }
  });

  test("a dialogue throws if it is used afterwards, and can be disposed of again", () => {
    const dialogue = new Dialogue();
    dialogue.event(complete("Q?"));
    dialogue[dispose]();
    dialogue[dispose]();
    const uses = [
      () => dialogue.event(complete("Q?")),
      () => dialogue.question,
      () => dialogue.cancel(0),
      () => dialogue.history(),
    ];
    for (const use of uses)
      assert.throws(use, { name: "TypeError", message: "the dialogue has been freed" });
  });

  test("its memory is free at once", () => {
    const question = "ä".repeat(2 ** 18);
    const makeAndDispose = (count) => {
      for (let made = 0; made < count; made++) {
        const parser = new Parser({ limits: { question: 2 ** 20 } });
        parser.feed(`<ask_followup_question><question>${question}`);
        parser[dispose]();
        const dialogue = new Dialogue();
        dialogue.event(complete(question));
        dialogue[dispose]();
      }
    };
    makeAndDispose(5);
    const before = memory();
    makeAndDispose(50);
    assert.deepEqual(memory(), before);
  });
});

describe("what is forgotten", () => {
  /**
   * Returns a function that collects garbage, and waits until what was registered for that is done.
   */
  function collector() {
    if (!globalThis.Bun) setFlagsFromString("--expose-gc");
    const collect = globalThis.Bun ? () => Bun.gc(true) : runInNewContext("gc");
    return async () => {
      for (let turn = 0; turn < 3; turn++) {
        collect();
        await nextTurn();
      }
    };
  }

  const [rounds, each, size] = [8, 10, 2 ** 18];
  const question = "Q".repeat(size);

  for (const [what, make] of [
    [
      "a parser",
      () =>
        new Parser({ limits: { question: size } }).feed(
          `<ask_followup_question><question>${question}`,
        ),
    ],
    ["a dialogue", () => new Dialogue().event(complete(question))],
  ]) {
    test(`${what} is freed once it is collected`, async () => {
      const collect = collector();
      const makeAndForget = async (count) => {
        for (let round = 0; round < count; round++) {
          for (let made = 0; made < each; made++) make();
          await collect();
        }
      };
      await makeAndForget(2);
      const before = memory();
      await makeAndForget(rounds);
      memory().forEach((bytes, i) => {
        const grown = bytes - before[i];
        // A round more than before may wait to be freed.
        assert.ok(
          grown <= 2 * each * size,
          `the memory grew by ${grown} of ${rounds * each * size} bytes`,
        );
      });
    });
  }
});
