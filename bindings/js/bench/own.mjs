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

/** Measures the deltas after a prefix. */
function round(create, prefix) {
  return {
    prepare() {
      const parser = create();
      parser.feed(prefix);
      return parser;
    },
    run: (parser) => void CHUNKS.forEach((chunk) => parser.feed(chunk)),
    done: (parser) => parser.free(),
  };
}

/** The cost of a delta in a question of each size, and how flat it is. The sizes take turns, so that all have the same machine. */
async function sizes(what, goal, create, prefix) {
  const rounds = Object.entries(SIZES).map(([name, size]) => [name, round(create, prefix(prose(size)))]);
  const costs = Object.fromEntries(rounds.map(([name]) => [name, Infinity]));
  for (let i = 0; i < 40; i++) {
    for (const [name, one] of rounds) costs[name] = Math.min(costs[name], (await least(1, one)) / CHUNKS.length);
  }
  const rows = Object.entries(costs).map(([name, ns]) => ({ what: `${what}, ${name}`, ours: time(ns), goal: `≤ ${goal} ns`, met: ns <= goal }));
  const flat = costs["1 MiB"] / costs["2 KiB"];
  return [...rows, { what: `${what}, 1 MiB against 2 KiB`, ratio: flat, goal: "≤ 1.2", met: flat <= 1.2 }];
}

const SCRIPT = `
  import { readFileSync } from "node:fs";
  const bytes = readFileSync(process.argv[1]);
  const start = performance.now();
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bytes));
  exports.input(1);
  console.log(performance.now() - start);
`;

/** Starts the module in new processes, because an engine keeps the code of a module. */
function instantiate(name) {
  const args = ["--input-type=module", "-e", SCRIPT, fileURLToPath(new URL(`../dist/${name}.wasm`, import.meta.url))];
  const ms = leastOf(args);
  return { what: `compile and start ${name}.wasm`, ours: time(ms * 1e6), goal: "≤ 5 ms", met: ms <= 5 };
}

const INLINED = `
  const [module, decoder] = await Promise.all(process.argv.slice(1).map((url) => import(url)));
  const start = performance.now();
  const { exports } = new WebAssembly.Instance(decoder.compile(module.BASE64));
  exports.input(1);
  console.log(performance.now() - start);
`;

/** The same for a module that is inlined in a script, without the time to load the script. */
function instantiateInlined(name) {
  const urls = [`../dist/${name}-wasm.js`, "../dist/module/base64.js"].map((path) => new URL(path, import.meta.url).href);
  const ms = leastOf(["--input-type=module", "-e", INLINED, ...urls]);
  return { what: `decode, compile and start ${name}.wasm, inlined`, ours: time(ms * 1e6) };
}

/** Returns the least of what new processes print. */
function leastOf(args) {
  return Math.min(...Array.from({ length: 9 }, () => Number(execFileSync(process.execPath, args, { encoding: "utf8" }))));
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
  const { before, after, ms } = JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8" }));
  const heap = after[1] - before[1];
  return [
    { what: "a million parsers made, fed and freed, each", ours: time(ms) },
    { what: "… growth of the module's memory", ours: `${after[0] - before[0]} bytes`, goal: "0 bytes", met: after[0] === before[0] },
    { what: "… growth of the heap", ours: `${(heap / 1024).toFixed(0)} KiB`, goal: "≤ 512 KiB", met: heap <= 2 ** 19 },
  ];
}

/** The size of a module, and how it is sent. */
function size(name, goal) {
  const bytes = readFileSync(new URL(`../dist/${name}.wasm`, import.meta.url));
  const sent = gzipSync(bytes, { level: 9 }).length;
  const rows = [{ what: `${name}.wasm`, ours: kilobytes(bytes.length) }, { what: `${name}.wasm, gzipped`, ours: kilobytes(sent) }];
  rows.push({ what: `${name}.wasm, by brotli`, ours: kilobytes(brotliCompressSync(bytes).length) });
  if (goal !== undefined) Object.assign(rows[1], { goal: `≤ ${goal} KB`, met: sent <= goal * 1000 });
  return rows;
}

function kilobytes(bytes) {
  return `${(bytes / 1000).toFixed(0)} KB`;
}

export async function own() {
  const call = "<ask_followup_question><question>";
  const args = () => new ArgumentsParser("ask_followup_question", { limits });
  return [
    ...size("followup", 200),
    ...size("followup-core", 70),
    ...size("followup-dialogue"),
    ...(await sizes("a delta to events, markup", 500, () => new Parser({ limits }), (text) => call + text)),
    ...(await sizes("a delta to events, arguments", 500, args, (text) => `{"question": "${text}`)),
    ...(await sizes("a delta with nothing to say", 150, args, (text) => `{"question": "${text}", "other": "`)),
    instantiate("followup"),
    instantiate("followup-core"),
    instantiateInlined("followup"),
    ...million(),
  ];
}
