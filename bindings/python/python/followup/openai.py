"""Events beside the objects of a stream of the OpenAI SDK.

    stream = wrap(client.chat.completions.create(…, stream=True))
    for chunk in stream:
        for event in stream.followup:
            …
"""

from __future__ import annotations

from collections.abc import AsyncIterable, Callable, Iterable
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar, overload

from ._wire import to_json
from ._wrap import AsyncWrappedStream, WrappedStream
from ._wrap import wrap as _wrap

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from . import Event
    from ._options import ResponseOptions

__all__ = ["AsyncWrappedStream", "WrappedStream", "wrap"]

T = TypeVar("T")

# What the helpers of the SDK add to the events of a response: all so far, and again with each delta.
_ADDED = {"snapshot", "parsed"}
# The events of `chat.completions.stream` that the SDK makes from chunks.
_DERIVED = ("content.", "refusal.", "tool_calls.", "logprobs.")


@overload
def wrap(
    stream: Iterable[T], *, on_event: Callable[[Event], object] | None = None, **options: Unpack[ResponseOptions]
) -> WrappedStream[T]: ...
@overload
def wrap(
    stream: AbstractContextManager[Iterable[T], Any],
    *,
    on_event: Callable[[Event], object] | None = None,
    **options: Unpack[ResponseOptions],
) -> WrappedStream[T]: ...
@overload
def wrap(
    stream: AsyncIterable[T], *, on_event: Callable[[Event], object] | None = None, **options: Unpack[ResponseOptions]
) -> AsyncWrappedStream[T]: ...
@overload
def wrap(
    stream: AbstractAsyncContextManager[AsyncIterable[T], Any],
    *,
    on_event: Callable[[Event], object] | None = None,
    **options: Unpack[ResponseOptions],
) -> AsyncWrappedStream[T]: ...
def wrap(stream: Any, *, on_event: Callable[[Event], object] | None = None, **options: Any) -> Any:
    """Returns a stream of the OpenAI SDK with its events in `followup`.

    `stream` is what these return, of a client or of an asynchronous one:
    `client.chat.completions.create(…, stream=True)`, `client.responses.create(…, stream=True)`,
    `client.chat.completions.stream(…)` and `client.responses.stream(…)`. Its objects come out as they
    are. `on_event` is called with each event before its object is returned, and with those of the
    end; it may be asynchronous if the stream is. Other options are those of `ResponseParser`.

    Cost: that of the JSON of each object, and of parsing it.

    Raises `TypeError` for what is no stream and for unknown options, and `ValueError` for options
    without a meaning. What the stream raises is raised, with the events of the end in `followup`.
    """
    return _wrap(stream, _wire, on_event, options)


def _wire(item: Any) -> tuple[str, str] | None:
    get: Any = item.get if isinstance(item, dict) else partial(_field, item)
    if get("choices") is not None:
        return "openai-chat", to_json(item, "openai")
    kind = get("type")
    if kind == "chunk":
        return _wire(get("chunk"))
    if isinstance(kind, str) and kind.startswith(_DERIVED):
        return None
    return "openai-responses", to_json(item, "openai", _ADDED)


def _field(item: Any, name: str) -> Any:
    return getattr(item, name, None)
