// A TypeScript program that uses the package; a test lets Deno check its types.

import { type FollowupEvent, Parser } from "followup";

const events: FollowupEvent[] = new Parser({ strict: true }).feed("text");
console.log(events.map((event) => (event.type === "text" ? event.text : "")).join());
