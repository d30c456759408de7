// Renders all answers of a form for review before they are sent.

import type { ReactElement } from "react";
import type { FormAnswer } from "../dialogue-types.js";
import type { Question } from "../events.js";
import { textsOf } from "./answer.js";
import { isAnswered, type Problem } from "./draft.js";
import { type Look, part } from "./look.js";

interface ReviewProps {
  readonly questions: readonly Question[];
  readonly answers: readonly FormAnswer[];
  readonly problems: readonly (Problem | undefined)[];
  readonly isOpen: boolean;
  readonly look: Look;
  readonly onChange: (index: number) => void;
}

/** All questions of a form with their answers, before they are sent. */
export function Review({
  questions,
  answers,
  problems,
  isOpen,
  look,
  onChange,
}: ReviewProps): ReactElement {
  return (
    <div {...part(look, "review")} role="group" aria-label={look.labels.reviewed}>
      <ol>
        {questions.map((question, i) => (
          <Entry
            key={i}
            question={question}
            number={i + 1}
            answer={answers[i] as FormAnswer}
            problem={problems[i]}
            isOpen={isOpen}
            look={look}
            onChange={() => onChange(i)}
          />
        ))}
      </ol>
    </div>
  );
}

interface EntryProps {
  readonly question: Question;
  readonly number: number;
  readonly answer: FormAnswer;
  readonly problem: Problem | undefined;
  readonly isOpen: boolean;
  readonly look: Look;
  readonly onChange: () => void;
}

/** One question with its answer. */
function Entry({
  question,
  number,
  answer,
  problem,
  isOpen,
  look,
  onChange,
}: EntryProps): ReactElement {
  const { labels } = look;
  const { header, text } = question;
  const name = header || labels.questionName(number);
  return (
    <li {...part(look, "entry")}>
      {header && <span {...part(look, "header")}>{look.renderText(header)}</span>}
      <div {...part(look, "question")} dir="auto">
        {look.renderText(text)}
      </div>
      {textsOf(question, answer).map((given, i) => (
        <div {...part(look, "given")} key={i} dir="auto">
          {given}
        </div>
      ))}
      {problem !== undefined && <p {...part(look, "problem")}>{labels[problem]}</p>}
      {problem === undefined && !isAnswered(answer) && (
        <p {...part(look, "detail")}>{labels.notAnswered}</p>
      )}
      <button
        type="button"
        {...part(look, "change")}
        aria-disabled={!isOpen || undefined}
        aria-label={labels.changeAnswer(name, isAnswered(answer))}
        onClick={() => isOpen && onChange()}
      >
        {labels.change(isAnswered(answer))}
      </button>
    </li>
  );
}
