import { type FormEvent, type KeyboardEvent, type ReactElement, useRef, useState } from "react";
import type { Question } from "../events.js";
import type { FormAnswer } from "./answer.js";
import { answerOf, type Draft, isAnswered, problemOf } from "./draft.js";
import { Field } from "./field.js";
import { type Look, part } from "./look.js";

interface FormProps {
  readonly questions: readonly Question[];
  readonly drafts: readonly Draft[];
  readonly isOpen: boolean;
  /** Whether the last question still grows. */
  readonly isGrowing: boolean;
  readonly isOver: boolean;
  readonly look: Look;
  readonly onDraft: (index: number, draft: Draft) => void;
  readonly onAnswer: (answers: readonly FormAnswer[]) => void;
  readonly children: ReactElement;
}

/** The questions of another tool than `ask_followup_question`, which are answered together. */
export function Form({
  questions,
  drafts,
  isOpen,
  isGrowing,
  isOver,
  look,
  onDraft,
  onAnswer,
  children,
}: FormProps): ReactElement {
  const form = useRef<HTMLFormElement>(null);
  const [isChecked, setIsChecked] = useState(false);
  const answers = drafts.map(answerOf);
  const canSend = isOpen && answers.some(isAnswered);

  function send(event: FormEvent): void {
    event.preventDefault();
    if (!canSend) return;
    const wrong = questions.findIndex((question, i) => problemOf(question, answers[i] as FormAnswer) !== undefined);
    setIsChecked(wrong >= 0);
    if (wrong < 0) return onAnswer(answers);
    form.current?.querySelectorAll("fieldset")[wrong]?.querySelector<HTMLElement>("textarea, input")?.focus();
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) send(event);
  }

  return (
    <form {...part(look, "form")} ref={form} noValidate onSubmit={send} onKeyDown={onKeyDown}>
      {questions.map((question, i) => (
        <Field
          key={i}
          question={question}
          draft={drafts[i] as Draft}
          problem={isChecked ? problemOf(question, answers[i] as FormAnswer) : undefined}
          isClosed={!isGrowing || i < questions.length - 1}
          isOver={isOver}
          look={look}
          onChange={(draft) => onDraft(i, draft)}
        />
      ))}
      {children}
      {!isOver && (
        <button type="submit" {...part(look, "send")} aria-disabled={!canSend || undefined}>
          {look.labels.send}
        </button>
      )}
    </form>
  );
}
