"""The types of options and chunks."""

from collections.abc import Iterable
from os import PathLike
from typing import TypeAlias, TypedDict, Union

Chunk: TypeAlias = Union[str, bytes, bytearray, memoryview]
"""A part of a stream, which may end anywhere: text, or bytes of UTF-8."""


class CallLimits(TypedDict, total=False):
    """The limits of a call, in bytes of its text unless stated otherwise."""

    question: int
    """The length of a question. Default 100 KiB. A call with a longer one is rejected."""
    answer: int
    """The length of an answer. Default 16 KiB. A call with a longer one is rejected."""
    suggestions: int
    """The number of suggestions. Default 32. Later ones are dropped, with a note."""
    tag: int
    """The length of a tag with its attributes. Default 256. A longer one is text."""
    unconfirmed: int
    """The length of a call that is not certain yet. Default 2 KiB.

    If it is longer, its opening tag or header is text.
    """
    questions: int
    """The number of questions in a call. Default 16. Later ones are dropped, with a note."""
    header: int
    """The length of the header, or of the id, of a question. Default 1 KiB.

    A call with a longer one is rejected.
    """
    description: int
    """The length of a description, of a preview, or of the text below a question. Default 16 KiB.

    A call with a longer one is rejected.
    """
    texts: int
    """The length of all texts of a call of another question tool together. Default 1 MiB."""


class ResponseLimits(CallLimits, total=False):
    """The limits of a call, and of the stream of a provider."""

    event: int
    """The bytes of an event. Default 8 MiB. A longer one is skipped, with an error."""
    open_calls: int
    """The native calls that may be open at once. Default 64.

    Further ones are skipped, with an error.
    """
    arguments: int
    """The bytes of the arguments of all open calls. Default 4 MiB.

    The call that exceeds it is rejected.
    """


class _Options(TypedDict, total=False):
    strict: bool
    """Reject calls that need a repair. Default `False`."""
    outside_code: bool
    """Start no call inside code or thinking. Default `False`."""
    decode_entities: bool
    """Decode `&lt;` and its like in questions, answers and modes. Default `False`."""
    envelopes: Union[Iterable[str], None]
    """The models' own forms of a call to read in text: families, or `default` or `all`."""
    tools: Union[Iterable[str], None]
    """Other tools, whose calls in text are passed through.

    Default: those of the agents with this format.
    """
    parameters: Union[Iterable[str], None]
    """The parameters of `tools`, only with them. Default: none if `tools` is given."""
    shapes: Union[Iterable[Union[str, "PathLike[str]"]], None]
    """Question tools besides `ask_followup_question`.

    Names of built-in shapes, texts of shapes, or their files.
    """


class PolicyOptions(_Options, total=False):
    """How a stream is read."""

    limits: Union[CallLimits, None]
    """The limits of a call."""


class ResponseOptions(_Options, total=False):
    """How a provider's response is read."""

    reasoning: bool
    """Also read the calls in the model's reasoning. Default `False`."""
    limits: Union[ResponseLimits, None]
    """The limits of a call, and of the stream."""
