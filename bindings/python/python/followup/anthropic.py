"""Events beside the objects of a stream of the Anthropic SDK.

For example:

    stream = wrap(client.messages.create(…, stream=True))
    for one in stream:
        for event in stream.followup:
            …
"""

from __future__ import annotations

from collections.abc import AsyncIterable, Callable, Iterable
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from typing import TYPE_CHECKING, Any, TypeVar, overload

from . import _wire
from ._wrap import AsyncWrappedStream, WrappedStream
from ._wrap import wrap as _wrap

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from . import Event
    from ._options import ResponseOptions

__all__ = ["AsyncWrappedStream", "WrappedStream", "wrap"]

T = TypeVar("T")


@overload
def wrap(
    stream: Iterable[T] | AbstractContextManager[Iterable[T], Any],
    *,
    on_event: Callable[[Event], object] | None = None,
    **options: Unpack[ResponseOptions],
) -> WrappedStream[T]: ...
@overload
def wrap(
    stream: AsyncIterable[T] | AbstractAsyncContextManager[AsyncIterable[T], Any],
    *,
    on_event: Callable[[Event], object] | None = None,
    **options: Unpack[ResponseOptions],
) -> AsyncWrappedStream[T]: ...
def wrap(stream: Any, *, on_event: Callable[[Event], object] | None = None, **options: Any) -> Any:
    """Returns a stream of the Anthropic SDK with its events in `followup`.

    `stream` is what `messages.create(…, stream=True)` and `messages.stream(…)` return, of
    `Anthropic` or, awaited, of `AsyncAnthropic`. Those of `client.beta` are the same. Its objects
    come out as they are. `on_event` is called with each event before its object is returned, and
    with those of the end; it may be asynchronous if the stream is. Other options are those of
    `ResponseParser`.

    Cost: for each object, that of its JSON and of parsing it.

    Raises `TypeError` for what is no stream and for unknown options, and `ValueError` for options
    without a meaning. What the stream raises is raised, with the events of the end in `followup`.
    """
    return _wrap(stream, _wire.anthropic, on_event, options)
