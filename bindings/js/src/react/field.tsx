// Renders one question of a form: its choices, and the input for free text.

import { type ReactElement, useId } from "react";
import type { Question } from "../events.js";
import { type Draft, type Problem, pick, takesText, write } from "./draft.js";
import { type Look, part } from "./look.js";
import { SuggestionText } from "./suggestion.js";

interface FieldProps {
  readonly question: Question;
  readonly draft: Draft;
  readonly problem: Problem | undefined;
  /** Whether nothing more can become known of the question. */
  readonly isClosed: boolean;
  /** Whether the call can't be answered any more. */
  readonly isOver: boolean;
  readonly isHidden: boolean;
  readonly look: Look;
  readonly onChange: (draft: Draft) => void;
}

/**
 * One question of a form: radio buttons or check boxes, and a field for words of the user's own.
 */
export function Field({
  question,
  draft,
  problem,
  isClosed,
  isOver,
  isHidden,
  look,
  onChange,
}: FieldProps): ReactElement {
  const id = useId();
  const { text, header, detail, suggestions, required } = question;
  const { labels } = look;
  // Until it is known whether several can be picked, an option is neither a radio button nor a
  // check box.
  const isMultiple = question.multiple ?? (isClosed ? false : undefined);
  const problemId = problem === undefined ? undefined : `${id}-problem`;
  const kind = isMultiple === undefined ? "unknown" : isMultiple ? "several" : "one";
  return (
    <fieldset
      {...part(look, "field")}
      hidden={isHidden}
      disabled={isOver}
      data-kind={kind}
      aria-describedby={problemId}
    >
      <legend>
        {header && <span {...part(look, "header")}>{look.renderText(header)}</span>}{" "}
        <span {...part(look, "question")} dir="auto">
          {look.renderText(text)}
        </span>
      </legend>
      {detail && (
        <div {...part(look, "detail")} dir="auto">
          {look.renderText(detail)}
        </div>
      )}
      <div {...part(look, "options")} hidden={suggestions.length === 0}>
        {suggestions.map((suggestion, i) => (
          <div
            {...part(look, "option")}
            key={i}
            data-chosen={draft.picked.includes(i) || undefined}
          >
            <label>
              {isMultiple !== undefined && (
                <input
                  type={isMultiple ? "checkbox" : "radio"}
                  name={id}
                  checked={draft.picked.includes(i)}
                  onChange={() => onChange(pick(draft, i, isMultiple))}
                />
              )}
              <SuggestionText suggestion={suggestion} look={look} />
            </label>
            {suggestion.preview && (
              <div {...part(look, "preview")} dir="auto">
                {look.renderText(suggestion.preview)}
              </div>
            )}
          </div>
        ))}
      </div>
      {takesText(question) && (!isOver || draft.usesText) && (
        <div {...part(look, "own")} data-chosen={draft.usesText || undefined}>
          <label {...part(look, "label")} htmlFor={`${id}-own`}>
            {suggestions.length === 0 ? labels.answer : labels.own}
          </label>
          <textarea
            {...part(look, "text")}
            id={`${id}-own`}
            rows={1}
            dir="auto"
            value={draft.text}
            placeholder={question.placeholder}
            inputMode={question.kind === "number" ? "decimal" : undefined}
            aria-required={required || undefined}
            aria-invalid={problem !== undefined || undefined}
            aria-describedby={problemId}
            onChange={(event) => onChange(write(draft, event.target.value, isMultiple ?? false))}
          />
        </div>
      )}
      {problem && (
        <p {...part(look, "problem")} id={problemId} role="alert">
          {labels[problem]}
        </p>
      )}
      {required && !problem && !isOver && <p {...part(look, "detail")}>{labels.required}</p>}
    </fieldset>
  );
}
