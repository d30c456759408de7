"""Reads recorded messages and bodies as bytes and as texts, in several cuts.

    python tests/shared.py [FOLDER]

They are not part of the repository.
"""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path
from typing import Any, Callable

from followup import (
    ArgumentsParser,
    Complete,
    Error,
    Event,
    Parser,
    Question,
    Rejected,
    ResponseParser,
    StreamParser,
    Suggestion,
    Text,
)
from help import ROOT, cut, normal, run

FOLDER = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT.parent / "shared/data"
RANDOM = random.Random(7)
CUTS: dict[str, Callable[[int], list[int]]] = {
    "whole": lambda length: [],
    "by one": lambda length: list(range(1, length)),
    "at random": lambda length: [RANDOM.randrange(length) for _ in range(length // 8)],
}
WAYS = [f"as {kind}, {how}" for kind in ("bytes", "a text") for how in CUTS]
# The shapes that read the recorded tools.
SHAPES = (
    "claude codex vscode cursor cursor-tool ask_user opencode cline qwen mcp hermes omp pi droid "
    "confirm acp"
).split()


# The names of other tools and of their parameters, which are the defaults.
TOOLS = json.loads((FOLDER / "tools.json").read_text(encoding="utf-8"))


def records(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (FOLDER / name).read_bytes().splitlines()]


def told(events: list[Event]) -> dict[str, Any]:
    """Returns what a record of a provider's body tells.

    Its text, its questions, their notes, and errors.
    """
    asks = [event for event in events if isinstance(event, Complete)]
    return {
        "text": "".join(event.text for event in events if isinstance(event, Text)),
        "asks": len(asks),
        "notes": sum(len(event.notes) for event in asks),
        "errors": any(isinstance(event, Error) for event in events),
    }


def asked(events: list[Event]) -> dict[str, Any]:
    """Returns the questions of a native call as the records write them, and why it was rejected."""
    end = events[-1]
    assert isinstance(end, (Complete, Rejected)), end
    questions = end.questions
    if (
        isinstance(end, Rejected)
        and end.tool == "ask_followup_question"
        and end.question is not None
    ):
        questions = (Question(end.question, end.suggestions, multiple=False, custom=True),)
    return {
        "code": getattr(end, "code", None),
        "questions": [recorded(one) for one in questions or ()],
    }


def recorded(question: Question) -> dict[str, Any]:
    """Returns a question as the records write it.

    What is not there, or is an empty text, is left out.
    """
    names = {"text": "text", "multiple": "multi", "defaults": "default"}
    fields = {
        names.get(name, name): getattr(question, name)
        for name in Question.__match_args__
        if name != "suggestions"
    }
    return {**present(fields), "options": [option(one) for one in question.suggestions]}


def option(suggestion: Suggestion) -> dict[str, Any]:
    fields = {
        "label" if name == "answer" else name: getattr(suggestion, name)
        for name in Suggestion.__match_args__
    }
    return present({**fields, "recommended": suggestion.recommended or None})


def present(fields: dict[str, Any]) -> dict[str, Any]:
    return {
        name: value for name, value in fields.items() if value is not None and value not in ("", ())
    }


# The codes of the reasons that the records have.
CODES = {
    None: None,
    "not_object": "wrong_type",
    "not_json": "malformed",
    "no_questions": "missing_parameter",
    "truncated": "truncated",
}
# Options that differ from the record by decision: a mode is shown once it is whole, because it may
# be acted on.
DECIDED = {"roo-05-cut-in-mode": [{"label": "Yes"}]}


def wanted(row: dict[str, Any]) -> dict[str, Any]:
    """Returns what a record tells of a native call.

    One that is rejected tells no questions, one that is cut off does.
    """
    expect = row["expect"]
    questions = []
    for one in expect.get("questions", []):
        default = (
            {
                "default": tuple(
                    [one["default"]] if isinstance(one["default"], str) else one["default"]
                )
            }
            if "default" in one
            else {}
        )
        questions.append({**one, **default, "options": DECIDED.get(row["id"], one["options"])})
    return {"code": CODES[expect.get("rejected", expect.get("at_end"))], "questions": questions}


def chunks(data: bytes, way: str) -> list[Any]:
    """Returns the chunks of an input. Those of a text end inside surrogate pairs, too."""
    kind, how = way.split(", ")
    if kind == "as bytes":
        return cut(data, CUTS[how](len(data)))
    units = data.decode().encode("utf-16-le")
    ends = [2 * end for end in CUTS[how](len(units) // 2)]
    return [chunk.decode("utf-16-le", "surrogatepass") for chunk in cut(units, ends)]


class Check:
    """Counts what agrees."""

    def __init__(self) -> None:
        self.disagree = 0

    def read(
        self,
        name: str,
        data: bytes,
        create: Callable[[], StreamParser],
        have: Callable[[list[Event]], Any],
        expected: Any,
    ) -> int:
        """Reads an input in each way, and compares what comes out."""
        agreed = 0
        for way in WAYS:
            got = have(run(create(), chunks(data, way)))
            if got == expected:
                agreed += 1
                continue
            self.disagree += 1
            if self.disagree <= 10:
                print(f"{name}, {way}\n  expected {expected}\n  have     {got}")
        return agreed

    def messages(self, rows: list[dict[str, Any]], **options: Any) -> list[int]:
        return [
            self.read(
                row["id"], row["content"].encode(), lambda: Parser(**options), normal, row["expect"]
            )
            for row in rows
        ]

    def bodies(self) -> list[int]:
        expected = json.loads((FOLDER / "bodies/expect.json").read_text(encoding="utf-8"))
        counts = []
        for name, expect in expected.items():
            why = expect.pop("why")
            have = lambda events: {key: told(events)[key] for key in expect}  # noqa: B023 (called before the next turn)
            counts.append(
                self.read(
                    f"{name} ({why})",
                    (FOLDER / "bodies" / name).read_bytes(),
                    ResponseParser,
                    have,
                    expect,
                )
            )
        return counts

    def refused(self, name: str, create: Callable[[], StreamParser]) -> int:
        """Checks that there is no parser for what is no question tool."""
        try:
            create()
        except ValueError as error:
            if "no shape reads the tool" in str(error):
                return len(WAYS)
        self.disagree += 1
        print(f"{name} is taken for a question tool")
        return 0

    def question_tools(self) -> list[int]:
        counts = []
        for row in records("question-tools.jsonl"):
            tool = (row["tool"].partition(":")[2] or row["tool"]).removesuffix(".form")
            create = lambda: ArgumentsParser(tool, shapes=SHAPES)  # noqa: B023
            if row["expect"].get("rejected") == "unknown_tool":
                counts.append(self.refused(row["id"], create))
                continue
            have = (
                asked
                if "questions" in row["expect"]
                else lambda events: {**asked(events), "questions": []}
            )
            counts.append(
                self.read(row["id"], row["arguments"].encode(), create, have, wanted(row))
            )
        return counts


check = Check()
for what, counts in {
    "messages": check.messages(records("cases.jsonl") + records("turns.jsonl")),
    "messages, with the tools by name": check.messages(
        records("cases.jsonl") + records("turns.jsonl"), **TOOLS
    ),
    "envelopes": check.messages(records("envelopes.jsonl"), envelopes=["all"]),
    "bodies": check.bodies(),
    "question tools": check.question_tools(),
}.items():
    print(f"{what}: {sum(counts)} of {len(counts) * len(WAYS)} agree")
sys.exit(1 if check.disagree else 0)
