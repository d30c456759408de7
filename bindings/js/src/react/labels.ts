/** The words of the component. */
export interface FollowupLabels {
  /** The name of the component, for screen readers. */
  readonly question: string;
  /** What a screen reader says while the question is written, and once it can be answered. */
  readonly growing: string;
  readonly open: (question: string, suggestions: number) => string;
  readonly sending: string;
  readonly answered: (answer: string) => string;
  readonly rejected: (message: string) => string;
  /** The answer could not be sent. */
  readonly failed: (error: unknown) => string;
  readonly suggestions: string;
  readonly recommended: string;
  /** The tooltip of a mode. */
  readonly mode: (mode: string) => string;
  readonly edit: string;
  /** The name of an edit button, for screen readers. */
  readonly editSuggestion: (number: number) => string;
  /** Above the field, while a suggestion is edited in it. */
  readonly edited: (number: number, mode: string | undefined) => string;
  /** The field for an own answer: without suggestions, and with. */
  readonly answer: string;
  readonly own: string;
  readonly send: string;
  readonly required: string;
  readonly notANumber: string;
  /** What is taken, and in how many seconds; without an answer, several are. */
  readonly countdown: (seconds: number, answer: string | undefined) => string;
  readonly pause: string;
  readonly resume: string;
  readonly stop: string;
}

/** The words in English. */
export const ENGLISH: FollowupLabels = {
  question: "Question",
  growing: "A question is being written.",
  open: (question, suggestions) => `${question} ${suggestions === 1 ? "One suggestion." : `${suggestions} suggestions.`}`,
  sending: "The answer is being sent.",
  answered: (answer) => `Answered: ${answer}`,
  rejected: (message) => `This question could not be asked: ${message}.`,
  failed: (error) => `The answer was not sent: ${error instanceof Error ? error.message : String(error)}`,
  suggestions: "Suggested answers",
  recommended: "Recommended",
  mode: (mode) => `Switches to the mode ${mode}`,
  edit: "Edit",
  editSuggestion: (number) => `Edit suggestion ${number} before sending`,
  edited: (number, mode) => `Suggestion ${number}, edited${mode === undefined ? "" : ` (mode ${mode})`}`,
  answer: "Your answer",
  own: "Other, in your own words",
  send: "Send",
  required: "Needs an answer.",
  notANumber: "This has to be a number.",
  countdown: (seconds, answer) => `Takes ${answer === undefined ? "the first answers" : `“${answer}”`} in ${seconds} s`,
  pause: "Pause",
  resume: "Resume",
  stop: "Stop",
};
