"""Questions in bulk with Spark: any table, options, SQL, and early errors for mistakes."""

import os
import sys

import pyarrow as pa
import pytest
from arrow_columns import KINDS, OPTIONS, joined, long_table, table_with
from cases import CELLS, normal, rows, run_example
from followup.spark import questions

os.environ["PYSPARK_PYTHON"] = sys.executable


@pytest.fixture(scope="module")
def spark():
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    session = (
        builder.config("spark.sql.shuffle.partitions", "2")
        .config("spark.driver.memory", "1g")
        .getOrCreate()
    )
    yield session
    session.stop()


@pytest.fixture
def frame(spark):
    return spark.createDataFrame(list(enumerate(CELLS * 40)), "id int, text string").repartition(3)


def found(frame):
    return [normal(row["found"]) for row in frame.orderBy("id").collect()]


@pytest.mark.parametrize("large", ["false", "true"])
def test_a_frame_has_the_questions_of_each_row(spark, frame, large):
    spark.conf.set("spark.sql.execution.arrow.useLargeVarTypes", large)
    spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "64")
    names = frame.schema.names
    assert (
        found(questions(frame, "text", into="found", strict=True)) == rows(CELLS, strict=True) * 40
    )
    assert frame.schema.names == names, "the frame itself is unchanged"


@pytest.mark.parametrize("large", ["false", "true"])
@pytest.mark.parametrize("how, strings, binaries", KINDS, ids=["messages", "bodies", "arguments"])
def test_any_table_has_the_questions_of_its_streams(spark, large, how, strings, binaries):
    spark.conf.set("spark.sql.execution.arrow.useLargeVarTypes", large)
    spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "16")
    # A string of Spark may be ill-formed, too.
    table, streams = long_table(
        30,
        text=(strings, [pa.string()]),
        raw=(binaries, [pa.binary()]),
        cast=(binaries, [pa.binary()]),
    )
    rows = [tuple(row.values()) for row in table.to_pylist()]
    one = spark.createDataFrame(rows, "text string, raw binary, cast binary, id long").repartition(
        3
    )
    one = one.withColumn("cast", one["cast"].cast("string"))
    for name in streams:
        one = questions(one, name, into=f"found_{name}", **how)
    rows = one.orderBy("id").collect()
    assert {name: [normal(row[f"found_{name}"]) for row in rows] for name in streams} == joined(
        streams, **how
    )


@pytest.mark.parametrize(("options", "message"), OPTIONS.values(), ids=OPTIONS)
def test_options_change_what_is_found_as_in_the_streams(spark, options, message):
    table, streams = table_with(message)
    rows = [tuple(row.values()) for row in table.to_pylist()]
    one = spark.createDataFrame(rows, "text string, raw binary, id long").repartition(3)
    for name in streams:
        one = questions(one, name, into=f"found_{name}", **options)
    rows = one.orderBy("id").collect()
    assert (
        {name: [normal(row[f"found_{name}"]) for row in rows] for name in streams}
        == joined(streams, **options)
        != joined(streams)
    )


def test_calls_can_be_counted_in_sql(spark, frame):
    questions(frame, "text").createOrReplaceTempView("found")
    counts = spark.sql(
        "SELECT call.state, count(*) FROM found LATERAL VIEW explode(questions) AS call GROUP BY 1 ORDER BY 1"
    )
    assert [tuple(row) for row in counts.collect()] == [("complete", 160), ("rejected", 40)]


def test_bytes_give_the_same(frame):
    from pyspark.sql.functions import encode

    one = frame.select("id", encode("text", "utf-8").alias("text"))
    assert found(questions(one, "text", into="found")) == rows(CELLS) * 40


def test_the_example_of_the_docs_runs(spark, tmp_path):
    assert run_example("Spark", tmp_path) == rows(CELLS)


@pytest.mark.parametrize(
    "wrong, error, message",
    [
        (
            lambda frame: questions([1], "text"),
            TypeError,
            "frame: a DataFrame of Spark was expected, not list",
        ),
        (lambda frame: questions(frame, 1), TypeError, "column: a str was expected, not int"),
        (
            lambda frame: questions(frame, "other"),
            ValueError,
            "column: there is no other; there are: id, text",
        ),
        (
            lambda frame: questions(frame, "text", into=None),
            TypeError,
            "into: a str was expected, not NoneType",
        ),
        (
            lambda frame: questions(frame, "text", into="id"),
            ValueError,
            "into: there is a column 'id' already",
        ),
        (
            lambda frame: questions(questions(frame, "text"), "text"),
            ValueError,
            "there is a column 'questions' already",
        ),
        (lambda frame: questions(frame, "text", wire="smoke"), ValueError, "wire: .*smoke"),
    ],
)
def test_a_mistake_is_an_error_at_once(frame, wrong, error, message):
    with pytest.raises(error, match=message):
        wrong(frame)
