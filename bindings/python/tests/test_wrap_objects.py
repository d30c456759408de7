"""Wrapped streams of SDKs: which objects are read, and how, and what is no stream."""

import asyncio
import json
from contextlib import contextmanager
from types import SimpleNamespace

import pytest
from followup import Complete, Partial, _wire
from followup.anthropic import wrap as wrap_anthropic
from followup.openai import wrap
from wrap_help import CHUNKS, AsyncSource, SyncSource, chunk, kinds

BLOCKS = [
    {"type": "message_start", "message": {"role": "assistant", "content": []}},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    {
        "type": "content_block_delta",
        "index": 0,
        "delta": {"type": "text_delta", "text": "Hm. <ask_followup_question>"},
    },
    {
        "type": "text",
        "text": "Hm. <ask_followup_question>",
        "snapshot": "Hm. <ask_followup_question>",
    },
    {
        "type": "content_block_delta",
        "index": 0,
        "delta": {
            "type": "text_delta",
            "text": "<question>Tea?</question></ask_followup_question>",
        },
    },
    {"type": "content_block_stop", "index": 0, "content_block": {"type": "text", "text": "Hm."}},
    {"type": "message_stop", "message": {"role": "assistant"}},
]


def test_what_an_sdk_repeats_is_not_parsed_again():
    assert _wire.anthropic(BLOCKS[3]) is None
    stops = [_wire.anthropic(block) for block in BLOCKS[5:]]
    index, end = {"type": "content_block_stop", "index": 0}, {"type": "message_stop"}
    assert [json.loads(data) for _, data in stops] == [index, end]
    assert _wire.openai({"type": "content.delta", "delta": "b", "snapshot": "ab"}) is None
    format, data = _wire.openai(
        {"type": "response.output_text.delta", "delta": "b", "snapshot": "ab"}
    )
    assert (format, json.loads(data)) == (
        "openai-responses",
        {"type": "response.output_text.delta", "delta": "b"},
    )


PING = {"type": "ping"}
USAGE = {"object": "chat.completion.chunk", "choices": None, "usage": {"total_tokens": 1}}
RESPONSE = [
    {"type": "response.created", "response": {}},
    {"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "delta": "Hi"},
]


@pytest.mark.parametrize(
    "first", [[PING], [PING, PING], [USAGE], [PING, USAGE], [{**USAGE, "object": None}], [{}]]
)
def test_an_object_that_tells_no_format_decides_none(first):
    for source in [[*first, *CHUNKS], objects([*first, *CHUNKS])]:
        stream, events, beside = wrap(source), [], []
        for _ in stream:
            beside.append(kinds(stream.followup))
            events += stream.followup
        assert beside == [[]] * len(first) + [
            ["text", "partial"],
            ["partial", "complete"],
            ["text"],
        ]
        assert [event.question for event in events if isinstance(event, Complete)] == ["Tea?"]
        assert kinds(stream.followup) == ["text"]


def test_a_response_may_start_with_an_object_that_tells_no_format():
    stream = wrap([PING, *RESPONSE])
    assert [kinds(stream.followup) for _ in stream] == [[], [], ["text"]]


def test_an_error_before_anything_else_is_that_of_a_response():
    stream = wrap([PING, {"type": "error", "message": "Overloaded"}])
    assert [kinds(stream.followup) for _ in stream] == [[], ["error"]]


def test_a_stream_that_tells_no_format_has_the_error_of_a_body_that_tells_none():
    told = []
    stream = wrap([PING, {"hello": 1}], on_event=told.append)
    assert [stream.followup for _ in stream] == [[], []]
    [error] = stream.followup
    assert told == [error] and (error.type, error.code) == ("error", "foreign")


def test_a_manager_is_entered_before_its_stream_is_read():
    @contextmanager
    def manager():
        yield SyncSource(CHUNKS)

    stream = wrap(manager())
    with pytest.raises(TypeError, match="not iterable"):
        next(stream)
    with stream:
        assert [kinds(stream.followup) for _ in stream] == [
            ["text", "partial"],
            ["partial", "complete"],
            ["text"],
        ]


def objects(value):
    """Returns dicts as objects with attributes and their JSON.

    The models of an SDK have them.
    """
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
        with pytest.raises(
            TypeError, match=f"a stream of the SDK was expected, not {type(one).__name__}"
        ):
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
