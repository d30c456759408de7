// What the entry `followup/react` exports: the component, the hook, the store and their types.

"use client";

export { answerText } from "./answer.js";
export type { ResponseLike } from "../chunks.js";
export type { Answer, FormAnswer } from "../dialogue-types.js";
export { Followup, type FollowupProps } from "./followup.js";
export type { ImageProblem } from "./image.js";
export type { FollowupLabels } from "./labels.js";
export type { FollowupPart } from "./look.js";
export type { Stream, StreamItem, StreamSource } from "./source.js";
export type {
  AnsweredCall,
  Call,
  CallBase,
  ClosedCall,
  Content,
  DiscussedCall,
  FollowupState,
  GrowingCall,
  OpenCall,
  Part,
  RejectedCall,
  Status,
} from "./state.js";
export { FollowupStore } from "./store.js";
export { StatusError } from "../status.js";
export type { FollowupHandlers } from "./use-sending.js";
export { type FollowupResult, useFollowup } from "./use-followup.js";
