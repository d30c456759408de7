"""Rejected calls, and what a dialogue does not accept."""

import pickle
import re

import pytest
from dialogue_help import asked, directives, markup
from followup import Dialogue, DialogueError, Rejected, ResponseParser
from followup.dialogue import Tell, messages
from help import BODIES, ROOT, run
from hypothesis import given
from hypothesis import strategies as st


def variants(file, name):
    """Returns the names of the variants of an enum of the crate, as codes."""
    source = (ROOT / "src" / file).read_text(encoding="utf-8")
    [body] = re.findall(rf"pub enum {name} \{{\n(.*?)\n\}}", source, re.DOTALL)
    return [
        re.sub("(?<!^)([A-Z])", r"_\1", one).lower()
        for one in re.findall(r"^ {4}([A-Z]\w*)", body, re.MULTILINE)
    ]


def test_every_part_and_note_of_the_crate_has_a_correction():
    def told(code, **reason):
        directive = Dialogue().event(Rejected(code, "", "ask_followup_question", 0, 0, 1, **reason))
        assert isinstance(directive, Tell)
        return directive.correction

    parts, notes = variants("reason.rs", "CallPart"), variants("note.rs", "Note")
    assert len(parts) > 10 and len(notes) > 30
    assert all(told("truncated", part=part).model for part in parts)
    notes.remove("envelope")
    assert len({told("malformed", note=note).user for note in notes}) == len(notes)
    assert "3 bytes" in told("too_long", part="answer", limit=3).model


@pytest.mark.parametrize(
    "reason",
    [{"code": "bad"}, {"code": "too_long", "part": "answer"}, {"code": "malformed", "note": "x_"}],
)
def test_a_rejection_for_no_reason_of_the_crate_is_a_type_error(reason):
    with pytest.raises(TypeError, match="event: "):
        Dialogue().event(Rejected(message="", tool="t", call=0, start=0, end=1, **reason))


def test_every_event_of_every_golden_body_can_be_given_to_a_dialogue():
    codes = set()
    for path in BODIES:
        dialogue = Dialogue(mistake_limit=0)
        for event in run(ResponseParser(path.parent.name, strict=True), [path.read_bytes()]):
            directive = dialogue.event(event)
            if event.type == "complete":
                assert directive.type in ("ask", "later"), path
            elif event.type == "rejected":
                assert directive.type == ("nothing" if event.code == "superseded" else "tell"), path
                codes.add(event.code)
    assert codes >= {"malformed", "missing_parameter", "truncated"}


def test_a_superseded_call_is_nothing():
    body = b'{"message":{"thinking":"%s","content":"%s"},"done":true}' % (
        markup("A?").encode(),
        markup("B?").encode(),
    )
    events = run(ResponseParser("ollama", reasoning=True), [body])
    assert "superseded" in [event.code for event in events if event.type == "rejected"]
    kinds = [directive.type for directive in map(Dialogue().event, events)]
    assert kinds.count("ask") == 1 and "tell" not in kinds


def test_a_dialogue_error_is_a_value_error_and_can_be_pickled():
    error = pickle.loads(pickle.dumps(DialogueError("not_asked", "no such question")))
    assert isinstance(error, ValueError)
    assert (error.code, str(error)) == ("not_asked", "no such question")


