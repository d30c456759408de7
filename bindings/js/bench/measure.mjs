// What all benchmarks use: texts, cuts, times.

/** Cuts a text into deltas of this many characters. */
export function deltas(text, size = 4) {
  return Array.from({ length: Math.ceil(text.length / size) }, (_, i) =>
    text.slice(i * size, i * size + size),
  );
}

const WORDS =
  "Which of the two should the export use when a row has no date, and why does it matter here? ".split(
    " ",
  );

/** Returns a text of this many characters, in words. */
export function prose(length) {
  let text = "";
  for (let i = 0; text.length < length; i++) text += `${WORDS[(i * 7 + (i >> 4)) % WORDS.length]} `;
  return text.slice(0, length);
}

/** Returns a function that returns whole numbers below its argument, the same in each run. */
export function random(seed) {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Cuts a text at random. */
export function randomCut(text, next) {
  const ends = Array.from({ length: 1 + next(text.length / 4) }, () => 1 + next(text.length - 1));
  const sorted = [...new Set(ends), text.length].sort((one, two) => one - two);
  return sorted.map((end, i) => text.slice(i === 0 ? 0 : sorted[i - 1], end));
}

/**
 * Returns the least time of a round in nanoseconds. What `prepare` returns is passed to `run`, and
 * then to `done`.
 */
export async function least(rounds, { prepare = () => {}, run, done = () => {} }) {
  let time = Infinity;
  for (let i = 0; i < rounds; i++) {
    const prepared = prepare();
    const start = process.hrtime.bigint();
    await run(prepared);
    time = Math.min(time, Number(process.hrtime.bigint() - start));
    done(prepared);
  }
  return time;
}

/** Formats nanoseconds. */
export function time(ns) {
  if (ns < 1e3) return `${ns.toFixed(0)} ns`;
  return ns < 1e6 ? `${(ns / 1e3).toFixed(1)} µs` : `${(ns / 1e6).toFixed(2)} ms`;
}
