// The buttons that cancel, decline or discuss a call instead of answering it.

import { type ReactElement, useState } from "react";
import { Confirm } from "./confirm.js";
import { type Look, part } from "./look.js";

/** An end of a call without an answer. */
export type End = "cancelled" | "declined" | "discussed";

interface EndsProps {
  /** The ends that the user can choose. */
  readonly ends: readonly End[];
  readonly questions: number;
  readonly isOpen: boolean;
  readonly look: Look;
  readonly onEnd: (end: End) => void;
}

/** The buttons that end a call without an answer, after a question whether that is meant. */
export function Ends({ ends, questions, isOpen, look, onEnd }: EndsProps): ReactElement {
  const { labels } = look;
  const [asked, setAsked] = useState<End | undefined>();
  const words = {
    cancelled: { name: "cancel", yes: labels.cancel, question: labels.confirmCancel(questions) },
    declined: { name: "decline", yes: labels.decline, question: labels.confirmDecline },
    discussed: { name: "discuss", yes: labels.discuss, question: labels.confirmDiscuss },
  } as const;

  function end(isAgreed: boolean): void {
    setAsked(undefined);
    if (isAgreed && asked) onEnd(asked);
  }

  return (
    <>
      {ends.map((one) => (
        <button
          type="button"
          key={one}
          {...part(look, words[one].name)}
          aria-disabled={!isOpen || undefined}
          onClick={() => isOpen && setAsked(one)}
        >
          {words[one].yes}
        </button>
      ))}
      {asked && <Confirm {...words[asked]} look={look} onEnd={end} />}
    </>
  );
}
