import type { FollowupEvent } from "../events.js";

/**
 * Feeds a text and returns its events, in an order that does not depend on the cut.
 *
 * Of one chunk the parser may return what it read of several fields in another order than that of
 * the text, as where a form is a string. JSON has to have one order. So each code unit is a chunk.
 */
export function feed(parser: { feed(chunk: string): FollowupEvent[] }, text: string): FollowupEvent[] {
  const events: FollowupEvent[] = [];
  for (let i = 0; i < text.length; i++) {
    for (const event of parser.feed(text.charAt(i))) {
      const last = events.at(-1);
      if (event.type === "text" && last?.type === "text")
        events[events.length - 1] = { ...last, text: last.text + event.text };
      else events.push(event);
    }
  }
  return events;
}
