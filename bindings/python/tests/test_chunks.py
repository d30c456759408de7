"""Chunks of all types, and checkpoints."""

from functools import partial

import pytest
from followup import ArgumentsParser, Parser, Partial, ResponseParser, Text
from help import CLASSES, MESSAGE, OPEN, cut, joined, run


@pytest.mark.parametrize("create", CLASSES)
def test_bytes_of_all_types_are_the_same(create):
    data = MESSAGE.encode()
    expected = run(create(), [data])
    for chunk in (
        bytearray(data),
        memoryview(data),
        memoryview(bytes(c for byte in data for c in (byte, 0)))[::2],
    ):
        assert run(create(), [chunk]) == expected
    assert run(create(), [MESSAGE]) == expected


def test_a_bytearray_can_change_after_it_is_fed():
    parser, chunk = Parser(), bytearray(b"<ask_foll")
    parser.feed(chunk)
    chunk[:] = b"?" * 9
    assert parser.finish() == [Text("<ask_foll")]


def test_halves_of_a_surrogate_pair_are_joined_and_others_are_replaced():
    def text(*chunks):
        return "".join(event.text for event in run(Parser(), list(chunks)))

    assert text("a\ud83d", "\ude00b") == "a😀b"
    assert text("a\ud83d", "", "\ude00b") == "a😀b"
    assert text("a\ud83d", b"", "\ude00b") == "a😀b"
    assert text("\ud83d\ude00") == "😀"
    assert text("a\ud83d", "b") == "a\ufffdb"
    assert text("a\ud83d", b"b") == "a\ufffdb"
    assert text("a\ud83d") == "a\ufffd"
    assert text("\ude00\ud83d\ud83d", "\ude00\ude00") == "\ufffd\ufffd😀\ufffd"
    assert text("数\udcff据") == "数\ufffd据"


def test_ill_formed_bytes_are_replaced_wherever_they_are_cut():
    data = b"a\xff\xf0\x9f\x98b\xed\xa0\x80c\xf0\x9f\x98\x80\xc3"
    expected = data.decode(errors="replace")
    for i in range(len(data)):
        assert "".join(event.text for event in run(Parser(), [data[:i], data[i:]])) == expected


@pytest.mark.parametrize("create", CLASSES)
def test_a_parser_continues_from_a_checkpoint_after_every_character(create):
    whole = joined(run(create(), [MESSAGE]))
    for i in range(len(MESSAGE) + 1):
        first = create()
        events = first.feed(MESSAGE[:i])
        second = create(checkpoint=first.checkpoint())
        assert joined(events + run(second, [MESSAGE[i:]])) == whole


FORM = (
    '{"questions": [{"question": "Which one?", "header": "Store", "multiSelect": true, "options": '
    '[{"label": "A😀", "description": "D"}, {"label": "B"}]}, '
    '{"question": "And then?", "options": [{"label": "C"}]}]}'
)


@pytest.mark.parametrize(
    "create, stream", [(Parser, MESSAGE), (partial(ArgumentsParser, "AskUserQuestion"), FORM)]
)
def test_a_parser_that_continues_from_a_checkpoint_knows_the_open_call_after_its_next_partial(
    create, stream
):
    compared = 0
    for i in range(len(stream)):
        whole = create()
        whole.feed(stream[:i])
        resumed = create(checkpoint=whole.checkpoint())
        for character in stream[i:]:
            events = whole.feed(character)
            assert resumed.feed(character) == events
            if any(isinstance(event, Partial) for event in events):
                assert resumed.view() == whole.view()
                compared += 1
                break
    assert compared > len(stream) / 2


def test_a_checkpoint_keeps_half_a_surrogate_pair():
    parser = Parser()
    parser.feed("\ud83d")
    assert Parser(checkpoint=parser.checkpoint()).feed("\ude00") == [Text("😀")]


def test_a_checkpoint_does_not_depend_on_the_cut():
    by_character, whole = Parser(), Parser()
    for character in MESSAGE[:100]:
        by_character.feed(character)
    whole.feed(MESSAGE[:100])
    assert by_character.checkpoint() == whole.checkpoint()


def test_a_checkpoint_of_another_kind_of_parser_is_a_value_error():
    def arguments(**options):
        return ArgumentsParser("AskUserQuestion", **options)

    creates = [Parser, arguments, ResponseParser]
    for create in creates:
        for other in creates:
            if create is not other:
                with pytest.raises(ValueError, match="checkpoint"):
                    create(checkpoint=other().checkpoint())


def test_a_checkpoint_of_other_options_or_with_damage_is_a_value_error():
    parser = Parser()
    parser.feed(OPEN)
    checkpoint = parser.checkpoint()
    with pytest.raises(ValueError, match="another policy"):
        Parser(strict=True, checkpoint=checkpoint)
    for i in range(len(checkpoint)):
        for damaged in (
            checkpoint[:i],
            checkpoint[:i] + bytes([checkpoint[i] ^ 0x55]) + checkpoint[i + 1 :],
        ):
            with pytest.raises(ValueError):
                Parser(checkpoint=damaged)


def test_a_subclass_of_str_is_a_text():
    class Loud(str):
        def encode(self, *args):
            raise AssertionError("not called")

    assert Parser().feed(Loud("a\udc00b")) == [Text("a\ufffdb")]


def test_cuts_of_bytes_give_the_same_events():
    data = MESSAGE.encode()
    whole = joined(run(Parser(), [data]))
    for size in (1, 2, 3, 7):
        assert joined(run(Parser(), cut(data, list(range(0, len(data), size))))) == whole
