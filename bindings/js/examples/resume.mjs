// Stops inside a question, and continues with the checkpoint in another process.
//
//   node examples/resume.mjs

import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { Parser } from "followup";

const CHUNKS = [
  "<ask_followup_question><question>Tea or cof",
  "fee?</question><follow_up><suggest>Tea</suggest></follow_up></ask_followup_question>",
];

const [checkpoint] = process.argv.slice(2);
if (checkpoint === undefined) {
  const parser = new Parser();
  console.log("first process:", parser.feed(CHUNKS[0]));
  const bytes = Buffer.from(parser.checkpoint());
  execFileSync(process.execPath, [fileURLToPath(import.meta.url), bytes.toString("base64")], {
    stdio: "inherit",
  });
} else {
  const parser = new Parser({}, Buffer.from(checkpoint, "base64"));
  console.log("second process:", parser.feed(CHUNKS[1]).at(-1));
}
