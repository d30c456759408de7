// Tests the examples in the comments of the types: each exported class and function has one; all
// compile, and those in JavaScript run.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { ENTRIES } from "../pack.mjs";
import { install, link, tool } from "./help.mjs";

const folder = install();
const dist = join(folder, "node_modules/followup/dist");
const types = readdirSync(dist, { recursive: true })
  .filter((path) => path.endsWith(".d.ts"))
  .sort();
const declarations = types.map((path) => readFileSync(join(dist, path), "utf8"));

/** The examples of a comment or a file. */
function examplesOf(text) {
  return [...text.replace(/^\s*\* ?/gm, "").matchAll(/^```(js|ts|tsx)\n(.*?)^```$/gms)].map(
    ([, language, code]) => ({ language, code }),
  );
}

const examples = declarations.flatMap(examplesOf);

/** Asserts are written without their import, and the program around an example is declared. */
const BEFORE = 'import assert from "node:assert/strict";\n';

test("each class and function that the package exports has an example", () => {
  const script = `const names = await Promise.all(${JSON.stringify(ENTRIES)}.map(async (name) => Object.keys(await import(name))));
    console.log([...new Set(names.flat())].join());`;
  const names = execFileSync(process.execPath, ["--input-type=module", "-e", script], {
    cwd: folder,
    encoding: "utf8",
  })
    .trim()
    .split(",");
  assert.ok(names.includes("Parser") && names.includes("useFollowup"));
  const comment = String.raw`/\*\*((?:(?!\*/)[^])*)\*/\s*export declare (?:abstract )?(?:class|function) `;
  const without = names.filter((name) => {
    const found = declarations
      .map((text) => new RegExp(`${comment}${name}\\b`).exec(text))
      .find(Boolean);
    return !found || examplesOf(found[1]).length === 0;
  });
  assert.deepEqual(without, []);
});

test("the types of the examples agree", () => {
  link(folder, "@types/node");
  const names = examples.map(({ language, code }, i) => {
    const name = `example-${i}.${language === "tsx" ? "tsx" : "ts"}`;
    writeFileSync(join(folder, name), `${BEFORE}${code}export {};\n`);
    return name;
  });
  const language = "--target es2022 --module esnext --moduleResolution bundler --jsx react-jsx";
  const options = ["--strict", "--noEmit", "--skipLibCheck", ...language.split(" ")];
  const { status, output } = tool("tsc", [...options, ...names], folder);
  assert.equal(status, 0, output);
});

for (const [i, { language, code }] of examples.entries()) {
  if (language !== "js") continue;
  const shown = code
    .split("\n")
    .filter((line) => /^ *assert/.test(line))
    .at(-1);
  test(`this example runs: ${shown?.trim()}`, async () => {
    assert.notEqual(shown, undefined, "an example asserts something");
    const path = join(folder, `run-${i}.mjs`);
    writeFileSync(path, BEFORE + code);
    await import(pathToFileURL(path).href);
  });
}
