// What is of a wrong type is a TypeError that says what was expected, wherever it is given.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ArgumentsParser, events, FollowupStream, Parser, ResponseParser } from "followup";
import { followup } from "followup/ai-sdk";
import { install as installCore } from "followup/core/host";
import { correctionReply, Dialogue, messages } from "followup/dialogue";
import { installDialogue } from "followup/dialogue/host";
import { install } from "followup/host";
import { dropIn } from "followup/roo";

class Original {}

/** Reads all events of a source. */
const read = async (...args) => {
  for await (const event of events(...args)) void event;
};

/** A module that has nothing. */
const EMPTY = new WebAssembly.Module(new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]));
const NO_MODULE = [
  [undefined, "module: a WebAssembly.Module was expected, not undefined"],
  [{}, "module: a WebAssembly.Module was expected, not object"],
  [new Uint8Array(8), "module: a WebAssembly.Module was expected, not object"],
  ["followup.wasm", "module: a WebAssembly.Module was expected, not string"],
];

const TABLE = [
  [
    "Parser",
    (options) => new Parser(options),
    [
      [{ envelopes: [""] }, "envelopes[0]: a text that is not empty was expected"],
      [{ envelopes: ["hermes", ""] }, "envelopes[1]: a text that is not empty was expected"],
      [{ shapes: [""] }, "shapes[0]: a text that is not empty was expected"],
      [{ tools: { tools: [""] } }, "tools.tools[0]: a text that is not empty was expected"],
      [
        { tools: { tools: ["deploy"], parameters: ["where", ""] } },
        "tools.parameters[1]: a text that is not empty was expected",
      ],
      [
        { tools: { parameters: ["path"] } },
        "tools.tools: a list of texts was expected, not undefined",
      ],
      [{ tools: { tools: null } }, "tools.tools: a list of texts was expected, not null"],
      [
        { tools: { tools: ["deploy"], parameters: null } },
        "tools.parameters: a list of texts was expected, not null",
      ],
      [{ tools: { tools: "deploy" } }, "tools.tools: a list of texts was expected, not string"],
      [{ tools: null }, "tools: an object was expected, not null"],
      [{ limits: null }, "limits: an object was expected, not null"],
      [
        { limits: { question: null } },
        "limits.question: a whole number from 0 to 2147483648 was expected, not null",
      ],
      [{ envelopes: null }, "envelopes: a list of texts was expected, not null"],
    ],
  ],
  [
    "Parser with options",
    (options) => new Parser(options),
    [
      [null, "options: an object was expected, not null"],
      [5, "options: an object was expected, not number"],
    ],
  ],
  [
    "ArgumentsParser",
    (tool) => new ArgumentsParser(tool),
    [
      [undefined, "tool: a string was expected, not undefined"],
      [5, "tool: a string was expected, not number"],
    ],
  ],
  [
    "view",
    (call) => new Parser().view(call),
    [
      [null, "call: a number was expected, not null"],
      ["0", "call: a number was expected, not string"],
    ],
  ],
  [
    "ResponseParser",
    (format) => new ResponseParser({ format }),
    [
      [5, "format: a string was expected, not number"],
      [null, "format: a string was expected, not null"],
    ],
  ],
  [
    "FollowupStream",
    (options) => new FollowupStream(options),
    [
      [null, "options: an object was expected, not null"],
      [{ format: 5 }, "format: a string was expected, not number"],
    ],
  ],
  [
    "install",
    (module) => install(module),
    [
      ...NO_MODULE,
      [
        EMPTY,
        "module: that of followup.wasm or followup-core.wasm was expected, and this one has no feed",
      ],
    ],
  ],
  ["install of followup/core/host", (module) => installCore(module), NO_MODULE],
  [
    "installDialogue",
    (module) => installDialogue(module),
    [
      ...NO_MODULE,
      [EMPTY, "module: that of followup-dialogue.wasm was expected, and this one has no ask"],
    ],
  ],
  [
    "followup",
    (options) => followup(options),
    [
      [null, "options: an object was expected, not null"],
      ["prompt", "options: an object was expected, not string"],
      [{ promt: true }, "options.promt is no option"],
      [{ prompt: 5 }, "prompt: a boolean or a string was expected, not number"],
      [{ prompt: null }, "prompt: a boolean or a string was expected, not null"],
      [{ reasoning: "no" }, "reasoning: a boolean was expected, not string"],
      [{ generateId: "x" }, "generateId: a function was expected, not string"],
      [{ onRejected: 1 }, "onRejected: a function was expected, not number"],
      [{ onRejected: null }, "onRejected: a function was expected, not null"],
      [{ shapes: ["claude"] }, "options.shapes is no option"],
      [{ strict: 1 }, "strict: a boolean was expected, not number"],
      [{ tools: null }, "tools: an object was expected, not null"],
      [{ tools: ["deploy"] }, "tools: an object was expected, not a list"],
      [{ tools: { tools: null } }, "tools.tools: a list of texts was expected, not null"],
      [
        { tools: { tools: ["deploy"], parameters: null } },
        "tools.parameters: a list of texts was expected, not null",
      ],
      [{ envelopes: "all" }, "envelopes: a list of texts was expected, not string"],
      [
        { limits: { question: "1" } },
        "limits.question: a whole number from 0 to 2147483648 was expected, not string",
      ],
    ],
  ],
  [
    "dropIn",
    (options) => dropIn(Original, options),
    [
      [null, "options: an object was expected, not null"],
      [{ name: ["ask_user"] }, "options.name is no option"],
      [{ names: "ask_user" }, "names: a list of texts was expected, not string"],
      [{ names: null }, "names: a list of texts was expected, not null"],
      [{ names: [""] }, "names[0]: a text that is not empty was expected"],
      [{ names: ["ask_user", 5] }, "names[1]: a string was expected, not number"],
    ],
  ],
  [
    "dropIn without a class",
    (original) => dropIn(original),
    [
      [null, "original: a function was expected, not null"],
      [{}, "original: a function was expected, not object"],
    ],
  ],
  [
    "events",
    (source) => read(source),
    [
      [
        undefined,
        "source: a Response, a ReadableStream or an iterable was expected, not undefined",
      ],
      [null, "source: a Response, a ReadableStream or an iterable was expected, not null"],
      [5, "source: a Response, a ReadableStream or an iterable was expected, not number"],
      [{}, "source: a Response, a ReadableStream or an iterable was expected, not object"],
      [
        Promise.resolve(new Response("")),
        "source: a Response, a ReadableStream or an iterable was expected, not a promise",
      ],
      [[5], "a string or a Uint8Array was expected, not number"],
    ],
  ],
  [
    "events with options",
    (options) => read(["a"], options),
    [
      [null, "options: an object was expected, not null"],
      [{ sginal: undefined, strict: 1 }, "strict: a boolean was expected, not number"],
      [{ signal: {} }, "signal: an AbortSignal was expected, not object"],
      [{ signal: "now" }, "signal: an AbortSignal was expected, not string"],
    ],
  ],
  [
    "Dialogue.event",
    (event) => new Dialogue().event(event),
    [
      [null, "event: an event of a parser was expected, not null"],
      [undefined, "event: an event of a parser was expected, not undefined"],
      ["text", "event: an event of a parser was expected, not string"],
      [
        { type: "complete", question: "Q?", suggestions: [null] },
        "event: suggestions[0]: an object was expected, not null",
      ],
      [
        { type: "complete", shape: "claude", suggestions: [], questions: ["Q?"] },
        "event: questions[0]: an object was expected, not string",
      ],
    ],
  ],
  [
    "messages",
    (replies) => messages(replies, "anthropic"),
    [
      [null, "messages: a reply: an object was expected, not null"],
      [["reply"], "messages: a reply: an object was expected, not string"],
    ],
  ],
  [
    "correctionReply",
    (correction) => correctionReply(correction),
    [
      [null, "correction: an object was expected, not null"],
      ["text", "correction: an object was expected, not string"],
    ],
  ],
];

for (const [name, run, cases] of TABLE) {
  describe(`a wrong argument of ${name}`, () => {
    for (const [value, message] of cases) {
      test(message, async () => {
        await assert.rejects(async () => run(value), { name: "TypeError", message });
      });
    }
  });
}

test("what is right is accepted: undefined where there is a default, null for no signal, a list without names", async () => {
  followup({
    prompt: undefined,
    reasoning: undefined,
    generateId: undefined,
    onRejected: undefined,
    strict: undefined,
  });
  followup({ prompt: "Ask like this.", reasoning: true, generateId: () => "1", onRejected() {} });
  dropIn(Original, { names: [] });
  new Parser({ envelopes: [], shapes: [], tools: { tools: [], parameters: [] } }).free();
  await read(["a"], { signal: null });
  await read(["a"], { signal: new AbortController().signal });
});

test("a source is cancelled if the options are wrong", async () => {
  for (const options of [null, { signal: {} }]) {
    let isCancelled = false;
    await assert.rejects(
      read(new ReadableStream({ cancel: () => void (isCancelled = true) }), options),
      TypeError,
    );
    assert.ok(isCancelled);
  }
});
