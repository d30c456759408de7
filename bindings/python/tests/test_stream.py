"""The events of iterables and asynchronous iterables."""

import asyncio
import inspect
from collections.abc import AsyncGenerator
from contextlib import aclosing

import pytest
from followup import ArgumentsParser, Complete, Parser, ResponseParser, Text, events
from help import ROOT, run

MESSAGE = "So: <ask_followup_question><question>Tea?</question></ask_followup_question>"
BODY = (ROOT / "examples/responses/openai-chat.sse").read_bytes()
PIECES = [BODY[i : i + 50] for i in range(0, len(BODY), 50)]


async def source(chunks):
    for chunk in chunks:
        await asyncio.sleep(0)
        yield chunk


async def collect(stream):
    return [event async for event in stream]


def test_an_iterable_gives_a_generator_of_the_events_of_a_response():
    stream = events(PIECES)
    assert inspect.isgenerator(stream)
    assert list(stream) == run(ResponseParser(), PIECES)


def test_an_asynchronous_iterable_gives_an_asynchronous_generator():
    stream = events(source(PIECES))
    assert isinstance(stream, AsyncGenerator)
    assert asyncio.run(collect(stream)) == run(ResponseParser(), PIECES)


def test_a_parser_that_is_given_is_finished_at_the_end():
    parser = Parser()
    assert list(events([MESSAGE[:60], MESSAGE[60:]], parser)) == run(
        Parser(), [MESSAGE[:60], MESSAGE[60:]]
    )
    with pytest.raises(ValueError, match="finished"):
        parser.feed("a")
    arguments = ArgumentsParser("ask_followup_question")
    [*_, complete] = asyncio.run(collect(events(source(['{"question": "Tea?"}']), arguments)))
    assert isinstance(complete, Complete) and complete.question == "Tea?"


def test_options_are_those_of_a_response():
    assert list(events(["Hi"], format="text")) == [Text("Hi")]
    [*_, rejected] = events([MESSAGE], format="text", limits={"question": 1})
    assert rejected.type == "rejected"


def test_the_source_is_read_no_faster_than_the_events_are_taken():
    taken = []

    def chunks():
        for i in range(10):
            taken.append(i)
            yield f"{i} "

    stream = events(chunks(), Parser())
    assert taken == []
    assert next(stream) == Text("0 ")
    assert taken == [0]


def test_an_error_of_the_source_is_raised_after_the_events_before_it():
    def chunks():
        yield "Hi "
        yield "there"
        raise OSError("the connection is closed")

    stream = events(chunks(), Parser())
    assert [next(stream), next(stream)] == [Text("Hi "), Text("there")]
    with pytest.raises(OSError, match="closed"):
        next(stream)


@pytest.mark.parametrize("chunks", [MESSAGE, MESSAGE.encode(), None, 3])
def test_what_is_no_iterable_of_chunks_is_a_type_error(chunks):
    with pytest.raises(
        TypeError, match=f"an iterable of str or bytes was expected, not {type(chunks).__name__}"
    ):
        events(chunks)


def test_wrong_options_and_chunks_are_type_errors():
    with pytest.raises(TypeError, match="stict is no option"):
        events([], stict=True)
    with pytest.raises(TypeError, match="strict: the options are those of the parser"):
        events([], Parser(), strict=True)
    with pytest.raises(TypeError, match="not int"):
        list(events([1, 2]))


def test_a_generator_that_is_closed_early_closes_its_source():
    closed = []

    def chunks():
        try:
            yield from "abc"
        finally:
            closed.append("source")

    async def chunks_async():
        try:
            for chunk in "abc":
                yield chunk
        finally:
            await asyncio.sleep(0)
            closed.append("asynchronous source")

    async def take_one(chunks):
        stream = events(chunks, Parser())
        async for _ in stream:
            break
        await stream.aclose()
        assert closed.pop() == "asynchronous source"

    stream = events(chunks(), Parser())
    next(stream)
    stream.close()
    assert closed.pop() == "source"
    asyncio.run(take_one(chunks_async()))
    asyncio.run(collect(events(chunks_async(), Parser())))
    assert closed == ["asynchronous source"], "once"


def test_events_that_are_not_taken_to_their_end_close_a_source_that_somebody_keeps():
    class Source:
        closed = False

        def __iter__(self):
            return self

        def __next__(self):
            return "text"

        def close(self):
            self.closed = True

    source = Source()
    taken = events(source, Parser())
    next(taken)
    taken.close()
    assert source.closed


class Endless:
    """A source of either kind that somebody keeps."""

    def __init__(self):
        self.closed = 0

    def __next__(self):
        return "text"

    async def __anext__(self):
        return "text"

    def close(self):
        self.closed += 1

    async def aclose(self):
        await asyncio.sleep(0)
        self.closed += 1


class SyncEndless(Endless):
    def __iter__(self):
        return self


class AsyncEndless(Endless):
    def __aiter__(self):
        return self


def test_events_of_which_none_was_taken_close_their_source():
    source = SyncEndless()
    stream = events(source, Parser())
    stream.close()
    assert source.closed == 1 and list(stream) == []
    source = SyncEndless()
    with pytest.raises(LookupError):
        events(source, Parser()).throw(LookupError())
    assert source.closed == 1


def test_asynchronous_events_of_which_none_was_taken_close_their_source():
    async def main():
        source = AsyncEndless()
        stream = events(source, Parser())
        await stream.aclose()
        await stream.aclose()
        assert source.closed == 1 and await collect(stream) == []
        source = AsyncEndless()
        with pytest.raises(LookupError):
            await events(source, Parser()).athrow(LookupError())
        assert source.closed == 1
        source = AsyncEndless()
        stream = events(source, Parser())
        assert await anext(stream) == await stream.asend(None) == Text("text")
        with pytest.raises(LookupError):
            await stream.athrow(LookupError())
        assert source.closed == 1
        async with aclosing(events(source, Parser())) as stream:
            pass
        assert source.closed == 2

    asyncio.run(main())


def test_events_whose_first_read_never_ran_close_their_source():
    async def main():
        source = AsyncEndless()
        stream = events(source, Parser())
        task = asyncio.ensure_future(anext(stream))
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await stream.aclose()
        return source.closed

    assert asyncio.run(main()) == 1


def test_a_task_that_is_cancelled_closes_the_source():
    class Waiting(AsyncEndless):
        async def __anext__(self):
            await asyncio.sleep(60)

    async def waits():
        source = Waiting()
        task = asyncio.create_task(collect(events(source, Parser())))
        await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return source.closed

    assert asyncio.run(waits()) == 1


@pytest.mark.parametrize(
    "parser, shown", [("anthropic", "not str"), (Parser, "not the class Parser")]
)
def test_what_is_no_parser_is_an_error_at_once(parser, shown):
    with pytest.raises(TypeError, match=f"parser: a parser was expected, {shown}"):
        events(["x"], parser)
