"""The extension module. Import its classes from `followup`."""

from typing import Any, ClassVar, Literal, final, overload

from typing_extensions import Self, Unpack, disjoint_base

from . import Event
from ._bulk import ArrowArray, ArrowStream
from ._options import Chunk, PolicyOptions, ResponseOptions

__version__: str

@final
class Array:
    """The calls of each row of an array.

    `pyarrow.array(…)`, `polars.Series(…)` and others take it.
    """

    def __arrow_c_array__(
        self, requested_schema: object | None = None
    ) -> tuple[object, object]: ...
    def __arrow_c_schema__(self) -> object: ...
    def __len__(self) -> int: ...
    def to_pylist(self) -> list[list[dict[str, Any]] | None]:
        """Returns a list with `None` or a list of dicts for each row."""

@final
class ChunkedArray:
    """The calls of each row of a stream of arrays, with its chunks. It can be read again and again.

    `pyarrow.chunked_array(…)`, `polars.Series(…)` and others take it.
    """

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...
    def __arrow_c_schema__(self) -> object: ...
    def __len__(self) -> int: ...
    @property
    def chunks(self) -> list[Array]:
        """The chunks, which are those of the column."""
    def to_pylist(self) -> list[list[dict[str, Any]] | None]:
        """Returns a list with `None` or a list of dicts for each row."""

@overload
def questions(
    column: ArrowArray,
    *,
    wire: str = "text",
    arguments_of: str | None = None,
    threads: int = 1,
    **options: Unpack[ResponseOptions],
) -> Array:
    """Returns the calls of each row of a column.

    `column` is an array, or a stream of arrays: anything with `__arrow_c_array__` or
    `__arrow_c_stream__`, such as arrays of pyarrow and Series of Polars and pandas 3. A row is a
    message, or with `wire` the body of a response (`auto`, or the name of a format), or with
    `arguments_of` the arguments of a native call of this tool. Its type is utf8, large_utf8,
    utf8_view, binary, large_binary, binary_view or a dictionary of one of them; ill-formed UTF-8
    is replaced. The other options are those of `Parser`, and with `wire` those of `ResponseParser`.

    The result is an `Array` for an array, and a `ChunkedArray` with the same chunks for a stream. A
    row has a list of the calls in the order in which they end, and null is null:

    | field | type | |
    |---|---|---|
    | `call` | uint32 | the index of the call in its row, from 0 |
    | `state` | utf8 | `complete`, `rejected`, or `error` for an error in a body, also of a message that failed or was filtered |
    | `question` | utf8 | the first question, as far as it was read |
    | `suggest` | list of struct of `answer` and `mode`, both utf8 | its suggested answers |
    | `notes` | list of utf8 | what was repaired in a complete call, as in `Complete.note_codes` |
    | `reason` | utf8 | why not: the code, and after `: ` the part, the note, or the provider's message |
    | `start`, `end` | int64 | where the call is in the row, in bytes of UTF-8 |

    Of an error, `call`, `question`, `start` and `end` are null. Strings have offsets of 64 bits
    (large_utf8) if those of the column do, or if it has views; otherwise of 32 bits. They are never
    views.

    Cost: linear in the bytes. The GIL is released for the whole column. With `threads` above 1, as
    many threads share the rows of each array; fewer if the rows are few, or the system refuses
    some.

    Raises `TypeError` for a column of another type and for unknown options, `ValueError` for
    options without a meaning and if a chunk has a result of 2 GiB or more with offsets of 32 bits,
    `OSError` if the producer of the column fails. A row never raises.
    """  # noqa: W505

@overload
def questions(
    column: ArrowStream,
    *,
    wire: str = "text",
    arguments_of: str | None = None,
    threads: int = 1,
    **options: Unpack[ResponseOptions],
) -> ChunkedArray:
    """As for an array; the result has the chunks of the stream."""

class Record:
    """An immutable value, whose fields are named by `__match_args__`.

    Values are compared, hashed, copied and pickled by their fields.

    The constructors raise `TypeError` for a field that is missing or has another type, and
    `ValueError` for a number that is no index.
    """

    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __getnewargs_ex__(self) -> tuple[tuple[Any, ...], dict[str, Any]]: ...
    def __copy__(self) -> Self: ...
    def __deepcopy__(self, memo: Any, /) -> Self: ...

@final
class Text(Record):
    """Prose, to be shown as it is."""

    type: ClassVar[Literal["text"]]
    __match_args__: ClassVar[tuple[Literal["text"]]]
    def __new__(cls, text: str) -> Self: ...
    @property
    def text(self) -> str:
        """The text."""