WRONG = [
    (
        lambda d: Dialogue(dialect="nix"),
        ValueError,
        "dialect: there is no built-in nix; there are: roo-code",
    ),
    (
        lambda d: Dialogue(dialect={"repli": 1}),
        TypeError,
        "dialect: unknown field `repli`, expected one of `name`, ",
    ),
    (
        lambda d: Dialogue(rules={"max_suggestions": "4"}),
        TypeError,
        "rules: max_suggestions: a whole number was expected, not str",
    ),
    (
        lambda d: Dialogue(rules={"mst": 4}),
        ValueError,
        "rules: there is no 'mst'; there are: follow_up_required, min",
    ),
    (
        lambda d: Dialogue(rules={"suggestion_count": "x"}),
        ValueError,
        "rules: suggestion_count: one of ignore, advice, reject was expected, not 'x'",
    ),
    (
        lambda d: Dialogue(rules={"suggestion_count": None}),
        TypeError,
        "rules: suggestion_count: a str was expected, not NoneType",
    ),
    (
        lambda d: Dialogue(mistake_limit=-1),
        ValueError,
        "mistake_limit: a number from 0 to 4294967295 was expected, not -1",
    ),
    (
        lambda d: Dialogue(mistake_limit="3"),
        TypeError,
        "mistake_limit: a whole number was expected, not str",
    ),
    (lambda d: Dialogue(history="ab"), TypeError, "history: the turns were expected, not str"),
    (
        lambda d: Dialogue(mistake_limits=1),
        TypeError,
        "unexpected keyword argument 'mistake_limits'",
    ),
    (
        lambda d: Dialogue(templates={"a": "nix"}),
        ValueError,
        "templates: a: there is no built-in nix; there are: general, claude",
    ),
    (
        lambda d: Dialogue(history=[{"turn": "x"}]),
        TypeError,
        "history: unknown variant `x`, expected one of `asked`, ",
    ),
    (lambda d: Dialogue(history=[3]), TypeError, "history: invalid type: integer `3`"),
    (
        lambda d: Dialogue(dialect=object()),
        TypeError,
        "dialect: data as in JSON was expected, not object",
    ),
    (
        lambda d: Dialogue(templates={"a": {"b": {1}}}),
        TypeError,
        "templates: data as in JSON was expected, not set",
    ),
    (lambda d: d.event("x"), TypeError, "event: an event of a parser was expected, not str"),
    (
        lambda d: d.answer(0),
        TypeError,
        "answer: a text, a suggestion, both, or the answers to a form were expected, not nothing",
    ),
    (
        lambda d: d.answer(0, text="a", answers=[]),
        TypeError,
        "or the answers to a form were expected, not a text and answers",
    ),
    (
        lambda d: d.answer(0, text=3),
        TypeError,
        "answer: invalid type: integer `3`, expected a string",
    ),
    (
        lambda d: d.answer(0, suggestion="1"),
        TypeError,
        'answer: invalid type: string "1", expected a whole number',
    ),
    (
        lambda d: d.answer(0, suggestion=-1),
        DialogueError,
        "suggestion: there is none with the index -1; the first is 0",
    ),
    (lambda d: d.answer("0", text="a"), TypeError, "number: a whole number was expected, not str"),
    (lambda d: d.cancel(None), TypeError, "number: a whole number was expected, not NoneType"),
    (
        lambda d: d.answer(0, answers=[3]),
        TypeError,
        "answers: a FormAnswer or a mapping was expected, not int",
    ),
    (
        lambda d: d.answer(0, answers=[{"pick": [1]}]),
        TypeError,
        "answer: unknown field `pick`, expected one of `picked`, `text`, `note`",
    ),
    (lambda d: d.guide(3), TypeError, "guidance: a str was expected, not int"),
    (
        lambda d: messages([], "nix"),
        ValueError,
        "format: nix is not known; known are: openai-chat, openai-responses, anthropic, gemini, "
        "bedrock-converse, ollama",
    ),
    (
        lambda d: messages("x", "anthropic"),
        TypeError,
        "replies: a Reply, or an iterable of them, was expected, not str",
    ),
]


@pytest.mark.parametrize("use, error, message", WRONG)
def test_wrong_input_is_an_error_that_says_what_was_expected(use, error, message):
    dialogue = Dialogue()
    directives(dialogue, markup("One?"))
    with pytest.raises(error, match=message):
        use(dialogue)
    assert dialogue.question is not None


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@pytest.mark.slow
@given(JSON, JSON, st.lists(JSON))
def test_no_data_fails_otherwise(options, answer, history):
    for use in (
        lambda: Dialogue(dialect=options),
        lambda: Dialogue(templates=options),
        lambda: Dialogue(history=history),
        lambda: asked("ask_user", {"question": "Q?"}).answer(0, text=answer),
        lambda: asked("ask_user", {"question": "Q?"}).answer(0, answers=history),
        lambda: asked("ask_user", {"question": "Q?"}).answer(0, text="a", images=history),
    ):
        try:
            use()
        except (TypeError, ValueError):
            pass
