// What the package's main entry exports. The host has to install the WebAssembly module itself.

export * from "./parsers.js";
export type * from "./events.js";
export type { CallLimits, PolicyOptions, ResponseOptions } from "./options.js";
export type { ResponseLike } from "./chunks.js";
export { StatusError } from "./status.js";
export { events, FollowupStream, type Source, type StreamOptions } from "./streams.js";
export type { CallView, QuestionView, SuggestionView } from "./view.js";
