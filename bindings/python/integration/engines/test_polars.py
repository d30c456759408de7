"""Questions in bulk with Polars: as a series, and as an expression in queries of both engines."""

import polars as pl
import pytest
from cases import CELLS, rows
from followup.polars import questions
from polars.testing import assert_series_equal


def test_a_series_has_the_rows_and_the_name_of_its_column():
    series = questions(pl.Series("text", CELLS))
    assert (series.name, series.to_list()) == ("text", rows(CELLS))


@pytest.mark.parametrize("engine", ["in-memory", "streaming"])
def test_an_expression_gives_the_same_in_a_query(engine):
    frame = pl.LazyFrame({"text": CELLS * 1000}).with_columns(
        questions(pl.col("text"), strict=True).alias("found")
    )
    assert frame.collect_schema()["found"] == frame.collect(engine=engine)["found"].dtype
    assert frame.collect(engine=engine)["found"].to_list() == rows(CELLS, strict=True) * 1000


def test_an_expression_works_in_groups_and_over_a_filter():
    frame = pl.DataFrame({"key": [0, 1] * 7, "text": CELLS * 2})
    found = questions(pl.col("text")).alias("found")
    filtered = frame.filter(pl.col("text").is_not_null()).select(found)["found"].to_list()
    assert filtered == rows([cell for cell in CELLS * 2 if cell is not None])
    grouped = frame.group_by("key", maintain_order=True).agg(found)["found"].to_list()
    assert grouped == [rows((CELLS * 2)[0::2]), rows((CELLS * 2)[1::2])]


@pytest.mark.parametrize("data_type", [pl.Binary, pl.Categorical], ids=str)
def test_other_types_give_the_same(data_type):
    assert questions(pl.Series(CELLS).cast(data_type)).to_list() == rows(CELLS)


def test_chunks_and_slices_give_the_same():
    series = pl.concat([pl.Series(CELLS), pl.Series(CELLS)], rechunk=False)
    assert questions(series).n_chunks() == series.n_chunks()
    assert_series_equal(questions(series[3:9]), questions(series)[3:9])


def test_a_column_of_numbers_is_a_type_error():
    with pytest.raises(TypeError, match="strings or bytes were expected"):
        questions(pl.Series([1]))
    with pytest.raises(TypeError, match="a Series or an Expr of Polars was expected, not list"):
        questions([1])


@pytest.mark.parametrize("column", [pl.col("text"), pl.Series(CELLS)], ids=["Expr", "Series"])
def test_options_without_a_meaning_are_an_error_at_once(column):
    with pytest.raises(ValueError, match="wire: .*smoke"):
        questions(column, wire="smoke")


def test_a_column_of_nulls_has_a_result_of_nulls():
    assert questions(pl.Series([None])).to_list() == [None]
