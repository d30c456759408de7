"""Other libraries of Arrow, without a helper of their own: what they pass, and what they take."""

import pyarrow as pa
import pytest
from cases import CELLS, rows
from followup.arrow import Array, ChunkedArray, questions


def test_a_series_of_pandas_has_the_questions_of_each_row():
    pandas = pytest.importorskip("pandas")
    for series in [
        pandas.Series(CELLS),
        pandas.Series([cell and cell.encode() for cell in CELLS]),
        pandas.Series(CELLS, dtype=pandas.ArrowDtype(pa.large_string())),
    ]:
        result = questions(series)
        assert isinstance(result, ChunkedArray) and result.to_pylist() == rows(CELLS)
    found = pandas.Series(
        pandas.array(
            pa.chunked_array(result), dtype=pandas.ArrowDtype(pa.chunked_array(result).type)
        )
    )
    assert [None if one is pandas.NA else one for one in found] == rows(CELLS)


def test_an_array_of_nanoarrow_has_the_questions_of_each_row():
    nanoarrow = pytest.importorskip("nanoarrow")
    for kind in (nanoarrow.string(), nanoarrow.large_string()):
        result = questions(nanoarrow.Array(CELLS, kind))
        assert isinstance(result, Array)
        assert nanoarrow.Array(result).to_pylist() == rows(CELLS)


def test_an_array_of_arro3_has_the_questions_of_each_row():
    arro3 = pytest.importorskip("arro3.core")
    for column in (
        arro3.Array(CELLS, arro3.DataType.utf8()),
        arro3.ChunkedArray([pa.array(CELLS)]),
    ):
        result = questions(column)
        taken = (
            arro3.ChunkedArray.from_arrow(result)
            if isinstance(result, ChunkedArray)
            else arro3.Array.from_arrow(result)
        )
        assert pa.chunked_array(
            [taken] if isinstance(taken, arro3.Array) else taken
        ).to_pylist() == rows(CELLS)
