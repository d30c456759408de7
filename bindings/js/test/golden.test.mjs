// Every golden body of the crate has the same events here, whole and in small chunks.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { ResponseParser } from "followup";
import { cut, run } from "./help.mjs";

const bodies = new URL("../../../tests/wire/bodies/", import.meta.url);

/** Returns the events as the expectations of the golden bodies write them. */
function normalized(events) {
  const all = [];
  for (const event of events) {
    const { type, call, id, question } = event;
    const named = id === undefined ? {} : { id };
    const last = all.at(-1);
    if (type === "text" && last?.event === "text") last.text += event.text;
    else if (type === "text") all.push({ event: "text", text: event.text });
    else if (type === "error") {
      all.push({ event: "error", kind: event.code, ...(event.code === "provider" && { message: event.message }) });
    } else if (type === "opaque") {
      const same = all.findLast((one) => one.event === "opaque" && one.tool === event.tool && one.id === id);
      if (event.start) all.push({ event: "opaque", tool: event.tool, raw: event.raw, ...named });
      else same.raw += event.raw;
    } else if (type === "complete") {
      all.push({ event: "complete", call, question, suggest: event.suggestions, notes: event.noteCodes, ...named });
    } else if (type === "rejected") {
      const known = question ?? null;
      all.push({ event: "rejected", call, reason: event.code, question: known, suggest: event.suggestions, ...named });
    }
  }
  return all;
}

for (const format of readdirSync(bodies).filter((name) => !name.includes("."))) {
  test(`golden bodies of ${format}`, () => {
    const folder = new URL(`${format}/`, bodies);
    for (const name of readdirSync(folder).filter((file) => !file.endsWith(".json"))) {
      const body = readFileSync(new URL(name, folder));
      const expected = JSON.parse(readFileSync(new URL(name.replace(/\.[^.]+$/, ".json"), folder), "utf8"));
      for (const size of [body.length, 1, 7]) {
        const offsets = Array.from({ length: Math.ceil(body.length / size) }, (_, i) => i * size);
        assert.deepEqual(normalized(run(new ResponseParser({ format }), cut(body, offsets))), expected, `${name} in chunks of ${size}`);
      }
    }
  });
}
