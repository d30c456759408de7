"""Wrapped streams of SDKs: what a loop sees."""

import asyncio

import pytest
from followup import Complete, Rejected, Text
from followup.openai import wrap
from wrap_help import CHUNKS, AsyncSource, SyncSource, chunk, kinds


def test_each_object_comes_as_it_is_with_its_events_beside():
    stream = wrap(SyncSource(CHUNKS))
    assert stream.followup == []
    assert next(stream) is CHUNKS[0]
    assert kinds(stream.followup) == ["text", "partial"]
    assert next(stream) is CHUNKS[1]
    assert kinds(stream.followup) == ["partial", "complete"]
    assert next(stream) is CHUNKS[2]
    assert stream.followup == [Text(" ")]


def test_the_events_of_the_end_are_there_after_the_loop_and_stay():
    stream = wrap(SyncSource(CHUNKS))
    assert sum(1 for _ in stream) == 3
    assert stream.followup == [Text("<ask")]
    assert list(stream) == [] and stream.followup == [Text("<ask")]


def test_an_asynchronous_stream_is_the_same():
    async def main():
        stream = wrap(AsyncSource(CHUNKS))
        beside = []
        async for one in stream:
            assert one is CHUNKS[len(beside)]
            beside.append(kinds(stream.followup))
        return beside, stream.followup

    assert asyncio.run(main()) == (
        [["text", "partial"], ["partial", "complete"], ["text"]],
        [Text("<ask")],
    )


def test_a_coroutine_that_is_closed_while_it_waits_ends_quietly():
    told = []

    async def waits(event):
        told.append(event.type)
        await asyncio.sleep(0)

    for on_event, expected in [
        (None, []),
        (lambda event: told.append(event.type), ["text", "partial", "rejected"]),
        (waits, ["text", "partial"]),
    ]:
        told.clear()
        stream = wrap(AsyncSource(CHUNKS), on_event=on_event)
        first = anext(stream)
        with pytest.raises(StopIteration):
            while True:
                first.send(None)
        second = anext(stream)
        second.send(None)
        second.close()
        assert kinds(stream.followup) == ["rejected"]
        assert told == expected


def test_all_events_are_told_before_their_object_comes():
    told = []
    stream = wrap(SyncSource(CHUNKS), on_event=told.append)
    events = []
    for _ in stream:
        events += stream.followup
        assert told == events
    assert told == events + stream.followup and told[-1] == Text("<ask")


def test_an_asynchronous_stream_awaits_what_is_told():
    told = []

    async def tell(event):
        await asyncio.sleep(0)
        told.append(event)

    async def main():
        async for _ in wrap(AsyncSource(CHUNKS), on_event=tell):
            pass
        plain = []
        async for _ in wrap(AsyncSource(CHUNKS), on_event=plain.append):
            pass
        return plain

    assert asyncio.run(main()) == told != []


def test_what_on_event_raises_is_raised_by_the_loop():
    def fail(event):
        raise LookupError(event.type)

    with pytest.raises(LookupError, match="text"):
        next(wrap(SyncSource(CHUNKS), on_event=fail))


def test_a_loop_can_be_left_and_continued():
    stream = wrap(SyncSource(CHUNKS))
    for _ in stream:
        break
    assert [one is other for one, other in zip(stream, CHUNKS[1:], strict=True)] == [True, True]


def test_a_loop_that_is_left_has_no_question_to_act_on():
    told = []
    with wrap(SyncSource(CHUNKS), on_event=told.append) as stream:
        for _ in stream:
            break
    assert kinds(told) == ["text", "partial"]
    assert stream.closed is True


@pytest.mark.parametrize(
    "error", [OSError("closed"), asyncio.CancelledError(), KeyboardInterrupt()]
)
def test_an_error_of_the_stream_is_raised_and_ends_the_open_call(error):
    stream = wrap(SyncSource(CHUNKS[:1], error))
    next(stream)
    with pytest.raises(type(error)) as raised:
        next(stream)
    assert raised.value is error
    [rejected] = stream.followup
    assert isinstance(rejected, Rejected) and rejected.code == "truncated"


def test_an_error_of_an_asynchronous_stream_is_raised_and_ends_the_open_call():
    error = OSError("closed")

    async def main():
        stream = wrap(AsyncSource(CHUNKS[:1], error))
        await anext(stream)
        with pytest.raises(OSError) as raised:
            await anext(stream)
        assert raised.value is error
        return stream.followup

    assert kinds(asyncio.run(main())) == ["rejected"]


ARGUMENTS = '{"question": "Tea?", "follow_up": [{"text": "Yes"}]}'
# Calls outside any value, which only the end of the message closes.
UNCLOSED = [
    "<ask_followup_question><question>Tea?</question><follow_up><suggest>Yes</suggest>",
    f'<tool_call>{{"name": "ask_followup_question", "arguments": {ARGUMENTS}}}',
    f'<tool_call>{{"name": "ask_followup_question", "arguments": {ARGUMENTS}',
]


