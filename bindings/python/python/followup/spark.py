"""Questions in bulk with Spark."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

from .arrow import questions as of_column

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._bulk import BulkOptions

__all__ = ["questions"]

DataFrame = TypeVar("DataFrame")


def questions(
    frame: DataFrame, column: str, *, into: str = "questions", **options: Unpack[BulkOptions]
) -> DataFrame:
    """Returns the frame with a column of the calls of each row, made by `mapInArrow`.

    `call` is a bigint, since Spark has no unsigned numbers. Options and the other fields are those
    of `followup.arrow.questions`. A column without text raises when the frame is read. The package
    has to be installed on the workers.

    Raises `TypeError` if `frame` is none and for a name that is no `str`, `ValueError` for a column
    that is not there and for an `into` that is, and both for options as `followup.arrow.questions`.
    """
    from pyspark.sql.types import StructType

    from ._check import check_name, check_options, check_type

    check_type("frame", frame, "a DataFrame of Spark", "mapInArrow")
    check_name("column", column)
    check_name("into", into)
    check_options(options)
    one: Any = frame
    is_same = _same(one)
    found = [name for name in one.columns if is_same(name, column)]
    if len(found) != 1:
        what = "are several columns" if found else "is no"
        raise ValueError(f"column: there {what} {column}; there are: {', '.join(one.columns)}")
    if any(is_same(name, into) for name in one.columns):
        raise ValueError(f"into: there is a column {into!r} already: name another one")
    schema = StructType(list(one.schema.fields)).add(into, _data_type())
    return one.mapInArrow(_Work(found[0], into, options), schema)  # type: ignore[no-any-return]


def _same(frame: Any) -> Callable[[str, str], bool]:
    """Returns how the session compares names of columns."""
    if frame.sparkSession.conf.get("spark.sql.caseSensitive", "false") == "true":
        return lambda one, other: one == other
    return lambda one, other: one.lower() == other.lower()


def _data_type() -> Any:
    """Returns the type of the result."""
    from pyspark.sql.types import ArrayType, LongType, StringType, StructType

    string, number = StringType(), LongType()
    suggest = ArrayType(StructType().add("answer", string).add("mode", string))
    call = (
        StructType()
        .add("call", number)
        .add("state", string)
        .add("question", string)
        .add("suggest", suggest)
    )
    call = (
        call.add("notes", ArrayType(string))
        .add("reason", string)
        .add("start", number)
        .add("end", number)
    )
    return ArrayType(call)


class _Work:
    """Adds the result to record batches, in a worker."""

    def __init__(self, column: str, into: str, options: Any) -> None:
        self.column: str = column
        self.into: str = into
        self.options: Any = options

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa

        for batch in batches:
            result = pa.array(of_column(batch.column(self.column), **self.options))
            # Spark's large strings are a setting of the session; the types have to match.
            result = result.cast(_type(result.type.value_type.field("state").type))
            names = [*batch.schema.names, self.into]
            yield pa.RecordBatch.from_arrays([*batch.columns, result], names)


def _type(string: Any) -> Any:
    import pyarrow as pa

    suggest = pa.list_(pa.struct([("answer", string), ("mode", string)]))
    call = [("call", pa.int64()), ("state", string), ("question", string), ("suggest", suggest)]
    call += [
        ("notes", pa.list_(string)),
        ("reason", string),
        ("start", pa.int64()),
        ("end", pa.int64()),
    ]
    return pa.list_(pa.struct(call))
