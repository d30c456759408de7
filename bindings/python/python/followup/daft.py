"""Questions in bulk with Daft."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from .arrow import questions as of_column

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._bulk import BulkOptions

__all__ = ["questions"]

Expression = TypeVar("Expression")


def questions(column: Expression, **options: Unpack[BulkOptions]) -> Expression:
    """Returns an expression for the calls of each row of another expression.

    Such as `daft.col("text")`.

    Options and fields are those of `followup.arrow.questions`. A column without text raises when
    the frame is read. Needs pyarrow.

    Raises `TypeError` if `column` is no expression, and for options as `followup.arrow.questions`
    `TypeError` and `ValueError`.
    """
    import daft
    import pyarrow as pa

    from ._check import check_options

    if not isinstance(column, daft.Expression):
        raise TypeError(
            f"column: an Expression of Daft was expected, not {type(column).__qualname__}"
        )
    check_options(options)

    @daft.func.batch(return_dtype=_data_type())
    def followup_questions(series: daft.Series) -> daft.Series:
        return daft.Series.from_arrow(
            pa.array(of_column(_values(series), **options)), series.name()
        )

    return followup_questions(column)  # type: ignore[no-any-return]


def _values(series: Any) -> Any:
    """Returns the values as Arrow has them.

    Daft keeps views and dictionaries of Arrow as Python objects, and would give those as pickles.
    """
    import pyarrow as pa
    from daft import DataType

    if series.datatype() != DataType.python():
        return series.to_arrow()
    values = series.to_pylist()
    kinds = {type(value) for value in values if value is not None}
    if not kinds <= {str} and not kinds <= {bytes}:
        names = ", ".join(sorted(kind.__qualname__ for kind in kinds))
        raise TypeError(f"column: texts were expected, not Python objects of {names}")
    return pa.array(values, pa.large_binary() if bytes in kinds else pa.large_string())


def _data_type() -> Any:
    """Returns the type of the result."""
    from daft import DataType

    string, number = DataType.string(), DataType.int64()
    suggest = DataType.list(DataType.struct({"answer": string, "mode": string}))
    call: Any = {"call": DataType.uint32(), "state": string, "question": string, "suggest": suggest}
    call |= {"notes": DataType.list(string), "reason": string, "start": number, "end": number}
    return DataType.list(DataType.struct(call))
