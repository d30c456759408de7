// Prints what the modules are made of, as the table of the README: each group of functions gzipped
// by itself.
//
//   node bench/bytes.mjs
//
// It builds the modules as they are, but with the names of their functions, in which the types are
// that these are made for.

import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { compile, NAMES } from "../cargo.mjs";
import { readModule } from "./wasm.mjs";

const NAMED = [
  ...["--config", 'profile.release.strip="debuginfo"'],
  ...["--config", 'target.wasm32-unknown-unknown.rustflags=["-Csymbol-mangling-version=v0"]'],
];

/**
 * The groups. A function is in the first one that its name matches. Names have the length of each
 * part before it.
 */
const GROUPS = [
  // Nothing else is serialised or hashed by the parsers.
  [
    "checkpoints: `postcard`, and what is derived for them",
    /^(?!.*10serde_json).*(8postcard|10checkpoint|11StoredState|10serde_core3ser|4core4hash)|^checkpoint$/,
  ],
  ["the JSON of payloads: `serde_json`, and what serde derives", /10serde_(json|core)|5serde/],
  ["providers: their formats, and the state of a body", /8followup4wire|^format$/],
  ["markup", /8followup6markup/],
  ["the models' own envelopes", /8followup8envelope/],
  ["shapes of question tools", /8followup5shape/],
  ["arguments", /8followup4json/],
  ["calls, events, notes", /8followup(4call|4note|5event|6reason|9questions|5codes)/],
  ["the dialogue: its templates and dialects", /8dialogue8template/],
  ["the dialogue: all else", /8followup8dialogue|21followup_dialogue_wasm/],
  ["parser, options", /8followup/],
  [
    "`smallvec`, the allocator, `memchr`, `nom`, base64",
    /8smallvec|8dlmalloc|7___rustc|_6memchr|3nom|6base64/,
  ],
  [
    "the boundary",
    /followup_wasm|^(create|feed|finish|free|input|output|output_len|place|state|checkpoint|messages|ask|answer|correct|cancel|decline|discuss|time_out|guide|history|take_history)$/,
  ],
  ["`alloc` and `core`: sorting, strings, formatting", /./],
];
const TABLES = "tables and texts";
const NAMELESS = "without a name";

/** The crate that an instance of a generic function was made in, at the end of its name. */
const MADE_IN = /(?<=.)Cs[0-9A-Za-z]+_[0-9]+[a-z_]+$/;

/** Returns the bytes of a module when they are gzipped, by group. */
function groupsOf(name) {
  const { functions, data } = readModule(readFileSync(compile(name, ...NAMED)));
  const groups = new Map([[TABLES, [data]]]);
  for (const { name, bytes } of functions) {
    const known = name.replace(MADE_IN, "");
    const [group] = GROUPS.find(([, pattern]) => pattern.test(known)) ?? [NAMELESS];
    groups.set(group, [...(groups.get(group) ?? []), bytes]);
  }
  return new Map(
    [...groups].map(([group, parts]) => [
      group,
      gzipSync(Buffer.concat(parts), { level: 9 }).length,
    ]),
  );
}

const modules = NAMES.map(groupsOf);
const rows = [...GROUPS.map(([group]) => group), TABLES, NAMELESS].filter((group) =>
  modules.some((one) => one.has(group)),
);
const kilobytes = (bytes) => (bytes === undefined ? "" : (bytes / 1000).toFixed(0));
console.log(
  `| | ${NAMES.map((name) => `\`${name}\``).join(" | ")} |\n|---${"|---:".repeat(NAMES.length)}|`,
);
for (const group of rows)
  console.log(`| ${group} | ${modules.map((one) => kilobytes(one.get(group))).join(" | ")} |`);
const sum = (module) => kilobytes([...module.values()].reduce((all, one) => all + one, 0));
console.log(`| together | ${modules.map(sum).join(" | ")} |`);
