"""Events beside the objects of a stream of LiteLLM.

For example:

    stream = wrap(litellm.completion(…, stream=True))
    for chunk in stream:
        for event in stream.followup:
            …
"""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, overload

from . import _wire
from ._wrap import AnyWrappedStream, AsyncWrappedStream, WrappedStream
from ._wrap import wrap as _wrap

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from . import Event
    from ._options import ResponseOptions

__all__ = ["AnyWrappedStream", "AsyncWrappedStream", "WrappedStream", "wrap"]

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class _Both(Protocol[T_co]):
    """`CustomStreamWrapper`, which `completion` and `acompletion` return."""

    def __iter__(self) -> Iterator[T_co]: ...
    def __aiter__(self) -> AsyncIterator[T_co]: ...


@overload
def wrap(
    stream: _Both[T],
    *,
    on_event: Callable[[Event], object] | None = None,
    **options: Unpack[ResponseOptions],
) -> AnyWrappedStream[T]: ...
@overload
def wrap(
    stream: Iterable[T],
    *,
    on_event: Callable[[Event], object] | None = None,
    **options: Unpack[ResponseOptions],
) -> WrappedStream[T]: ...
@overload
def wrap(
    stream: AsyncIterable[T],
    *,
    on_event: Callable[[Event], object] | None = None,
    **options: Unpack[ResponseOptions],
) -> AsyncWrappedStream[T]: ...
def wrap(stream: Any, *, on_event: Callable[[Event], object] | None = None, **options: Any) -> Any:
    """Returns a stream of LiteLLM with its events in `followup`.

    `stream` is what `completion(…, stream=True)` returns, or `acompletion` if it is awaited. Both
    are of one class, so use the result with `for` or with `async for` as the stream itself. Its
    objects come out as they are. `on_event` is called with each event before its object is
    returned, and with those of the end; it may be asynchronous if the stream is. Other options are
    those of `ResponseParser`.

    Cost: for each object, that of its JSON and of parsing it.

    Raises `TypeError` for what is no stream and for unknown options, and `ValueError` for options
    without a meaning. What the stream raises is raised, with the events of the end in `followup`.
    """
    return _wrap(stream, _wire.openai, on_event, options)
