"""What all engines read, and what they should find."""

import random

import pyarrow as pa

from followup import Complete, Parser, Rejected
from followup.arrow import questions

ASK = (
    "Hm. <ask_followup_question><question>{}</question><follow_up><suggest>A</suggest>"
    '<suggest mode="code">B</suggest></follow_up></ask_followup_question>'
)
CELLS = [
    ASK.format("Tea?"),
    None,
    "prose",
    "",
    "<ask_followup_question>Tea?</ask_followup_question>",
    ASK.format("é€😀") + "<ask_followup_question><question>cut",
    '<tool_call>{"name": "ask_followup_question", "arguments": {"question": "Which?"}}</tool_call>',
]

PIECES = ["<ask_followup_question>", "</ask_followup_question>", "<question>", "</question>", "<suggest>", "</suggest>"]
PIECES += ["<tool_call>", "`", "&lt;", "é€😀", "Tea?", "<", "\n", ASK.format("Q")]


def random_cells(count):
    """Returns the same cells each time, of pieces in any order."""
    choose = random.Random(1)
    cells = ["".join(choose.choices(PIECES, k=choose.randrange(9))) for _ in range(count)]
    return [cell if choose.random() < 0.9 else None for cell in cells]


def of_stream(cell):
    """Returns the calls of a cell that a parser is fed a character at a time."""
    parser, calls = Parser(), []
    for event in [event for character in cell for event in parser.feed(character)] + parser.finish():
        if isinstance(event, (Complete, Rejected)):
            suggest = [(one.answer, one.mode) for one in event.suggestions]
            calls.append((event.type, event.question, suggest, event.start, event.end))
    return calls


def of_streams(cells):
    return [None if cell is None else of_stream(cell) for cell in cells]


def brief(rows):
    """Returns the rows of an engine in the form of `of_stream`."""
    return [
        row
        and [
            (one["state"], one["question"], [(s["answer"], s["mode"]) for s in one["suggest"]], one["start"], one["end"])
            for one in row
        ]
        for row in rows
    ]


def rows(cells, **options):
    return questions(pa.array(cells, pa.string()), **options).to_pylist()


def normal(value):
    """Returns the values of an engine as plain lists and dicts."""
    if hasattr(value, "asDict"):
        value = value.asDict()
    if isinstance(value, dict):
        return {key: normal(one) for key, one in value.items()}
    return [normal(one) for one in value] if isinstance(value, (list, tuple)) or hasattr(value, "tolist") else value
