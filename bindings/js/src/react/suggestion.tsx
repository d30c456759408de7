// Renders one suggestion, with its mode and description, and a button to edit it.

import type { MouseEvent, ReactElement } from "react";
import type { Suggestion } from "../events.js";
import { type Look, part } from "./look.js";
import { answers } from "./series.js";

/** The texts of a suggestion: its answer, mode and description, and that it is recommended. */
export function SuggestionText({
  suggestion,
  look,
}: {
  suggestion: Suggestion;
  look: Look;
}): ReactElement {
  const { answer, mode, description, recommended } = suggestion;
  // Most models write it into the answer as well.
  const isMarked = recommended === true && !/\(recommended\)/i.test(answer);
  // Without the spaces, a name is read that runs them together.
  return (
    <>
      <span {...part(look, "answer")} dir="auto">
        {look.renderText(answer)}
      </span>
      {isMarked && (
        <>
          {" "}
          <span {...part(look, "recommended")}>{look.labels.recommended}</span>
        </>
      )}
      {mode && (
        <>
          {" "}
          <span {...part(look, "mode")} title={look.labels.mode(mode)}>
            {mode}
          </span>
        </>
      )}
      {description && (
        <>
          {" "}
          <span {...part(look, "description")} dir="auto">
            {look.renderText(description)}
          </span>
        </>
      )}
    </>
  );
}

interface SuggestionItemProps {
  readonly suggestion: Suggestion;
  readonly index: number;
  readonly isOpen: boolean;
  readonly isChosen: boolean;
  /** The countdown takes it. */
  readonly isNext: boolean;
  readonly look: Look;
  readonly onTake: (index: number) => void;
  readonly onEdit: (index: number) => void;
}

/** A suggestion that is taken by a click, or edited first. */
export function SuggestionItem({
  suggestion,
  index,
  isOpen,
  isChosen,
  isNext,
  look,
  onTake,
  onEdit,
}: SuggestionItemProps): ReactElement {
  const { labels } = look;
  // A button that is disabled would lose the focus.
  const disabled = { "aria-disabled": !isOpen || undefined };
  const onClick = (event: MouseEvent) => isOpen && answers(event) && onTake(index);
  return (
    <li
      {...part(look, "suggestion")}
      data-chosen={isChosen || undefined}
      data-next={isNext || undefined}
    >
      <button type="button" {...part(look, "take")} {...disabled} onClick={onClick}>
        <SuggestionText suggestion={suggestion} look={look} />
      </button>
      <button
        type="button"
        {...part(look, "edit")}
        {...disabled}
        aria-label={labels.editSuggestion(index + 1)}
        onClick={() => onEdit(index)}
      >
        {labels.edit}
      </button>
    </li>
  );
}
