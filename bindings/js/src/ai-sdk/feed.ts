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
      const joined = join(events.at(-1), event);
      if (joined === undefined) events.push(event);
      else events[events.length - 1] = joined;
    }
  }
  return events;
}

/** Returns two events as one, if only the cut parts them. */
function join(last: FollowupEvent | undefined, next: FollowupEvent): FollowupEvent | undefined {
  if (last?.type === "text" && next.type === "text") return { ...last, text: last.text + next.text };
  if (last?.type !== "opaque" || next.type !== "opaque" || next.start) return undefined;
  const isSame = last.tool === next.tool && last.id === next.id;
  return isSame ? { ...last, raw: last.raw + next.raw } : undefined;
}
