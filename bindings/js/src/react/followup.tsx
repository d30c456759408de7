// The component `Followup`, which renders one call from its first words to its outcome.

import { type ReactElement, type ReactNode, type RefObject, useRef, useState } from "react";
import type { Answer, FormAnswer } from "../dialogue-types.js";
import { kind } from "../options.js";
import { useCountdown } from "./countdown.js";
import { CountdownView } from "./countdown-view.js";
import {
  answersSoFar,
  canAnswerFirst,
  defaultDraft,
  type Draft,
  draftOf,
  firstAnswers,
} from "./draft.js";
import { type End, Ends } from "./ends.js";
import { Form } from "./form.js";
import { AddImages, Tray } from "./images.js";
import { ENGLISH, type FollowupLabels } from "./labels.js";
import { type FollowupPart, HIDDEN, type Look, part } from "./look.js";
import { OutcomeView, statusText } from "./outcome.js";
import { SingleQuestion } from "./question.js";
import type { Slots } from "./slots.js";
import type { Call } from "./state.js";
import { type Targets, useImages } from "./use-images.js";
import { useIdentity } from "./use-identity.js";
import { useKeptFocus } from "./use-kept-focus.js";
import { useLayout } from "./use-layout.js";
import { type FollowupHandlers, type Outcome, type Sending, useSending } from "./use-sending.js";

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
  /**
   * The class of the component, and those of its parts. Each part also has its name as `data-part`.
   */
  readonly className?: string;
  readonly classNames?: Partial<Record<FollowupPart, string>>;
  /** Renders the model's texts, for example as Markdown. Default: as they are written. */
  readonly renderText?: (text: string) => ReactNode;
}

/**
 * Shows a call while it is written, and takes the user's answer once it is complete. It has no
 * styles: `data-state` is `growing`, `open`, `sending`, `answered`, `cancelled`, `declined`,
 * `discussed` or `rejected`.
 *
 * It begins anew when its call becomes another one: what was written and sent is of the last one.
 * Its element, what a screen reader is told, and the focus stay. A call instead of which another
 * one counts is not shown. Throws a `TypeError` while it renders if there is no call.
 *
 * ```tsx
 * import { Followup, type OpenCall } from "followup/react";
 *
 * declare function send(answer: unknown): Promise<void>;
 *
 * export function Question({ call }: { call: OpenCall }) {
 *   return <Followup call={call} autoAnswer={60} onAnswer={(answer) => send(answer)} labels={{ send: "Reply" }} />;
 * }
 * ```
 */
export function Followup(props: FollowupProps): ReactElement | null {
  const { call, labels, className, classNames = {}, renderText = (text) => text } = props;
  if (typeof call !== "object" || call === null)
    throw new TypeError(`call: a call of useFollowup was expected, not ${kind(call)}`);
  const look: Look = {
    labels: labels ? { ...ENGLISH, ...labels } : ENGLISH,
    classNames,
    renderText,
  };
  const key = useIdentity(call);
  const root = useRef<HTMLDivElement>(null);
  const listeners = useRef<Listeners>({});
  const sending = useSending(call, key, props);
  const { state } = sending;
  useKeptFocus(root, `${key} ${state}`);
  if (call.state === "rejected" && call.code === "superseded") return null;
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
      onInput={() => listeners.current.onInput?.()}
      onPaste={(event) => listeners.current.onPaste?.(event)}
      onDragOver={(event) => listeners.current.onDragOver?.(event)}
      onDrop={(event) => listeners.current.onDrop?.(event)}
    >
      <OneCall key={key} {...props} look={look} sending={sending} listeners={listeners} />
      <div {...part(look, "status")} role="status" style={HIDDEN}>
        {statusText(call, state, sending.outcome, look.labels)}
        {state === "open" &&
          secondsOf(props) > 0 &&
          ` ${look.labels.countdown(secondsOf(props), takenOf(call))}.`}
      </div>
    </div>
  );
}

/** What a call listens to on the element of the component. */
interface Listeners extends Targets {
  readonly onInput?: () => void;
}

