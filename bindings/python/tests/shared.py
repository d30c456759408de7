"""Reads recorded messages and bodies, which are not part of the repository, as bytes and as texts, in several cuts.

    python tests/shared.py [FOLDER]
"""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path
from typing import Any, Callable

from followup import ArgumentsParser, Complete, Error, Event, Parser, ResponseParser, StreamParser, Text
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
SHAPES = "claude codex vscode cursor ask_user opencode cline qwen mcp hermes omp pi droid confirm acp".split()


def records(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (FOLDER / name).read_bytes().splitlines()]


def told(events: list[Event]) -> dict[str, Any]:
    """Returns what a record of a provider's body tells: its text, its questions, their notes, and errors."""
    asks = [event for event in events if isinstance(event, Complete)]
    return {
        "text": "".join(event.text for event in events if isinstance(event, Text)),
        "asks": len(asks),
        "notes": sum(len(event.notes) for event in asks),
        "errors": any(isinstance(event, Error) for event in events),
    }


def asked(events: list[Event]) -> Any:
    """Returns the questions and suggestions of a native call, or that it was rejected."""
    end = events[-1]
    if not isinstance(end, Complete):
        return end.type
    return [[one.text, *(suggestion.answer for suggestion in one.suggestions)] for one in end.questions]


def wanted(expect: dict[str, Any]) -> Any:
    if "questions" not in expect or expect.get("partial"):
        return "rejected"
    return [[one["text"], *(option["label"] for option in one["options"])] for one in expect["questions"]]


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

    def read(self, name: str, data: bytes, create: Callable[[], StreamParser], have: Callable[[list[Event]], Any], expected: Any) -> int:
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
            self.read(row["id"], row["content"].encode(), lambda: Parser(**options), normal, row["expect"]) for row in rows
        ]

    def bodies(self) -> list[int]:
        expected = json.loads((FOLDER / "bodies/expect.json").read_text(encoding="utf-8"))
        counts = []
        for name, expect in expected.items():
            why = expect.pop("why")
            have = lambda events: {key: told(events)[key] for key in expect}  # noqa: B023 (called before the next turn)
            counts.append(self.read(f"{name} ({why})", (FOLDER / "bodies" / name).read_bytes(), ResponseParser, have, expect))
        return counts

    def question_tools(self) -> list[int]:
        counts = []
        for row in records("question-tools.jsonl"):
            if row["expect"].get("rejected") == "unknown_tool":
                continue
            tool = row["tool"].partition(":")[2] or row["tool"]
            create = lambda: ArgumentsParser(tool.removesuffix(".form"), shapes=SHAPES)  # noqa: B023
            counts.append(self.read(row["id"], row["arguments"].encode(), create, asked, wanted(row["expect"])))
        return counts


check = Check()
for what, counts in {
    "messages": check.messages(records("cases.jsonl") + records("turns.jsonl")),
    "envelopes": check.messages(records("envelopes.jsonl"), envelopes=["all"]),
    "bodies": check.bodies(),
    "question tools": check.question_tools(),
}.items():
    print(f"{what}: {sum(counts)} of {len(counts) * len(WAYS)} agree")
sys.exit(1 if check.disagree else 0)