@final
class Opaque(Record):
    """A piece of another tool's call, as it was written: neither prose nor a question.

    The pieces of one call add up to its markup, or to its native arguments.
    """

    type: ClassVar[Literal["opaque"]]
    __match_args__: ClassVar[
        tuple[Literal["tool"], Literal["raw"], Literal["start"], Literal["id"]]
    ]
    def __new__(cls, tool: str, raw: str, start: bool, id: str | None = None) -> Self: ...
    @property
    def tool(self) -> str:
        """The tool's name."""
    @property
    def raw(self) -> str:
        """The piece."""
    @property
    def start(self) -> bool:
        """Whether this is the first piece of a call."""
    @property
    def id(self) -> str | None:
        """The provider's id of the call; `None` if it is not a native call."""

@final
class Known(Record):
    """What is known of the growing suggestion, or question, and does not grow itself."""

    __match_args__: ClassVar[
        tuple[
            Literal["mode"],
            Literal["value"],
            Literal["recommended"],
            Literal["id"],
            Literal["placeholder"],
            Literal["kind"],
            Literal["multiple"],
            Literal["custom"],
            Literal["required"],
            Literal["defaults"],
        ]
    ]
    def __new__(
        cls,
        mode: str | None = None,
        value: str | None = None,
        recommended: bool = False,
        id: str | None = None,
        placeholder: str | None = None,
        kind: str | None = None,
        multiple: bool | None = None,
        custom: bool | None = None,
        required: bool | None = None,
        defaults: list[str] | tuple[str, ...] = ...,
    ) -> Self: ...
    @property
    def mode(self) -> str | None:
        """Of a suggestion: the mode to which the agent should change with this answer."""
    @property
    def value(self) -> str | None:
        """Of a suggestion: what goes back to the model, if it is not the answer."""
    @property
    def recommended(self) -> bool:
        """Of a suggestion: whether the model recommends it."""
    @property
    def id(self) -> str | None:
        """Of a question: the id under which the answer goes back."""
    @property
    def placeholder(self) -> str | None:
        """Of a question: a hint in the empty field of the user's own answer."""
    @property
    def kind(self) -> Literal["text", "yesno", "number"] | None:
        """Of a question: what it asks for, if it is not a choice."""
    @property
    def multiple(self) -> bool | None:
        """Of a question: whether several suggestions can be chosen."""
    @property
    def custom(self) -> bool | None:
        """Of a question: whether the user can answer in words of their own."""
    @property
    def required(self) -> bool | None:
        """Of a question: whether it has to be answered."""
    @property
    def defaults(self) -> tuple[str, ...]:
        """Of a question: the answers that are chosen at first."""

@final
class Partial(Record):
    """More of an open call is certain. For display only: never act on it.

    The deltas of a field add up to the field.
    """

    type: ClassVar[Literal["partial"]]
    __match_args__: ClassVar[
        tuple[
            Literal["call"],
            Literal["field"],
            Literal["delta"],
            Literal["question_index"],
            Literal["suggestion_index"],
            Literal["tool"],
            Literal["id"],
            Literal["known"],
        ]
    ]
    def __new__(
        cls,
        call: int,
        field: str,
        delta: str,
        question_index: int = 0,
        suggestion_index: int | None = None,
        tool: str | None = None,
        id: str | None = None,
        known: Known | None = None,
    ) -> Self: ...
    @property
    def call(self) -> int:
        """The index of the call in the stream, from 0."""
    @property
    def field(
        self,
    ) -> Literal["question", "suggestion", "header", "detail", "description", "preview", "title"]:
        """The part of the call that grew."""
    @property
    def delta(self) -> str:
        """The text to append to the field. If it is empty, something else became known."""
    @property
    def question_index(self) -> int:
        """The index of the question that grew, or whose suggestion did."""
    @property
    def suggestion_index(self) -> int | None:
        """The index of the suggestion that grew; `None` if its question did."""
    @property
    def tool(self) -> str:
        """The tool that is called, such as `ask_followup_question`."""
    @property
    def id(self) -> str | None:
        """The provider's id of the call; `None` if it is not a native call."""
    @property
    def known(self) -> Known | None:
        """What became known that does not grow; `None` if nothing did."""

