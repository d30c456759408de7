// The texts that the components show, with English as the default.

import type { ImageProblem } from "./image.js";

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
  readonly answered: (answer: string, images: number) => string;
  /** The call can't be asked. */
  readonly rejected: (message: string) => string;
  /** The answer could not be sent. */
  readonly failed: (error: unknown) => string;
  /** The button that leads to the answers of all questions, before they are sent. */
  readonly review: string;
  /** The name of these answers, for screen readers. */
  readonly reviewed: string;
  /** The name of a question that has no header. */
  readonly questionName: (number: number) => string;
  /** What stands for an answer that is not there. */
  readonly notAnswered: string;
  /** The button that leads back to a question. */
  readonly change: (isAnswered: boolean) => string;
  /** The name of that button, for screen readers. It has the words of the button. */
  readonly changeAnswer: (question: string, isAnswered: boolean) => string;
  /** The button that attaches images to the answer. */
  readonly addImages: string;
  /** The name of the list of images, for screen readers. */
  readonly images: string;
  /** The name of an image that has none. */
  readonly image: (number: number) => string;
  /** The name of a button that removes an image, for screen readers. */
  readonly removeImage: (name: string) => string;
  /** Why a file can't go with the answer. */
  readonly imageProblem: (name: string, problem: ImageProblem) => string;
  /** The button that leaves a call unanswered. */
  readonly cancel: string;
  /** What is asked before that. */
  readonly confirmCancel: (questions: number) => string;
  /** What became of such a call. */
  readonly cancelled: string;
  /** The button that declines to answer a call. */
  readonly decline: string;
  /** What is asked before that. */
  readonly confirmDecline: string;
  /** What became of such a call. */
  readonly declined: string;
  /** The button that ends a call for a talk about it. */
  readonly discuss: string;
  /** What is asked before that. */
  readonly confirmDiscuss: string;
  /** What became of such a call. */
  readonly discussed: string;
  /** The button that answers no to these questions. */
  readonly keep: string;
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

const IMAGE_PROBLEMS: Record<ImageProblem, string> = {
  empty: "is empty",
  unknownType: "is not a PNG, JPEG, GIF or WebP image",
  tooLarge: "is too large: an image may have at most 15 MiB",
  unreadable: "can't be read",
};

function countOf(images: number): string {
  return images === 0 ? "" : images === 1 ? "one image" : `${images} images`;
}

/** The words in English. */
export const ENGLISH: FollowupLabels = {
  question: "Question",
  growing: "A question is being written.",
  open: (question, suggestions) =>
    `${question} ${suggestions === 1 ? "One suggestion." : `${suggestions} suggestions.`}`,
  sending: "The answer is being sent.",
  answered: (answer, images) =>
    `Answered: ${[answer, countOf(images)].filter(Boolean).join(", with ")}`,
  rejected: (message) => `This question could not be asked: ${message}.`,
  failed: (error) =>
    `The answer was not sent: ${error instanceof Error ? error.message : String(error)}`,
  review: "Review",
  reviewed: "Review of your answers",
  questionName: (number) => `Question ${number}`,
  notAnswered: "Not answered yet",
  change: (isAnswered) => (isAnswered ? "Change" : "Answer"),
  changeAnswer: (question, isAnswered) =>
    `${isAnswered ? "Change the answer to" : "Answer"}: ${question}`,
  addImages: "Add images",
  images: "Images that go with the answer",
  image: (number) => `Image ${number}`,
  removeImage: (name) => `Remove ${name}`,
  imageProblem: (name, problem) => `${name} ${IMAGE_PROBLEMS[problem]}.`,
  cancel: "Leave unanswered",
  confirmCancel: (questions) =>
    `Leave ${questions === 1 ? "this question" : "these questions"} unanswered?`,
  cancelled: "Left unanswered",
  decline: "Decline",
  confirmDecline: "Decline to answer? The model is told so.",
  declined: "Declined",
  discuss: "Talk about it",
  confirmDiscuss: "Talk about it first? The model gets your answers so far.",
  discussed: "To be talked about first",
  keep: "Keep it",
  suggestions: "Suggested answers",
  recommended: "Recommended",
  mode: (mode) => `Switches to the mode ${mode}`,
  edit: "Edit",
  editSuggestion: (number) => `Edit suggestion ${number} before sending`,
  edited: (number, mode) =>
    `Suggestion ${number}, edited${mode === undefined ? "" : ` (mode ${mode})`}`,
  answer: "Your answer",
  own: "Other, in your own words",
  send: "Send",
  required: "Needs an answer.",
  notANumber: "This has to be a number.",
  countdown: (seconds, answer) =>
    `Takes ${answer === undefined ? "the first answers" : `“${answer}”`} in ${seconds} s`,
  pause: "Pause",
  resume: "Resume",
  stop: "Stop",
};
