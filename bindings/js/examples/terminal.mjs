// Shows a recorded response as it would arrive: prose, and a question that grows.
//
//   node examples/terminal.mjs ../../examples/responses/openai-chat.sse

import { createReadStream } from "node:fs";
import { stdout } from "node:process";
import { events } from "followup";

const [file = "../../examples/responses/openai-chat.sse"] = process.argv.slice(2);
let shown; // the field that is being shown

for await (const event of events(createReadStream(file, { highWaterMark: 16 }))) {
  if (event.type === "text") {
    stdout.write(event.text);
  } else if (event.type === "partial") {
    const field = `${event.field} ${event.suggestionIndex ?? ""}`;
    stdout.write(
      field === shown
        ? event.delta
        : `\n${event.field === "suggestion" ? "  - " : ""}${event.delta}`,
    );
    shown = field;
  } else if (event.type === "complete") {
    stdout.write(
      `\n\nask: ${event.question} (${event.suggestions.map(({ answer }) => answer).join(" | ")})\n`,
    );
  } else if (event.type !== "opaque") {
    stdout.write(`\n[${event.message}]\n`);
  }
}
