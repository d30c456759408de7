// The page of the example: a chat with useChat that renders tool calls as questions with buttons.

import { useChat } from "@ai-sdk/react";
import { lastAssistantMessageIsCompleteWithToolCalls } from "ai";
import { createRoot } from "react-dom/client";

function Chat() {
  const { messages, sendMessage, addToolOutput, status, error } = useChat({
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls,
  });
  const answer = (part, output) =>
    addToolOutput({ tool: "ask_followup_question", toolCallId: part.toolCallId, output });
  return (
    <>
      {messages.map(({ id, role, parts }) => (
        <article key={id} aria-label={role}>
          {parts.map((part, i) => {
            if (part.type === "text") return <p key={i}>{part.text}</p>;
            if (part.type === "tool-ask_followup_question")
              return <Question key={part.toolCallId} part={part} answer={answer} />;
            return null;
          })}
        </article>
      ))}
      {error && <p role="alert">{error.message}</p>}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          sendMessage({ text: new FormData(event.target).get("text") });
          event.target.reset();
        }}
      >
        <input name="text" aria-label="Message" required disabled={status !== "ready"} />
      </form>
    </>
  );
}

/** A question, as far as it has come. It can be answered once all of it has. */
function Question({ part, answer }) {
  const { question, follow_up = [] } = part.input ?? {};
  if (part.state === "output-error") return <p role="alert">{part.errorText}</p>;
  return (
    <fieldset disabled={part.state !== "input-available"}>
      <legend>{question}</legend>
      {follow_up.map((suggestion, i) => (
        <button key={i} type="button" onClick={() => answer(part, suggestion.text)}>
          {suggestion.text}
          {suggestion.mode && <small> ({suggestion.mode})</small>}
        </button>
      ))}
      {part.state === "output-available" && <output>{part.output}</output>}
    </fieldset>
  );
}

createRoot(document.getElementById("chat")).render(<Chat />);
