// What the package costs by itself.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { ArgumentsParser, Parser } from "../dist/main.js";
import { deltas, least, prose, time } from "./measure.mjs";

const SIZES = { "2 KiB": 2 ** 11, "64 KiB": 2 ** 16, "1 MiB": 2 ** 20 };
const CHUNKS = deltas(prose(2 ** 15));
const limits = { question: 2 ** 24 };

/** Measures the deltas after a prefix, each of which is read by this. */
function round(create, prefix, read) {
  return {
    prepare() {
      const parser = create();
      parser.feed(prefix);
      return parser;
    },
    run: (parser) => void CHUNKS.forEach((chunk) => read(parser, chunk)),
    done: (parser) => parser.free(),
  };
}

/**
 * The cost of a delta in a question of each size, and how flat it is. The sizes take turns, so that
 * all have the same machine.
 */
async function sizes(what, goal, create, prefix, read = (parser, chunk) => parser.feed(chunk)) {
  const rounds = Object.entries(SIZES).map(([name, size]) => [
    name,
    round(create, prefix(prose(size)), read),
  ]);
  const costs = Object.fromEntries(rounds.map(([name]) => [name, Infinity]));
  for (let i = 0; i < 40; i++) {
    for (const [name, one] of rounds)
      costs[name] = Math.min(costs[name], (await least(1, one)) / CHUNKS.length);
  }
  const rows = Object.entries(costs).map(([name, ns]) => ({
    what: `${what}, ${name}`,
    ours: time(ns),
    goal: `≤ ${goal} ns`,
    met: ns <= goal,
  }));
  const flat = costs["1 MiB"] / costs["2 KiB"];
  return [
    ...rows,
    { what: `${what}, 1 MiB against 2 KiB`, ratio: flat, goal: "≤ 1.2", met: flat <= 1.2 },
  ];
}

/**
 * Prints how long it takes to compile a module, to make an instance of it, and to call that for the
 * first time, in ms.
 */
const SCRIPT = `
  const [name, way] = process.argv.slice(1);
  const { readFileSync } = await import("node:fs");
  const at = (path) => new URL(path, ${JSON.stringify(import.meta.url)});
  const { BASE64 } = way === "inlined" ? await import(at("../dist/" + name + "-wasm.js")) : {};
  const { compile } = await import(at("../dist/module/base64.js"));
  const bytes = way === "inlined" ? undefined : readFileSync(at("../dist/" + name + ".wasm"));
  const times = [performance.now()];
  const module = way === "inlined" ? compile(BASE64) : new WebAssembly.Module(bytes);
  times.push(performance.now());
  const { exports } = new WebAssembly.Instance(module);
  times.push(performance.now());
  exports.input(1);
  times.push(performance.now());
  console.log(JSON.stringify(times.slice(1).map((time, i) => time - times[i])));
`;

/**
 * Starts the module in new processes, because an engine keeps the code of a module. Each time is
 * the least of its kind.
 */
function instantiate(name, way) {
  const args = ["--input-type=module", "-e", SCRIPT, name, way];
  const runs = Array.from({ length: 15 }, () =>
    JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8" })),
  );
  const sum = Math.min(...runs.map((times) => times.reduce((all, one) => all + one, 0)));
  const [compile, instance, call] = runs[0].map((_, i) =>
    time(Math.min(...runs.map((times) => times[i])) * 1e6),
  );
  return [
    { what: `start ${name}.wasm, ${way}`, ours: time(sum * 1e6), goal: "≤ 5 ms", met: sum <= 5 },
    {
      what: `… ${way === "inlined" ? "decode and compile" : "compile"}; make an instance; call it for the first time`,
      ours: `${compile}; ${instance}; ${call}`,
    },
  ];
}

