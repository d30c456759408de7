// Helpers of all tests: they run a parser, cut texts, and evaluate code in another process.

import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Returns all events of a stream in these chunks. Frees the parser. */
export function run(parser, chunks) {
  const events = chunks.flatMap((chunk) => parser.feed(chunk));
  events.push(...parser.finish());
  parser.free();
  return events;
}

/** Cuts a text or bytes at these offsets. */
export function cut(whole, offsets) {
  const ends = [...new Set(offsets)].sort((one, two) => one - two);
  return [...ends, whole.length].map((end, i) => whole.slice(i === 0 ? 0 : ends[i - 1], end));
}

/** Returns a function that returns whole numbers below its argument, the same in each run. */
export function random(seed) {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Joins what only the cut separates: neighbouring texts, pieces of a call, deltas of a field. */
export function joined(events) {
  const all = [];
  for (const event of events) {
    const last = all.at(-1);
    if (event.type === "text" && last?.type === "text") last.text += event.text;
    else if (event.type === "opaque" && !event.start && last?.type === "opaque")
      last.raw += event.raw;
    else if (event.type === "partial" && isSame(last, event)) last.delta += event.delta;
    else if (!(event.type === "partial" && event.delta === "" && event.tool === undefined))
      all.push({ ...event });
  }
  return all.map(({ known, ...event }) =>
    event.type === "partial" ? event : { ...event, ...(known && { known }) },
  );
}

function isSame(last, event) {
  const keys = ["type", "call", "field", "questionIndex", "suggestionIndex"];
  return last !== undefined && keys.every((key) => last[key] === event[key]);
}

/**
 * Runs a program in a process of its own, in which no other test has loaded a module. Returns what
 * it prints.
 */
export function evaluate(source) {
  // Not every runtime takes a program as an argument.
  const file = join(import.meta.dirname, `evaluated-${process.pid}.mjs`);
  writeFileSync(file, source);
  try {
    return execFileSync(process.execPath, [file], { encoding: "utf8" }).trim();
  } finally {
    rmSync(file);
  }
}
