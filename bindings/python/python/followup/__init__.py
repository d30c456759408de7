"""Shows a language model's question while the model is still writing it."""

from typing import TypeAlias, Union

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
    Suggestion,
    Text,
)

Event: TypeAlias = Union[Text, Opaque, Partial, Complete, Rejected, Error]
"""What happened in a stream. `type` tells the kinds apart."""

__all__ = [
    "ArgumentsParser",
    "CallView",
    "Complete",
    "Error",
    "Event",
    "Known",
    "Opaque",
    "Parser",
    "Partial",
    "Question",
    "Rejected",
    "ResponseParser",
    "Suggestion",
    "Text",
]
