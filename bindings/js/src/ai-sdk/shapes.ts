// A table of the known question tools: which keys each one uses for which part of a question.

/** The texts and facts of a question that its JSON can have. */
export type QuestionRole =
  "id" | "header" | "text" | "detail" | "placeholder" | "multiple" | "custom";

/** The texts and facts of a suggestion that its JSON can have. */
export type OptionRole = "answer" | "description" | "preview" | "value" | "recommended" | "mode";

/**
 * The names that a question tool has for the parts of its input. The first of several is the usual
 * one.
 */
export interface Shape {
  /** The name of the parser's shape; none for `ask_followup_question`. */
  readonly name?: string;
  readonly tools: readonly string[];
  /** The list of questions. Without it the input is the question. */
  readonly list?: string;
  /** The input may be one question, although there is a list. */
  readonly single?: true;
  readonly title?: string;
  readonly options: readonly string[];
  /** Options are usually strings. */
  readonly strings?: true;
  readonly question: Partial<Record<QuestionRole, readonly string[]>>;
  readonly option: Partial<Record<OptionRole, readonly string[]>>;
  /** A key of a question that is written, but not read from calls. */
  readonly unread?: string;
}

const LABEL = { answer: ["label"], description: ["description"] };
const HEADER = { header: ["header"], text: ["question"] };
const CURSOR = {
  list: "questions",
  title: "title",
  options: ["options"],
  question: { id: ["id"], text: ["prompt"], multiple: ["allow_multiple", "allowMultiple"] },
  option: { value: ["id"], answer: ["label"] },
};

/** The question tools whose input can be written. */
export const SHAPES: readonly Shape[] = [
  {
    tools: ["ask_followup_question"],
    options: ["follow_up", "suggestions", "options"],
    question: { text: ["question"] },
    option: { answer: ["text", "answer"], mode: ["mode"] },
  },
  {
    name: "claude",
    tools: ["AskUserQuestion"],
    list: "questions",
    options: ["options"],
    question: { ...HEADER, multiple: ["multiSelect", "multi_select"] },
    option: { ...LABEL, preview: ["preview"] },
  },
  {
    name: "qwen",
    tools: ["ask_user_question"],
    list: "questions",
    options: ["options"],
    question: { ...HEADER, multiple: ["multiSelect", "multi_select"] },
    option: { ...LABEL, preview: ["preview"] },
  },
  {
    name: "codex",
    tools: ["request_user_input"],
    list: "questions",
    options: ["options"],
    question: { id: ["id"], ...HEADER },
    option: LABEL,
  },
  {
    name: "vscode",
    tools: ["vscode_askQuestions", "askQuestions", "copilot_askQuestions"],
    list: "questions",
    options: ["options"],
    question: {
      ...HEADER,
      detail: ["message"],
      multiple: ["multiSelect"],
      custom: ["allowFreeformInput"],
    },
    option: { ...LABEL, recommended: ["recommended"] },
  },
  {
    name: "opencode",
    tools: ["question"],
    list: "questions",
    options: ["options", "choices"],
    question: { ...HEADER, multiple: ["multiple"], custom: ["custom"] },
    option: { ...LABEL, mode: ["mode"] },
    unread: "custom",
  },
  {
    ...CURSOR,
    name: "cursor-tool",
    tools: ["AskQuestion"],
  },
  {
    ...CURSOR,
    name: "cursor",
    tools: ["cursor/ask_question"],
  },
  {
    name: "cline",
    tools: ["ask_question"],
    list: "questions",
    single: true,
    options: ["options"],
    strings: true,
    question: { text: ["question"], multiple: ["is_multi_select"] },
    option: LABEL,
  },
  {
    name: "ask_user",
    tools: ["ask_user"],
    list: "questions",
    single: true,
    options: ["choices", "options"],
    strings: true,
    question: {
      ...HEADER,
      placeholder: ["placeholder"],
      multiple: ["multiSelect", "multi_select"],
      custom: ["allow_freeform"],
    },
    option: { ...LABEL, value: ["value"] },
  },
  {
    name: "hermes",
    tools: ["clarify"],
    list: "questions",
    single: true,
    options: ["choices"],
    strings: true,
    question: { text: ["question"], multiple: ["multi_select"] },
    option: LABEL,
  },
  {
    name: "omp",
    tools: ["ask"],
    list: "questions",
    options: ["options"],
    question: { id: ["id"], ...HEADER, multiple: ["multi"] },
    option: { ...LABEL, preview: ["preview"] },
  },
  {
    name: "pi",
    tools: ["questionnaire"],
    list: "questions",
    options: ["options"],
    question: { id: ["id"], header: ["label"], text: ["prompt"], custom: ["allowOther"] },
    option: { ...LABEL, value: ["value"] },
  },
];
