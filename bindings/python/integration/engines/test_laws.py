"""Any column has the same questions in each engine: those of the streams of its cells."""

import daft
import duckdb
import followup.daft
import followup.duckdb
import followup.polars
import polars as pl
import pyarrow as pa
from cases import PIECES, brief, of_streams
from hypothesis import given, settings
from hypothesis import strategies as st

texts = st.lists(st.sampled_from(PIECES) | st.text(max_size=3), max_size=8).map("".join)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.none() | texts, min_size=1, max_size=5))
def test_each_engine_finds_what_the_streams_have(cells):
    expected = of_streams(cells)
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
