"""Questions in bulk with Polars."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from .arrow import questions as of_column

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._bulk import BulkOptions

__all__ = ["questions"]

Column = TypeVar("Column")


def questions(column: Column, **options: Unpack[BulkOptions]) -> Column:
    """Returns the calls of each row: a `Series` for a `Series`, an `Expr` for an `Expr`.

    Options, fields and errors are those of `followup.arrow.questions`. An expression is parsed
    batch by batch, in the streaming engine too: it raises when the query runs, and for options at
    once.

    >>> import polars as pl
    >>> from followup.polars import questions
    >>> messages = ["Hi", "<ask_followup_question>Tea?</ask_followup_question>"]
    >>> calls = pl.DataFrame({"text": messages}).select(questions(pl.col("text")).alias("call"))
    >>> calls.explode("call").drop_nulls("call").unnest("call")["question"].to_list()
    ['Tea?']
    """
    import polars as pl

    one: Any = column
    if isinstance(one, pl.Series):
        return _of_series(one, options)  # type: ignore[return-value]
    if isinstance(one, pl.Expr):
        of_column(pl.Series([], dtype=pl.String), **options)  # type: ignore[arg-type]
        work = partial(_of_series, options=options)
        return one.map_batches(work, return_dtype=_data_type(), is_elementwise=True)  # type: ignore[return-value]
    raise TypeError(
        f"column: a Series or an Expr of Polars was expected, not {type(column).__qualname__}"
    )


def _of_series(series: Any, options: Any) -> Any:
    import polars as pl

    if series.dtype == pl.Null:
        # Polars exports it with a buffer, which the format does not allow.
        series = series.cast(pl.String)
    return pl.Series(series.name, of_column(series, **options))


def _data_type() -> Any:
    """Returns the type of the result."""
    import polars as pl

    suggest = pl.List(pl.Struct({"answer": pl.String, "mode": pl.String}))
    call: Any = {"call": pl.UInt32, "state": pl.String, "question": pl.String, "suggest": suggest}
    call |= {"notes": pl.List(pl.String), "reason": pl.String, "start": pl.Int64, "end": pl.Int64}
    return pl.List(pl.Struct(call))
