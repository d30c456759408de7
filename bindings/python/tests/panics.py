"""A panic, which is a bug of this package, is a `RuntimeError`.

What has panicked can't be used again.

    python -m pytest tests/panics.py

Needs a build with the feature `inject-panic`, as `.ci/python` makes it. Each test says where it
panics.
"""

import asyncio
import threading

import followup
import pyarrow as pa
import pytest
from arrow_help import ASK, rows_of
from dialogue_help import BAD, markup
from followup import Dialogue, Parser, ResponseParser
from followup.arrow import questions
from followup.dialogue import FormAnswer, messages
from followup.openai import wrap
from help import CLASSES, MESSAGE, OPEN, run
from wrap_help import CHUNKS, AsyncSource, SyncSource

COLUMN = pa.array([ASK.format("Tea?")] * 100)


@pytest.fixture
def panic(monkeypatch):
    """Runs an action with a panic at this place, and returns what the error says of it."""

    def panic(place, action):
        with monkeypatch.context() as patch:
            patch.setenv("FOLLOWUP_PANIC", place)
            with pytest.raises(
                RuntimeError, match=f"^this is a bug in followup: injected: {place}$"
            ):
                action()

    return panic


def assert_failed(parser):
    """All that a parser can do is an error that says so."""
    for use in (lambda: parser.feed("a"), parser.finish, parser.view, parser.checkpoint):
        with pytest.raises(RuntimeError, match="^the parser has failed: create another one$"):
            use()


@pytest.mark.parametrize("create", CLASSES)
@pytest.mark.parametrize("method", ["feed", "finish", "view", "checkpoint"])
def test_a_parser_that_panics_raises_and_has_failed(panic, create, method):
    parser = create()
    parser.feed(OPEN)
    arguments = ["more"] if method == "feed" else []
    panic("parser", lambda: getattr(parser, method)(*arguments))
    assert_failed(parser)


@pytest.mark.parametrize("create", [Parser, lambda: ResponseParser("text")])
@pytest.mark.parametrize(
    "chunk", [MESSAGE, MESSAGE.encode(), bytearray(MESSAGE.encode()), MESSAGE + "\ud83d"], ids=type
)
def test_a_panic_between_two_events_raises_and_the_parser_has_failed(panic, create, chunk):
    parser = create()
    panic("event", lambda: parser.feed(chunk))
    assert_failed(parser)


def test_a_panic_in_the_events_of_the_end_raises_and_the_parser_has_failed(panic):
    for parser in (Parser(), ResponseParser("text")):
        parser.feed(OPEN)
        panic("event", parser.finish)
        assert_failed(parser)


@pytest.mark.parametrize("create", CLASSES)
def test_a_panic_in_a_constructor_is_an_error(panic, create):
    panic("options", create)
    checkpoint = create().checkpoint()
    panic("resume", lambda: create(checkpoint=checkpoint))
    create(checkpoint=checkpoint).feed("a")


def test_the_detected_format_of_a_parser_that_panics_is_an_error(panic):
    parser = ResponseParser()
    panic("parser", lambda: parser.detected_format)
    assert_failed(parser)


def test_other_parsers_go_on(panic):
    parser = Parser()
    panic("event", lambda: Parser().feed(MESSAGE))
    assert run(parser, [MESSAGE]) == run(Parser(), [MESSAGE])


def test_events_of_an_iterable_raise_and_end(panic):
    stream = followup.events([MESSAGE, MESSAGE])
    panic("event", lambda: next(stream))
    assert list(stream) == []


def test_events_of_an_asynchronous_iterable_raise(panic):
    async def chunks():
        yield MESSAGE

    async def first():
        return await anext(followup.events(chunks()))

    panic("event", lambda: asyncio.run(first()))


def test_a_wrapped_stream_raises_then_and_at_its_end(panic):
    stream = wrap(SyncSource(CHUNKS))
    panic("event", lambda: next(stream))
    with pytest.raises(RuntimeError, match="^the parser has failed"):
        list(stream)


def test_a_wrapped_asynchronous_stream_raises(panic):
    async def first():
        return await anext(wrap(AsyncSource(CHUNKS)))

    panic("event", lambda: asyncio.run(first()))


def asked():
    """Returns a dialogue with an open question."""
    dialogue = Dialogue()
    for event in run(Parser(), [markup("Which database?", ["PostgreSQL"])]):
        dialogue.event(event)
    return dialogue


USES = {
    "ask": lambda dialogue: [dialogue.event(event) for event in run(Parser(), [markup("Tea?")])],
    "correct": lambda dialogue: [dialogue.event(event) for event in run(Parser(), [BAD])],
    "question": lambda dialogue: dialogue.question,
    "answer": lambda dialogue: dialogue.answer(0, suggestion=0),
    "cancel": lambda dialogue: dialogue.cancel(0),
    "discuss": lambda dialogue: dialogue.discuss(0, [FormAnswer(text="a")]),
    "guide": lambda dialogue: dialogue.guide("Ask."),
    "checkpoint": lambda dialogue: dialogue.checkpoint(),
    "history": lambda dialogue: dialogue.history(),
    "take_history": lambda dialogue: dialogue.take_history(),
}


@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_a_dialogue_that_panics_raises_and_has_failed(panic, use):
    dialogue = asked()
    panic("dialogue", lambda: use(dialogue))
    for other in USES.values():
        with pytest.raises(RuntimeError, match="^the dialogue has failed: create another one$"):
            other(dialogue)


def test_a_panic_in_the_constructor_of_a_dialogue_or_in_messages_is_an_error(panic):
    panic("setup", Dialogue)
    reply = asked().answer(0, suggestion=0)
    panic("messages", lambda: messages(reply, "anthropic"))
    assert messages(reply, "anthropic")


@pytest.mark.parametrize(
    "options", [{}, {"threads": 2}, {"wire": "text"}, {"wire": "auto", "threads": 64}], ids=str
)
@pytest.mark.parametrize(
    "column", [COLUMN, pa.chunked_array([COLUMN, COLUMN])], ids=["array", "stream"]
)
def test_a_panic_in_any_thread_of_a_column_is_an_error(panic, column, options):
    expected = questions(column, **options).to_pylist()
    panic("cell", lambda: questions(column, **options))
    assert questions(column, **options).to_pylist() == expected


def test_a_panic_while_the_results_of_threads_are_joined_is_an_error(panic):
    panic("join", lambda: questions(COLUMN, threads=2))


def test_a_panic_with_the_gil_is_an_error_in_bulk_too(panic):
    panic("options", lambda: questions(COLUMN))
    result = questions(COLUMN)
    panic("pylist", result.to_pylist)
    assert result.to_pylist() == [rows_of([ASK.format("Tea?")])] * 100


def test_other_columns_go_on_while_one_panics(panic):
    """The GIL is back after a panic, and no thread waits for one that has ended."""
    done = threading.Event()

    def count():
        while not done.is_set():
            pass

    other = threading.Thread(target=count)
    other.start()
    try:
        for _ in range(20):
            panic("cell", lambda: questions(COLUMN, threads=2))
    finally:
        done.set()
        other.join()
    assert len(questions(COLUMN)) == 100
