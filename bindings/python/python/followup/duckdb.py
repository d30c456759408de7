"""Questions in bulk with DuckDB."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .arrow import questions as of_column

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._bulk import BulkOptions

__all__ = ["TYPE", "register"]

TYPE = (
    'STRUCT("call" UINTEGER, state VARCHAR, question VARCHAR, suggest STRUCT(answer VARCHAR, "mode" VARCHAR)[], '
    'notes VARCHAR[], reason VARCHAR, "start" BIGINT, "end" BIGINT)[]'
)
"""The type of the result."""


def register(
    connection: Any,
    name: str = "questions",
    *,
    column_type: str = "VARCHAR",
    **options: Unpack[BulkOptions],
) -> None:
    """Adds a function to a connection that returns the calls of each row.

    `column_type` is `VARCHAR` or `BLOB`. Options, fields and errors are those of
    `followup.arrow.questions`, those of options are raised at once; another name for each set of
    options. Needs pyarrow and numpy.

    >>> import duckdb
    >>> from followup.duckdb import register
    >>> connection = duckdb.connect()
    >>> register(connection)
    >>> rows = "(VALUES ('Hi'), ('<ask_followup_question>Tea?</ask_followup_question>')) AS t(text)"
    >>> calls = f"SELECT unnest(questions(text)) AS call FROM {rows}"
    >>> connection.sql(f"SELECT call.question FROM ({calls})").fetchall()
    [('Tea?',)]
    """
    import pyarrow as pa

    from ._check import check_name, check_options, check_type

    check_type("connection", connection, "a connection of DuckDB", "create_function")
    check_name("name", name)
    if column_type not in ("VARCHAR", "BLOB"):
        raise ValueError(f"column_type: VARCHAR or BLOB was expected, not {column_type!r}")
    check_options(options)

    def work(column: Any) -> Any:
        result = of_column(column, **options)
        if isinstance(column, pa.ChunkedArray):
            return pa.chunked_array(result)  # type: ignore[call-overload]
        return pa.array(result)  # type: ignore[call-overload]

    connection.create_function(
        name, work, [column_type], TYPE, type="arrow", null_handling="special"
    )
