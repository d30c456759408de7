/** The words of the component. */
export interface FollowupLabels {
  /** The name of the component, for screen readers. */
  readonly question: string;
  /** What a screen reader says while the question is written. */
  readonly growing: string;
  /** What it says once the question can be answered. */
  readonly open: (question: string, suggestions: number) => string;
  /** What it says while the answer is sent. */
  readonly sending: string;
  /** What it says once the answer was sent. */
  readonly answered: (answer: string) => string;
  /** The call can't be asked. */
  readonly rejected: (message: string) => string;
  /** The answer could not be sent. */
  readonly failed: (error: unknown) => string;
  /** The name of the list of suggestions, for screen readers. */
  readonly suggestions: string;
  /** The mark of a suggestion that the model recommends. */
  readonly recommended: string;
  /** The tooltip of a mode. */
  readonly mode: (mode: string) => string;
  /** The button that copies a suggestion into the field. */
  readonly edit: string;
  /** The name of an edit button, for screen readers. */
  readonly editSuggestion: (number: number) => string;
  /** Above the field, while a suggestion is edited in it. */
  readonly edited: (number: number, mode: string | undefined) => string;
  /** The field for an own answer, if there are no suggestions. */
  readonly answer: string;
  /** The field for an own answer, if there are. */
  readonly own: string;
  /** The button that sends what was written or picked. */
  readonly send: string;
  /** What is wrong with an answer that is missing. */
  readonly required: string;
  /** What is wrong with a text in place of a number. */
  readonly notANumber: string;
  /** What is taken, and in how many seconds; without an answer, several are. */
  readonly countdown: (seconds: number, answer: string | undefined) => string;
  /** The buttons of the countdown. */
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
