// Describes the question tool in the system message, for models without tools.

import { history, TOOL } from "./history.js";

/** What is read of the parameters of a model's call. */
export interface CallOptions {
  readonly prompt: readonly object[];
  readonly tools?: readonly OfferedTool[] | undefined;
  readonly responseFormat?: { readonly type: string } | undefined;
  readonly toolChoice?: { readonly type: string; readonly toolName?: string } | undefined;
}

/** A tool that the caller offers to the model. */
export interface OfferedTool {
  readonly type: string;
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema?: unknown;
}

interface System {
  readonly role: string;
  readonly content: string;
}

/**
 * Writes `ask_followup_question` into the prompt: how to call it, its calls, and their answers.
 *
 * `instructions` is used instead of the usual text if it is one.
 */
export function toText<Params extends CallOptions>(
  params: Params,
  instructions: true | string,
): Params {
  const prompt = history(params.prompt);
  const tool = params.tools?.find(({ type, name }) => type === "function" && name === TOOL);
  if (tool === undefined) return { ...params, prompt };
  const rest = params.tools?.filter((one) => one !== tool) ?? [];
  const choice = params.toolChoice;
  const isChosen = choice?.toolName === TOOL;
  const isDemanded = isChosen || (choice?.type === "required" && rest.length === 0);
  const text = [
    instructions === true ? usual(tool) : instructions,
    ...(isDemanded ? [DEMAND] : []),
  ].join("\n\n");
  return {
    ...params,
    prompt: choice?.type === "none" ? prompt : instruct(prompt, text),
    tools: rest.length === 0 ? undefined : rest,
    toolChoice: rest.length === 0 || isChosen ? undefined : choice,
  };
}

const DEMAND = "Your next message must ask the user such a question.";

/** Returns the prompt with a text at the end of its first system message. */
function instruct(prompt: readonly object[], text: string): object[] {
  const [first, ...rest] = prompt as readonly System[];
  if (first?.role !== "system") return [{ role: "system", content: text }, ...prompt];
  return [{ ...first, content: `${first.content}\n\n${text}` }, ...rest];
}

function usual({ description, inputSchema }: OfferedTool): string {
  const hasMode = JSON.stringify(inputSchema ?? {}).includes('"mode"');
  return [
    "# Asking the user",
    ...(description ? ["", description] : []),
    "",
    "To ask the user a question, write it like this, and nothing after it:",
    "",
    `<${TOOL}>`,
    "<question>Your question</question>",
    "<follow_up>",
    "<suggest>An answer that the user can choose</suggest>",
    "<suggest>Another answer</suggest>",
    "</follow_up>",
    `</${TOOL}>`,
    "",
    "Suggest two to four answers. Each is complete: nothing in it is left to be filled in.",
    ...(hasMode
      ? [
          'An answer after which another mode should be used names it: <suggest mode="code">Yes, write it</suggest>.',
        ]
      : []),
    "The user's answer is in the next message, in <answer>. It may be another one than you suggested.",
  ].join("\n");
}
