/** What is read of the parameters of a model's call. */
export interface CallOptions {
  readonly prompt: readonly object[];
  readonly tools?: readonly OfferedTool[] | undefined;
  readonly toolChoice?: { readonly type: string; readonly toolName?: string } | undefined;
}

export interface OfferedTool {
  readonly type: string;
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema?: unknown;
}

export function toText<Params extends CallOptions>(params: Params): Params {
  return params;
}
