// Renders one message of the model while it streams, with its questions and a button to stop it.

import { useLayoutEffect } from "react";
import {
  type Answer,
  type Call,
  Followup,
  type FormAnswer,
  type Part,
  useFollowup,
} from "followup/react";

/** Begins a response of the provider. */
export type Source = (signal: AbortSignal) => Promise<Response>;

interface MessageProps {
  readonly source: Source;
  /** The seconds after which the first suggestion is taken, or 0. */
  readonly autoAnswer: number;
  readonly onAnswer: (call: Call, answer: Answer, images: readonly string[]) => void;
  /** The user left the call unanswered, declined to answer, or wants to talk about it first. */
  readonly onEnd: (end: "cancel" | "decline" | "discuss") => void;
}

/** A message of the model: its prose, and its questions. */
export function Message({ source, autoAnswer, onAnswer, onEnd }: MessageProps) {
  const message = useFollowup(source);
  useLayoutEffect(followEnd, [message.parts]);

  function send(answer: Answer, call: Call, images: readonly string[]) {
    message.answer(call.index, answer, images);
    onAnswer(call, answer, images);
  }

  function end(type: "cancel" | "decline", call: Call) {
    message[type](call.index);
    onEnd(type);
  }

  function discuss(answers: readonly FormAnswer[], call: Call) {
    message.discuss(call.index, answers);
    onEnd("discuss");
  }

  function view(part: Part) {
    switch (part.type) {
      case "text":
        return <p className="prose">{part.text.trim()}</p>;
      case "call":
        return (
          <Followup
            call={part.call}
            className="question"
            autoAnswer={autoAnswer}
            images
            onAnswer={send}
            onCancel={(call) => end("cancel", call)}
            onDecline={(call) => end("decline", call)}
            // With a dialogue: where its question has `canDiscuss`.
            onDiscuss={part.call.tool === "AskUserQuestion" ? discuss : undefined}
          />
        );
      case "tool":
        return <p className="tool">{part.tool}</p>;
      case "error":
        return <p className="failed">{part.error.message}</p>;
    }
  }

  return (
    <article
      className="model"
      aria-label="The model’s message"
      aria-busy={message.status === "streaming"}
    >
      {message.parts.map((part, i) => (
        <div key={i}>{view(part)}</div>
      ))}
      {message.status === "streaming" && (
        <button type="button" className="stop" onClick={message.stop}>
          Stop
        </button>
      )}
      {message.status === "failed" && <p className="failed">{String(message.error)}</p>}
    </article>
  );
}

/** Keeps the end of the page in view, unless the user has scrolled away from it. */
function followEnd() {
  const { scrollHeight, scrollTop, clientHeight } = document.documentElement;
  if (scrollHeight - scrollTop - clientHeight < 120) window.scrollTo(0, scrollHeight);
}
