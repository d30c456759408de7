import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ENTRIES } from "../pack.mjs";
import { install, link, tool } from "./help.mjs";

const CONSUMER = `
import { ArgumentsParser, events, FollowupStream, Parser, ResponseParser } from "followup";
import type { CallView, FollowupEvent, PolicyOptions } from "followup";
import { install } from "followup/host";
import module from "followup/followup.wasm";
${ENTRIES.map((name, i) => `import * as entry${i} from ${JSON.stringify(name)};`).join("\n")}

export function text(event: FollowupEvent): string {
  switch (event.type) {
    case "text": return event.text;
    case "opaque": return event.raw;
    case "partial": return event.delta;
    case "complete": return event.question + event.suggestions.map(({ answer }) => answer).join();
    case "rejected": return event.question ?? event.message;
    case "error": return event.code;
    default: { const none: never = event; return none; }
  }
}

export function limit(event: FollowupEvent): number | undefined {
  if (event.type !== "rejected") return undefined;
  if (event.code === "malformed") return event.note === "stream_ended" ? 0 : undefined;
  // @ts-expect-error Only a part that is too long has a limit.
  if (event.code === "truncated") return event.limit;
  return event.code === "too_long" && event.part === "question" ? event.limit : undefined;
}

const policy: PolicyOptions = { strict: true, limits: { question: 100 } };
// @ts-expect-error There is no such option.
new Parser({ strickt: true });
// @ts-expect-error A chunk is no number.
new Parser(policy).feed(1);

export async function all(response: Response, bytes: ReadableStream<Uint8Array>): Promise<CallView | undefined> {
  install(module);
  for await (const event of events(response, { format: "auto" })) text(event);
  for await (const event of events(bytes.pipeThrough(new FollowupStream()) as never)) text(event);
  using parser = new ArgumentsParser("AskUserQuestion");
  const format: string | undefined = new ResponseParser().detectedFormat;
  return format === undefined ? parser.view() : undefined;
}

export const all_entries = [${ENTRIES.map((_, i) => `entry${i}`).join()}];
`;

const MODULES = [
  ["bundler", "esnext"],
  ["node16", "node16"],
  ["nodenext", "nodenext"],
];
// With the types of Node, and with those of a browser only.
const LIBS = [
  ["Node", "es2022", "node"],
  ["a browser", "es2022,esnext.disposable,dom,dom.iterable,dom.asynciterable", "none"],
];

const folder = install();
link(folder, "@types/node");
writeFileSync(join(folder, "consumer.mts"), CONSUMER);
mkdirSync(join(folder, "node_modules/@types/none"));
writeFileSync(join(folder, "node_modules/@types/none/index.d.ts"), "export {};");

for (const [resolution, module] of MODULES) {
  for (const [name, lib, types] of LIBS) {
    test(`a consumer compiles: ${resolution}, types of ${name}`, () => {
      const options = ["--strict", "--exactOptionalPropertyTypes", "--noEmit", "--target", "es2022", "--lib", lib];
      const { status, output } = tool("tsc", [...options, "--module", module, "--moduleResolution", resolution, "--types", types, "consumer.mts"], folder);
      assert.equal(status, 0, output);
    });
  }
}
