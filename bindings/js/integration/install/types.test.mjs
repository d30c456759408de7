// Tests that TypeScript programs compile against the installed package, in each module resolution.

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
import type { StreamSource } from "followup/react";
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

/**
 * A response of a library: undici's and node-fetch's have fewer members than that of \`fetch\`, and
 * other streams.
 */
interface Shim {
  ok: boolean;
  status: number;
  statusText: string;
  body: AsyncIterable<Uint8Array> | null;
}

export async function shims(shim: Shim, texts: AsyncIterable<string>): Promise<void> {
  for await (const event of events(shim)) text(event);
  for await (const event of events(texts)) text(event);
  const source: StreamSource = () => Promise.resolve(shim);
  void source;
  // @ts-expect-error A response has a body.
  events({ ok: true, status: 200, statusText: "" });
}

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

/** The static functions of Roo Code's class, as its source declares them, through `dropIn`. */
const ROO = `
import { dropIn, type FollowUp, type PartialToolUse } from "followup/roo";

type ToolParamName = "question" | "follow_up" | "path" | "mode";
interface ToolUse {
  type: "tool_use";
  id?: string;
  name: string;
  originalName?: string;
  params: Partial<Record<ToolParamName, string>>;
  partial: boolean;
  nativeArgs?: { question: string; follow_up: { text: string; mode?: string }[] };
}
interface McpToolUse {
  type: "mcp_tool_use";
  id?: string;
  name: string;
  serverName: string;
  toolName: string;
  arguments: Record<string, unknown>;
  partial: boolean;
}
type ToolCallStreamEvent =
  | { type: "tool_call_start"; id: string; name: string }
  | { type: "tool_call_delta"; id: string; delta: string }
  | { type: "tool_call_end"; id: string };

declare class NativeToolCallParser {
  static processRawChunk(chunk: { index: number; id?: string; name?: string; arguments?: string }): ToolCallStreamEvent[];
  static processFinishReason(reason?: string | null): ToolCallStreamEvent[];
  static finalizeRawChunks(): ToolCallStreamEvent[];
  static clearRawChunkState(): void;
  static startStreamingToolCall(id: string, name: string): void;
  static clearAllStreamingToolCalls(): void;
  static hasActiveStreamingToolCalls(): boolean;
  static processStreamingChunk(id: string, chunk: string): ToolUse | null;
  static finalizeStreamingToolCall(id: string): ToolUse | McpToolUse | null;
  static parseToolCall(call: { id: string; name: string; arguments: string }): ToolUse | McpToolUse | null;
}

type Same<One, Two> = (<T>() => T extends One ? 1 : 2) extends <T>() => T extends Two ? 1 : 2 ? true : false;
const DropIn = dropIn(NativeToolCallParser, { names: ["ask_followup_question", "ask"] });
const isSame: Same<typeof DropIn, typeof NativeToolCallParser> = true;
type Functions = Exclude<keyof typeof DropIn, "prototype">;
const all: Record<Functions, true> = {
  processRawChunk: true,
  processFinishReason: true,
  finalizeRawChunks: true,
  clearRawChunkState: true,
  startStreamingToolCall: true,
  clearAllStreamingToolCalls: true,
  hasActiveStreamingToolCalls: true,
  processStreamingChunk: true,
  finalizeStreamingToolCall: true,
  parseToolCall: true,
};
const use: ToolUse | null = DropIn.processStreamingChunk("1", "{");
const followUp: readonly FollowUp[] | undefined = use?.nativeArgs?.follow_up;
// @ts-expect-error A chunk is text.
DropIn.processStreamingChunk("1", 1);
// @ts-expect-error This class has none of the functions.
dropIn(class {});
export { all, followUp, isSame, type PartialToolUse };
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
writeFileSync(join(folder, "roo.mts"), ROO);
mkdirSync(join(folder, "node_modules/@types/none"));
writeFileSync(join(folder, "node_modules/@types/none/index.d.ts"), "export {};");

for (const [resolution, module] of MODULES) {
  for (const [name, lib, types] of LIBS) {
    test(`a consumer compiles: ${resolution}, types of ${name}`, () => {
      const options = [
        "--strict",
        "--exactOptionalPropertyTypes",
        "--noEmit",
        "--target",
        "es2022",
        "--lib",
        lib,
      ];
      const { status, output } = tool(
        "tsc",
        [
          ...options,
          "--module",
          module,
          "--moduleResolution",
          resolution,
          "--types",
          types,
          "consumer.mts",
        ],
        folder,
      );
      assert.equal(status, 0, output);
    });
  }
}

test("a class through dropIn keeps the types of its ten static functions", () => {
  const options = [
    "--strict",
    "--noEmit",
    "--target",
    "es2022",
    "--module",
    "nodenext",
    "--types",
    "node",
  ];
  const { status, output } = tool("tsc", [...options, "roo.mts"], folder);
  assert.equal(status, 0, output);
});
