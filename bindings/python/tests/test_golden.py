"""Every golden message and body of the crate has the same events here.

Whole, in small chunks, and in a column.
"""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from arrow_help import rows_of
from followup import (
    Complete,
    Error,
    Opaque,
    Parser,
    Question,
    Rejected,
    ResponseParser,
    Suggestion,
    Text,
)
from followup.arrow import questions
from help import BODIES, ROOT, cut, run

MESSAGES = sorted((ROOT / "tests/spec/golden").glob("*.md"))
# The rules in the name of a golden message, as options.
RULES: dict[str, dict[str, Any]] = {
    "outside-code": {"outside_code": True},
    "decoded": {"decode_entities": True},
    "strict": {"strict": True},
    "all-envelopes": {"envelopes": ["all"]},
}


def suggest(suggestions) -> list[dict[str, Any]]:
    return [{"answer": one.answer, "mode": one.mode} for one in suggestions]


def notes(event: Complete) -> list[str]:
    """Returns the notes as the expectations of messages name them.

    An envelope is named by its family, others as in the crate.
    """
    named = {"envelope": event.envelope}
    return [
        named.get(code) or "".join(word.capitalize() for word in code.split("_"))
        for code in event.note_codes
    ]


def of_message(event) -> dict[str, Any]:
    """Returns the end of a call as the expectations of messages write it."""
    span = {
        "span": [event.start, event.end],
        "question": event.question,
        "suggest": suggest(event.suggestions),
    }
    if isinstance(event, Complete):
        return {"event": "complete", **span, "notes": notes(event)}
    return {"event": "rejected", **span, "reason": event.code, "message": event.message}


def of_body(event) -> dict[str, Any]:
    """Returns the end of a call as the expectations of bodies write it."""
    call = {"call": event.call, "question": event.question, "suggest": suggest(event.suggestions)}
    named = {} if event.id is None else {"id": event.id}
    if isinstance(event, Complete):
        return {"event": "complete", **call, "notes": list(event.note_codes), **named}
    return {"event": "rejected", **call, "reason": event.code, **named}


def written(events, end) -> list[dict[str, Any]]:
    """Returns the events as the expectations write them."""
    all: list[dict[str, Any]] = []
    for event in events:
        match event:
            case Text(text) if all and all[-1]["event"] == "text":
                all[-1]["text"] += text
            case Text(text):
                all.append({"event": "text", "text": text})
            case Error("provider", message):
                all.append({"event": "error", "kind": "provider", "message": message})
            case Error(code):
                all.append({"event": "error", "kind": code})
            case Opaque(tool, raw, True, id):
                all.append(
                    {
                        "event": "opaque",
                        "tool": tool,
                        "raw": raw,
                        **({} if id is None else {"id": id}),
                    }
                )
            case Opaque(tool, raw, False, id):
                [*_, same] = [one for one in all if one.get("tool") == tool and one.get("id") == id]
                same["raw"] += raw
            case Complete() | Rejected():
                all.append(end(event))
    return without_none(all)


def without_none(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Leaves out the modes that are not there; the expectations of bodies do so."""
    for event in events:
        if "suggest" in event:
            event["suggest"] = [
                {k: v for k, v in one.items() if v is not None} for one in event["suggest"]
            ]
    return events


def forms(events) -> list[dict[str, Any]]:
    """Returns the complete calls of other tools as the expectations write them.

    With all their questions.
    """
    complete = [
        event for event in events if isinstance(event, Complete) and event.shape is not None
    ]
    return [
        present({"call": one.call, "tool": one.tool, "shape": one.shape, "title": one.title})
        | {"questions": [form_question(question) for question in one.questions]}
        for one in complete
    ]


def form_question(question: Question) -> dict[str, Any]:
    suggestions = [
        present({**fields(one), "recommended": one.recommended or None})
        for one in question.suggestions
    ]
    return present(
        {
            **fields(question),
            "defaults": list(question.defaults) or None,
            "suggestions": suggestions,
        }
    )


def fields(record: Question | Suggestion) -> dict[str, Any]:
    return {name: getattr(record, name) for name in record.__match_args__}


def present(values: dict[str, Any]) -> dict[str, Any]:
    """Leaves out what is not there."""
    return {name: value for name, value in values.items() if value is not None}


def expected(path: Path) -> list[dict[str, Any]]:
    return without_none(json.loads(path.with_suffix(".json").read_text(encoding="utf-8")))


def expected_forms(path: Path) -> list[dict[str, Any]]:
    """Returns the calls of other tools that a body has. Without a file of them it has none."""
    file = path.with_suffix(".forms.json")
    return json.loads(file.read_text(encoding="utf-8")) if file.exists() else []


@pytest.mark.parametrize("path", MESSAGES, ids=lambda path: path.stem)
def test_a_golden_message_has_its_events(path):
    options = RULES.get(path.stem.partition(".")[2], {})
    data = path.read_bytes()
    for size in (max(len(data), 1), 1, 7):
        events = run(Parser(**options), cut(data, list(range(size, len(data), size))))
        assert written(events, of_message) == expected(path), f"in chunks of {size}"
    for how in (options, options | {"envelopes": ["all"]}):
        assert questions(pa.array([data]), **how).to_pylist() == [rows_of([data], **how)]


@pytest.mark.parametrize("path", BODIES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_golden_body_has_its_events(path):
    data = path.read_bytes()
    for size in (max(len(data), 1), 1, 7):
        events = run(
            ResponseParser(path.parent.name), cut(data, list(range(size, len(data), size)))
        )
        assert written(events, of_body) == expected(path), f"in chunks of {size}"
        assert forms(events) == expected_forms(path), f"in chunks of {size}"
    assert questions(pa.array([data]), wire=path.parent.name).to_pylist() == [
        rows_of([data], wire=path.parent.name)
    ]


def test_there_are_golden_messages_bodies_and_forms():
    assert len(MESSAGES) >= 20 and len(BODIES) >= 50
    assert any(map(expected_forms, BODIES))
