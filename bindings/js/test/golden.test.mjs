// Every golden body of the crate has the same events here, whole and in small chunks, and its
// provider is detected.
//
// The expectations have no partials, since these depend on the cut. Instead the deltas of each call
// must be together the texts of its end, and what became known before must be so at the end.

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import fc from "fast-check";
import { ResponseParser } from "followup";
import { append, emptyView } from "../dist/view.js";
import { cut, run } from "./help.mjs";

const bodies = new URL("../../../tests/wire/bodies/", import.meta.url);

/**
 * Returns suggestions as the expectations write them: those of `ask_followup_question` have no
 * more.
 */
const suggest = (suggestions) =>
  suggestions.map(({ answer, mode }) => (mode === undefined ? { answer } : { answer, mode }));

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
      all.push({
        event: "error",
        kind: event.code,
        ...(event.code === "provider" && { message: event.message }),
      });
    } else if (type === "opaque") {
      const same = all.findLast(
        (one) => one.event === "opaque" && one.tool === event.tool && one.id === id,
      );
      if (event.start) all.push({ event: "opaque", tool: event.tool, raw: event.raw, ...named });
      else same.raw += event.raw;
    } else if (type === "complete") {
      all.push({
        event: "complete",
        call,
        question,
        suggest: suggest(event.suggestions),
        notes: event.noteCodes,
        ...named,
      });
    } else if (type === "rejected") {
      const known = question ?? null;
      all.push({
        event: "rejected",
        call,
        reason: event.code,
        question: known,
        suggest: suggest(event.suggestions),
        ...named,
      });
    }
  }
  return all;
}

/** Returns the complete calls of other tools as the expectations write them. */
function forms(events) {
  const complete = events.filter(({ type, shape }) => type === "complete" && shape !== undefined);
  return complete.map(({ call, tool, shape, title, questions }) => ({
    call,
    tool,
    shape,
    ...(title && { title }),
    questions,
  }));
}

const TEXTS = ["text", "header", "detail", "suggestions", "answer", "description", "preview"];

/**
 * Asserts that the deltas of each call are together the texts of its end, and that nothing else was
 * shown.
 */
function assertShown(events) {
  const shown = new Map();
  for (const event of events) {
    const { type, call } = event;
    if (type === "partial") {
      if (!shown.has(call)) shown.set(call, emptyView(event));
      append(shown.get(call), event);
    } else if (type === "complete" || type === "rejected") {
      const {
        tool,
        title = "",
        questions: views,
      } = shown.get(call) ?? { tool: event.tool, questions: [] };
      assert.deepEqual([tool, title], [event.tool, event.title ?? ""]);
      const [have, ended] = [withoutEmpty(views), withoutEmpty(questionsOf(event))];
      assert.equal(JSON.stringify(have, TEXTS), JSON.stringify(ended, TEXTS));
      have.forEach(({ suggestions, ...known }, i) => {
        assert.deepEqual({ ...ended[i], ...known }, ended[i]);
        suggestions.forEach((one, j) =>
          assert.deepEqual({ ...ended[i].suggestions[j], ...one }, ended[i].suggestions[j]),
        );
      });
    }
  }
}

/** Returns all questions of the end of a call. Without a shape it has at most one. */
function questionsOf({ tool, shape, question, suggestions, questions }) {
  if (shape === undefined)
    assert.deepEqual([tool, questions], ["ask_followup_question", undefined]);
  if (questions !== undefined)
    assert.deepEqual([question, suggestions], [questions[0].text, questions[0].suggestions]);
  const hasNone = question === undefined && suggestions.length === 0;
  return questions ?? (hasNone ? [] : [{ text: question ?? "", suggestions }]);
}

/** Returns questions without texts that are empty. */
function withoutEmpty(questions) {
  return JSON.parse(JSON.stringify(questions, (_, value) => (value === "" ? undefined : value)));
}

const formats = readdirSync(bodies).filter((name) => !name.includes("."));

/** Returns all bodies, with their formats and names. */
function golden() {
  return formats.flatMap((format) => {
    const folder = new URL(`${format}/`, bodies);
    const names = readdirSync(folder).filter((file) => !file.endsWith(".json"));
    return names.map((name) => ({
      format,
      name: `${format}/${name}`,
      body: readFileSync(new URL(name, folder)),
    }));
  });
}

for (const format of formats) {
  test(`golden bodies of ${format}`, () => {
    const folder = new URL(`${format}/`, bodies);
    for (const name of readdirSync(folder).filter((file) => !file.endsWith(".json"))) {
      const body = readFileSync(new URL(name, folder));
      const expected = JSON.parse(
        readFileSync(new URL(name.replace(/\.[^.]+$/, ".json"), folder), "utf8"),
      );
      const file = new URL(name.replace(/\.[^.]+$/, ".forms.json"), folder);
      const expectedForms = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : [];
      for (const size of [body.length, 1, 7]) {
        const offsets = Array.from({ length: Math.ceil(body.length / size) }, (_, i) => i * size);
        const events = run(new ResponseParser({ format }), cut(body, offsets));
        assert.deepEqual(normalized(events), expected, `${name} in chunks of ${size}`);
        assert.deepEqual(forms(events), expectedForms, `${name} in chunks of ${size}`);
        assertShown(events);
      }
    }
  });
}

test("each golden body has the same events where its format is detected", () => {
  const bodies = golden();
  assert.ok(bodies.length > 100, `${bodies.length} bodies`);
  for (const { format, name, body } of bodies) {
    const read = (options, chunks) => {
      const parser = new ResponseParser(options);
      const events = chunks.flatMap((chunk) => parser.feed(chunk));
      const { detectedFormat } = parser;
      events.push(...parser.finish());
      assert.equal(parser.detectedFormat, detectedFormat, "after the end");
      parser.free();
      return { detectedFormat, events: normalized(events) };
    };
    const expected = read({ format }, [body]);
    assert.equal(expected.detectedFormat, format);
    for (const chunks of [
      [body],
      cut(
        body,
        Array.from({ length: body.length }, (_, i) => i),
      ),
    ]) {
      assert.deepEqual(read({}, chunks), expected, name);
    }
  }
});

test("random cuts of the golden bodies change no event, as bytes and as text, inside surrogate pairs too", () => {
  const all = golden();
  assert.ok(all.length > 100, `${all.length} bodies`);
  const read = (format, chunks) => normalized(run(new ResponseParser({ format }), chunks));
  let pairs = 0;
  for (const { format, name, body } of all) {
    const text = body.toString();
    const whole = read(format, [body]);
    const isText = body.equals(Buffer.from(text));
    const high = [...text.matchAll(/[\ud800-\udbff]/g)].map(({ index }) => index + 1);
    if (isText) pairs += high.length;
    const offsets = fc.array(fc.nat(body.length), { maxLength: 40 });
    fc.assert(
      fc.property(offsets, offsets, (inBytes, inText) => {
        assert.deepEqual(read(format, cut(body, inBytes)), whole, name);
        if (isText)
          assert.deepEqual(
            read(format, cut(text, [...inText.filter((at) => at <= text.length), ...high])),
            whole,
            name,
          );
      }),
      { numRuns: 5 },
    );
  }
  assert.ok(pairs > 0, "a body has a surrogate pair");
});
