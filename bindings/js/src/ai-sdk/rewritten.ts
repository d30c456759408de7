// Wraps a model's stream in one that returns the rewritten parts, with backpressure.

import type { StreamPart } from "./parts.js";
import { Rewriter } from "./rewriter.js";
import type { Settings } from "./settings.js";

/**
 * Returns the stream of the rewritten parts. It reads a part when one is asked for.
 *
 * A `TransformStream` would do the same, but costs more than the rewriting.
 */
export function rewritten(
  source: ReadableStream<StreamPart>,
  settings: Settings,
): ReadableStream<StreamPart> {
  const reader = source.getReader();
  let rewriter: Rewriter;
  let hasEnqueued = false;

  async function next(controller: ReadableStreamDefaultController<StreamPart>): Promise<void> {
    for (hasEnqueued = false; !hasEnqueued;) {
      const { done, value } = await reader.read();
      if (done) {
        rewriter.end();
        return controller.close();
      }
      rewriter.part(value);
    }
  }

  return new ReadableStream<StreamPart>(
    {
      start(controller) {
        rewriter = new Rewriter(settings, (part) => {
          hasEnqueued = true;
          controller.enqueue(part);
        });
      },
      pull: (controller) =>
        next(controller).catch((error: unknown) => {
          rewriter.free();
          reader.cancel(error).catch(() => {});
          throw error;
        }),
      cancel(reason) {
        rewriter.free();
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}
