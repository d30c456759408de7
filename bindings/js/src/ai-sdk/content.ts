// Converts the content of a response that is not streamed into stream parts, and back.

import type { FinishReason, KnownPart, StreamPart } from "./parts.js";

/** An item of the content of a response that is not streamed. */
export interface ContentItem {
  readonly type: string;
}

interface TextItem extends ContentItem {
  readonly text: string;
  readonly citations?: readonly object[];
  readonly providerMetadata?: object;
}

/**
 * Returns the parts of a stream with this content. Items without a part of their own stay as they
 * are.
 */
export function items(content: readonly ContentItem[], finishReason: FinishReason): StreamPart[] {
  const parts = content.flatMap((item, i): StreamPart[] => {
    const id = String(i);
    if (item.type === "text") {
      const { text, type, citations, ...rest } = item as TextItem;
      return [
        { type: "text-start", id, ...rest } as StreamPart,
        { type: "text-delta", id, delta: text } as StreamPart,
        { type: "text-end", id, ...(citations && { citations }) } as StreamPart,
      ];
    }
    if (item.type === "reasoning")
      return [{ type: "reasoning-delta", delta: (item as TextItem).text, item } as StreamPart];
    return [item];
  });
  return [...parts, { type: "finish", finishReason } as StreamPart];
}

/** Returns the content of a stream with these parts, and why it finished. */
export function content(parts: readonly StreamPart[]): {
  content: ContentItem[];
  finishReason: FinishReason;
} {
  const content: ContentItem[] = [];
  const texts = new Map<string, { type: string; text: string; citations?: readonly object[] }>();
  let finishReason: FinishReason = { unified: "other", raw: undefined };
  for (const unknown of parts) {
    const part = unknown as KnownPart;
    switch (part.type) {
      case "text-start": {
        const { id, ...rest } = part;
        const item = { ...rest, type: "text", text: "" };
        texts.set(id, item);
        content.push(item);
        break;
      }
      case "text-delta": {
        const item = texts.get(part.id);
        if (item) item.text += part.delta;
        break;
      }
      case "text-end": {
        const item = texts.get(part.id);
        if (item && part.citations) item.citations = part.citations;
        break;
      }
      case "tool-input-start":
      case "tool-input-delta":
      case "tool-input-end":
        break;
      case "reasoning-delta":
        content.push((part as unknown as { item: ContentItem }).item);
        break;
      case "finish":
        finishReason = part.finishReason;
        break;
      default:
        content.push(part);
    }
  }
  return { content, finishReason };
}
