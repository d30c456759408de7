"""What a host does with the events.

It asks one question at a time, and writes the replies for the model.

>>> from followup import Dialogue, Parser
>>> from followup.dialogue import Ask, messages
>>> parser, dialogue = Parser(), Dialogue()
>>> message = "<ask_followup_question><question>Tea?</question></ask_followup_question>"
>>> for event in parser.feed(message):
...     match dialogue.event(event):
...         case Ask(question):
...             print(question.number, question.question)
0 Tea?
>>> reply = dialogue.answer(0, text="Yes, please")
>>> reply.text
'<answer>\\nYes, please\\n</answer>'
>>> messages(reply, "openai-chat") == [{"role": "user", "content": reply.text}]
True
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ._dialogue_check import check_index, check_limit, check_number, check_rules
from ._dialogue_error import DialogueError
from ._dialogue_json import (
    call_data,
    directive,
    form_answer,
    known,
    open_question,
    plain,
    rejection_data,
    reply,
    to_json,
)
from ._dialogue_types import (
    AnyFormAnswer,
    Ask,
    Correction,
    DialectName,
    Directive,
    Finding,
    Form,
    FormAnswer,
    FormOption,
    FormQuestion,
    Later,
    MessageFormat,
    Nothing,
    OpenQuestion,
    Reply,
    RuleOptions,
    Severity,
    Show,
    Stop,
    Tell,
    Turn,
)
from ._followup import (
    Complete,
    DialogueState,
    Error,
    Opaque,
    Partial,
    Rejected,
    Text,
    reply_messages,
)

if TYPE_CHECKING:
    from . import Event

__all__ = [
    "AnyFormAnswer",
    "Ask",
    "Correction",
    "DialectName",
    "Dialogue",
    "DialogueError",
    "Directive",
    "Finding",
    "Form",
    "FormAnswer",
    "FormOption",
    "FormQuestion",
    "Later",
    "MessageFormat",
    "Nothing",
    "OpenQuestion",
    "Reply",
    "RuleOptions",
    "Severity",
    "Show",
    "Stop",
    "Tell",
    "Turn",
    "messages",
]


class Dialogue:
    """The questions and answers of a model and its user, one question at a time.

    It consumes the events of a parser and returns what to do next, and it accepts the user's
    answers and returns the replies for the model. It has no clock and does no I/O: the same events
    and answers lead to the same state.

    - `dialect`: the messages to model and user, and how answers are wrapped: the name of a built-in
      dialect, or a mapping with the keys of docs/dialects.md. What it leaves out is as in
      `roo-code`.
    - `rules`: the rules for questions.
    - `mistake_limit`: the number of mistakes in a row that stops the dialogue; 0 for no limit.
    - `escape`: whether to escape the user's text, so that it can't end the wrapping.
    - `templates`: how answers go back to other agents' tools, by the tool's name: the name of a
      built-in template, or a mapping with the keys of docs/question-tools.md. By default the shape
      of the call decides.
    - `history`: all turns of an earlier dialogue, in order, which this one continues.
    - `checkpoint`: the state of an earlier dialogue, which this one continues with an empty
      history. Not with `history`.

    Raises `TypeError` for an option of another type, `ValueError` for a name that does not exist,
    and `DialogueError` for a history that no dialogue can have, and for a checkpoint that is
    damaged or of another version.
    """

    __slots__ = ("_state",)

    def __init__(
        self,
        *,
        dialect: DialectName | Mapping[str, Any] = "roo-code",
        rules: RuleOptions | None = None,
        mistake_limit: int = 3,
        escape: bool = False,
        templates: Mapping[str, str | Mapping[str, Any]] | None = None,
        history: Iterable[Turn] = (),
        checkpoint: str | None = None,
    ) -> None:
        check_limit(mistake_limit)
        check_rules(rules or {})
        if isinstance(history, (str, bytes)):
            raise TypeError(f"history: the turns were expected, not {type(history).__name__}")
        if not isinstance(checkpoint, (str, type(None))):
            raise TypeError(f"checkpoint: a str was expected, not {type(checkpoint).__name__}")
        turns = list(history)
        if turns and checkpoint is not None:
            raise TypeError("checkpoint: a history or a checkpoint was expected, not both")
        options = {
            "dialect": dialect,
            "rules": rules or {},
            "mistake_limit": mistake_limit,
            "escape": escape,
            "templates": templates or {},
            "history": turns,
            "checkpoint": checkpoint,
        }
        members = (f'"{name}": {to_json(value, name)}' for name, value in options.items())
        self._state = DialogueState(f"{{{', '.join(members)}}}")

    def event(self, event: Event) -> Directive:
        """Consumes an event and returns what to do about it.

        `Nothing` for prose, for other tools' calls, for errors, and for calls that are superseded.

        Raises `TypeError` for what is no event of a parser.
        """
        match event:
            case Partial():
                return Show(event) if self._state.shows() else Nothing()
            case Complete():
                return directive(self._state.ask(to_json(call_data(event))))
            case Rejected():
                return directive(self._state.correct(to_json(rejection_data(event))))
            case Text() | Opaque() | Error():
                return Nothing()
        raise TypeError(f"event: an event of a parser was expected, not {type(event).__name__}")

    @property
    def question(self) -> OpenQuestion | None:
        """The open question; `None` if there is none."""
        question = self._state.state()[0]
        return None if question is None else open_question(question)

    @property
    def waiting_count(self) -> int:
        """The number of questions that wait for an answer to the open one, or for guidance."""
        return self._state.state()[1]

    @property
    def mistakes(self) -> int:
        """The number of mistakes that the model has made in a row."""
        return self._state.state()[2]

    @property
    def has_stopped(self) -> bool:
        """Whether the limit of mistakes in a row is reached.

        The user should then guide the model.
        """
        return self._state.state()[3]

    def answer(
        self,
        number: int,
        *,
        text: str | None = None,
        suggestion: int | None = None,
        answers: Sequence[AnyFormAnswer] | None = None,
        images: Sequence[str | bytes] = (),
    ) -> Reply:
        """Accepts the user's answer to the open question, and opens the next one.

        The answer is a `text` that the user wrote; the `suggestion` with this index; both, if the
        user took a suggestion and changed its text, whose mode is kept; or the `answers` to a form,
        one for each question. Images are data URLs, or the bytes, of PNG, JPEG, GIF or WebP.

        Raises `DialogueError` if the question is not open or does not take the answer, `ValueError`
        for an image that can't be used, and `TypeError` for other arguments.
        """
        check_number(number)
        check_index("suggestion", suggestion)
        if answers is not None and text is None and suggestion is None:
            answer: dict[str, Any] = {"form": [form_answer(one) for one in answers]}
        elif answers is not None or text is None and suggestion is None:
            given = {"a text": text, "a suggestion": suggestion, "answers": answers}
            came = (
                " and ".join(name for name, value in given.items() if value is not None)
                or "nothing"
            )
            raise TypeError(
                f"answer: a text, a suggestion, both, or the answers to a form were expected, not {came}"
            )
        elif suggestion is None:
            answer = {"text": text}
        elif text is None:
            answer = {"suggestion": suggestion}
        else:
            answer = {"edited": {"suggestion": suggestion, "text": text}}
        return reply(self._state.answer(number, to_json(answer, "answer"), list(images)))

    def cancel(self, number: int) -> Reply:
        """Cancels an open or waiting question: the user does not answer it.

        Raises `DialogueError` if no open or waiting question has this number, and `TypeError` for a
        number of another type.
        """
        return self._end("cancel", number, ())

    def decline(self, number: int) -> Reply:
        """Declines an open or waiting question: the user says that they will not answer it.

        Raises `DialogueError` if no open or waiting question has this number, or the tool has no
        reply for that, and `TypeError` for a number of another type.
        """
        return self._end("decline", number, ())

    def discuss(self, number: int, answers: Sequence[AnyFormAnswer] = ()) -> Reply:
        """Ends an open or waiting question because the user wants to talk about it first.

        `answers` are those so far: none, or one for each question, where nothing has to be
        answered.

        Raises `DialogueError` if the tool has no reply for that (`OpenQuestion.can_discuss`), an
        answer can't be accepted, or no open or waiting question has this number, and `TypeError`
        for arguments of another type.
        """
        return self._end("discuss", number, answers)

    def time_out(self, number: int, answers: Sequence[AnyFormAnswer] = ()) -> Reply:
        """Ends an open or waiting question because the time for an answer is over.

        The dialogue has no clock: the host decides when that is. `answers` are those so far, as in
        `discuss`.

        Raises what `discuss` raises.
        """
        return self._end("time_out", number, answers)

    def _end(self, ending: str, number: int, answers: Sequence[AnyFormAnswer]) -> Reply:
        check_number(number)
        so_far = to_json([form_answer(one) for one in answers], "answers")
        return reply(self._state.end(ending, number, so_far))

    def guide(self, text: str, *, images: Sequence[str | bytes] = ()) -> Reply:
        """Accepts the user's guidance after the dialogue has stopped.

        It continues with no mistakes.

        Raises `DialogueError` if the dialogue has not stopped.
        """
        if not isinstance(text, str):
            raise TypeError(f"guidance: a str was expected, not {type(text).__name__}")
        return reply(self._state.guide(plain(text), list(images)))

    def checkpoint(self) -> str:
        """Returns the state without the history, with a version and a checksum.

        A dialogue in another process continues with it, also one in Rust or JavaScript, and under
        other options as well. Keep it as a text: what parses it as JSON may round the checksum.

        Cost: a copy of the questions that are open or wait.
        """
        return self._state.checkpoint()

    def history(self) -> list[Turn]:
        """Returns the turns so far, or since the last `take_history`.

        `Dialogue(history=...)` continues all turns of a dialogue.
        """
        return json.loads(self._state.history(False))

    def take_history(self) -> list[Turn]:
        """Removes and returns the turns so far, for a host that keeps them elsewhere.

        The dialogue continues unchanged. To continue it in another process, join all turns that
        were taken, or use `checkpoint`.
        """
        return json.loads(self._state.history(True))


def messages(replies: Reply | Iterable[Reply], format: MessageFormat) -> list[dict[str, Any]]:
    """Returns the messages of an API that carry all replies of one turn.

    They are sent right after the model's message. A native call is answered by its result under its
    id, or under its tool's name for Gemini and Ollama, any other by a message of the user. The APIs
    refuse a conversation in which a result is missing, so collect the replies until every call has
    one. For OpenAI Responses the messages are input items, for Gemini contents. Those for Bedrock
    have images as base64, which boto3 wants as bytes.

    Raises `ValueError` for a format that does not exist, and `TypeError` for what is no `Reply`.
    """
    all = [replies] if isinstance(replies, Reply) else list(replies)
    for one in all:
        if not isinstance(one, Reply):
            raise TypeError(
                f"replies: a Reply, or an iterable of them, was expected, not {type(one).__name__}"
            )
    return json.loads(reply_messages(to_json([known(one) for one in all]), format))