@final
class Suggestion(Record):
    """A suggested answer."""

    __match_args__: ClassVar[
        tuple[
            Literal["answer"],
            Literal["mode"],
            Literal["description"],
            Literal["preview"],
            Literal["value"],
            Literal["recommended"],
        ]
    ]
    def __new__(
        cls,
        answer: str,
        mode: str | None = None,
        description: str | None = None,
        preview: str | None = None,
        value: str | None = None,
        recommended: bool = False,
    ) -> Self: ...
    @property
    def answer(self) -> str:
        """The text of the answer."""
    @property
    def mode(self) -> str | None:
        """The mode to which the agent should change with this answer."""
    @property
    def description(self) -> str | None:
        """What the answer means."""
    @property
    def preview(self) -> str | None:
        """What the answer leads to, such as code, to be shown beside it."""
    @property
    def value(self) -> str | None:
        """What goes back to the model, if it is not the answer."""
    @property
    def recommended(self) -> bool:
        """Whether the model recommends it."""

@final
class Question(Record):
    """One question of a call.

    In the view of an open call, `None` also means that it is not known yet.
    """

    __match_args__: ClassVar[
        tuple[
            Literal["text"],
            Literal["suggestions"],
            Literal["id"],
            Literal["header"],
            Literal["detail"],
            Literal["placeholder"],
            Literal["kind"],
            Literal["multiple"],
            Literal["custom"],
            Literal["required"],
            Literal["defaults"],
        ]
    ]
    def __new__(
        cls,
        text: str,
        suggestions: list[Suggestion] | tuple[Suggestion, ...] = ...,
        id: str | None = None,
        header: str | None = None,
        detail: str | None = None,
        placeholder: str | None = None,
        kind: str | None = None,
        multiple: bool | None = None,
        custom: bool | None = None,
        required: bool | None = None,
        defaults: list[str] | tuple[str, ...] = ...,
    ) -> Self: ...
    @property
    def text(self) -> str:
        """The question."""
    @property
    def suggestions(self) -> tuple[Suggestion, ...]:
        """Its suggested answers."""
    @property
    def id(self) -> str | None:
        """The id under which the answer goes back."""
    @property
    def header(self) -> str | None:
        """A few words that stand for the question."""
    @property
    def detail(self) -> str | None:
        """A text below the question."""
    @property
    def placeholder(self) -> str | None:
        """A hint in the empty field of the user's own answer."""
    @property
    def kind(self) -> Literal["text", "yesno", "number"] | None:
        """What it asks for, if it is not a choice."""
    @property
    def multiple(self) -> bool | None:
        """Whether several suggestions can be chosen."""
    @property
    def custom(self) -> bool | None:
        """Whether the user can answer in words of their own."""
    @property
    def required(self) -> bool | None:
        """Whether it has to be answered."""
    @property
    def defaults(self) -> tuple[str, ...]:
        """The answers that are chosen at first."""

@final
class Complete(Record):
    """The call is closed and valid. The only event to act on."""

    type: ClassVar[Literal["complete"]]
    __match_args__: ClassVar[
        tuple[
            Literal["question"],
            Literal["suggestions"],
            Literal["tool"],
            Literal["call"],
            Literal["start"],
            Literal["end"],
            Literal["id"],
            Literal["shape"],
            Literal["title"],
            Literal["questions"],
            Literal["notes"],
            Literal["note_codes"],
            Literal["envelope"],
            Literal["native"],
        ]
    ]
    def __new__(
        cls,
        question: str,
        suggestions: list[Suggestion] | tuple[Suggestion, ...],
        tool: str,
        call: int,
        start: int,
        end: int,
        id: str | None = None,
        shape: str | None = None,
        title: str | None = None,
        questions: list[Question] | tuple[Question, ...] = ...,
        notes: list[str] | tuple[str, ...] = ...,
        note_codes: list[str] | tuple[str, ...] = ...,
        envelope: str | None = None,
        native: bool = False,
    ) -> Self: ...
    @property
    def question(self) -> str:
        """The question, or the first one: trimmed, and not empty."""
    @property
    def suggestions(self) -> tuple[Suggestion, ...]:
        """Its suggested answers. None is normal."""
    @property
    def tool(self) -> str:
        """The tool that was called, such as `ask_followup_question`."""
    @property
    def call(self) -> int:
        """The index of the call in the stream, from 0."""
    @property
    def start(self) -> int:
        """Where the call begins in the stream, in bytes of UTF-8."""
    @property
    def end(self) -> int:
        """Where the call ends in the stream, in bytes of UTF-8."""
    @property
    def id(self) -> str | None:
        """The provider's id of the call; `None` if it has none."""
    @property
    def shape(self) -> str | None:
        """The name of the shape that read the call; `None` for `ask_followup_question`."""
    @property
    def title(self) -> str | None:
        """A text above all questions."""
    @property
    def questions(self) -> tuple[Question, ...]:
        """All questions. `ask_followup_question` has one."""
    @property
    def notes(self) -> tuple[str, ...]:
        """What was repaired in the call or dropped from it, in words."""
    @property
    def note_codes(self) -> tuple[str, ...]:
        """The same as one word each, in the same order."""
    @property
    def envelope(self) -> str | None:
        """The family of the envelope that the call came in as text."""
    @property
    def native(self) -> bool:
        """Whether it is a native call, not one that was written in a message. Some have no id."""

