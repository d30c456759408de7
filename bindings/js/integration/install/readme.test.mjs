import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ROOT } from "../pack.mjs";
import { install, link, tool } from "./help.mjs";

const readme = readFileSync(join(ROOT, "README.md"), "utf8");
const blocks = [...readme.matchAll(/^```(js|ts|jsx|tsx)\n(.*?)^```$/gms)].map(([, language, code]) => ({ language, code }));

/** What the examples take from the program around them. */
const GIVEN = {
  url: "declare const url: string;",
  request: "declare const request: RequestInit;",
  screen: "declare const screen: { append(text: string): void; grow(event: import('followup').PartialEvent): void };",
  ask: "declare function ask(...question: unknown[]): Promise<void>;",
  text: "declare const text: string;",
  conversation: "declare const conversation: unknown[];",
  send: "declare function send(answer: unknown): Promise<void>;",
};

/** What stands for the class of the host that an example extends. */
const ORIGINAL = `import type { ToolCallParserClass } from "followup/roo";
export declare const NativeToolCallParser: ToolCallParserClass;
`;

const BODY = `data: {"choices":[{"delta":{"content":"Hi. <ask_followup_question><question>Tea?</question></ask_followup_question>"}}]}\n\ndata: [DONE]\n\n`;

/** A program around the first example, which writes what it is told. */
const AROUND = `
  globalThis.url = "http://localhost";
  globalThis.request = {};
  globalThis.fetch = async () => new Response(${JSON.stringify(BODY)});
  globalThis.screen = { append: (text) => console.log("text", text), grow: ({ delta }) => console.log("grow", delta) };
  globalThis.ask = async (question) => console.log("ask", question);
`;

test("the types of all examples agree", () => {
  const folder = install();
  link(folder, "@types/node");
  assert.ok(blocks.length >= 2);
  writeFileSync(join(folder, "original-parser.ts"), ORIGINAL);
  const names = blocks.map(({ language, code }, i) => {
    const declared = Object.entries(GIVEN).filter(([name]) => new RegExp(`(?<![.\\w])${name}\\b`).test(code));
    const name = `example-${i}.${language.includes("x") ? "tsx" : "ts"}`;
    writeFileSync(join(folder, name), [...declared.map(([, text]) => text), code, "export {};"].join("\n"));
    return name;
  });
  const options = ["--strict", "--noEmit", "--target", "es2022", "--module", "esnext", "--moduleResolution", "bundler", "--jsx", "react-jsx"];
  const { status, output } = tool("tsc", [...options, ...names], folder);
  assert.equal(status, 0, output);
});

test("the first example shows and asks a question", () => {
  const folder = install();
  writeFileSync(join(folder, "around.mjs"), AROUND);
  writeFileSync(join(folder, "example.mjs"), blocks[0].code);
  const written = execFileSync(process.execPath, ["--import", "./around.mjs", "example.mjs"], { cwd: folder, encoding: "utf8" });
  assert.equal(written, "text Hi. \ngrow Tea?\nask Tea?\n");
});
