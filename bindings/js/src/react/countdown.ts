// The hook that counts down to the automatic answer, and stops when the user does anything.

import { useCallback, useEffect, useRef, useState } from "react";

const TICK = 200;
/** A longer time between ticks means that the machine slept; only this much of it counts. */
const MAX_TICK = 1000;
/** A click comes alone where assistive technology makes it. */
const ACTIVITY = ["keydown", "pointerdown", "click", "wheel", "touchstart"];
/** Keys that lead to the countdown's own buttons, or do nothing alone. */
const QUIET_KEYS = ["Tab", "Shift", "Control", "Alt", "Meta"];

/** A countdown: not there, running, or paused. */
export type Countdown =
  { readonly type: "none" } | { readonly type: "running" | "paused"; readonly seconds: number };

export interface CountdownControl {
  readonly countdown: Countdown;
  readonly pause: () => void;
  readonly resume: () => void;
  /** Ends the countdown for good. */
  readonly stop: () => void;
}

type CountdownPhase = "running" | "paused" | "over";

/**
 * Counts down while the page is visible, from when it may begin, once. Ends for good when the user
 * does anything, except inside an element with `data-part="countdown"`.
 */
export function useCountdown(
  seconds: number,
  mayRun: boolean,
  onEnd: () => void,
): CountdownControl {
  const [phase, setPhase] = useState<CountdownPhase>("running");
  const [shown, setShown] = useState<number | undefined>();
  const left = useRef<number | undefined>(undefined);
  const end = useRef(onEnd);
  useEffect(() => void (end.current = onEnd));
  const isRunning = mayRun && seconds > 0 && phase === "running";

  useEffect(() => {
    if (!isRunning) return;
    let rest = left.current ?? seconds * 1000;
    let then = performance.now();
    const timer = setInterval(() => {
      const now = performance.now();
      if (!document.hidden) rest -= Math.min(now - then, MAX_TICK);
      then = now;
      left.current = rest;
      setShown(Math.max(0, Math.ceil(rest / 1000)));
      if (rest > 0) return;
      setPhase("over");
      end.current();
    }, TICK);
    return () => clearInterval(timer);
  }, [isRunning, seconds]);

  useEffect(() => {
    if (!isRunning) return;
    const onActivity = (event: Event) => {
      const isOwn =
        event.target instanceof Element && event.target.closest("[data-part=countdown]") !== null;
      const isQuiet = event instanceof KeyboardEvent && QUIET_KEYS.includes(event.key);
      if (!isOwn && !isQuiet) setPhase("over");
    };
    for (const type of ACTIVITY)
      document.addEventListener(type, onActivity, { capture: true, passive: true });
    return () =>
      ACTIVITY.forEach((type) => document.removeEventListener(type, onActivity, { capture: true }));
  }, [isRunning]);

  const isShown = mayRun && seconds > 0 && phase !== "over";
  return {
    countdown: isShown ? { type: phase, seconds: shown ?? seconds } : { type: "none" },
    pause: useCallback(() => setPhase("paused"), []),
    resume: useCallback(() => setPhase("running"), []),
    stop: useCallback(() => setPhase("over"), []),
  };
}
