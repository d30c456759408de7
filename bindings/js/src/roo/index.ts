// What the entry `followup/roo` exports: `dropIn` and its types.

export { dropIn, type DropInOptions } from "./drop-in.js";
export type { FollowUp, PartialToolUse, ToolCallParserClass } from "./types.js";
