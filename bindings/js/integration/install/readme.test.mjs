// Tests that the code in the readme compiles and runs, and that links in the docs have a target.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { ROOT } from "../pack.mjs";
import { install, link, tool } from "./help.mjs";

const readme = readFileSync(join(ROOT, "README.md"), "utf8");
const blocks = [...readme.matchAll(/^```(js|ts|jsx|tsx)\n(.*?)^```$/gms)].map(
  ([, language, code]) => ({ language, code }),
);

const installed = join(install(), "node_modules/followup");
const GUIDE = readdirSync(join(installed, "dist/guide")).map((name) => `dist/guide/${name}`);
const read = (path) => readFileSync(join(installed, path), "utf8");

/** What the examples take from the program around them. */
const GIVEN = {
  url: "declare const url: string;",
  request: "declare const request: RequestInit;",
  screen:
    "declare const screen: { append(text: string): void; grow(event: import('followup').PartialEvent): void };",
  ask: "declare function ask(...question: unknown[]): Promise<void>;",
  text: "declare const text: string;",
  conversation: "declare const conversation: unknown[];",
  send: "declare function send(answer: unknown): Promise<void>;",
};

/** What stands for the class of the host that an example extends. */
const ORIGINAL = `import type { ToolCallParserClass } from "followup/roo";
export declare const NativeToolCallParser: ToolCallParserClass;
`;

const CONTENT = "Hi. <ask_followup_question><question>Tea?</question></ask_followup_question>";

const BODY = `data: {"choices":[{"delta":{"content":"${CONTENT}"}}]}\n\ndata: [DONE]\n\n`;

const MESSAGE =
  "<ask_followup_question><question>Tea?</question><follow_up><suggest>Black</suggest>" +
  '<suggest mode="code">Green</suggest></follow_up></ask_followup_question>';

/** A program around the examples, which writes what it is told. */
const AROUND = `
  globalThis.url = "http://localhost";
  globalThis.request = {};
  globalThis.fetch = async () => new Response(${JSON.stringify(BODY)});
  globalThis.screen = { append: (text) => console.log("text", text), grow: ({ delta }) => console.log("grow", delta) };
  globalThis.ask = async (question) => console.log("ask", question.question ?? question);
  globalThis.text = ${JSON.stringify(MESSAGE)};
  globalThis.conversation = [];
`;

test("the types of all examples agree", () => {
  const folder = install();
  link(folder, "@types/node");
  assert.ok(blocks.length >= 2);
  writeFileSync(join(folder, "original-parser.ts"), ORIGINAL);
  const names = blocks.map(({ language, code }, i) => {
    const declared = Object.entries(GIVEN).filter(([name]) =>
      new RegExp(`(?<![.\\w])${name}\\b`).test(code),
    );
    const name = `example-${i}.${language.includes("x") ? "tsx" : "ts"}`;
    writeFileSync(
      join(folder, name),
      [...declared.map(([, text]) => text), code, "export {};"].join("\n"),
    );
    return name;
  });
  const language = "--target es2022 --module esnext --moduleResolution bundler --jsx react-jsx";
  const options = ["--strict", "--noEmit", ...language.split(" ")];
  const { status, output } = tool("tsc", [...options, ...names], folder);
  assert.equal(status, 0, output);
});

test("every link of the guide leads into the package", () => {
  for (const path of GUIDE) {
    const links = linksOf(read(path));
    assert.ok(links.length > 0, path);
    for (const link of links) {
      const [file, anchor] = link.split("#");
      const to = file === "" ? path : join(dirname(path), file);
      assert.ok(!to.startsWith("..") && existsSync(join(installed, to)), `${path}: ${link}`);
      if (anchor !== undefined) assert.ok(anchors(read(to)).includes(anchor), `${path}: ${link}`);
    }
  }
});

test("every link of the readme works wherever it is read: on npm, in the repository, and in the package", () => {
  const text = read("README.md");
  const links = linksOf(text);
  assert.ok(links.length > 0);
  // A path is another one in each of these places, and `dist` is not in the repository.
  for (const link of links)
    assert.ok(link.startsWith("#") && anchors(text).includes(link.slice(1)), link);
});

test("every document and section of the guide that the readme names is in the package, and in the repository's docs", () => {
  assert.equal(GUIDE.length, 3);
  const named = [...read("README.md").matchAll(/`([\w-]+\.md)`(?:, (?:under )?“([^”]+)”)?/g)];
  assert.deepEqual(
    [...new Set(named.map(([, name]) => `dist/guide/${name}`))].sort(),
    [...GUIDE].sort(),
  );
  assert.ok(named.some(([, , section]) => section !== undefined));
  for (const [words, name, section] of named) {
    for (const text of [
      read(`dist/guide/${name}`),
      readFileSync(join(ROOT, "../../docs", name), "utf8"),
    ]) {
      if (section !== undefined)
        assert.match(text, new RegExp(`^#+ ${section.replace(/\s+/g, " ")}$`, "m"), words);
    }
  }
});

/** Returns where the links of a document lead, except other sites. */
function linksOf(text) {
  const prose = text.replace(/^```.*?^```$/gms, "").replace(/`[^`]*`/g, "");
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target]) => target)
    .filter((target) => !target.startsWith("https:"));
}

/** Returns the anchors of the headings of a document. */
function anchors(text) {
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
    heading
      .toLowerCase()
      .replace(/[^\w\s-]/g, "")
      .replaceAll(" ", "-"),
  );
}

/** Runs an example in a program around it. Returns what was written. */
function run(code) {
  const folder = install();
  writeFileSync(join(folder, "around.mjs"), AROUND);
  writeFileSync(join(folder, "example.mjs"), code);
  return execFileSync(process.execPath, ["--import", "./around.mjs", "example.mjs"], {
    cwd: folder,
    encoding: "utf8",
  });
}

test("the first example shows and asks a question", () => {
  assert.equal(run(blocks[0].code), "text Hi. \ngrow Tea?\nask Tea?\n");
});

test("the example of a dialogue asks, and writes the reply that its comment shows", () => {
  const { code } = blocks.find(({ code }) => code.includes("new Dialogue("));
  const [asked, reply] = run(
    `${code}\nconsole.log(JSON.stringify([reply.mode, reply.text, conversation]));`,
  ).split("\n");
  assert.equal(asked, "ask Tea?");
  const text = "<answer>\nGreen\n</answer>";
  assert.deepEqual(JSON.parse(reply), [
    "code",
    text,
    [{ role: "user", content: [{ type: "text", text }] }],
  ]);
});
