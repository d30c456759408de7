// Responses with a status that is an error, and those of other classes than the runtime's.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { runInNewContext } from "node:vm";
import { events, Parser, StatusError } from "followup";
import { Reading } from "../dist/react/reading.js";

const PAGE = "<html><body><h1>502 Bad Gateway</h1></body></html>";
const CALL = "<ask_followup_question><question>Tea?</question></ask_followup_question>";
const failed = (body, status = 502) => new Response(body, { status, statusText: "Bad Gateway" });

/** Returns the events, and the error in which they end. */
async function taken(source, options) {
  const all = [];
  try {
    for await (const event of events(source, options)) all.push(event);
  } catch (error) {
    return { all, error };
  }
  return { all };
}

/** Returns what the hook gives at the end. */
function shown(source) {
  return new Promise((resolve) => {
    const reading = new Reading(source);
    reading.subscribe(() => {
      const state = reading.store.getState();
      if (!["idle", "streaming"].includes(state.status)) resolve(state);
    });
  });
}

describe("a response with the status of an error", () => {
  test("has its status in the message, also if that is 0 or has no text", async () => {
    for (const [response, message] of [
      [Response.error(), "the response has the status 0"],
      [new Response(PAGE, { status: 502 }), "the response has the status 502"],
      [failed(PAGE), "the response has the status 502 Bad Gateway"],
    ]) {
      assert.equal((await taken(response)).error.message, message);
    }
  });

  test("is no message: it ends with an error that has the status", async () => {
    for (const body of [PAGE, "upstream error", `A ${CALL}`, "", null]) {
      const { all, error } = await taken(failed(body));
      assert.deepEqual(all, []);
      assert.ok(error instanceof StatusError);
      assert.equal(error.status, 502);
      assert.match(error.message, /502 Bad Gateway/);
    }
    const { all, error } = await taken(failed(PAGE), { format: "openai-chat" });
    assert.deepEqual(
      all.map(({ code }) => code),
      ["foreign"],
    );
    assert.equal(error.status, 502);
  });

  test("gives what the provider tells of it", async () => {
    const { all, error } = await taken(
      failed('{"error":{"message":"bad key","type":"invalid_request_error"}}', 401),
    );
    assert.deepEqual(all, [{ type: "error", code: "provider", message: "bad key" }]);
    assert.equal(error, undefined);
  });

  test("fails in React, without its text", async () => {
    const { status, error, text, parts } = await shown(failed(PAGE));
    assert.deepEqual([status, error.status, text, parts], ["failed", 502, "", []]);
    const told = await shown(failed('{"error":{"message":"bad key"}}'));
    assert.deepEqual(
      [told.status, told.errors.map(({ message }) => message)],
      ["done", ["bad key"]],
    );
  });
});

describe("a response, a stream and bytes of other classes", () => {
  const bytes = () => runInNewContext("new Uint8Array([72, 105])");
  const stream = () => {
    const chunks = [bytes()];
    const reader = {
      read: async () => (chunks.length > 0 ? { done: false, value: chunks.pop() } : { done: true }),
      cancel: async () => {},
    };
    return { getReader: () => reader };
  };
  const response = (status = 200) => ({
    body: stream(),
    status,
    statusText: "",
    ok: status === 200,
  });

  test("are read", async () => {
    for (const source of [response(), stream(), [bytes()]]) {
      assert.deepEqual((await taken(source)).all, [{ type: "text", text: "Hi" }]);
      assert.equal((await taken(response(500))).error.status, 500);
    }
    for (const source of [response(), stream(), [bytes()]])
      assert.equal((await shown(source)).text, "Hi");
    assert.deepEqual(new Parser().feed(bytes()), [{ type: "text", text: "Hi" }]);
    const { ok, ...shim } = response();
    assert.deepEqual(await taken(shim), { all: [{ type: "text", text: "Hi" }] });
  });

  test("are refused if they are other views of a buffer", () => {
    for (const chunk of [
      new DataView(new ArrayBuffer(2)),
      new Uint16Array(2),
      new ArrayBuffer(2),
    ]) {
      assert.throws(() => new Parser().feed(chunk), /a string or a Uint8Array was expected/);
    }
  });
});
