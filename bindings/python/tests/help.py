"""What several tests use."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from followup import (
    ArgumentsParser,
    Complete,
    Error,
    Event,
    Opaque,
    Parser,
    Partial,
    Rejected,
    ResponseParser,
    StreamParser,
    Text,
)

ROOT = Path(__file__).parents[3]
# The golden bodies of the crate, in a folder for each format.
BODIES = [
    path
    for folder in sorted((ROOT / "tests/wire/bodies").iterdir())
    if folder.is_dir()
    for path in sorted(folder.iterdir())
    if path.suffix != ".json"
]
# A message with a call, a call that is open, and what creates each parser.
MESSAGE = (
    "Before that: <ask_followup_question><question>Wohin, 😀 < Süden?</question>"
    "<follow_up><suggest mode='code'>Ja</suggest><suggest>Nein &amp; 数据</suggest></follow_up>"
    "</ask_followup_question> Danke."
)
OPEN = "<ask_followup_question><question>Tea?"
CLASSES = [Parser, lambda **options: ArgumentsParser("AskUserQuestion", **options), ResponseParser]


def run(parser: StreamParser, chunks: list[Any]) -> list[Event]:
    """Returns all events of a stream in these chunks."""
    return [event for chunk in chunks for event in parser.feed(chunk)] + parser.finish()


def cut(whole: Any, offsets: list[int]) -> list[Any]:
    """Cuts a text or bytes at these offsets."""
    ends = sorted({min(offset, len(whole)) for offset in offsets} | {len(whole)})
    return [whole[start:end] for start, end in zip([0, *ends], ends)]


def joined(events: list[Event]) -> list[Any]:
    """Joins what only the cut separates: texts, pieces of a call, deltas of a field."""
    all: list[Any] = []
    for event in events:
        last = all[-1] if all else None
        match event:
            case Text(text) if isinstance(last, Text):
                all[-1] = Text(last.text + text)
            case Opaque(raw=raw, start=False) if isinstance(last, Opaque):
                all[-1] = Opaque(last.tool, last.raw + raw, last.start, last.id)
            case Partial(call, field, delta, question, suggestion):
                place = (call, field, question, suggestion)
                if isinstance(last, tuple) and last[0] == place:
                    all[-1] = (place, last[1] + delta)
                elif delta:
                    all.append((place, delta))
            case _:
                all.append(event)
    return all


def normal(events: list[Event]) -> list[list[Any]]:
    """Returns the events as the recorded messages write them: without partials, texts joined."""
    all: list[list[Any]] = []
    for event in joined(events):
        match event:
            case Text(text):
                all.append(["text", text])
            case Opaque(tool, raw):
                all.append(["opaque", tool, raw])
            case Complete(question, suggestions):
                suggest = [
                    {"answer": one.answer} | ({"mode": one.mode} if one.mode else {})
                    for one in suggestions
                ]
                all.append(["complete", {"question": question, "suggest": suggest}])
            case Rejected(code):
                all.append(["rejected", code])
            case Error(code):
                all.append(["error", code])
    return all
