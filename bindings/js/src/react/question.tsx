// Renders a question of `ask_followup_question`, which one click or a text answers.

import {
  type FormEvent,
  type KeyboardEvent,
  type ReactElement,
  useId,
  useRef,
  useState,
} from "react";
import type { Answer } from "../dialogue-types.js";
import type { Question } from "../events.js";
import { isSendKey } from "./keys.js";
import { type Look, part } from "./look.js";
import type { Slots } from "./slots.js";
import { SuggestionItem } from "./suggestion.js";

interface SingleQuestionProps {
  readonly question: Question;
  readonly isOpen: boolean;
  /** The answer, if there is one. */
  readonly answer: Answer | undefined;
  /** Whether the call can't be answered any more. */
  readonly isOver: boolean;
  /** The countdown takes the first suggestion. */
  readonly isCounting: boolean;
  readonly look: Look;
  readonly onAnswer: (answer: Answer) => void;
  readonly onEdit: () => void;
  /** Images go with the answer. */
  readonly hasImages: boolean;
  readonly slots: Slots;
}

/** A question of `ask_followup_question`: a click answers it. */
export function SingleQuestion(props: SingleQuestionProps): ReactElement {
  const { question, isOpen, answer, isOver, isCounting, look, onAnswer, onEdit, hasImages, slots } =
    props;
  const { labels } = look;
  const id = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  const [text, setText] = useState("");
  const [edited, setEdited] = useState<number | undefined>();
  const { suggestions } = question;
  const canSend = isOpen && (hasImages || text.trim() !== "");
  // What was written for a call that was rejected can still be copied.
  const isKept = isOver && answer === undefined && text.trim() !== "";

  function take(index: number): void {
    if (isOpen) onAnswer({ type: "suggestion", suggestion: index });
  }

  function edit(index: number): void {
    if (!isOpen) return;
    onEdit();
    setEdited(index);
    setText(withSuggestion(suggestions[index]?.answer ?? ""));
    field.current?.focus();
  }

  /**
   * Returns the text with a suggestion: after words of the user's own, and in place of another
   * suggestion.
   */
  function withSuggestion(answer: string): string {
    const last = edited === undefined ? undefined : suggestions[edited]?.answer;
    const own = last === undefined ? text : withoutTail(text, last);
    return own.trim() === "" ? answer : `${own}\n${answer}`;
  }

  function write(value: string): void {
    setText(value);
    if (value.trim() === "") setEdited(undefined);
  }

  function send(event: FormEvent): void {
    event.preventDefault();
    const words = text.trim();
    if (!canSend) return;
    if (edited === undefined) onAnswer({ type: "text", text: words });
    else if (words === suggestions[edited]?.answer)
      onAnswer({ type: "suggestion", suggestion: edited });
    else onAnswer({ type: "edited", suggestion: edited, text: words });
  }

  function onKeyDown(event: KeyboardEvent<HTMLTextAreaElement>): void {
    if (isSendKey(event)) send(event);
  }

  const chosen =
    answer?.type === "suggestion" || answer?.type === "edited" ? answer.suggestion : undefined;
  return (
    <>
      <div {...part(look, "question")} dir="auto">
        {look.renderText(question.text)}
      </div>
      <ol
        {...part(look, "suggestions")}
        aria-label={labels.suggestions}
        hidden={suggestions.length === 0}
      >
        {suggestions.map((suggestion, i) => (
          <SuggestionItem
            key={i}
            suggestion={suggestion}
            index={i}
            isOpen={isOpen}
            isChosen={i === chosen}
            isNext={i === 0 && isCounting}
            look={look}
            onTake={take}
            onEdit={edit}
          />
        ))}
      </ol>
      {slots.clock}
      {(!isOver || isKept) && (
        <form {...part(look, "form")} onSubmit={send}>
          <label {...part(look, "label")} htmlFor={id}>
            {suggestions.length === 0 ? labels.answer : labels.own}
          </label>
          {edited !== undefined && (
            <span {...part(look, "edited")}>
              {labels.edited(edited + 1, suggestions[edited]?.mode)}
            </span>
          )}
          <textarea
            {...part(look, "text")}
            id={id}
            ref={field}
            rows={2}
            dir="auto"
            value={text}
            readOnly={isOver}
            onChange={(event) => write(event.target.value)}
            onKeyDown={onKeyDown}
          />
          {!isOver && (
            <>
              {slots.tray}
              <div {...part(look, "buttons")}>
                <button type="submit" {...part(look, "send")} aria-disabled={!canSend || undefined}>
                  {labels.send}
                </button>
                {slots.add}
                {slots.ends}
              </div>
            </>
          )}
        </form>
      )}
    </>
  );
}

/** Returns a text without its last lines, if they are these. */
function withoutTail(text: string, lines: string): string {
  if (text === lines) return "";
  return text.endsWith(`\n${lines}`) ? text.slice(0, -lines.length - 1) : text;
}
