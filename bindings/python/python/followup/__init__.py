"""Shows a language model's question while the model is still writing it."""

from typing import TypeAlias, Union

from ._dialogue_error import DialogueError
from ._followup import (
    ArgumentsParser,
    CallView,
    Complete,
    Error,
    Known,
    Opaque,
    Parser,
    Partial,
    Question,
    Rejected,
    ResponseParser,
    StreamParser,
    Suggestion,
    Text,
    __version__,
)
from ._options import CallLimits, Chunk, PolicyOptions, ResponseLimits, ResponseOptions
from ._stream import events
from .dialogue import Dialogue

Event: TypeAlias = Union[Text, Opaque, Partial, Complete, Rejected, Error]
"""What happened in a stream. `type` tells the kinds apart."""

__all__ = [
    "ArgumentsParser",
    "CallLimits",
    "CallView",
    "Chunk",
    "Complete",
    "Dialogue",
    "DialogueError",
    "Error",
    "Event",
    "Known",
    "Opaque",
    "Parser",
    "Partial",
    "PolicyOptions",
    "Question",
    "Rejected",
    "ResponseLimits",
    "ResponseOptions",
    "ResponseParser",
    "StreamParser",
    "Suggestion",
    "Text",
    "__version__",
    "events",
]
