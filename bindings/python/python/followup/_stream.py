"""The events of an iterable of chunks."""

from __future__ import annotations

from collections.abc import (
    AsyncGenerator,
    AsyncIterable,
    AsyncIterator,
    Generator,
    Iterable,
    Iterator,
)
from typing import TYPE_CHECKING, Any, overload

from ._followup import ResponseParser, StreamParser

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from . import Event
    from ._options import Chunk, ResponseOptions


@overload
def events(chunks: Iterable[Chunk], parser: StreamParser) -> Generator[Event, None, None]: ...
@overload
def events(
    chunks: Iterable[Chunk],
    parser: None = None,
    *,
    format: str | None = "auto",
    **options: Unpack[ResponseOptions],
) -> Generator[Event, None, None]: ...
@overload
def events(chunks: AsyncIterable[Chunk], parser: StreamParser) -> AsyncGenerator[Event, None]: ...
@overload
def events(
    chunks: AsyncIterable[Chunk],
    parser: None = None,
    *,
    format: str | None = "auto",
    **options: Unpack[ResponseOptions],
) -> AsyncGenerator[Event, None]: ...
def events(
    chunks: Any, parser: StreamParser | None = None, **options: Any
) -> Generator[Event, None, None] | AsyncGenerator[Event, None]:
    """Returns the events of a stream, as they come: a generator, or an asynchronous one.

    `chunks` is an iterable or an asynchronous iterable of `str` or bytes, such as
    `response.iter_content(None)` of requests or `response.aiter_bytes()` of httpx. It is read no
    faster than the events are taken. The stream is the body of a provider's response, unless
    `parser` is given, which then is finished at the end. Other options are those of
    `ResponseParser`.

    If the events are not taken to their end, closing the generator closes the source, too, also
    before the first event.

    Raises `TypeError` if `chunks` is neither, or is a string itself, and what `chunks` raises.

    >>> import followup
    >>> chunks = ["<ask_followup_question><question>T", "ea?</question></ask_followup_question>"]
    >>> [event.type for event in followup.events(chunks, followup.Parser())]
    ['partial', 'partial', 'complete']
    """
    if isinstance(chunks, (str, bytes, bytearray, memoryview)) or not hasattr(
        chunks, "__iter__"
    ) | hasattr(chunks, "__aiter__"):
        raise TypeError(
            f"chunks: an iterable of str or bytes was expected, not {type(chunks).__name__}"
        )
    if parser is None:
        parser = ResponseParser(**options)
    elif not isinstance(parser, StreamParser):
        raise TypeError(
            f"parser: a parser was expected, not {_shown(parser)}; the format of a body is format=..."
        )
    elif options:
        raise TypeError(f"{', '.join(options)}: the options are those of the parser that is given")
    if hasattr(chunks, "__iter__"):
        generator = _events(iter(chunks), parser)
        # Closing a generator that has not started would run nothing of it.
        next(generator)
        return generator  # type: ignore[return-value]
    return _AsyncEvents(aiter(chunks), parser)


def _shown(value: object) -> str:
    return f"the class {value.__name__}" if isinstance(value, type) else type(value).__name__


def _events(chunks: Iterator[Chunk], parser: StreamParser) -> Generator[Event | None, None, None]:
    """Yields `None`, and then the events."""
    try:
        yield None
        for chunk in chunks:
            yield from parser.feed(chunk)
        yield from parser.finish()
    except BaseException:
        # Somebody else may keep the source, which then is not closed with its last reference.
        if hasattr(chunks, "close"):
            chunks.close()
        raise


class _AsyncEvents(AsyncGenerator["Event", None]):
    """An asynchronous generator that also closes its source if it has not started.

    It can't begin at once: the loop in which it is read may not run yet.
    """

    def __init__(self, chunks: AsyncIterator[Chunk], parser: StreamParser) -> None:
        self._chunks = chunks
        self._has_started = False
        self._events = self._read(parser)

    def __anext__(self) -> Any:
        return self._events.__anext__()

    def asend(self, value: None) -> Any:
        return self._events.asend(value)

    async def athrow(self, *error: Any) -> Any:
        try:
            return await self._events.athrow(*error)
        finally:
            await self._close()

    async def aclose(self) -> None:
        try:
            await self._events.aclose()
        finally:
            await self._close()

    async def _read(self, parser: StreamParser) -> AsyncGenerator[Event, None]:
        # Not in `__anext__`: a task that is cancelled at once runs nothing of what that returns.
        self._has_started = True
        try:
            async for chunk in self._chunks:
                for event in parser.feed(chunk):
                    yield event
            for event in parser.finish():
                yield event
        finally:
            await _close(self._chunks)

    async def _close(self) -> None:
        """Closes the source of events that have not started."""
        if not self._has_started:
            self._has_started = True
            await _close(self._chunks)


async def _close(chunks: AsyncIterator[Chunk]) -> None:
    # Unlike an iterator, it can't close itself when it is dropped.
    if hasattr(chunks, "aclose"):
        await chunks.aclose()
