// Renders the countdown to the automatic answer, with its buttons.

import type { ReactElement } from "react";
import type { Countdown } from "./countdown.js";
import { type Look, part } from "./look.js";

interface CountdownViewProps {
  readonly countdown: Countdown;
  /** The answer that is taken, if it is one. */
  readonly answer: string | undefined;
  readonly look: Look;
  readonly onPause: () => void;
  readonly onResume: () => void;
  readonly onStop: () => void;
}

/** Shows the countdown, with buttons that pause and stop it. */
export function CountdownView({
  countdown,
  answer,
  look,
  onPause,
  onResume,
  onStop,
}: CountdownViewProps): ReactElement | null {
  if (countdown.type === "none") return null;
  const { labels } = look;
  const isPaused = countdown.type === "paused";
  return (
    <div {...part(look, "countdown")} data-state={countdown.type}>
      {/* Each second would be read aloud. */}
      <span role="timer" aria-live="off" dir="auto">
        {labels.countdown(countdown.seconds, answer)}
      </span>{" "}
      <button type="button" {...part(look, "pause")} onClick={isPaused ? onResume : onPause}>
        {isPaused ? labels.resume : labels.pause}
      </button>
      <button type="button" {...part(look, "stop")} onClick={onStop}>
        {labels.stop}
      </button>
    </div>
  );
}
