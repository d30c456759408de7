// The chat of the example: messages of the user and the model, and the field for the next one.

import { type Answer, answerText, type Call } from "followup/react";
import { type FormEvent, useState } from "react";
import { Message, type Source } from "./message.js";

type Entry =
  | { readonly type: "user"; readonly text: string }
  | { readonly type: "model"; readonly source: Source };

/** What the model is told of a call without an answer. */
const ENDS = {
  cancel: "The user gave no answer.",
  decline: "The user declined to answer.",
  discuss: "The user wants to talk about the questions first.",
};

/** The whole page: the messages so far, and a field for the next one. */
export function Chat() {
  const [entries, setEntries] = useState<readonly Entry[]>([]);
  const [mode, setMode] = useState("ask");
  const [text, setText] = useState("");
  const [seconds, setSeconds] = useState(0);

  /** Adds what the user said, and begins the model's next message. */
  function say(said: Entry[]) {
    const turn = entries.filter(({ type }) => type === "model").length;
    const source: Source = (signal) =>
      fetch("/chat", { method: "POST", signal, body: JSON.stringify({ turn }) });
    setEntries([...entries, ...said, { type: "model", source }]);
  }

  function send(event: FormEvent) {
    event.preventDefault();
    if (text.trim() === "") return;
    say([{ type: "user", text: text.trim() }]);
    setText("");
  }

  /** A real page sends the answer to its model here, as the result of the call. */
  function answered(call: Call, answer: Answer, images: readonly string[]) {
    const suggestion =
      answer.type === "suggestion" || answer.type === "edited"
        ? call.questions[0]?.suggestions[answer.suggestion]
        : undefined;
    if (suggestion?.mode) setMode(suggestion.mode);
    console.log("to the model:", answerText(call.questions, answer), ...images);
    say([]);
  }

  function ended(end: keyof typeof ENDS) {
    console.log("to the model:", ENDS[end]);
    say([]);
  }

  return (
    <>
      <header className="top">
        <h1>A chat that asks</h1>
        <label>
          Wait
          <select value={seconds} onChange={(event) => setSeconds(Number(event.target.value))}>
            <option value={0}>for me</option>
            <option value={15}>15 s</option>
            <option value={60}>60 s</option>
          </select>
        </label>
        <span className="badge">mode: {mode}</span>
      </header>
      <main>
        {entries.length === 0 && (
          <p className="welcome">
            Write anything. The model’s messages are recorded, and each asks something else.
          </p>
        )}
        {entries.map((entry, i) =>
          entry.type === "user" ? (
            <p className="user" key={i}>
              {entry.text}
            </p>
          ) : (
            <Message
              key={i}
              source={entry.source}
              autoAnswer={seconds}
              onAnswer={answered}
              onEnd={ended}
            />
          ),
        )}
        <form className="composer" onSubmit={send}>
          <label htmlFor="message">Message</label>
          <input
            id="message"
            value={text}
            placeholder="Add an export to the reports…"
            autoComplete="off"
            onChange={(event) => setText(event.target.value)}
          />
          <button type="submit">Send</button>
        </form>
      </main>
    </>
  );
}
