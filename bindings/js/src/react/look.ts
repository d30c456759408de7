// The names of all elements that can be styled, and the attributes that identify them.

import type { CSSProperties, ReactNode } from "react";
import type { FollowupLabels } from "./labels.js";

/** The parts of the component. Each has its name as `data-part`. */
export type FollowupPart =
  | "title"
  | "header"
  | "question"
  | "detail"
  | "suggestions"
  | "suggestion"
  | "take"
  | "edit"
  | "answer"
  | "mode"
  | "recommended"
  | "description"
  | "preview"
  | "field"
  | "options"
  | "option"
  | "form"
  | "own"
  | "label"
  | "edited"
  | "text"
  | "buttons"
  | "send"
  | "next"
  | "review"
  | "entry"
  | "given"
  | "change"
  | "countdown"
  | "pause"
  | "stop"
  | "problem"
  | "answered"
  | "images"
  | "image"
  | "add"
  | "remove"
  | "cancel"
  | "decline"
  | "discuss"
  | "confirm"
  | "agree"
  | "keep"
  | "closed"
  | "status";

/** How the component looks, and what it says. */
export interface Look {
  readonly labels: FollowupLabels;
  readonly classNames: Partial<Record<FollowupPart, string>>;
  readonly renderText: (text: string) => ReactNode;
}

/** Returns the attributes by which a part is styled. */
export function part(
  { classNames }: Look,
  name: FollowupPart,
): { "data-part": FollowupPart; className?: string } {
  const className = classNames[name];
  return className === undefined ? { "data-part": name } : { "data-part": name, className };
}

/** Only for screen readers. */
export const HIDDEN: CSSProperties = {
  position: "absolute",
  width: 1,
  height: 1,
  margin: -1,
  padding: 0,
  border: 0,
  overflow: "hidden",
  clipPath: "inset(50%)",
  whiteSpace: "nowrap",
};
