"""The event classes."""

import copy
import importlib.metadata
import pickle
import sys
from unittest.mock import ANY

import followup
import pytest
from followup import (
    CallView,
    Complete,
    Error,
    Known,
    Opaque,
    Partial,
    Question,
    Rejected,
    Suggestion,
    Text,
)
from hypothesis import given, settings
from hypothesis import strategies as st

SUGGESTION = Suggestion("SQLite", mode="code")
QUESTION = Question("Which database?", [SUGGESTION], id="db", multiple=False, defaults=["SQLite"])
VALUES = [
    Text("Hm."),
    Opaque("read_file", "<read_file>", True, id="call_1"),
    Partial(0, "suggestion", "SQ", suggestion_index=0, known=Known(mode="code")),
    Complete(
        "Which database?",
        [SUGGESTION],
        "ask_user",
        0,
        4,
        90,
        questions=[QUESTION],
        notes=["n"],
        note_codes=["c"],
    ),
    Rejected(
        "too_long", "the question is too long", "ask_user", 1, 90, 120, part="question", limit=10
    ),
    Error("unreadable", "an event can't be read", data="{"),
    SUGGESTION,
    QUESTION,
    Known(required=True, defaults=["a"]),
    CallView(0, "ask_user", questions=[QUESTION]),
]

CLASSES = [type(value) for value in VALUES]


def name(value: object) -> str:
    return type(value).__name__


@pytest.mark.parametrize("value", VALUES, ids=name)
def test_a_value_equals_its_copies_and_what_is_pickled(value):
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        restored = pickle.loads(pickle.dumps(value, protocol))
        assert type(restored) is type(value)
        assert restored == value and not restored != value
        assert hash(restored) == hash(value)
    assert copy.copy(value) is value
    assert copy.deepcopy(value) is value


@pytest.mark.parametrize("value", VALUES, ids=name)
def test_the_repr_creates_an_equal_value(value):
    names = {one.__name__: one for one in {type(value) for value in VALUES}}
    assert eval(repr(value), names) == value


@pytest.mark.parametrize("value", VALUES, ids=name)
def test_a_value_is_frozen_and_has_no_dict(value):
    assert not hasattr(value, "__dict__")
    for field in value.__match_args__:
        with pytest.raises(AttributeError):
            setattr(value, field, None)
        with pytest.raises(AttributeError):
            delattr(value, field)
    with pytest.raises((AttributeError, TypeError)):
        value.other = 1


@pytest.mark.parametrize("value", VALUES, ids=name)
def test_a_value_differs_from_every_other_value(value):
    assert sum(value == other for other in VALUES) == 1
    assert value != value.__match_args__
    for field in value.__match_args__:
        changed = {name: getattr(value, name) for name in value.__match_args__}
        old = changed[field]
        if (
            isinstance(old, str)
            or old is None
            and field
            not in ("known", "limit", "custom", "multiple", "required", "suggestion_index")
        ):
            changed[field] = "something else"
            assert type(value)(**changed) != value


@pytest.mark.parametrize("value", VALUES, ids=name)
def test_all_fields_match_by_position_and_by_keyword(value):
    fields = [getattr(value, field) for field in value.__match_args__]
    assert type(value)(*fields) == value
    assert type(value)(**dict(zip(value.__match_args__, fields))) == value


def test_events_match_in_a_match_statement():
    matched = []
    for value in VALUES:
        match value:
            case Text(text):
                matched.append(text)
            case Partial(call, "suggestion", delta, known=Known(mode)):
                matched.append((call, delta, mode))
            case Complete(question, (Suggestion(answer), *_), tool="ask_user"):
                matched.append((question, answer))
            case Rejected(code="too_long", limit=limit):
                matched.append(limit)
            case Opaque() | Error():
                matched.append(value.type)
    assert matched == [
        "Hm.",
        "opaque",
        (0, "SQ", "code"),
        ("Which database?", "SQLite"),
        10,
        "error",
    ]


def test_the_type_of_an_event_is_a_literal_of_class_and_object():
    types = [value.type for value in VALUES[:6]]
    assert types == ["text", "opaque", "partial", "complete", "rejected", "error"]
    assert types == [type(value).type for value in VALUES[:6]]


