"""Threads that share an object: each call has its whole effect, or raises an error.

Without a GIL they run at the same time.
"""

import threading

from dialogue_help import markup
from followup import Dialogue, Parser
from followup.dialogue import DialogueError

MESSAGE = "So: " + markup("Which database?", ["PostgreSQL", "SQLite"]) + " Done."


def run_all(actions):
    """Runs each action in a thread of its own, all from the same moment.

    Raises what one of them raises.
    """
    start, errors = threading.Barrier(len(actions)), []

    def run(action):
        start.wait()
        try:
            action()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(action,)) for action in actions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


def retry(call, *arguments):
    """Calls a method until no other thread uses the object."""
    while True:
        try:
            return call(*arguments)
        except RuntimeError as error:
            assert "is in use" in str(error)


def chunks(text):
    return [text[index : index + 3] for index in range(0, len(text), 3)]


def test_a_parser_that_other_threads_look_at_has_the_events_of_its_stream():
    parser = Parser()
    expected = [
        event for chunk in chunks(MESSAGE * 20) for event in parser.feed(chunk)
    ] + parser.finish()
    for _ in range(5):
        shared, events, fed = Parser(), [], threading.Event()

        def feed():
            try:
                for chunk in chunks(MESSAGE * 20):
                    events.extend(retry(shared.feed, chunk))
            finally:
                fed.set()

        def look():
            while not fed.is_set():
                view = retry(shared.view)
                assert view is None or "Which database?".startswith(view.questions[0].text)
                Parser(checkpoint=retry(shared.checkpoint))

        run_all([feed, look, look])
        assert events + shared.finish() == expected


def test_each_thread_with_a_parser_of_its_own_has_the_events_of_its_stream():
    def events_of(number):
        parser = Parser()
        return [
            event
            for chunk in chunks(MESSAGE.replace("SQLite", f"{number}"))
            for event in parser.feed(chunk)
        ]

    expected, results = [events_of(number) for number in range(4)], [[] for _ in range(4)]
    run_all(
        [
            lambda number=number: results[number].extend(events_of(number) for _ in range(200))
            for number in range(4)
        ]
    )
    assert results == [[events] * 200 for events in expected]


def test_threads_share_the_events_of_a_parser():
    parser = Parser()
    events = parser.feed(MESSAGE)
    found = [set(), set(), set(), set()]
    run_all(
        [
            lambda one=one: [
                one.add((repr(event), hash(event))) for _ in range(200) for event in events
            ]
            for one in found
        ]
    )
    assert len(found[0]) == len(events) and found == [found[0]] * 4


def test_only_one_thread_answers_a_question():
    for _ in range(100):
        dialogue, replies, codes = Dialogue(), [], []
        for event in Parser().feed(MESSAGE):
            dialogue.event(event)

        def answer():
            try:
                replies.append(retry(lambda: dialogue.answer(0, suggestion=1)))
            except DialogueError as error:
                codes.append(error.code)

        run_all([answer] * 4)
        assert ([reply.text for reply in replies], codes) == (
            ["<answer>\nSQLite\n</answer>"],
            ["already_answered"] * 3,
        )
