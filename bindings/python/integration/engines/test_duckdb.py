"""Questions in bulk with DuckDB: SQL functions, their options, and early errors for mistakes."""

import duckdb
import pyarrow as pa
import pytest
from cases import CELLS, rows
from followup.duckdb import register


@pytest.fixture
def connection():
    with duckdb.connect() as one:
        one.register("messages", pa.table({"id": range(7), "text": CELLS}))
        yield one


def test_a_query_has_the_questions_of_each_row(connection):
    register(connection)
    found = connection.sql("SELECT questions(text) FROM messages ORDER BY id").fetchall()
    assert [one for (one,) in found] == rows(CELLS)


def test_a_large_query_has_the_questions_of_each_row(connection):
    register(connection)
    sql = "SELECT questions(text) FROM (SELECT n, id, text FROM messages, range(2000) AS numbers (n)) ORDER BY n, id"
    assert [one for (one,) in connection.sql(sql).fetchall()] == rows(CELLS) * 2000


def test_each_name_has_its_options(connection):
    register(connection)
    register(connection, "strict_questions", strict=True)
    sql = "SELECT questions(text), strict_questions(text) FROM messages ORDER BY id"
    assert connection.sql(sql).fetchall() == list(zip(rows(CELLS), rows(CELLS, strict=True)))


def test_bytes_give_the_same(connection):
    register(connection, column_type="BLOB")
    found = connection.sql("SELECT questions(encode(text)) FROM messages ORDER BY id").fetchall()
    assert [one for (one,) in found] == rows(CELLS)


def test_calls_can_be_counted(connection):
    register(connection)
    sql = (
        "SELECT call.state, count(*) FROM (SELECT unnest(questions(text)) AS call FROM messages) "
        "GROUP BY ALL ORDER BY ALL"
    )
    assert connection.sql(sql).fetchall() == [("complete", 4), ("rejected", 1)]


@pytest.mark.parametrize(
    "wrong, error, message",
    [
        (
            lambda connection: register("x"),
            TypeError,
            "connection: a connection of DuckDB was expected, not str",
        ),
        (
            lambda connection: register(connection, 1),
            TypeError,
            "name: a str was expected, not int",
        ),
        (
            lambda connection: register(connection, column_type="INT"),
            ValueError,
            "VARCHAR or BLOB was expected, not 'INT'",
        ),
        (lambda connection: register(connection, wire="smoke"), ValueError, "wire: .*smoke"),
    ],
)
def test_a_mistake_is_an_error_at_once(connection, wrong, error, message):
    with pytest.raises(error, match=message):
        wrong(connection)