def test_lists_become_tuples():
    assert VALUES[3].suggestions == (SUGGESTION,)
    assert QUESTION.defaults == ("SQLite",)


@pytest.mark.parametrize(
    ("create", "field", "message"),
    [
        (lambda: Text(3), "text", "'int' object is not an instance of 'str'"),
        (lambda: Text(), None, "missing 1 required positional argument: 'text'"),
        (lambda: Text("a", "b"), None, "takes 1 positional arguments but 2 were given"),
        (
            lambda: Opaque("tool", "raw", "yes"),
            "start",
            "'str' object is not an instance of 'bool'",
        ),
        (
            lambda: Complete("Q?", ["no"], "tool", 0, 0, 1),
            "suggestions",
            "'str' object is not an instance of 'Suggestion'",
        ),
        (lambda: Partial(0, "question", None), "delta", "'None' is not an instance of 'str'"),
        (
            lambda: Question("Q?", defaults=[3]),
            "defaults",
            "'int' object is not an instance of 'str'",
        ),
    ],
)
def test_a_field_of_a_wrong_type_is_a_type_error_that_says_what_was_expected(
    create, field, message
):
    with pytest.raises(TypeError, match=message) as caught:
        create()
    # Python 3.10 has no notes.
    if field is not None and sys.version_info >= (3, 11):
        assert caught.value.__notes__ == [f"while processing '{field}'"]


@pytest.mark.parametrize("number", [-1, 1 << 64, 10**5000], ids=["-1", "2**64", "10**5000"])
@pytest.mark.parametrize(
    "create",
    [
        lambda number: Partial(number, "question", ""),
        lambda number: Partial(0, "question", "", number),
        lambda number: Partial(0, "question", "", suggestion_index=number),
        lambda number: Complete("Q?", [], "tool", number, 0, 1),
        lambda number: Complete("Q?", [], "tool", 0, number, 1),
        lambda number: Complete("Q?", [], "tool", 0, 0, number),
        lambda number: Rejected("code", "message", "tool", number, 0, 1),
        lambda number: Rejected("code", "message", "tool", 0, 0, 1, limit=number),
        lambda number: CallView(number, "tool"),
    ],
)
def test_a_number_that_is_no_index_is_a_value_error(create, number):
    with pytest.raises(
        ValueError,
        match="^a number from 0 to 18446744073709551615 was expected, not (-1|184.*616|a larger one)",
    ):
        create(number)


ANYTHING = st.deferred(
    lambda: (
        st.none()
        | st.booleans()
        | st.sampled_from(
            [-1, 0, 1 << 63, 1 << 64, 10**40, 1.5, float("nan"), object(), int, ..., *VALUES]
        )
        | st.text(st.characters(), max_size=3)
        | st.binary(max_size=3)
        | st.lists(ANYTHING, max_size=2)
        | st.lists(ANYTHING, max_size=2).map(tuple)
        | st.dictionaries(st.text(max_size=3), ANYTHING, max_size=2)
    )
)


@pytest.mark.slow
@settings(deadline=None, max_examples=2000)
@given(st.sampled_from(CLASSES), st.lists(ANYTHING, max_size=5), st.data())
def test_any_values_make_an_event_or_a_type_or_value_error(create, values, data):
    """A panic would be neither: it is no `Exception`."""
    names = st.sampled_from(create.__match_args__) | st.just("other")
    keywords = data.draw(st.dictionaries(names, ANYTHING, max_size=3))
    if data.draw(st.booleans()):
        # Values that are right, but for some.
        [one] = [value for value in VALUES if type(value) is create]
        values, keywords = (
            [],
            {name: getattr(one, name) for name in create.__match_args__} | keywords,
        )
    try:
        value = create(*values, **keywords)
    except (TypeError, ValueError):
        return
    assert type(value)(*[getattr(value, name) for name in value.__match_args__]) == value
    assert repr(value) and value != values and isinstance(hash(value), int)


def test_events_can_be_keys():
    assert {Text("a"): 1}[Text("a")] == 1
    assert len({*VALUES, *VALUES}) == len(VALUES)


def test_another_type_decides_whether_it_equals_an_event():
    for value in VALUES:
        assert value == ANY and not value != ANY
        assert value != "text" and not value == "text"


def test_the_version_is_that_of_the_package():
    assert followup.__version__ == importlib.metadata.version("followup")
