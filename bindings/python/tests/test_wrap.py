"""Wrapped streams of SDKs: what a loop sees, with objects as the SDKs have them for unknown types."""

import asyncio
import json
from contextlib import contextmanager
from types import SimpleNamespace

import pytest

from followup import Complete, Partial, Rejected, Text, _wire
from followup.anthropic import wrap as wrap_anthropic
from followup.openai import wrap

MESSAGE = "So: <ask_followup_question><question>T|ea?</question></ask_followup_question>| <ask"
TEXTS = MESSAGE.split("|")


def chunk(text):
    return {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"content": text}}]}


CHUNKS = [chunk(text) for text in TEXTS]


class Source:
    """A stream of either kind, as a context manager, that can be closed."""

    response = "the response"

    def __init__(self, objects, error=None):
        self.objects = objects
        self.error = error
        self.closed = False

    def close(self):
        self.closed = True


class SyncSource(Source):
    def __iter__(self):
        yield from self.objects
        if self.error:
            raise self.error

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def until_done(self):
        return self

    def get_final_message(self):
        return "the message"

    @property
    def text_stream(self):
        return iter(())


class AsyncSource(Source):
    async def __aiter__(self):
        for one in self.objects:
            await asyncio.sleep(0)
            yield one
        if self.error:
            raise self.error

    async def __aenter__(self):
        return self

    async def __aexit__(self, *_):
        self.close()

    async def get_final_message(self):
        return "the message"

    @property
    def text_stream(self):
        return iter(())


def kinds(events):
    return [event.type for event in events]


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

    assert asyncio.run(main()) == ([["text", "partial"], ["partial", "complete"], ["text"]], [Text("<ask")])


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


@pytest.mark.parametrize("error", [OSError("closed"), asyncio.CancelledError(), KeyboardInterrupt()])
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


BLOCKS = [
    {"type": "message_start", "message": {"role": "assistant", "content": []}},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hm. <ask_followup_question>"}},
    {"type": "text", "text": "Hm. <ask_followup_question>", "snapshot": "Hm. <ask_followup_question>"},
    {
        "type": "content_block_delta",
        "index": 0,
        "delta": {"type": "text_delta", "text": "<question>Tea?</question></ask_followup_question>"},
    },
    {"type": "content_block_stop", "index": 0, "content_block": {"type": "text", "text": "Hm."}},
    {"type": "message_stop", "message": {"role": "assistant"}},
]


def test_what_an_sdk_repeats_is_not_parsed_again():
    assert _wire.anthropic(BLOCKS[3]) is None
    stops = [_wire.anthropic(block) for block in BLOCKS[5:]]
    assert [json.loads(data) for _, data in stops] == [{"type": "content_block_stop", "index": 0}, {"type": "message_stop"}]
    assert _wire.openai({"type": "content.delta", "delta": "b", "snapshot": "ab"}) is None
    format, data = _wire.openai({"type": "response.output_text.delta", "delta": "b", "snapshot": "ab"})
    assert (format, json.loads(data)) == ("openai-responses", {"type": "response.output_text.delta", "delta": "b"})


def test_a_manager_is_entered_before_its_stream_is_read():
    @contextmanager
    def manager():
        yield SyncSource(CHUNKS)

    stream = wrap(manager())
    with pytest.raises(TypeError, match="not iterable"):
        next(stream)
    with stream:
        assert [kinds(stream.followup) for _ in stream] == [["text", "partial"], ["partial", "complete"], ["text"]]


def objects(value):
    """Returns dicts as objects with attributes and their JSON, as the models of an SDK have them."""
    if isinstance(value, list):
        return [objects(one) for one in value]
    if not isinstance(value, dict):
        return value
    one = SimpleNamespace(**{name: objects(field) for name, field in value.items()})
    one.model_dump_json = lambda exclude, **_: json.dumps(
        {name: field for name, field in value.items() if name not in (exclude or ())}
    )
    return one


def test_the_texts_come_with_the_events_of_all_that_was_read_for_them():
    stream = wrap_anthropic(SyncSource(objects(BLOCKS)))
    beside = [(text, kinds(stream.followup)) for text in stream.text_stream]
    assert [text[:3] for text, _ in beside] == ["Hm.", "<qu"]
    assert [found for _, found in beside] == [["text"], ["partial", "complete"]]


def test_the_asynchronous_texts_are_the_same():
    async def main():
        stream = wrap_anthropic(AsyncSource(objects(BLOCKS)))
        return [kinds(stream.followup) async for _ in stream.text_stream]

    assert asyncio.run(main()) == [["text"], ["partial", "complete"]]


def test_half_of_a_surrogate_pair_is_joined_with_its_other_half():
    class Model:
        """A model of pydantic, whose JSON is UTF-8."""

        def __init__(self, text):
            self.choices = [text]
            self.data = chunk(text)

        def model_dump_json(self, **_):
            return json.dumps(self.data, ensure_ascii=False).encode().decode()

        def model_dump(self, **_):
            return self.data

    events = []
    stream = wrap(SyncSource([Model("a\ud83d"), Model("\ude00")]))
    for _ in stream:
        events += stream.followup
    assert "".join(event.text for event in events + stream.followup) == "a😀"


def test_attributes_are_those_of_the_stream():
    stream = wrap(SyncSource(CHUNKS))
    assert stream.response == "the response"
    with pytest.raises(AttributeError, match="no_such"):
        stream.no_such
    stream.close()
    assert stream.closed


def test_options_are_checked_before_the_stream_is_read():
    with pytest.raises(TypeError, match="stict is no option"):
        wrap([], stict=True)
    with pytest.raises(ValueError, match="envelopes"):
        wrap([], envelopes=["none such"])
    stream = wrap(CHUNKS, limits={"question": 1})
    assert kinds([event for _ in stream for event in stream.followup]).count("rejected") == 1


async def coroutine():
    return []


def test_what_is_no_stream_is_a_type_error():
    for one in [None, 3, "text", b"bytes", {}, SimpleNamespace(model_dump=None, __iter__=None)]:
        with pytest.raises(TypeError, match=f"a stream of the SDK was expected, not {type(one).__name__}"):
            wrap(one)
    awaitable = coroutine()
    with pytest.raises(TypeError, match="not coroutine; await it first"):
        wrap(awaitable)
    awaitable.close()


def test_an_object_of_no_sdk_is_a_type_error():
    with pytest.raises(TypeError, match="an object of the SDK's stream was expected, not str"):
        next(wrap(["text"]))


def test_a_match_on_an_event_says_what_it_is():
    stream = wrap(CHUNKS)
    asked = []
    for _ in stream:
        for event in stream.followup:
            match event:
                case Complete(question):
                    asked.append(question)
                case Partial(delta=delta):
                    assert delta
    assert asked == ["Tea?"]
