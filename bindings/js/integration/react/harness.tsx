// The page of the tests: one message, whose stream and answers are the test's.

import {
  type Answer,
  type Call,
  Followup,
  FollowupStore,
  type FormAnswer,
  useFollowup,
} from "followup/react";
import { Profiler, StrictMode, useState } from "react";
import { createRoot } from "react-dom/client";

const given = new URLSearchParams(location.search);

/** What the test reads and sets. */
const harness = {
  answers: [] as Answer[],
  /** The images that came with the last answer. */
  images: [] as readonly string[],
  ends: [] as string[],
  /** The answers that came with a talk. */
  soFar: [] as (readonly FormAnswer[])[],
  renders: 0,
  frames: 0,
  store: new FollowupStore(),
  refuses: given.has("refuses"),
  /** Ends the sending of an answer. */
  settle: () => {},
};
Object.assign(window, { harness });
requestAnimationFrame(function count() {
  harness.frames++;
  requestAnimationFrame(count);
});

/** One component for whatever call the test shows. The page keeps no answers. */
function Current() {
  const [call, show] = useState<Call>();
  Object.assign(harness, { show });
  const onAnswer = (answer: Answer) => void harness.answers.push(answer);
  return (
    call && (
      <Followup
        call={call}
        className="question"
        onAnswer={onAnswer}
        autoAnswer={Number(given.get("auto") ?? 0)}
        images
      />
    )
  );
}

/** Returns a function that begins a stream. */
const stream = () => (signal: AbortSignal) => fetch("/stream", { signal });

function Message() {
  const [source, setSource] = useState(() => (given.has("pushed") ? harness.store : stream()));
  const message = useFollowup(source);

  async function delivered() {
    if (given.has("slow")) await new Promise<void>((resolve) => (harness.settle = resolve));
    if (harness.refuses) throw new Error("offline");
  }

  async function send(answer: Answer, call: Call, images: readonly string[]) {
    harness.answers.push(answer);
    harness.images = images;
    await delivered();
    if (!given.has("unstored")) message.answer(call.index, answer, images);
  }

  async function end(type: "cancel" | "decline", call: Call) {
    harness.ends.push(type);
    await delivered();
    if (!given.has("unstored")) message[type](call.index);
  }

  async function discuss(answers: readonly FormAnswer[], call: Call) {
    harness.ends.push("discuss");
    harness.soFar.push(answers);
    await delivered();
    if (!given.has("unstored")) message.discuss(call.index, answers);
  }

  const options = {
    autoAnswer: Number(given.get("auto") ?? 0),
    images: given.has("images"),
    ...(given.has("ends") && {
      onCancel: (call: Call) => end("cancel", call),
      onDecline: (call: Call) => end("decline", call),
    }),
    ...(given.has("talks") && { onDiscuss: discuss }),
  };

  return (
    <div data-status={message.status}>
      <button type="button" id="stop" className="stop" onClick={message.stop}>
        Stop
      </button>
      <button type="button" id="next" className="stop" onClick={() => setSource(stream)}>
        Next
      </button>
      {message.parts.map((part, i) =>
        part.type === "call" ? (
          <Followup
            key={i}
            call={part.call}
            className="question"
            onAnswer={send}
            {...options}
            classNames={{ mode: "pill" }}
            labels={given.has("german") ? { send: "Senden" } : {}}
          />
        ) : (
          <p key={i} className={part.type}>
            {part.type === "text"
              ? part.text
              : part.type === "error"
                ? part.error.message
                : part.tool}
          </p>
        ),
      )}
    </div>
  );
}

function Page() {
  const [isShown, setIsShown] = useState(true);
  return (
    <main>
      <h1>Test</h1>
      <button type="button" id="toggle" className="stop" onClick={() => setIsShown(!isShown)}>
        Toggle
      </button>
      <Profiler id="message" onRender={() => harness.renders++}>
        {isShown && (given.has("current") ? <Current /> : <Message />)}
      </Profiler>
    </main>
  );
}

createRoot(document.getElementById("app") as HTMLElement).render(
  <StrictMode>
    <Page />
  </StrictMode>,
);
