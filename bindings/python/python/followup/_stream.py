"""The events of an iterable of chunks."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator
from typing import TYPE_CHECKING, Any, overload

from ._followup import ResponseParser, StreamParser

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from . import Event
    from ._options import Chunk, ResponseOptions


@overload
def events(chunks: Iterable[Chunk], parser: StreamParser) -> Iterator[Event]: ...
@overload
def events(
    chunks: Iterable[Chunk], parser: None = None, *, format: str = "auto", **options: Unpack[ResponseOptions]
) -> Iterator[Event]: ...
@overload
def events(chunks: AsyncIterable[Chunk], parser: StreamParser) -> AsyncIterator[Event]: ...
@overload
def events(
    chunks: AsyncIterable[Chunk], parser: None = None, *, format: str = "auto", **options: Unpack[ResponseOptions]
) -> AsyncIterator[Event]: ...
def events(chunks: Any, parser: StreamParser | None = None, **options: Any) -> Iterator[Event] | AsyncIterator[Event]:
    """Returns the events of a stream, as they come: a generator, or an asynchronous one.

    `chunks` is an iterable or an asynchronous iterable of `str` or bytes, such as
    `response.iter_content(None)` of requests or `response.aiter_bytes()` of httpx. It is read no
    faster than the events are taken. The stream is the body of a provider's response, unless
    `parser` is given, which then is finished at the end. Other options are those of
    `ResponseParser`.

    If the events are not taken to their end, closing the generator closes the source, too.

    Raises `TypeError` if `chunks` is neither, or is a string itself, and what `chunks` raises.

    >>> import followup
    >>> chunks = ["<ask_followup_question><question>T", "ea?</question></ask_followup_question>"]
    >>> [event.type for event in followup.events(chunks, followup.Parser())]
    ['partial', 'partial', 'complete']
    """
    if isinstance(chunks, (str, bytes, bytearray, memoryview)) or not hasattr(chunks, "__iter__") | hasattr(
        chunks, "__aiter__"
    ):
        raise TypeError(f"chunks: an iterable of str or bytes was expected, not {type(chunks).__name__}")
    if parser is None:
        parser = ResponseParser(**options)
    elif not isinstance(parser, StreamParser):
        raise TypeError(f"parser: a parser was expected, not {_shown(parser)}; the format of a body is format=...")
    elif options:
        raise TypeError(f"{', '.join(options)}: the options are those of the parser that is given")
    if hasattr(chunks, "__iter__"):
        return _events(chunks, parser)
    return _events_async(chunks, parser)


def _shown(value: object) -> str:
    return f"the class {value.__name__}" if isinstance(value, type) else type(value).__name__


def _events(chunks: Iterable[Chunk], parser: StreamParser) -> Iterator[Event]:
    iterator = iter(chunks)
    try:
        for chunk in iterator:
            yield from parser.feed(chunk)
        yield from parser.finish()
    except BaseException:
        # Somebody else may keep the source, which then is not closed with its last reference.
        if hasattr(iterator, "close"):
            iterator.close()
        raise


async def _events_async(chunks: AsyncIterable[Chunk], parser: StreamParser) -> AsyncIterator[Event]:
    iterator = chunks.__aiter__()
    try:
        async for chunk in iterator:
            for event in parser.feed(chunk):
                yield event
        for event in parser.finish():
            yield event
    finally:
        # Unlike an iterator, it can't close itself when it is dropped.
        if hasattr(iterator, "aclose"):
            await iterator.aclose()
