// Frees what a program has forgotten, and names the method with which `using` frees the rest.

/// <reference lib="esnext.disposable" preserve="true" />

/** Where a parser or a dialogue is: its module, and its number there. */
interface Place {
  readonly boundary: { free(number: number): void };
  readonly number: number;
}

/** Frees parsers and dialogues that were forgotten. Workers have no such registry by default. */
export const forgotten: FinalizationRegistry<Place> | undefined =
  typeof FinalizationRegistry === "undefined"
    ? undefined
    : new FinalizationRegistry(({ boundary, number }) => boundary.free(number));

export const dispose: typeof Symbol.dispose = Symbol.dispose ?? Symbol.for("Symbol.dispose");
