"""Any column has the same questions in each engine: those of the streams of its cells."""

import daft
import duckdb
import followup.daft
import followup.duckdb
import followup.polars
import polars as pl
import pyarrow as pa
from cases import ASK
from hypothesis import given, settings
from hypothesis import strategies as st

from followup import Complete, Parser, Rejected

PIECES = ["<ask_followup_question>", "</ask_followup_question>", "<question>", "</question>", "<suggest>", "</suggest>"]
PIECES += ["<tool_call>", "`", "&lt;", "é€😀", "Tea?", "<", "\n", ASK.format("Q")]
texts = st.lists(st.sampled_from(PIECES) | st.text(max_size=3), max_size=8).map("".join)


def of_stream(cell):
    parser, calls = Parser(), []
    for event in [event for character in cell for event in parser.feed(character)] + parser.finish():
        if isinstance(event, (Complete, Rejected)):
            suggest = [(one.answer, one.mode) for one in event.suggestions]
            calls.append((event.type, event.question, suggest, event.start, event.end))
    return calls


def brief(rows):
    """Returns the rows of an engine in the same form."""
    return [
        row
        and [
            (one["state"], one["question"], [(s["answer"], s["mode"]) for s in one["suggest"]], one["start"], one["end"])
            for one in row
        ]
        for row in rows
    ]


@settings(deadline=None, max_examples=60)
@given(st.lists(st.none() | texts, min_size=1, max_size=5))
def test_each_engine_finds_what_the_streams_have(cells):
    expected = [None if cell is None else of_stream(cell) for cell in cells]
    table = pa.table({"id": range(len(cells)), "text": pa.array(cells, pa.string())})
    frame = pl.from_arrow(table)
    assert brief(frame.select(followup.polars.questions(pl.col("text")))["text"].to_list()) == expected
    with duckdb.connect() as connection:
        followup.duckdb.register(connection)
        connection.register("messages", table)
        found = connection.sql("SELECT questions(text) FROM messages ORDER BY id").fetchall()
    assert brief([one for (one,) in found]) == expected
    found = daft.from_arrow(table).select(followup.daft.questions(daft.col("text"))).to_pydict()["text"]
    assert brief(found) == expected
