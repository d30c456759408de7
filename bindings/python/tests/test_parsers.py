"""The parsers: events, views, threads and memory."""

import gc
import sys
import threading

import pytest
from followup import (
    ArgumentsParser,
    Complete,
    Opaque,
    Parser,
    Partial,
    Rejected,
    ResponseParser,
    Suggestion,
    Text,
)
from help import CLASSES, OPEN, ROOT, run


def test_a_question_is_shown_while_it_is_written():
    parser = Parser()
    assert parser.feed("So: <ask_followup_question><question>Tea or co") == [
        Text("So: "),
        Partial(0, "question", "Tea or co"),
    ]
    events = parser.feed("ffee?</question><suggest mode='ask'>Te")
    match events:
        case [Partial(0, "question", "ffee?"), Partial(0, "suggestion", "Te", 0, 0, known=known)]:
            assert known is not None and known.mode == "ask"
        case _:
            pytest.fail(repr(events))
    view = parser.view()
    assert view is not None and view.questions[0].text == "Tea or coffee?"
    assert view.questions[0].suggestions == (Suggestion("Te", mode="ask"),)
    resumed = Parser(checkpoint=parser.checkpoint())
    assert resumed.view() is None
    resumed.feed("a")
    parser.feed("a")
    assert resumed.view() == parser.view()
    *_, complete = parser.feed("</suggest></ask_followup_question>")
    assert isinstance(complete, Complete)
    assert complete.suggestions == (Suggestion("Tea", mode="ask"),)
    assert parser.view() is None
    assert parser.finish() == []


def test_a_rejection_says_why():
    def rejection(message, **options):
        [rejected] = [
            event for event in run(Parser(**options), [message]) if isinstance(event, Rejected)
        ]
        return rejected.code, rejected.part, rejected.limit, rejected.note

    assert rejection(OPEN) == ("truncated", "question", None, None)
    assert rejection(OPEN, limits={"question": 2}) == ("too_long", "question", 2, None)
    assert rejection(f"{OPEN}<follow_up>", strict=True) == (
        "malformed",
        None,
        None,
        "unclosed_question",
    )
    empty = "<ask_followup_question><follow_up></follow_up></ask_followup_question>"
    assert rejection(empty) == ("missing_parameter", None, None, None)


def test_notes_are_words_and_codes():
    *_, complete = run(Parser(), [f"{OPEN}<follow_up>"])
    assert complete.note_codes == ("unclosed_question", "stream_ended")
    assert complete.notes == (
        "the question has no close tag",
        "the message ended before the call was closed",
    )


def test_calls_of_other_tools_are_opaque():
    events = run(Parser(), ["<read_file><path>a</path></read_file>"])
    assert "".join(event.raw for event in events) == "<read_file><path>a</path></read_file>"
    assert [event.start for event in events] == [True] + [False] * (len(events) - 1)
    own = run(Parser(tools=["deploy"], parameters=["to"]), ["<deploy><to>b</to></deploy>"])
    assert isinstance(own[0], Opaque) and own[0].tool == "deploy"


def test_arguments_of_other_question_tools_are_read():
    parser = ArgumentsParser("AskUserQuestion")
    events = parser.feed(
        '{"questions": [{"header": "Drink", "question": "Tea?", "multiSelect": true, '
        '"options": [{"label": "Yes", "description": "Hot", "preview": "A cup"}, {"label": "No"}]}]}'
    )
    view = parser.view(0)
    assert view is not None and view.questions[0].header == "Drink"
    [complete] = parser.finish()
    [question] = complete.questions
    assert (complete.shape, question.multiple) == ("claude", True)
    assert question.suggestions == (
        Suggestion("Yes", description="Hot", preview="A cup"),
        Suggestion("No"),
    )
    assert view.questions == complete.questions
    for field in ("header", "question", "suggestion", "description", "preview"):
        assert any(event.field == field for event in events)


def test_a_response_is_detected_and_its_errors_are_events():
    parser = ResponseParser()
    assert parser.detected_format is None
    body = (ROOT / "examples/responses/openai-chat.sse").read_bytes()
    events = run(parser, [body])
    [complete] = [event for event in events if isinstance(event, Complete)]
    assert complete.id is not None
    [error] = run(
        ResponseParser("anthropic"), ['data: {"type":"error","error":{"message":"Overloaded"}}\n\n']
    )
    assert (error.code, error.message) == ("provider", "Overloaded")


