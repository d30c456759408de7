import { useEffect, useRef, useState } from "react";
import type { FollowupAnswer } from "./answer.js";
import type { Call, OpenCall } from "./state.js";

type Phase =
  | { readonly type: "none" }
  | { readonly type: "sending" | "sent"; readonly answer: FollowupAnswer }
  | { readonly type: "failed"; readonly reason: unknown };

export interface Sending {
  readonly state: Call["state"] | "sending";
  readonly answer: FollowupAnswer | undefined;
  /** Why the last answer was not sent. */
  readonly error: { readonly reason: unknown } | undefined;
  /** Sends an answer, if the call is open and no other one is being sent. */
  readonly send: (answer: FollowupAnswer) => void;
}

/** Sends the answer to a call, once. */
export function useSending(call: Call, onAnswer: (answer: FollowupAnswer, call: OpenCall) => unknown): Sending {
  const [phase, setPhase] = useState<Phase>({ type: "none" });
  const isBusy = useRef(false);
  const current = useRef({ call, onAnswer });
  useEffect(() => void (current.current = { call, onAnswer }));

  async function send(answer: FollowupAnswer): Promise<void> {
    const { call, onAnswer } = current.current;
    if (call.state !== "open" || isBusy.current) return;
    isBusy.current = true;
    setPhase({ type: "sending", answer });
    try {
      await onAnswer(answer, call);
      setPhase({ type: "sent", answer });
    } catch (reason) {
      isBusy.current = false;
      setPhase({ type: "failed", reason });
    }
  }

  const error = phase.type === "failed" ? { reason: phase.reason } : undefined;
  const base = { error, send: (answer: FollowupAnswer) => void send(answer) };
  if (call.state === "answered") return { ...base, state: "answered", answer: call.answer };
  if (call.state === "open" && phase.type === "sent") return { ...base, state: "answered", answer: phase.answer };
  if (call.state === "open" && phase.type === "sending") return { ...base, state: "sending", answer: phase.answer };
  return { ...base, state: call.state, answer: undefined };
}
