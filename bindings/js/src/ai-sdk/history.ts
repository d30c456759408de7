// Rewrites earlier calls and their results as text, for models without tools.

import type { CompleteEvent, RejectedEvent } from "../events.js";
import { ArgumentsParser } from "../parsers.js";
import { LIMITS } from "./native-call.js";
import { merged, type ProviderMetadata } from "./parts.js";

export const TOOL = "ask_followup_question";

/** What a message or a part of it has for the provider, such as where its cache ends. */
interface ForProvider {
  readonly providerOptions?: ProviderMetadata | undefined;
}

interface Message extends ForProvider {
  readonly role: string;
  readonly content: string | readonly MessagePart[];
}

interface MessagePart extends ForProvider {
  readonly type: string;
  readonly toolName?: string;
  readonly providerExecuted?: boolean;
  readonly input?: unknown;
  readonly output?: ToolOutput;
}

/** What a tool returned. */
type ToolOutput = ForProvider & Returned;

type Returned =
  | { readonly type: "text" | "error-text"; readonly value: string }
  | { readonly type: "json" | "error-json"; readonly value: unknown }
  | { readonly type: "execution-denied"; readonly reason?: string }
  | { readonly type: "content"; readonly value: readonly OutputItem[] };

interface OutputItem extends ForProvider {
  readonly type: string;
  readonly text?: string;
  readonly data?: unknown;
  readonly url?: string;
  readonly mediaType?: string;
  readonly filename?: string;
}

/**
 * Returns the messages with the calls of `ask_followup_question` as markup, and their results as
 * the user's answers.
 */
export function history(prompt: readonly object[]): object[] {
  const messages: Message[] = [];
  let isAnswer = false;
  for (const message of prompt as readonly Message[]) {
    const { role, content } = message;
    if (role === "assistant" && typeof content !== "string") {
      messages.push({
        ...message,
        content: content.map((part) => (isOurs(part, "tool-call") ? call(part) : part)),
      });
      isAnswer = false;
    } else if (
      role === "tool" &&
      typeof content !== "string" &&
      content.some((part) => isOurs(part, "tool-result"))
    ) {
      const rest = content.filter((part) => !isOurs(part, "tool-result"));
      const answers = content.filter((part) => isOurs(part, "tool-result")).flatMap(answer);
      // Of two messages, the last one has what the whole has for the provider.
      const { providerOptions, ...bare } = message;
      if (rest.length > 0) messages.push({ ...bare, content: rest });
      const user = { role: "user", content: answers, ...forProvider(providerOptions) };
      if (isAnswer && rest.length === 0) join(messages, user);
      else messages.push(user);
      isAnswer = true;
    } else if (role === "user" && isAnswer && typeof content !== "string") {
      // Some models take no two messages of the user in a row.
      join(messages, { ...message, content });
      isAnswer = false;
    } else {
      messages.push(message);
      isAnswer = false;
    }
  }
  return messages;
}

function isOurs(part: MessagePart, type: string): boolean {
  return part.type === type && part.toolName === TOOL && part.providerExecuted !== true;
}

/** A message in parts. */
type InParts = Message & { readonly content: readonly MessagePart[] };

/** Joins a message to the last one. What both have for the provider is merged. */
function join(messages: Message[], next: InParts): void {
  const last = messages.pop() as InParts;
  const options = forProvider(merged(last.providerOptions, next.providerOptions));
  messages.push({ ...last, ...next, content: [...last.content, ...next.content], ...options });
}

function forProvider(providerOptions: ProviderMetadata | undefined): ForProvider {
  return providerOptions === undefined ? {} : { providerOptions };
}

/** Returns a call as the text that a model without tools would have written. */
function call({ input, providerOptions }: MessagePart): MessagePart {
  const parser = new ArgumentsParser(TOOL, { limits: LIMITS });
  parser.feed(typeof input === "string" ? input : JSON.stringify(input ?? {}));
  const { question = "", suggestions } = parser.finish().at(-1) as CompleteEvent | RejectedEvent;
  parser.free();
  const suggest = suggestions.map(({ answer, mode }) => {
    const attribute = mode === undefined ? "" : ` mode="${mode.replaceAll('"', "&quot;")}"`;
    return `<suggest${attribute}>${answer}</suggest>`;
  });
  const lines = [
    `<${TOOL}>`,
    `<question>${question}</question>`,
    "<follow_up>",
    ...suggest,
    "</follow_up>",
    `</${TOOL}>`,
  ];
  return text(lines.join("\n"), providerOptions);
}

/**
 * Returns what a tool returned as parts of the user's message. What it has for the provider is of
 * the last one.
 */
function answer({ output, providerOptions }: MessagePart): MessagePart[] {
  const parts = answerParts(output);
  const last = parts.pop();
  const options = merged(merged(last?.providerOptions, output?.providerOptions), providerOptions);
  return last === undefined ? [] : [...parts, { ...last, ...forProvider(options) }];
}

function answerParts(output: ToolOutput | undefined): MessagePart[] {
  switch (output?.type) {
    case "text":
      return [text(wrap(output.value))];
    case "json":
      return [text(wrap(asText(output.value)))];
    case "error-text":
    case "error-json":
      return [text(asText(output.value))];
    case "execution-denied":
      return [text(["The user denied this operation.", output.reason].filter(Boolean).join(" "))];
    case "content": {
      const texts = output.value
        .filter((item) => item.type === "text")
        .map((item) => item.text ?? "");
      return [
        text(wrap(texts.join("\n"))),
        ...output.value.filter((item) => item.type !== "text").map(file),
      ];
    }
    default: {
      // A type of a later version. If it has a value, that is the answer.
      const { value } = (output ?? {}) as { readonly value?: unknown };
      return [text(value === undefined ? asText(output ?? {}) : wrap(asText(value)))];
    }
  }
}

function text(value: string, providerOptions?: ProviderMetadata): MessagePart {
  return { type: "text", text: value, ...forProvider(providerOptions) } as MessagePart;
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function wrap(answer: string): string {
  return `<answer>\n${answer}\n</answer>`;
}

/**
 * Returns a file or image of an answer as a part of a message; as text if it has no data of its
 * own.
 */
function file({ type, data, url, mediaType, filename, providerOptions }: OutputItem): MessagePart {
  const source = data ?? address(url);
  if (source === undefined)
    return text(url === undefined ? `[${type}]` : `[${type}: ${url}]`, providerOptions);
  const usual = type.startsWith("image") ? "image/*" : "application/octet-stream";
  const rest = { ...(filename && { filename }), ...forProvider(providerOptions) };
  return { type: "file", data: source, mediaType: mediaType ?? usual, ...rest } as MessagePart;
}

/** Returns an address; `undefined` if it is relative, which has no meaning for the provider. */
function address(url: string | undefined): URL | undefined {
  try {
    return url === undefined ? undefined : new URL(url);
  } catch {
    return undefined;
  }
}
