// The types of the AI SDK's stream parts, as far as the middleware uses them.

/** A part of a model's stream, of a kind that may not be known here. */
export interface StreamPart {
  readonly type: string;
}

/** What a provider adds to a part, by its name. */
export type ProviderMetadata = Readonly<Record<string, object>>;

/** Joins the metadata of two parts, by provider. The later part counts. */
export function merged(
  one: ProviderMetadata | undefined,
  two: ProviderMetadata | undefined,
): ProviderMetadata | undefined {
  if (one === undefined || two === undefined) return two ?? one;
  const both = Object.entries(two).map(([provider, values]) => [
    provider,
    { ...one[provider], ...values },
  ]);
  return { ...one, ...Object.fromEntries(both) };
}

interface Metadata {
  readonly providerMetadata?: ProviderMetadata;
}

export interface TextStart extends Metadata {
  readonly type: "text-start";
  readonly id: string;
}

export interface TextDelta extends Metadata {
  readonly type: "text-delta";
  readonly id: string;
  readonly delta: string;
}

export interface TextEnd extends Metadata {
  readonly type: "text-end";
  readonly id: string;
  /** What the text refers to. */
  readonly citations?: readonly object[];
}

export interface ReasoningDelta {
  readonly type: "reasoning-delta";
  readonly delta: string;
}

export interface InputStart extends Metadata {
  readonly type: "tool-input-start";
  readonly id: string;
  readonly toolName: string;
  readonly inputEncoding?: string;
  readonly providerExecuted?: boolean;
}

export interface InputDelta extends Metadata {
  readonly type: "tool-input-delta";
  readonly id: string;
  readonly delta: string;
}

export interface InputEnd extends Metadata {
  readonly type: "tool-input-end";
  readonly id: string;
}

export interface ToolCall extends Metadata {
  readonly type: "tool-call";
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: string;
  readonly providerExecuted?: boolean;
}

/** Why a model stopped. */
export interface FinishReason {
  readonly unified: string;
  readonly raw: string | undefined;
}

export interface Finish {
  readonly type: "finish";
  readonly finishReason: FinishReason;
}

/** The parts that are read. All others are passed through. */
export type KnownPart =
  | TextStart
  | TextDelta
  | TextEnd
  | ReasoningDelta
  | InputStart
  | InputDelta
  | InputEnd
  | ToolCall
  | Finish;
