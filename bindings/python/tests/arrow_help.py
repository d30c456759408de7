"""What a column should give: the joined events of each cell, as rows."""

import pyarrow as pa
from followup import ArgumentsParser, Parser, ResponseParser

STRINGS = [pa.string(), pa.large_string(), pa.string_view()]
BYTES = [pa.binary(), pa.large_binary(), pa.binary_view()]

ASK = (
    "<ask_followup_question><question>{}</question><follow_up><suggest>A</suggest>"
    '<suggest mode="code">B</suggest></follow_up></ask_followup_question>'
)


def parser(wire="text", arguments_of=None, **options):
    if arguments_of is not None:
        return ArgumentsParser(arguments_of, **options)
    return Parser(**options) if wire == "text" else ResponseParser(wire, **options)


def row(event):
    """Returns the row of a call or an error; None for any other event."""
    if event.type == "error":
        reason = f"provider: {event.message}" if event.code == "provider" else event.code
        return {**call(event), "state": "error", "reason": reason}
    if event.type == "complete":
        return {**call(event), "notes": list(event.note_codes)}
    if event.type == "rejected":
        more = event.note or event.part
        return {**call(event), "reason": f"{event.code}: {more}" if more else event.code}
    return None


def call(event):
    suggestions = getattr(event, "suggestions", ())
    return {
        "call": getattr(event, "call", None),
        "state": event.type,
        "question": getattr(event, "question", None),
        "suggest": [{"answer": one.answer, "mode": one.mode} for one in suggestions],
        "notes": [],
        "reason": None,
        "start": getattr(event, "start", None),
        "end": getattr(event, "end", None),
    }


def rows_of(chunks, **options):
    """Returns the rows of a stream that arrives in these chunks."""
    one = parser(**options)
    events = [event for chunk in chunks for event in one.feed(chunk)] + one.finish()
    return [found for found in map(row, events) if found is not None]
