// What `followup/core` exports: the parsers of messages and of native arguments, and their types.

export { ArgumentsParser, install, Parser } from "./parsers.js";
export type * from "./events.js";
export type { CallLimits, PolicyOptions } from "./options.js";
export type { CallView, QuestionView, SuggestionView } from "./view.js";
