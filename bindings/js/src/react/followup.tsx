import { type ReactElement, type ReactNode, useRef, useState } from "react";
import type { FollowupAnswer, FormAnswer } from "./answer.js";
import { useCountdown } from "./countdown.js";
import { CountdownView } from "./countdown-view.js";
import { answersSoFar, canAnswerFirst, defaultDraft, type Draft, draftOf, firstAnswers } from "./draft.js";
import { type End, Ends } from "./ends.js";
import { Form } from "./form.js";
import { AddImages, Tray } from "./images.js";
import { ENGLISH, type FollowupLabels } from "./labels.js";
import { type FollowupPart, HIDDEN, type Look, part } from "./look.js";
import { OutcomeView, statusText } from "./outcome.js";
import { SingleQuestion } from "./question.js";
import type { Slots } from "./slots.js";
import type { Call } from "./state.js";
import { useImages } from "./use-images.js";
import { useIdentity } from "./use-identity.js";
import { useKeptFocus } from "./use-kept-focus.js";
import { type FollowupHandlers, type Outcome, useSending } from "./use-sending.js";

/** What the component shows and how, and what it does with the answer. */
export interface FollowupProps extends FollowupHandlers {
  /** A call of `useFollowup`. */
  readonly call: Call;
  /** After so many seconds without the user the first suggestion is taken. Default: never. */
  readonly autoAnswer?: number;
  /** Whether images can go with the answer: picked, pasted or dropped. Default: they can't. */
  readonly images?: boolean;
  /** Words in place of the English ones. */
  readonly labels?: Partial<FollowupLabels>;
  /** The class of the component, and those of its parts. Each part also has its name as `data-part`. */
  readonly className?: string;
  readonly classNames?: Partial<Record<FollowupPart, string>>;
  /** Renders the model's texts, for example as Markdown. Default: as they are written. */
  readonly renderText?: (text: string) => ReactNode;
}

/**
 * Shows a call while it is written, and takes the user's answer once it is complete. It has no styles: `data-state` is
 * `growing`, `open`, `sending`, `answered`, `cancelled`, `declined`, `discussed` or `rejected`.
 *
 * It begins anew when its call becomes another one: what was written and sent is of the last one.
 */
export function Followup(props: FollowupProps): ReactElement {
  return <OneCall key={useIdentity(props.call)} {...props} />;
}

/** Shows one call, for its whole life. */
function OneCall({
  call,
  onAnswer,
  onCancel,
  onDecline,
  onDiscuss,
  autoAnswer = 0,
  images: takesImages = false,
  labels,
  className,
  classNames = {},
  renderText = (text) => text,
}: FollowupProps): ReactElement {
  const look: Look = { labels: labels ? { ...ENGLISH, ...labels } : ENGLISH, classNames, renderText };
  const root = useRef<HTMLDivElement>(null);
  const sending = useSending(call, { onAnswer, onCancel, onDecline, onDiscuss });
  const { state, outcome } = sending;
  const answer = outcome?.type === "answered" ? outcome.answer : undefined;
  const [written, setWritten] = useState<readonly (Draft | undefined)[]>([]);
  const isForm = call.tool !== "ask_followup_question";
  const { questions } = call;
  const sent = sentAnswers(outcome);
  const drafts = questions.map((question, i) => (sent ? draftOf(sent[i] ?? {}) : (written[i] ?? defaultDraft(question))));
  const first: FollowupAnswer = isForm
    ? { type: "form", answers: firstAnswers(questions, drafts) }
    : { type: "suggestion", suggestion: 0 };
  const seconds = canAnswerFirst(questions) ? autoAnswer : 0;
  const { countdown, pause, resume, stop } = useCountdown(seconds, state === "open", () => send(first));
  const isOpen = state === "open";
  const images = useImages(isOpen && takesImages, stop);
  useKeptFocus(root, state);

  function send(one: FollowupAnswer): void {
    stop();
    images.take((urls) => sending.send({ type: "answered", answer: one, images: urls }));
  }

  function end(type: End): void {
    stop();
    sending.send(type === "discussed" ? { type, answers: answersSoFar(questions, drafts) } : { type });
  }

  const isOver = !["growing", "open", "sending"].includes(state);
  const taken = isForm ? undefined : questions[0]?.suggestions[0]?.answer;
  const clock = (
    <CountdownView countdown={countdown} answer={taken} look={look} onPause={pause} onResume={resume} onStop={stop} />
  );
  const offered = { cancelled: onCancel, declined: isForm && onDecline, discussed: isForm && onDiscuss };
  const ends = (Object.keys(offered) as End[]).filter((end) => offered[end]);
  const slots: Slots = {
    clock,
    tray: <Tray images={images} look={look} />,
    add: takesImages ? <AddImages images={images} isOpen={isOpen} look={look} /> : null,
    ends: <Ends ends={ends} questions={questions.length} isOpen={isOpen} look={look} onEnd={end} />,
  };
  const shared = { isOpen, isOver, look, slots, hasImages: images.attached.length > 0 };
  return (
    <div
      ref={root}
      role="group"
      aria-label={look.labels.question}
      aria-busy={state === "growing" || undefined}
      className={className}
      data-state={state}
      data-tool={call.tool}
      tabIndex={-1}
      onInput={stop}
      {...images.targets}
    >
      {call.title && (
        <div {...part(look, "title")} dir="auto">
          {renderText(call.title)}
        </div>
      )}
      {isForm ? (
        <Form
          {...shared}
          questions={questions}
          drafts={drafts}
          isGrowing={state === "growing"}
          onDraft={(index, draft) => setWritten(questions.map((_, i) => (i === index ? draft : written[i])))}
          onAnswer={(answers) => send({ type: "form", answers })}
        />
      ) : (
        <SingleQuestion
          {...shared}
          question={questions[0] ?? { text: "", suggestions: [] }}
          answer={answer}
          isCounting={countdown.type !== "none"}
          onAnswer={send}
          onEdit={stop}
        />
      )}
      <OutcomeView call={call} sending={sending} look={look} />
      <div {...part(look, "status")} role="status" style={HIDDEN}>
        {statusText(call, state, outcome, look.labels)}
        {isOpen && seconds > 0 && ` ${look.labels.countdown(seconds, taken)}.`}
      </div>
    </div>
  );
}

/** Returns the answers to the questions of a form that were sent. */
function sentAnswers(outcome: Outcome | undefined): readonly FormAnswer[] | undefined {
  if (outcome?.type === "discussed") return outcome.answers;
  return outcome?.type === "answered" && outcome.answer.type === "form" ? outcome.answer.answers : undefined;
}