const MILLION = `
  const { Instance } = WebAssembly;
  let memory;
  WebAssembly.Instance = function (...args) {
    const instance = new Instance(...args);
    memory = instance.exports.memory;
    return instance;
  };
  const { Parser } = await import(${JSON.stringify(new URL("../dist/main.js", import.meta.url).href)});
  const used = (count) => {
    for (let i = 0; i < count; i++) {
      const parser = new Parser();
      parser.feed("<ask_followup_question><question>Tea?");
      parser.free();
    }
    gc();
    return [memory.buffer.byteLength, process.memoryUsage().heapUsed];
  };
  const before = used(1000);
  const start = performance.now();
  const after = used(1e6);
  console.log(JSON.stringify({ before, after, ms: performance.now() - start }));
`;

function million() {
  const args = ["--expose-gc", "--input-type=module", "-e", MILLION];
  const { before, after, ms } = JSON.parse(
    execFileSync(process.execPath, args, { encoding: "utf8" }),
  );
  const heap = after[1] - before[1];
  return [
    { what: "a million parsers made, fed and freed, each", ours: time(ms) },
    {
      what: "… growth of the module's memory",
      ours: `${after[0] - before[0]} bytes`,
      goal: "0 bytes",
      met: after[0] === before[0],
    },
    {
      what: "… growth of the heap",
      ours: `${(heap / 1024).toFixed(0)} KiB`,
      goal: "≤ 512 KiB",
      met: heap <= 2 ** 19,
    },
  ];
}

/** The size of modules together, and of what is sent of them. */
function size(names, goal) {
  const files = names.map((name) => readFileSync(new URL(`../dist/${name}.wasm`, import.meta.url)));
  const sum = (of) => files.reduce((all, bytes) => all + of(bytes), 0);
  const sent = sum((bytes) => gzipSync(bytes, { level: 9 }).length);
  const what = names.map((name) => `${name}.wasm`).join(" and ");
  const brotli = sum((bytes) => brotliCompressSync(bytes).length);
  const row = {
    what: `${what}: as it is; by brotli; gzipped`,
    ours: `${kilobytes(sum(({ length }) => length))}; ${kilobytes(brotli)}; ${kilobytes(sent)}`,
  };
  return goal === undefined ? row : { ...row, goal: `≤ ${goal} KB`, met: sent <= goal * 1000 };
}

/** The size of what npm downloads, and of what it writes. */
function tarball() {
  const cwd = fileURLToPath(new URL("..", import.meta.url));
  const [{ size, unpackedSize }] = JSON.parse(
    execFileSync("npm", ["pack", "--dry-run", "--json"], { cwd, encoding: "utf8" }),
  );
  return { what: "the tarball; unpacked", ours: `${kilobytes(size)}; ${kilobytes(unpackedSize)}` };
}

function kilobytes(bytes) {
  return `${(bytes / 1000).toFixed(0)} KB`;
}

/** Keeps what was read last, so that it is made. */
export let last;

function withView(parser, chunk) {
  parser.feed(chunk);
  last = parser.view().questions[0].text.length;
}

export async function own() {
  const call = "<ask_followup_question><question>";
  const args = () => new ArgumentsParser("ask_followup_question", { limits });
  return [
    size(["followup"], 200),
    size(["followup-core"], 70),
    size(["followup-dialogue"]),
    size(["followup", "followup-dialogue"]),
    size(["followup-core", "followup-dialogue"]),
    tarball(),
    ...(await sizes(
      "a delta to events, markup",
      500,
      () => new Parser({ limits }),
      (text) => call + text,
    )),
    ...(await sizes("a delta to events, arguments", 500, args, (text) => `{"question": "${text}`)),
    ...(await sizes(
      "a delta to events and view(), arguments",
      500,
      args,
      (text) => `{"question": "${text}`,
      withView,
    )),
    ...(await sizes(
      "a delta with nothing to say",
      150,
      args,
      (text) => `{"question": "${text}", "other": "`,
    )),
    ...["followup", "followup-core"].flatMap((name) =>
      ["from a file", "inlined"].flatMap((way) => instantiate(name, way)),
    ),
    ...million(),
  ];
}
