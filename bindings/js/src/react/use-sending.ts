// The hook that sends an answer through the caller's handlers, once, and reports failures.

import { useEffect, useRef, useState } from "react";
import type { Answer, FormAnswer } from "../dialogue-types.js";
import type { Call, OpenCall } from "./state.js";

/** What the user did with a call. */
export type Outcome =
  | {
      readonly type: "answered";
      readonly answer: Answer;
      readonly images: readonly string[];
    }
  | { readonly type: "cancelled" | "declined" }
  | { readonly type: "discussed"; readonly answers: readonly FormAnswer[] };

/** Sends what the user did. */
export interface FollowupHandlers {
  /**
   * Sends the user's answer, and the images that go with it, as data URLs. While its promise is
   * pending nothing else can be sent; if it fails, the user can try again.
   */
  readonly onAnswer: (answer: Answer, call: OpenCall, images: readonly string[]) => unknown;
  /** Sends that the user leaves the call unanswered. Without it, the user can't. */
  readonly onCancel?: ((call: OpenCall) => unknown) | undefined;
  /**
   * Sends that the user declines to answer the questions of another tool. Without it, the user
   * can't.
   */
  readonly onDecline?: ((call: OpenCall) => unknown) | undefined;
  /**
   * Sends that the user wants to talk about the questions of another tool first, and the answers so
   * far. Without it, the user can't: give it for calls whose tool has a reply for that
   * (`OpenQuestion.canDiscuss` of the dialogue).
   */
  readonly onDiscuss?: ((answers: readonly FormAnswer[], call: OpenCall) => unknown) | undefined;
}

type SendingPhase =
  | { readonly type: "none" }
  | { readonly type: "sending" | "sent"; readonly outcome: Outcome }
  | { readonly type: "failed"; readonly reason: unknown };

const NONE: SendingPhase = { type: "none" };

export interface Sending {
  readonly state: Call["state"] | "sending";
  readonly outcome: Outcome | undefined;
  /** Why the last outcome was not sent. */
  readonly error: { readonly reason: unknown } | undefined;
  /** Sends an outcome, if the call is open and no other one is being sent. */
  readonly send: (outcome: Outcome) => void;
}

/**
 * Sends the outcome of a call, once. Another key is another call, of which nothing has been sent.
 */
export function useSending(call: Call, key: number, handlers: FollowupHandlers): Sending {
  const [known, setKnown] = useState({ key, phase: NONE });
  const phase = known.key === key ? known.phase : NONE;
  /** The keys of the calls that are being sent, or have been. */
  const busy = useRef(new Set<number>());
  const current = useRef({ call, key, handlers });
  useEffect(() => void (current.current = { call, key, handlers }));

  /** Sets the phase, unless the next call is shown. */
  function change(phase: SendingPhase): void {
    setKnown((known) => (known.key > key ? known : { key, phase }));
  }

  async function send(outcome: Outcome): Promise<void> {
    // An answer that waited for its images may come when the next call is shown.
    const own = current.current.key === key ? current.current : { call, handlers };
    if (own.call.state !== "open" || busy.current.has(key)) return;
    busy.current.add(key);
    change({ type: "sending", outcome });
    try {
      await deliver(outcome, own.call, own.handlers);
      change({ type: "sent", outcome });
    } catch (reason) {
      busy.current.delete(key);
      change({ type: "failed", reason });
    }
  }

  const error = phase.type === "failed" ? { reason: phase.reason } : undefined;
  const base = { error, send: (outcome: Outcome) => void send(outcome) };
  if (call.state !== "open") return { ...base, state: call.state, outcome: outcomeOf(call) };
  if (phase.type === "sent") return { ...base, state: phase.outcome.type, outcome: phase.outcome };
  if (phase.type === "sending") return { ...base, state: "sending", outcome: phase.outcome };
  return { ...base, state: "open", outcome: undefined };
}

function deliver(outcome: Outcome, call: OpenCall, handlers: FollowupHandlers): unknown {
  switch (outcome.type) {
    case "answered":
      return handlers.onAnswer(outcome.answer, call, outcome.images);
    case "cancelled":
      return handlers.onCancel?.(call);
    case "declined":
      return handlers.onDecline?.(call);
    case "discussed":
      return handlers.onDiscuss?.(outcome.answers, call);
  }
}

function outcomeOf(call: Call): Outcome | undefined {
  switch (call.state) {
    case "answered":
      return { type: "answered", answer: call.answer, images: call.images ?? [] };
    case "cancelled":
    case "declined":
      return { type: call.state };
    case "discussed":
      return { type: "discussed", answers: call.answers };
    default:
      return undefined;
  }
}
