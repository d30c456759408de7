// Renders how a call ended, and words it for screen readers.

import type { ReactElement } from "react";
import { answerText } from "./answer.js";
import type { FollowupLabels } from "./labels.js";
import { type Look, part } from "./look.js";
import type { Call } from "./state.js";
import type { Outcome, Sending } from "./use-sending.js";

interface OutcomeViewProps {
  readonly call: Call;
  readonly sending: Sending;
  readonly look: Look;
}

/** Shows what became of a call: the answer in words, or what went wrong. */
export function OutcomeView({ call, sending, look }: OutcomeViewProps): ReactElement {
  const { state, outcome, error } = sending;
  const { labels } = look;
  const answer = outcome?.type === "answered" ? outcome.answer : undefined;
  // What was picked is marked already.
  const isWritten = answer?.type === "text" || answer?.type === "edited";
  return (
    <>
      {isWritten && answer.text !== "" && state === "answered" && (
        <p {...part(look, "answered")} dir="auto">
          {answer.text}
        </p>
      )}
      {outcome?.type === "answered" && outcome.images.length > 0 && state === "answered" && (
        <ul {...part(look, "images")} aria-label={labels.images}>
          {outcome.images.map((url, i) => (
            <li {...part(look, "image")} key={i}>
              <img src={url} alt={labels.image(i + 1)} />
            </li>
          ))}
        </ul>
      )}
      {(state === "cancelled" || state === "declined" || state === "discussed") && (
        <p {...part(look, "closed")}>{labels[state]}</p>
      )}
      {call.state === "rejected" && (
        <p {...part(look, "problem")} role="alert">
          {labels.rejected(call.message)}
        </p>
      )}
      {error !== undefined && (
        <p {...part(look, "problem")} role="alert">
          {labels.failed(error.reason)}
        </p>
      )}
    </>
  );
}

/** Returns what a screen reader says of a call. */
export function statusText(
  { title, questions }: Call,
  state: Sending["state"],
  outcome: Outcome | undefined,
  labels: FollowupLabels,
): string {
  switch (state) {
    case "growing":
      return labels.growing;
    case "open": {
      const count = questions.reduce((sum, { suggestions }) => sum + suggestions.length, 0);
      return labels.open(
        [title, ...questions.map(({ text }) => text)].filter(Boolean).join(" "),
        count,
      );
    }
    case "sending":
      return labels.sending;
    case "answered":
      return outcome?.type === "answered"
        ? labels.answered(answerText(questions, outcome.answer), outcome.images.length)
        : "";
    case "cancelled":
    case "declined":
    case "discussed":
      return labels[state];
    case "rejected":
      // An alert says it.
      return "";
  }
}
