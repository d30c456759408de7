import type { ReactElement } from "react";
import { answerText, type FollowupAnswer } from "./answer.js";
import type { FollowupLabels } from "./labels.js";
import { type Look, part } from "./look.js";
import type { Call } from "./state.js";
import type { Sending } from "./use-sending.js";

interface OutcomeProps {
  readonly call: Call;
  readonly state: Sending["state"];
  readonly answer: FollowupAnswer | undefined;
  readonly error: Sending["error"];
  readonly look: Look;
}

/** Shows what became of a call: the answer in words, or what went wrong. */
export function Outcome({ call, state, answer, error, look }: OutcomeProps): ReactElement {
  // What was picked is marked already.
  const isWritten = answer?.type === "text" || answer?.type === "edited";
  return (
    <>
      {isWritten && state === "answered" && (
        <p {...part(look, "answered")} dir="auto">
          {answer.text}
        </p>
      )}
      {call.state === "rejected" && (
        <p {...part(look, "problem")} role="alert">
          {look.labels.rejected(call.message)}
        </p>
      )}
      {error !== undefined && (
        <p {...part(look, "problem")} role="alert">
          {look.labels.failed(error.reason)}
        </p>
      )}
    </>
  );
}

/** Returns what a screen reader says of a call. */
export function statusText(
  { title, questions }: Call,
  state: Sending["state"],
  answer: FollowupAnswer | undefined,
  labels: FollowupLabels,
): string {
  switch (state) {
    case "growing":
      return labels.growing;
    case "open": {
      const count = questions.reduce((sum, { suggestions }) => sum + suggestions.length, 0);
      return labels.open([title, ...questions.map(({ text }) => text)].filter(Boolean).join(" "), count);
    }
    case "sending":
      return labels.sending;
    case "answered":
      return labels.answered(answer ? answerText(questions, answer) : "");
    case "rejected":
      // An alert says it.
      return "";
  }
}