def test_the_format_is_known_once_it_is_certain():
    parser = ResponseParser()
    parser.feed(b'{"model":"qwen3","message":{"role":"assistant","content":"Hi"},"done":false}\n')
    assert parser.detected_format == "ollama"
    parser.finish()
    assert parser.detected_format == "ollama"
    assert ResponseParser("anthropic").detected_format == "anthropic"
    assert ResponseParser(None).detected_format is None


@pytest.mark.parametrize("create", CLASSES)
def test_a_finished_parser_raises_value_error(create):
    parser = create()
    parser.feed("{")
    parser.finish()
    for use in (lambda: parser.feed("a"), parser.finish, parser.checkpoint):
        with pytest.raises(ValueError, match="the parser is finished"):
            use()
    assert parser.view() is None


def test_views_of_no_call_are_none():
    parser = Parser()
    assert parser.view() is None
    parser.feed(OPEN)
    assert parser.view(0) == parser.view()
    for call in (1, -1, 2**70):
        assert parser.view(call) is None
    with pytest.raises(TypeError):
        parser.view("0")


def test_a_parser_is_in_use_by_one_thread_at_a_time():
    # Each thread feeds its own letter; an error or whole chunks, and never a mix.
    parser, chunks, errors = Parser(), [], []
    start = threading.Barrier(4)

    def feed(letter):
        start.wait()
        for _ in range(2000):
            try:
                chunks.extend(event.text for event in parser.feed(letter * 3))
            except RuntimeError as error:
                errors.append(str(error))

    threads = [threading.Thread(target=feed, args=(letter,)) for letter in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(error.startswith("the parser is in use") for error in errors)
    assert len(chunks) + len(errors) == 8000
    assert all(chunk in ("aaa", "bbb", "ccc", "ddd") for chunk in chunks)


@pytest.mark.skipif(
    sys.version_info >= (3, 12), reason="finalizers of cycles run between instructions only"
)
def test_a_finalizer_that_runs_meanwhile_gets_an_error_and_does_not_wait():
    parser, errors, left = Parser(), [], list(range(20))

    class Cycle:
        def __init__(self):
            self.cycle = self

        def __del__(self):
            try:
                parser.feed("")
            except RuntimeError as error:
                errors.append(str(error))
            if left.pop():
                Cycle()

    parser.feed(OPEN)
    gc.collect()
    Cycle()
    threshold = gc.get_threshold()
    gc.set_threshold(1, 1, 1)
    try:
        *_, complete = parser.feed(
            "</question>" + "<suggest>a</suggest>" * 30 + "</ask_followup_question>"
        )
    finally:
        gc.set_threshold(*threshold)
    assert len(complete.suggestions) == 30
    assert set(errors) == {
        "the parser is in use: by another thread, or by a call that has not returned"
    }


def test_parsers_that_are_forgotten_leave_no_memory():
    resource = pytest.importorskip("resource")

    def use(count):
        for _ in range(count):
            Parser().feed(OPEN + "x" * 10_000)
        gc.collect()
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    before = use(2000)
    assert use(8000) < before + 10_000  # KiB; without freeing it would be 80,000


def test_a_checkpoint_of_a_body_of_another_format_is_an_error():
    checkpoint = ResponseParser("anthropic").checkpoint()
    assert ResponseParser("anthropic", checkpoint=checkpoint).detected_format == "anthropic"
    assert ResponseParser(checkpoint=checkpoint).detected_format == "anthropic"
    with pytest.raises(ValueError, match="it is of a body of anthropic, not of gemini"):
        ResponseParser("gemini", checkpoint=checkpoint)
    with pytest.raises(ValueError, match="the format of its body is not known yet"):
        ResponseParser("gemini", checkpoint=ResponseParser().checkpoint())


@pytest.mark.parametrize("parser", [Parser, ResponseParser])
def test_a_checkpoint_with_bytes_after_it_is_an_error(parser):
    with pytest.raises(ValueError, match="no checkpoint"):
        parser(checkpoint=parser().checkpoint() + b"x")
