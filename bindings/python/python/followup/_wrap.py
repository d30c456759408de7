"""Streams of an SDK, with the events beside the SDK's objects."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import suppress
from inspect import isawaitable, iscoroutine
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from ._followup import Complete, Rejected, ResponseParser

if TYPE_CHECKING:
    from types import TracebackType

    from typing_extensions import Self

    from . import Event

T = TypeVar("T")
Wire = Callable[[Any], tuple[str | None, str] | None]

# The notes of a call that is complete only because the message has ended.
_BY_THE_END = {"stream_ended", "unclosed_envelope", "in_reasoning"}

_IN_REASONING = "a call in the reasoning counts only if the message ends without an exception"

# The methods of the SDKs that read the rest of a stream.
_READ_ALL = {
    "until_done",
    "get_final_completion",
    "get_final_message",
    "get_final_response",
    "get_final_text",
}


class _Base:
    """What both kinds of wrapped streams have in common.

    `wire` returns what the parser reads of an object: the format and the JSON. It returns `None`
    for an object that repeats others, and for the format of an object that any format may have.
    """

    followup: list[Event]
    """The events of what was read last.

    Of one object, or of all that a method such as `until_done` read.

    After the last object, and after an exception of the stream, what only the end decides. A stream
    that continues after an exception gives its objects without events.
    """

    def __init__(
        self,
        stream: Any,
        wire: Wire,
        on_event: Callable[[Event], object] | None,
        options: Any,
    ) -> None:
        # The format is known with an object of the stream, but wrong options are an error here.
        ResponseParser(**options)
        self.followup = []
        self._context = self._stream = stream
        self._source: Any = None
        self._wire = wire
        self._on_event = on_event
        self._options = options
        self._parser: ResponseParser | None = None
        # The objects before the first that tells the format.
        self._pending: list[str] = []
        self._ended = False

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self._stream!r}>"

    def __getattr__(self, name: str) -> Any:
        """Returns what the stream has under this name.

        What reads the stream itself gives events, too.
        """
        # Without this, a copy that was not initialized would look for its stream without end.
        if name == "_stream":
            raise AttributeError(name)
        value = getattr(self._stream, name)
        if name == "text_stream":
            return self._texts()
        return self._reads_all(value) if name in _READ_ALL else value

    def _texts(self) -> Any:
        raise NotImplementedError

    def _reads_all(self, method: Any) -> Any:
        raise NotImplementedError

    def _start(self) -> None:
        """Forgets the events of the last read, unless they are those of the end."""
        if not self._ended:
            self.followup = []

    def _feed(self, item: Any) -> list[Event]:
        if self._ended:
            self.followup = []
            return []
        payload = self._wire(item)
        if payload is None:
            return []
        format, data = payload
        self._pending.append(f"data: {data}\n\n")
        if self._parser is None:
            if format is None:
                return []
            self._parser = ResponseParser(format, **self._options)
        events = self._parser.feed("".join(self._pending))
        self._pending.clear()
        self.followup += events
        return events

    def _finish(self, *, is_cut: bool) -> list[Event]:
        """Returns what only the end decides.

        `is_cut` if the stream raised an exception, so the message may be cut off.
        """
        if self._ended:
            return []
        self._ended = True
        if self._parser is None and self._pending:
            # No object told the format: if the parser can't tell it either, that is an error event.
            self._parser = ResponseParser(**self._options)
        if self._parser is None:
            return []
        events = self._parser.feed("".join(self._pending))
        last = self._parser.finish()
        events += map(_rejected, last) if is_cut else last
        self.followup += events
        return events


class WrappedStream(_Base, Generic[T]):
    """A stream of an SDK.

    Iteration gives its objects, and `followup` has the events of the last one.

    All else is that of the stream: `with`, `close()`, `response`, `get_final_message()` and so on.
    """

    def __iter__(self) -> Iterator[T]:
        return self

    def __next__(self) -> T:
        """Returns the next object as it is, after its events were passed to `on_event`."""
        self._start()
        return self._read()

    def __enter__(self) -> Self:
        self._stream = self._context.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool | None:
        return self._context.__exit__(kind, error, trace)  # type: ignore[no-any-return]

    def _read(self) -> T:
        if self._source is None:
            self._source = iter(self._stream)
        try:
            item: T = next(self._source)
        except BaseException as error:
            self._tell(self._finish(is_cut=not isinstance(error, StopIteration)))
            raise
        self._tell(self._feed(item))
        return item

    def _tell(self, events: list[Event]) -> None:
        if self._on_event is not None:
            for event in events:
                told = self._on_event(event)
                if iscoroutine(told):
                    told.close()
                    raise TypeError(
                        "on_event: a plain function was expected, since the stream is not asynchronous"
                    )

    def _reads_all(self, method: Any) -> Any:
        def read_all(*arguments: Any, **options: Any) -> Any:
            self._start()
            with suppress(StopIteration):
                while True:
                    self._read()
            result = method(*arguments, **options)
            return self if result is self._stream else result

        return read_all

    def _texts(self) -> Any:
        self._start()
        with suppress(StopIteration):
            while True:
                text = _text_of(self._read())
                if text is not None:
                    yield text
                    self._start()


class AsyncWrappedStream(_Base, Generic[T]):
    """An asynchronous stream of an SDK.

    `async for` gives its objects, and `followup` has the events of the last one.

    All else is that of the stream: `async with`, `close()`, `response`, `get_final_message()` and
    so on.
    """

    def __aiter__(self) -> AsyncIterator[T]:
        return self

    async def __anext__(self) -> T:
        """Returns the next object as it is, after its events were passed to `on_event`."""
        self._start()
        return await self._read_async()

    async def __aenter__(self) -> Self:
        self._stream = await self._context.__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool | None:
        return await self._context.__aexit__(kind, error, trace)  # type: ignore[no-any-return]

    async def _read_async(self) -> T:
        if self._source is None:
            self._source = aiter(self._stream)
        try:
            item: T = await anext(self._source)
        except GeneratorExit:
            self._tell_without_waiting(self._finish(is_cut=True))
            raise
        except BaseException as error:
            await self._tell_async(self._finish(is_cut=not isinstance(error, StopAsyncIteration)))
            raise
        await self._tell_async(self._feed(item))
        return item

    async def _tell_async(self, events: list[Event]) -> None:
        if self._on_event is not None:
            for event in events:
                told = self._on_event(event)
                if isawaitable(told):
                    await told

    def _tell_without_waiting(self, events: list[Event]) -> None:
        """Passes events on while the coroutine is being closed, in which nothing can be awaited."""
        if self._on_event is not None:
            for event in events:
                told = self._on_event(event)
                if iscoroutine(told):
                    told.close()

    def _reads_all(self, method: Any) -> Any:
        async def read_all(*arguments: Any, **options: Any) -> Any:
            self._start()
            with suppress(StopAsyncIteration):
                while True:
                    await self._read_async()
            result = await method(*arguments, **options)
            return self if result is self._stream else result

        return read_all

    async def _texts(self) -> Any:
        self._start()
        with suppress(StopAsyncIteration):
            while True:
                text = _text_of(await self._read_async())
                if text is not None:
                    yield text
                    self._start()


class AnyWrappedStream(WrappedStream[T], AsyncWrappedStream[T]):
    """A stream of an SDK that has one class for both kinds.

    Use `for` or `async for`, as for the stream itself.
    """


def _rejected(event: Event) -> Event:
    """Returns the rejection of a call that only the end of the message makes complete.

    Other events are returned as they are.
    """
    if not isinstance(event, Complete) or _BY_THE_END.isdisjoint(event.note_codes):
        return event
    return Rejected(
        code="truncated",
        part="parameters",
        message=_IN_REASONING
        if "in_reasoning" in event.note_codes
        else "the message ended before the call was closed",
        tool=event.tool,
        call=event.call,
        start=event.start,
        end=event.end,
        id=event.id,
        shape=event.shape,
        title=event.title,
        question=event.question,
        suggestions=event.suggestions,
        questions=event.questions,
        envelope=event.envelope,
        native=event.native,
    )


def _text_of(item: Any) -> str | None:
    """Returns the text that `text_stream` of Anthropic's SDK gives for an object."""
    if item.type == "content_block_delta" and item.delta.type == "text_delta":
        return str(item.delta.text)
    return None


def wrap(
    stream: Any,
    wire: Wire,
    on_event: Callable[[Event], object] | None,
    options: Any,
) -> Any:
    """Returns the stream with its events.

    It is an iterator or an asynchronous one, as the stream itself.
    """
    is_sync = hasattr(stream, "__iter__") or hasattr(stream, "__enter__")
    is_async = hasattr(stream, "__aiter__") or hasattr(stream, "__aenter__")
    # Pydantic's models are iterable, and so are texts, but they are answers.
    if (
        hasattr(stream, "model_dump")
        or isinstance(stream, (str, bytes, dict))
        or not (is_sync or is_async)
    ):
        hint = "; await it first" if isawaitable(stream) else ""
        raise TypeError(
            f"stream: a stream of the SDK was expected, not {type(stream).__name__}{hint}"
        )
    if is_sync and is_async:
        return AnyWrappedStream(stream, wire, on_event, options)
    wrapped = WrappedStream if is_sync else AsyncWrappedStream
    return wrapped(stream, wire, on_event, options)
