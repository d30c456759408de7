"""The events do not depend on how a stream is cut, nor on the type of its chunks.

No input fails otherwise.
"""

import os
from functools import partial

import pytest
from followup import ArgumentsParser, Complete, Parser, Partial, Rejected, ResponseParser
from help import cut, joined, run
from hypothesis import given, settings
from hypothesis import strategies as st

# `EXAMPLES=5000 pytest tests/test_laws.py` is the long run.
settings.register_profile(
    "short", max_examples=int(os.environ.get("EXAMPLES", "200")), deadline=None
)
settings.load_profile("short")
pytestmark = pytest.mark.slow

PIECES = st.sampled_from(
    "<ask_followup_question>|<question>|</question>|<follow_up>|<suggest mode='a'>|</suggest>|</follow_up>|"
    "</ask_followup_question>|<tool_call>|</tool_call>|"
    '{"name": "AskUserQuestion", "arguments": {|"questions": [{"question": "Q|"options": [{"label": "|'
    '"|{|}|[|]|\\u00|\\ud83d|\\ude00|\\|&lt;|&#x1F600;|```\n|<think>|data: {"choices":[{"delta":{"content":"|\n\n|'
    "Süden 😀 数据|<read_file>".split("|")
)
TEXTS = st.lists(PIECES | st.text(max_size=5), max_size=30).map("".join)
BYTES = st.lists(PIECES.map(str.encode) | st.binary(max_size=4), max_size=30).map(b"".join)
OFFSETS = st.lists(st.integers(0, 400), max_size=30)
CREATE = st.sampled_from(
    [
        Parser,
        lambda **options: Parser(strict=True, decode_entities=True, envelopes=["all"], **options),
        lambda **options: ArgumentsParser("AskUserQuestion", **options),
        lambda **options: ArgumentsParser("ask_followup_question", **options),
        lambda **options: ResponseParser("openai-chat", **options),
        ResponseParser,
    ]
)


@given(CREATE, TEXTS, OFFSETS, OFFSETS)
def test_text_gives_the_same_events_for_every_cut_and_as_bytes(create, text, characters, bytes_):
    whole = joined(run(create(), [text]))
    assert joined(run(create(), cut(text, characters))) == whole
    assert joined(run(create(), cut(text.encode(), bytes_))) == whole


@given(CREATE, BYTES, OFFSETS)
def test_ill_formed_bytes_give_the_same_events_for_every_cut(create, data, offsets):
    assert joined(run(create(), cut(data, offsets))) == joined(run(create(), [data]))


@given(
    CREATE, st.text(st.characters(categories=["Cs"]) | st.sampled_from("a😀"), max_size=12), OFFSETS
)
def test_surrogates_are_read_as_in_utf_16_for_every_cut(create, text, offsets):
    expected = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    assert joined(run(create(), cut(text, [offset % 13 for offset in offsets]))) == joined(
        run(create(), [expected])
    )


@given(CREATE, BYTES, OFFSETS)
def test_a_parser_continues_from_a_checkpoint_at_every_cut(create, data, offsets):
    parser, events = create(), []
    for chunk in cut(data, offsets):
        events += parser.feed(chunk)
        parser = create(checkpoint=parser.checkpoint())
    assert joined(events + parser.finish()) == joined(run(create(), [data]))


@given(CREATE, TEXTS, OFFSETS)
def test_the_view_is_the_sum_of_the_partials_and_part_of_the_end(create, text, offsets):
    parser, calls = create(), {}
    for chunk in cut(text, offsets):
        for event in parser.feed(chunk):
            match event:
                case Partial(call, field, delta, question, suggestion):
                    texts = calls.setdefault(call, {})
                    texts[field, question, suggestion] = (
                        texts.get((field, question, suggestion), "") + delta
                    )
                case Complete() | Rejected():
                    calls.pop(event.call, None)
        for call, texts in calls.items():
            view = parser.view(call)
            assert view is not None and view.call == call
            for (field, question, suggestion), shown in texts.items():
                if field == "title":
                    assert (view.title or "") == shown
                    continue
                part = view.questions[question]
                if suggestion is None:
                    assert (getattr(part, "text" if field == "question" else field) or "") == shown
                else:
                    one = part.suggestions[suggestion]
                    assert (
                        getattr(one, "answer" if field == "suggestion" else field) or ""
                    ) == shown


@given(st.binary(max_size=300) | st.just(b"\0\0"), st.sampled_from([Parser, ResponseParser]))
def test_bytes_that_are_no_checkpoint_are_a_value_error(data, create):
    try:
        create(checkpoint=data).feed("a")
    except ValueError:
        return
    raise AssertionError(f"{data!r} is no checkpoint")


@pytest.mark.parametrize(
    ("create", "fed"),
    [
        (Parser, "<ask_followup_question><question>Wh"),
        (partial(ArgumentsParser, "AskUserQuestion"), '{"questions": [{"question": "Wh'),
        (ResponseParser, 'data: {"choices":[{"delta":{"content":"Hi'),
    ],
)
def test_a_checkpoint_of_another_version_is_a_value_error_that_says_so(create, fed):
    parser = create()
    parser.feed(fed)
    stored = parser.checkpoint()
    create(checkpoint=stored)
    # After the half of a surrogate pair comes the version of the format.
    for version in (0, stored[2] - 1, stored[2] + 1, 127):
        other = stored[:2] + bytes([version]) + stored[3:]
        with pytest.raises(ValueError, match="another format version"):
            create(checkpoint=other)


@given(
    st.lists(st.tuples(st.integers(0, 200), st.integers(1, 255)), min_size=1, max_size=3),
    st.integers(0, 120),
)
def test_a_damaged_checkpoint_is_a_value_error_or_works(changes, end):
    parser = Parser()
    parser.feed("<ask_followup_question><question>Which one?</question><suggest mode='a'>One")
    checkpoint = bytearray(parser.checkpoint())
    for offset, change in changes:
        checkpoint[offset % len(checkpoint)] ^= change
    try:
        parser = Parser(checkpoint=bytes(checkpoint))
    except ValueError:
        return
    parser.feed("</suggest></ask_followup_question>")
    parser.finish()
