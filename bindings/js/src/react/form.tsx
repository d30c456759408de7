// Renders the questions of a form together, then a review of the answers if there are several.

import { type FormEvent, type KeyboardEvent, type MouseEvent, type ReactElement } from "react";
import { useRef, useState } from "react";
import type { FormAnswer } from "../dialogue-types.js";
import type { Question } from "../events.js";
import { answerOf, type Draft, isAnswered, problemOf } from "./draft.js";
import { Field } from "./field.js";
import { isComposing } from "./keys.js";
import { type Look, part } from "./look.js";
import { Review } from "./review.js";
import type { Slots } from "./slots.js";
import { useLayout } from "./use-layout.js";

interface FormProps {
  readonly questions: readonly Question[];
  readonly drafts: readonly Draft[];
  readonly isOpen: boolean;
  /** Whether the last question still grows. */
  readonly isGrowing: boolean;
  readonly isOver: boolean;
  readonly look: Look;
  readonly slots: Slots;
  readonly onDraft: (index: number, draft: Draft) => void;
  readonly onAnswer: (answers: readonly FormAnswer[]) => void;
}

/**
 * The questions of another tool than `ask_followup_question`. Several are sent together, after a
 * review.
 */
export function Form(props: FormProps): ReactElement {
  const { questions, drafts, isOpen, isGrowing, isOver, look, slots, onDraft, onAnswer } = props;
  const { labels } = look;
  const form = useRef<HTMLFormElement>(null);
  const [isChecked, setIsChecked] = useState(false);
  const [isReviewed, setIsReviewed] = useState(false);
  /** What gets the focus next: a question, or the button that sends. */
  const target = useRef<number | "send" | undefined>(undefined);
  const answers = drafts.map(answerOf);
  const problems = questions.map((question, i) => problemOf(question, answers[i] as FormAnswer));
  const isSeveral = questions.length > 1;
  const isReview = isSeveral && isReviewed && !isOver;
  const isLast = !isSeveral || isReview;
  // Also if images go with it: without an answer, the model is told that the user declined.
  const canSend = isOpen && (!isLast || answers.some(isAnswered));

  useLayout(() => {
    if (target.current === "send")
      form.current?.querySelector<HTMLElement>("[type=submit]")?.focus();
    else if (target.current !== undefined)
      focusField(form.current?.querySelectorAll("fieldset")[target.current]);
    target.current = undefined;
  });

  function show(next: number | "send"): void {
    target.current = next;
    setIsReviewed(next === "send");
  }

  function send(event: FormEvent): void {
    event.preventDefault();
    if (!canSend) return;
    if (!isLast) return show("send");
    const wrong = problems.findIndex((problem) => problem !== undefined);
    setIsChecked(wrong >= 0);
    if (wrong < 0) onAnswer(answers);
    else show(wrong);
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (event.key !== "Enter" || isComposing(event)) return;
    const sends = event.ctrlKey || event.metaKey;
    // A key that is held down would send what was not reviewed.
    if (event.repeat && (sends || !(event.target instanceof HTMLTextAreaElement)))
      event.preventDefault();
    else if (sends) send(event);
  }

  // The second click of a double click would send what was not reviewed.
  const onClick = (event: MouseEvent) => isSeveral && event.detail > 1 && event.preventDefault();
  return (
    <form {...part(look, "form")} ref={form} noValidate onSubmit={send} onKeyDown={onKeyDown}>
      {questions.map((question, i) => (
        <Field
          key={i}
          question={question}
          draft={drafts[i] as Draft}
          problem={isChecked ? problems[i] : undefined}
          isClosed={!isGrowing || i < questions.length - 1}
          isOver={isOver}
          isHidden={isReview}
          look={look}
          onChange={(draft) => onDraft(i, draft)}
        />
      ))}
      {isReview && (
        <Review
          questions={questions}
          answers={answers}
          problems={problems}
          isOpen={isOpen}
          look={look}
          onChange={show}
        />
      )}
      {slots.clock}
      {!isOver && (
        <>
          {slots.tray}
          <div {...part(look, "buttons")}>
            <button
              type="submit"
              {...part(look, isLast ? "send" : "next")}
              aria-disabled={!canSend || undefined}
              onClick={onClick}
            >
              {isLast ? labels.send : labels.review}
            </button>
            {isLast && slots.add}
            {slots.ends}
          </div>
        </>
      )}
    </form>
  );
}

/** Focuses the answer to a question. */
function focusField(field: Element | undefined): void {
  const answer =
    field?.querySelector<HTMLElement>("input:checked") ??
    field?.querySelector<HTMLElement>("input, textarea");
  answer?.focus();
}