@pytest.mark.parametrize("text", UNCLOSED)
@pytest.mark.parametrize("error", [ConnectionError("reset"), asyncio.CancelledError()])
def test_an_exception_completes_no_call_that_only_the_end_closes(text, error):
    def reads(stream):
        with pytest.raises(type(error)):
            for _ in stream:
                pass
        return stream.followup

    async def reads_async(stream):
        with pytest.raises(type(error)):
            async for _ in stream:
                pass
        return stream.followup

    told = []
    [rejected] = reads(wrap(SyncSource([chunk(text)], error), on_event=told.append))
    assert isinstance(rejected, Rejected) and told[-1] == rejected
    assert (rejected.code, rejected.part) == ("truncated", "parameters")
    assert rejected.message == "the message ended before the call was closed"
    assert rejected.question == "Tea?" and [one.answer for one in rejected.suggestions] == ["Yes"]
    assert asyncio.run(reads_async(wrap(AsyncSource([chunk(text)], error)))) == [rejected]

    stream = wrap([chunk(text)])
    list(stream)
    [complete] = stream.followup
    assert isinstance(complete, Complete) and complete.envelope == rejected.envelope
    assert {"stream_ended", "unclosed_envelope"} & set(complete.note_codes)


def test_an_exception_completes_a_native_call_whose_arguments_are_whole():
    call = {
        "index": 0,
        "id": "a",
        "function": {"name": "ask_followup_question", "arguments": ARGUMENTS},
    }
    source = [{"choices": [{"index": 0, "delta": {"tool_calls": [call]}}]}]
    stream = wrap(SyncSource(source, ConnectionError("reset")))
    with pytest.raises(ConnectionError):
        list(stream)
    assert kinds(stream.followup) == ["complete"]


def test_an_exception_completes_no_call_in_the_reasoning():
    text = "<ask_followup_question><question>Tea?</question></ask_followup_question>"
    source = [{"choices": [{"index": 0, "delta": {"reasoning_content": text}}]}]
    stream = wrap(source, reasoning=True)
    list(stream)
    assert kinds(stream.followup)[-1] == "complete"
    stream = wrap(SyncSource(source, ConnectionError("reset")), reasoning=True)
    with pytest.raises(ConnectionError):
        list(stream)
    rejected = stream.followup[-1]
    assert kinds([rejected]) == ["rejected"] and "in the reasoning" in rejected.message


class Resuming:
    """A stream whose second object comes too late once; then it continues.

    For `for` and `async for`.
    """

    def __init__(self):
        self.objects = [CHUNKS[0], TimeoutError("slow"), *CHUNKS[1:]]

    def __iter__(self):
        return self

    def __aiter__(self):
        return self

    def __next__(self):
        if not self.objects:
            raise StopIteration
        one = self.objects.pop(0)
        if isinstance(one, Exception):
            raise one
        return one

    async def __anext__(self):
        try:
            return next(self)
        except StopIteration:
            raise StopAsyncIteration from None


def test_a_stream_that_continues_after_an_exception_gives_all_objects_and_no_more_events():
    told = []
    stream = wrap(Resuming(), on_event=told.append)
    next(stream)
    with pytest.raises(TimeoutError):
        next(stream)
    assert kinds(stream.followup) == ["rejected"]
    count = len(told)
    rest = [(one, stream.followup) for one in stream]
    assert rest == [(one, []) for one in CHUNKS[1:]] and len(told) == count


def test_an_asynchronous_stream_that_continues_after_an_exception_is_the_same():
    async def main():
        stream = wrap(Resuming())
        await anext(stream)
        with pytest.raises(TimeoutError):
            await anext(stream)
        assert kinds(stream.followup) == ["rejected"]
        return [(one, stream.followup) async for one in stream]

    assert asyncio.run(main()) == [(one, []) for one in CHUNKS[1:]]


def test_a_stream_that_ends_early_completes_no_call():
    stream = wrap(SyncSource(CHUNKS[:1]))
    assert len(list(stream)) == 1
    assert kinds(stream.followup) == ["rejected"]


def test_what_reads_all_has_all_events_beside():
    told = []
    stream = wrap(SyncSource(CHUNKS), on_event=told.append)
    assert stream.until_done() is stream
    assert stream.followup == told and kinds(told).count("complete") == 1
    assert stream.get_final_message() == "the message"
    assert stream.followup == told


def test_what_reads_all_of_an_asynchronous_stream_has_all_events_beside():
    async def main():
        stream = wrap(AsyncSource(CHUNKS))
        return await stream.get_final_message(), kinds(stream.followup)

    message, found = asyncio.run(main())
    assert message == "the message" and found.count("complete") == 1


def test_a_coroutine_for_a_stream_that_is_not_asynchronous_is_an_error():
    async def told(event):
        raise AssertionError("nobody awaits it")

    with pytest.raises(TypeError, match="on_event: a plain function was expected"):
        list(wrap(SyncSource(CHUNKS), on_event=told))
