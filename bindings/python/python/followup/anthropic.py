"""Events beside the objects of a stream of the Anthropic SDK.

    stream = wrap(client.messages.create(…, stream=True))
    for event in stream:
        for found in stream.followup:
            …
"""

from __future__ import annotations

from collections.abc import AsyncIterable, Callable, Iterable
from contextlib import AbstractAsyncContextManager, AbstractContextManager
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

# The events of `messages.stream` that the SDK makes from others.
_DERIVED = {"text", "citation", "thinking", "signature", "input_json", "compaction"}
# What `messages.stream` adds to events of the provider: all so far.
_ADDED = {"message_stop": {"message"}, "content_block_stop": {"content_block"}}


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
    """Returns a stream of the Anthropic SDK with its events in `followup`.

    `stream` is what these return, of a client or of an asynchronous one:
    `client.messages.create(…, stream=True)` and `client.messages.stream(…)`, also of `client.beta`. Its
    objects come out as they are. `on_event` is called with each event before its object is returned, and with those of the
    end; it may be asynchronous if the stream is. Other options are those of `ResponseParser`.

    Cost: that of the JSON of each object, and of parsing it.

    Raises `TypeError` for what is no stream and for unknown options, and `ValueError` for options
    without a meaning. What the stream raises is raised, with the events of the end in `followup`.
    """
    return _wrap(stream, _wire, on_event, options)


def _wire(item: Any) -> tuple[str, str] | None:
    kind: Any = item.get("type") if isinstance(item, dict) else getattr(item, "type", None)
    return None if kind in _DERIVED else ("anthropic", to_json(item, "anthropic", _ADDED.get(kind)))
