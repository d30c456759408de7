// The class `Dialogue`, and functions that format its replies for the APIs of providers.

import { type Action, DialogueBoundary, DialogueError } from "./dialogue-boundary.js";
import { rejection, storedAnswer, storedOptions, toQuestion } from "./dialogue-convert.js";
import type {
  Answer,
  Correction,
  DialogueOptions,
  Directive,
  FormAnswer,
  MessageFormat,
  OpenQuestion,
  Reply,
  Turn,
} from "./dialogue-types.js";
import type { FollowupEvent } from "./events.js";
import { dispose, forgotten } from "./forgotten.js";
import { checkedModule } from "./module/check.js";
import { check, kind, object, objects, texts, whole } from "./options.js";

export { DialogueError };
export type * from "./dialogue-types.js";
export type * from "./events.js";

let installed: DialogueBoundary | undefined;

/**
 * Sets the module in which all dialogues run, a compiled `WebAssembly.Module`. The first one is
 * kept.
 *
 * Only a host that imports from `followup/dialogue/host` has to call it.
 *
 * ```js
 * import { readFileSync } from "node:fs";
 * import { Dialogue, installDialogue } from "followup/dialogue/host";
 *
 * const file = new URL(import.meta.resolve("followup/followup-dialogue.wasm"));
 * installDialogue(new WebAssembly.Module(readFileSync(file)));
 * assert.equal(new Dialogue().question, undefined);
 * ```
 *
 * @throws TypeError if it is no module, or another one than `followup-dialogue.wasm`.
 */
export function installDialogue(module: object): void {
  const checked = checkedModule(module, "ask", "followup-dialogue.wasm");
  installed ??= new DialogueBoundary(checked);
}

function boundary(): DialogueBoundary {
  if (installed === undefined)
    throw new TypeError("there is no module yet: call installDialogue first");
  return (installed = installed.usable);
}

interface State {
  readonly question?: OpenQuestion;
  readonly waitingCount: number;
  readonly mistakes: number;
  readonly hasStopped: boolean;
}

/**
 * The questions and answers of a model and its user, one question at a time.
 *
 * It consumes the events of a parser and returns what to do next, and it accepts the user's answers
 * and returns the replies for the model. It has no clock and does no I/O: the same events and
 * answers lead to the same state. Where a function throws, the dialogue is unchanged.
 *
 * ```js
 * import { Parser } from "followup";
 * import { Dialogue } from "followup/dialogue";
 *
 * const dialogue = new Dialogue();
 * const message = "<ask_followup_question><question>Tea?</question><suggest>Yes</suggest></ask_followup_question>";
 * for (const event of new Parser().feed(message)) {
 *   const directive = dialogue.event(event);
 *   if (directive.type === "ask") assert.equal(directive.question.question, "Tea?");
 * }
 * const reply = dialogue.answer(0, { type: "suggestion", suggestion: 0 });
 * assert.equal(reply.text, "<answer>\nYes\n</answer>");
 * ```
 */
export class Dialogue {
  readonly #boundary = boundary();
  #number: number;
  /** The state, until an action changes it. */
  #known: State | undefined;