interface OneCallProps extends FollowupProps {
  readonly look: Look;
  readonly sending: Sending;
  readonly listeners: RefObject<Listeners>;
}

/** Shows one call, for its whole life. */
function OneCall(props: OneCallProps): ReactElement {
  const {
    call,
    onCancel,
    onDecline,
    onDiscuss,
    images: takesImages = false,
    look,
    sending,
    listeners,
  } = props;
  const { state, outcome } = sending;
  const answer = outcome?.type === "answered" ? outcome.answer : undefined;
  const [written, setWritten] = useState<readonly (Draft | undefined)[]>([]);
  const isForm = isFormCall(call);
  const { questions } = call;
  const sent = sentAnswers(outcome);
  const drafts = questions.map((question, i) =>
    sent ? draftOf(sent[i] ?? {}) : (written[i] ?? defaultDraft(question)),
  );
  const first: Answer = isForm
    ? { type: "form", answers: firstAnswers(questions, drafts) }
    : { type: "suggestion", suggestion: 0 };
  const isOpen = state === "open";
  const { countdown, pause, resume, stop } = useCountdown(secondsOf(props), isOpen, () =>
    send(first),
  );
  const images = useImages(isOpen && takesImages, stop);
  useLayout(() => void (listeners.current = { onInput: stop, ...images.targets }));

  function send(one: Answer): void {
    stop();
    images.take((urls) => sending.send({ type: "answered", answer: one, images: urls }));
  }

  function end(type: End): void {
    stop();
    sending.send(
      type === "discussed" ? { type, answers: answersSoFar(questions, drafts) } : { type },
    );
  }

  const isOver = !["growing", "open", "sending"].includes(state);
  const clock = (
    <CountdownView
      countdown={countdown}
      answer={takenOf(call)}
      look={look}
      onPause={pause}
      onResume={resume}
      onStop={stop}
    />
  );
  const offered = {
    cancelled: onCancel,
    declined: isForm && onDecline,
    discussed: isForm && onDiscuss,
  };
  const ends = (Object.keys(offered) as End[]).filter((end) => offered[end]);
  const slots: Slots = {
    clock,
    tray: <Tray images={images} look={look} />,
    add: takesImages ? <AddImages images={images} isOpen={isOpen} look={look} /> : null,
    ends: <Ends ends={ends} questions={questions.length} isOpen={isOpen} look={look} onEnd={end} />,
  };
  const shared = { isOpen, isOver, look, slots };
  return (
    <>
      {call.title && (
        <div {...part(look, "title")} dir="auto">
          {look.renderText(call.title)}
        </div>
      )}
      {isForm ? (
        <Form
          {...shared}
          questions={questions}
          drafts={drafts}
          isGrowing={state === "growing"}
          onDraft={(index, draft) =>
            setWritten(questions.map((_, i) => (i === index ? draft : written[i])))
          }
          onAnswer={(answers) => send({ type: "form", answers })}
        />
      ) : (
        <SingleQuestion
          {...shared}
          question={questions[0] ?? { text: "", suggestions: [] }}
          answer={answer}
          hasImages={images.attached.length > 0}
          isCounting={countdown.type !== "none"}
          onAnswer={send}
          onEdit={stop}
        />
      )}
      <OutcomeView call={call} sending={sending} look={look} />
    </>
  );
}

function isFormCall({ tool }: Call): boolean {
  return tool !== "ask_followup_question";
}

/** Returns after how many seconds the first suggestion is taken; 0 is never. */
function secondsOf({ call, autoAnswer = 0 }: FollowupProps): number {
  return canAnswerFirst(call.questions) ? autoAnswer : 0;
}

/** Returns the suggestion that the countdown takes. */
function takenOf(call: Call): string | undefined {
  return isFormCall(call) ? undefined : call.questions[0]?.suggestions[0]?.answer;
}

/** Returns the answers to the questions of a form that were sent. */
function sentAnswers(outcome: Outcome | undefined): readonly FormAnswer[] | undefined {
  if (outcome?.type === "discussed") return outcome.answers;
  return outcome?.type === "answered" && outcome.answer.type === "form"
    ? outcome.answer.answers
    : undefined;
}