@final
class Rejected(Record):
    """The call has ended and can't be asked.

    `code` says why, and which of `part`, `limit` and `note` tell more.
    """

    type: ClassVar[Literal["rejected"]]
    __match_args__: ClassVar[
        tuple[
            Literal["code"],
            Literal["message"],
            Literal["tool"],
            Literal["call"],
            Literal["start"],
            Literal["end"],
            Literal["part"],
            Literal["limit"],
            Literal["note"],
            Literal["id"],
            Literal["shape"],
            Literal["title"],
            Literal["question"],
            Literal["suggestions"],
            Literal["questions"],
            Literal["envelope"],
            Literal["native"],
        ]
    ]
    def __new__(
        cls,
        code: str,
        message: str,
        tool: str,
        call: int,
        start: int,
        end: int,
        part: str | None = None,
        limit: int | None = None,
        note: str | None = None,
        id: str | None = None,
        shape: str | None = None,
        title: str | None = None,
        question: str | None = None,
        suggestions: list[Suggestion] | tuple[Suggestion, ...] = ...,
        questions: list[Question] | tuple[Question, ...] = ...,
        envelope: str | None = None,
        native: bool = False,
    ) -> Self: ...
    @property
    def code(
        self,
    ) -> Literal[
        "missing_parameter", "malformed", "truncated", "too_long", "wrong_type", "superseded"
    ]:
        """Why, as one word."""
    @property
    def message(self) -> str:
        """Why, as a sentence."""
    @property
    def tool(self) -> str:
        """The tool that was called, such as `ask_followup_question`."""
    @property
    def call(self) -> int:
        """The index of the call in the stream, from 0."""
    @property
    def start(self) -> int:
        """Where the call begins in the stream, in bytes of UTF-8."""
    @property
    def end(self) -> int:
        """Where the call ends in the stream, in bytes of UTF-8."""
    @property
    def part(self) -> str | None:
        """The part of the call: of `truncated`, `too_long` and `wrong_type`."""
    @property
    def limit(self) -> int | None:
        """The limit of the part, in bytes: of `too_long`."""
    @property
    def note(self) -> str | None:
        """The code of the repair that is forbidden or can't be made: of `malformed`."""
    @property
    def id(self) -> str | None:
        """The provider's id of the call; `None` if it has none."""
    @property
    def shape(self) -> str | None:
        """The name of the shape that read the call; `None` for `ask_followup_question`."""
    @property
    def title(self) -> str | None:
        """A text above all questions, as far as it was read."""
    @property
    def question(self) -> str | None:
        """The question, as far as it was read."""
    @property
    def suggestions(self) -> tuple[Suggestion, ...]:
        """Its suggested answers, as far as they were read."""
    @property
    def questions(self) -> tuple[Question, ...]:
        """All questions, as far as they were read."""
    @property
    def envelope(self) -> str | None:
        """The family of the envelope that the call came in as text."""
    @property
    def native(self) -> bool:
        """Whether it is a native call, not one that was written in a message. Some have no id."""

@final
class Error(Record):
    """What is wrong with a provider's stream. Parsing continues after it."""

    type: ClassVar[Literal["error"]]
    __match_args__: ClassVar[tuple[Literal["code"], Literal["message"], Literal["data"]]]
    def __new__(cls, code: str, message: str, data: str | None = None) -> Self: ...
    @property
    def code(self) -> str:
        """The kind of error as one word, such as `provider` or `unreadable`."""
    @property
    def message(self) -> str:
        """The provider's message, or what is wrong, as a sentence."""
    @property
    def data(self) -> str | None:
        """The data that could not be read; `None` if there is none."""

@final
class CallView(Record):
    """An open call as far as it has been shown: the sum of its partials. For display only."""

    __match_args__: ClassVar[
        tuple[
            Literal["call"], Literal["tool"], Literal["id"], Literal["title"], Literal["questions"]
        ]
    ]
    def __new__(
        cls,
        call: int,
        tool: str,
        id: str | None = None,
        title: str | None = None,
        questions: list[Question] | tuple[Question, ...] = ...,
    ) -> Self: ...
    @property
    def call(self) -> int:
        """The index of the call in the stream, from 0."""
    @property
    def tool(self) -> str:
        """The tool that is called, such as `ask_followup_question`."""
    @property
    def id(self) -> str | None:
        """The provider's id of the call; `None` if it is not a native call."""
    @property
    def title(self) -> str | None:
        """The text above all questions so far."""
    @property
    def questions(self) -> tuple[Question, ...]:
        """The questions so far. Only the last one may still change."""