  /**
   * Creates a dialogue, which continues a history or a checkpoint if the options have one.
   *
   * @throws TypeError if an option is wrong.
   * @throws {@link DialogueError} if no dialogue can have this history, or the checkpoint is
   *   damaged or of another version.
   */
  constructor(options: DialogueOptions = {}) {
    this.#number = this.#boundary.create(storedOptions(options));
    forgotten?.register(this, { boundary: this.#boundary, number: this.#number }, this);
  }

  /**
   * Consumes an event and returns what to do about it.
   *
   * Nothing for prose, for other tools' calls, for errors, and for calls that are superseded. One
   * question is open at a time: others wait, in order.
   *
   * ```js
   * import { Parser } from "followup";
   * import { Dialogue } from "followup/dialogue";
   *
   * const dialogue = new Dialogue();
   * const message = "<ask_followup_question><question>Tea?</question></ask_followup_question>";
   * const types = new Parser().feed(message + message).map((event) => dialogue.event(event).type);
   * assert.deepEqual(types, ["show", "ask", "nothing", "later"]);
   * assert.equal(dialogue.waitingCount, 1);
   * ```
   *
   * @throws TypeError if it is no event of a parser, or the dialogue has been freed.
   */
  event(event: FollowupEvent): Directive {
    switch (event?.type) {
      case "partial": {
        const { question, hasStopped } = this.#state();
        return question !== undefined || hasStopped
          ? { type: "nothing" }
          : { type: "show", call: event };
      }
      case "complete":
        return directive(this.#run("ask", toQuestion(event), "event"));
      case "rejected":
        return directive(this.#run("correct", rejection(event), "event"));
      case "text":
      case "opaque":
      case "error":
        this.#open();
        return { type: "nothing" };
      default:
        throw new TypeError(`event: an event of a parser was expected, not ${kind(event)}`);
    }
  }

  /** The open question; `undefined` if there is none. */
  get question(): OpenQuestion | undefined {
    return this.#state().question;
  }

  /** The number of questions that wait for an answer to the open one, or for guidance. */
  get waitingCount(): number {
    return this.#state().waitingCount;
  }

  /** The number of mistakes that the model has made in a row. */
  get mistakes(): number {
    return this.#state().mistakes;
  }

  /** Whether the limit of mistakes in a row is reached. The user should then guide the model. */
  get hasStopped(): boolean {
    return this.#state().hasStopped;
  }

  /**
   * Accepts the user's answer to the open question, and opens the next one.
   *
   * Images are data URLs of PNG, JPEG, GIF or WebP. The reply has the text for the model and, of a
   * suggestion, its mode.
   *
   * ```js
   * import { Parser } from "followup";
   * import { Dialogue } from "followup/dialogue";
   *
   * const dialogue = new Dialogue();
   * const asked = '<question>Tea?</question><suggest mode="code">Yes</suggest>';
   * const message = `<ask_followup_question>${asked}</ask_followup_question>`;
   * for (const event of new Parser().feed(message)) dialogue.event(event);
   * const reply = dialogue.answer(0, { type: "edited", suggestion: 0, text: "Yes, green" });
   * assert.deepEqual([reply.text, reply.mode], ["<answer>\nYes, green\n</answer>", "code"]);
   * ```
   *
   * @throws TypeError if an argument is of a wrong type.
   * @throws {@link DialogueError} if the question is not open or does not take the answer.
   */
  answer(number: number, answer: Answer, images: readonly string[] = []): Reply {
    return reply(
      this.#run(
        "answer",
        {
          number: whole(number, "number"),
          answer: storedAnswer(answer),
          images: texts(images, "images"),
        },
        "answer",
      ),
    );
  }

  /**
   * Cancels an open or waiting question: the user does not answer it. The next one is open then.
   *
   * @throws TypeError if it is no number.
   * @throws {@link DialogueError} if no open or waiting question has this number.
   */
  cancel(number: number): Reply {
    return reply(this.#run("cancel", whole(number, "number"), "number"));
  }

  /**
   * Declines an open or waiting question: the user says that they will not answer it.
   *
   * @throws TypeError if it is no number.
   * @throws {@link DialogueError} if no open or waiting question has this number.
   */
  decline(number: number): Reply {
    return reply(this.#run("decline", whole(number, "number"), "number"));
  }

  /**
   * Ends an open or waiting question because the user wants to talk about it first.
   *
   * `answers` are those so far: none, or one for each question, where nothing has to be answered.
   * The reply's kind is `declined`.
   *
   * Throws a `DialogueError` if the tool has no reply for that (`OpenQuestion.canDiscuss`), an
   * answer can't be accepted, or no open or waiting question has this number. The dialogue is
   * unchanged.
   *
   * ```js
   * import { ArgumentsParser } from "followup";
   * import { Dialogue } from "followup/dialogue";
   *
   * const dialogue = new Dialogue();
   * const parser = new ArgumentsParser("AskUserQuestion");
   * const call = '{"questions": [{"question": "Tea?"}, {"question": "When?"}]}';
   * for (const event of [...parser.feed(call), ...parser.finish()]) dialogue.event(event);
   * assert(dialogue.question?.canDiscuss);
   * const reply = dialogue.discuss(0, [{ text: "Yes" }, {}]);
   * assert(reply.text.endsWith('- "Tea?"\n  Answer: Yes\n- "When?"\n  (No answer provided)'));
   * ```
   */
  discuss(number: number, answers: readonly FormAnswer[] = []): Reply {
    return reply(
      this.#run(
        "discuss",
        { number: whole(number, "number"), answers: objects(answers, "answers") },
        "answers",
      ),
    );
  }

  /**
   * Ends an open or waiting question because the time for an answer is over.
   *
   * The dialogue has no clock: the host decides when that is. `answers` are as those of `discuss`.
   * Where the tool has no reply of its own for that, it is that of a cancelled question. The
   * reply's kind is `cancelled`.
   *
   * Throws a `DialogueError` if an answer can't be accepted, or no open or waiting question has
   * this number. The dialogue is unchanged.
   */
  timeOut(number: number, answers: readonly FormAnswer[] = []): Reply {
    return reply(
      this.#run(
        "time_out",
        { number: whole(number, "number"), answers: objects(answers, "answers") },
        "answers",
      ),
    );
  }

  /**
   * Accepts the user's guidance after the dialogue has stopped. It continues with no mistakes.
   *
   * ```js
   * import { Parser } from "followup";
   * import { Dialogue } from "followup/dialogue";
   *
   * const dialogue = new Dialogue({ mistakeLimit: 1 });
   * const [event] = new Parser().feed("<ask_followup_question></ask_followup_question>");
   * assert.equal(event && dialogue.event(event).type, "stop");
   * assert.equal(dialogue.guide("Ask one question.").kind, "guidance");
   * assert.equal(dialogue.hasStopped, false);
   * ```
   *
   * @throws TypeError if an argument is of a wrong type.
   * @throws {@link DialogueError} if the dialogue has not stopped.
   */
  guide(text: string, images: readonly string[] = []): Reply {
    return reply(
      this.#run(
        "guide",
        { text: check(text, "string", "text"), images: texts(images, "images") },
        "guidance",
      ),
    );
  }

  /**
   * Returns the state without the history, as a text with a version and a checksum. A dialogue in
   * another process continues with it, also one in Rust or Python, and under other options as well.
   * Keep it as a text: `JSON.parse` rounds the checksum.
   *
   * Cost: a copy of the questions that are open or wait.
   *
   * ```js
   * import { Parser } from "followup";
   * import { Dialogue } from "followup/dialogue";
   *
   * const first = new Dialogue();
   * const message = "<ask_followup_question><question>Tea?</question></ask_followup_question>";
   * for (const event of new Parser().feed(message)) first.event(event);
   * first.takeHistory();
   * const second = new Dialogue({ checkpoint: first.checkpoint() });
   * assert.equal(second.question?.question, "Tea?");
   * ```
   */
  checkpoint(): string {
    return this.#run("checkpoint", null, "checkpoint") as string;
  }

  /**
   * Returns the turns so far, or since the last `takeHistory`, as plain data.
   * `new Dialogue({ history })` continues all turns of a dialogue.
   *
   * ```js
   * import { Parser } from "followup";
   * import { Dialogue } from "followup/dialogue";
   *
   * const first = new Dialogue();
   * const message = "<ask_followup_question><question>Tea?</question></ask_followup_question>";
   * for (const event of new Parser().feed(message)) first.event(event);
   * const stored = JSON.stringify(first.history());
   * const second = new Dialogue({ history: JSON.parse(stored) });
   * assert.equal(second.question?.question, "Tea?");
   * ```
   */
  history(): Turn[] {
    return this.#run("history", null, "history") as Turn[];
  }

  /**
   * Removes and returns the turns so far, for a host that keeps them elsewhere. The dialogue
   * continues unchanged. To continue it in another process, join all turns that were taken, or use
   * `checkpoint`.
   */
  takeHistory(): Turn[] {
    return this.#run("take_history", null, "history") as Turn[];
  }

  /**
   * Frees the memory. A dialogue that is used afterwards throws; to free it again does nothing. One
   * that is forgotten is freed later, where the engine can tell.
   */
  free(): void {
    if (this.#number === 0) return;
    forgotten?.unregister(this);
    this.#boundary.free(this.#number);
    this.#number = 0;
  }

  /** Frees the memory, at the end of a block with `using`. */
  [dispose](): void {
    this.free();
  }

  #state(): State {
    this.#open();
    return (this.#known ??= named(
      this.#boundary.run(this.#number, "state", null, "state"),
    ) as State);
  }

  #run(action: Action, argument: unknown, what: string): unknown {
    this.#known = undefined;
    return this.#boundary.run(this.#open(), action, argument, what);
  }

