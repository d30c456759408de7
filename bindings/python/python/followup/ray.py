"""Questions in bulk with Ray Data."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from .arrow import questions as of_column

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._bulk import BulkOptions

__all__ = ["Questions", "questions"]

Dataset = TypeVar("Dataset")


class Questions:
    """Adds the calls of each row of a column to a table of pyarrow: a class for `map_batches`.

    `dataset.map_batches(Questions, fn_constructor_args=("text",), batch_format="pyarrow",
    batch_size=None, zero_copy_batch=True, concurrency=2)` runs it in two actors. `column` may be
    inside lists: with `trajectory[].text` the result has the lists of the column, with the calls
    instead of the texts. A column that has the whole path as its name comes first. Chunks are never
    joined. Options and fields are those of `followup.arrow.questions`.

    Raises `TypeError` and `ValueError` for a path and options that can't be used, and `ValueError`
    for a table without the column, or with a column `into`.
    """

    def __init__(
        self, column: str, into: str = "questions", **options: Unpack[BulkOptions]
    ) -> None:
        from ._check import check_name, check_options
        from ._path import Path

        check_name("column", column)
        check_name("into", into)
        Path(column)
        check_options(options)
        self.column: str = column
        self.into: str = into
        self.options: BulkOptions = options

    def __call__(self, table: Any) -> Any:
        import pyarrow as pa

        from ._path import Path

        if self.into in table.column_names:
            raise ValueError(f"into: there is a column {self.into!r} already: name another one")
        path = Path(self.column, table.column_names)
        path.check(table.schema)
        parse = partial(_parse, self.options)
        column = table[path.column]
        # Without rows there is a chunk, too, since the result has to have its type.
        chunks = column.chunks or [pa.array([], column.type)]
        return table.append_column(
            self.into, pa.chunked_array([path.apply(chunk, parse)[1] for chunk in chunks])
        )


def _parse(options: Any, values: Any) -> Any:
    import pyarrow as pa

    return pa.array(of_column(values, **options))


def questions(
    dataset: Dataset, column: str, *, into: str = "questions", **options: Unpack[BulkOptions]
) -> Dataset:
    """Returns the dataset with a column of the calls of each row.

    `column` may be inside lists, as that of `Questions`. The work is done in tasks, which Ray
    repeats if a worker dies. Options and fields are those of `followup.arrow.questions`. A column
    that is not there, or has no text, raises when the dataset is read, and so does a column `into`
    that is there already.

    Raises `TypeError` and `ValueError` as `Questions`, and `TypeError` if `dataset` is none.
    """
    from ._check import check_type

    check_type("dataset", dataset, "a Dataset of Ray", "map_batches")
    work = Questions(column, into, **options)

    def of_table(table: Any) -> Any:
        return work(table)

    one: Any = dataset
    return one.map_batches(  # type: ignore[no-any-return]
        of_table, batch_format="pyarrow", batch_size=None, zero_copy_batch=True
    )