@disjoint_base
class StreamParser:
    """What all parsers have in common."""

    def feed(self, chunk: Chunk, /) -> list[Event]:
        """Parses the next chunk, which may end anywhere, and returns its events.

        Bytes are UTF-8 and may end inside a character; ill-formed bytes become U+FFFD. A `str` may
        end inside a surrogate pair, as the JSON of some providers does; a surrogate without its
        other half becomes U+FFFD.

        Cost: linear in the chunk. A `str` and `bytes` are not copied.

        Raises `TypeError` if the chunk is neither text nor bytes, `ValueError` after `finish()`,
        and `RuntimeError` while another thread uses the parser.
        """
    def finish(self) -> list[Event]:
        """Ends the stream and returns the events that only its end decides.

        Raises `ValueError` if the stream has ended before.
        """
    def view(self, call: int | None = None) -> CallView | None:
        """Returns an open call as far as it has been shown: the one with this index, or the newest.

        `None` if that call is not open. A parser that continues from a checkpoint knows a call that
        was open then from its next partial on. For display only.

        Cost: a copy of the call.
        """
    def checkpoint(self) -> bytes:
        """Returns the state between two chunks as bytes, with which another parser continues.

        It depends only on the options and on what was fed, not on how that was cut.

        Raises `ValueError` after `finish()`.
        """

@final
class Parser(StreamParser):
    """Parses messages with calls as text: markup, and the models' own envelopes.

    With `checkpoint`, which another parser with the same options returned, it continues there.

    Raises `TypeError` for an option that does not exist or has another type, and `ValueError` for a
    value without a meaning or a damaged checkpoint.
    """

    def __new__(
        cls, *, checkpoint: bytes | None = None, **options: Unpack[PolicyOptions]
    ) -> Self: ...

@final
class ArgumentsParser(StreamParser):
    """Parses the arguments of a native call of a question tool. The stream is one call.

    `tool` is `ask_followup_question`, `AskUserQuestion` or another tool of the shapes. With a
    checkpoint, it is the tool of the parser that made it. Other options are those of `Parser`.

    Raises the errors of `Parser`, and `ValueError` for a tool that no shape has.
    """

    def __new__(
        cls, tool: str, *, checkpoint: bytes | None = None, **options: Unpack[PolicyOptions]
    ) -> Self: ...

@final
class ResponseParser(StreamParser):
    """Parses the body of a provider's response.

    `format` is the name of the provider's format, such as `anthropic`; with `auto` or `None`
    it is detected. With a checkpoint, `reasoning` is that of the parser that made it, and so is
    `format` with `auto`. Other options are those of `Parser`.

    Raises the errors of `Parser`, and `ValueError` for a format that does not exist and for a
    checkpoint of another one.
    """

    def __new__(
        cls,
        format: str | None = "auto",
        *,
        checkpoint: bytes | None = None,
        **options: Unpack[ResponseOptions],
    ) -> Self: ...
    @property
    def detected_format(self) -> str | None:
        """The format of the body, also after its end; `None` while it is not known."""

@final
class DialogueState:
    """The dialogue as `followup.dialogue.Dialogue` uses it: JSON in, JSON out."""

    def __new__(cls, options: str, /) -> Self: ...
    def shows(self) -> bool:
        """Returns whether a growing call is to be shown."""
    def state(self) -> tuple[str | None, int, int, bool]:
        """Returns the open question, how many wait, how many mistakes, and if it has stopped."""
    def ask(self, question: str, /) -> str:
        """Asks a question, and returns a directive."""
    def correct(self, call: str, /) -> str:
        """Corrects a call that can't be asked, and returns a directive."""
    def answer(self, number: int, answer: str, images: list[str | bytes], /) -> str:
        """Answers a question, and returns a reply."""
    def end(self, ending: str, number: int, answers: str, /) -> str:
        """Ends a question without an answer to it, and returns a reply."""
    def guide(self, guidance: str, images: list[str | bytes], /) -> str:
        """Guides the model, and returns a reply."""
    def checkpoint(self) -> str:
        """Returns the state without the history."""
    def history(self, takes: bool, /) -> str:
        """Returns the turns so far, and removes them if `takes` is set."""

def reply_messages(replies: str, format: str, /) -> str:
    """Returns the messages that carry these replies, in the form of an API."""