  #open(): number {
    if (this.#number === 0) throw new TypeError("the dialogue has been freed");
    return this.#number;
  }
}

/**
 * Returns the reply that the model gets as the result of a call that can't be asked.
 *
 * ```js
 * import { Parser } from "followup";
 * import { correctionReply, Dialogue } from "followup/dialogue";
 *
 * const [event] = new Parser().feed("<ask_followup_question></ask_followup_question>");
 * const directive = event && new Dialogue().event(event);
 * assert(directive?.type === "tell");
 * assert.match(correctionReply(directive.correction).text, /question/);
 * ```
 */
export function correctionReply(correction: Correction): Reply {
  const { id, tool, model, isError } = object(correction, "correction") as unknown as Correction;
  return {
    kind: "correction",
    text: model,
    ...(id !== undefined && { id }),
    ...(tool !== undefined && { tool }),
    ...(isError && { isError }),
  };
}

/**
 * Returns the messages of an API that carry all replies of one turn, to be sent right after the
 * model's message.
 *
 * A native call is answered by its result under its id, or under its tool's name for Gemini and
 * Ollama, any other by a message of the user. The APIs refuse a conversation in which a result is
 * missing, so collect the replies until every call has one. For OpenAI Responses the messages are
 * input items, for Gemini contents. Those for Bedrock have images as base64, which AWS's SDK wants
 * as bytes.
 *
 * ```js
 * import { messages } from "followup/dialogue";
 *
 * const sent = messages({ kind: "answer", number: 0, id: "call_1", text: "Yes" }, "openai-chat");
 * assert.deepEqual(sent, [{ role: "tool", tool_call_id: "call_1", content: "Yes" }]);
 * ```
 *
 * @throws TypeError if a reply is none, or there is no such format.
 */
export function messages(
  replies: Reply | readonly Reply[],
  format: MessageFormat,
): Record<string, unknown>[] {
  const all = Array.isArray(replies) ? (replies as readonly Reply[]) : [replies as Reply];
  const stored = all.map((one) => {
    const { isError, ...rest } = object(one, "messages: a reply");
    return { ...rest, is_error: isError };
  });
  return boundary().messages({ replies: stored, format }) as Record<string, unknown>[];
}

/** Returns an object of the module with its fields as JavaScript names them. */
function renamed({
  is_error,
  can_discuss,
  ...rest
}: {
  is_error?: boolean;
  can_discuss?: boolean;
}): object {
  return { ...rest, ...(is_error && { isError: true }), ...(can_discuss && { canDiscuss: true }) };
}

/**
 * Returns an object of the module with the fields of its question and correction as JavaScript
 * names them.
 */
function named(value: unknown): object {
  const { question, correction, ...rest } = value as { question?: object; correction?: object };
  return {
    ...rest,
    ...(question && { question: renamed(question) }),
    ...(correction && { correction: renamed(correction) }),
  };
}

function reply(value: unknown): Reply {
  return renamed(value as object) as Reply;
}

function directive(value: unknown): Directive {
  return named(value) as Directive;
}
