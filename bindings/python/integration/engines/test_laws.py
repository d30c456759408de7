"""Any table has the same questions in each engine, in all their fields.

They are those of the streams of its cells.

Its cells are messages, bodies or arguments.
"""

import daft
import duckdb
import followup.daft
import followup.duckdb
import followup.polars
import polars as pl
import pyarrow as pa
import pytest
from arrow_columns import BYTE_TYPES, TEXT_TYPES, examples, joined
from hypothesis import given, settings

law = settings(deadline=None, max_examples=60)


@pytest.mark.parametrize("engine", ["in-memory", "streaming"])
@law
@given(examples(TEXT_TYPES, BYTE_TYPES))
def test_polars_finds_what_the_streams_have(engine, example):
    table, streams, how = example
    frame = pl.from_arrow(table, rechunk=False)
    query = frame.lazy().select(followup.polars.questions(pl.col("text", "raw"), **how))
    assert query.collect(engine=engine).to_dict(as_series=False) == joined(streams, **how)
    for name in streams:
        series = followup.polars.questions(frame[name], **how)
        assert series.to_list() == joined(streams, **how)[name]
        assert series.n_chunks() == frame[name].n_chunks()


@law
@given(examples(TEXT_TYPES, BYTE_TYPES))
def test_duckdb_finds_what_the_streams_have(example):
    table, streams, how = example
    with duckdb.connect() as connection:
        followup.duckdb.register(connection, "of_text", **how)
        followup.duckdb.register(connection, "of_raw", column_type="BLOB", **how)
        connection.register(
            "messages", table.append_column("id", pa.array(range(len(table)), pa.int64()))
        )
        found = connection.sql(
            "SELECT of_text(text), of_raw(raw) FROM messages ORDER BY id"
        ).fetchall()
    assert found == list(zip(*joined(streams, **how).values()))


# Daft takes other types of strings and bytes as Python objects.
@law
@given(examples(TEXT_TYPES[:2], BYTE_TYPES[:2]))
def test_daft_finds_what_the_streams_have(example):
    table, streams, how = example
    found = daft.from_arrow(table).select(
        *[followup.daft.questions(daft.col(name), **how) for name in streams]
    )
    assert found.to_pydict() == joined(streams, **how)
