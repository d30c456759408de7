"""Questions in bulk with Daft: results for each type of column, and early errors for mistakes."""

import daft
import pyarrow as pa
import pytest
from cases import CELLS, rows
from followup.daft import questions


def test_a_column_has_the_questions_of_each_row():
    frame = daft.from_pydict({"text": CELLS}).with_column("found", questions(daft.col("text")))
    assert frame.to_pydict()["found"] == rows(CELLS)


def test_a_large_frame_has_the_questions_of_each_row():
    frame = daft.from_pydict({"text": CELLS * 1000})
    found = frame.with_column("found", questions(daft.col("text"), strict=True)).to_pydict()[
        "found"
    ]
    assert found == rows(CELLS, strict=True) * 1000


def test_bytes_give_the_same():
    frame = daft.from_arrow(pa.table({"text": pa.array(CELLS).cast(pa.binary())}))
    assert frame.select(questions(daft.col("text"))).to_pydict()["text"] == rows(CELLS)


@pytest.mark.parametrize(
    "wrong, error, message",
    [
        (
            lambda: questions("text"),
            TypeError,
            "column: an Expression of Daft was expected, not str",
        ),
        (lambda: questions(daft.col("text"), wire="smoke"), ValueError, "wire: .*smoke"),
    ],
)
def test_a_mistake_is_an_error_at_once(wrong, error, message):
    with pytest.raises(error, match=message):
        wrong()


@pytest.mark.parametrize(
    "of", [pa.string_view(), pa.binary_view(), pa.dictionary(pa.int32(), pa.string())]
)
def test_texts_that_daft_keeps_as_python_objects_give_the_same(of):
    texts = pa.array(CELLS)
    texts = texts.dictionary_encode() if pa.types.is_dictionary(of) else texts.cast(of)
    frame = daft.from_arrow(pa.table({"text": texts}))
    assert frame.select(questions(daft.col("text"))).to_pydict()["text"] == rows(CELLS)


def test_other_python_objects_are_an_error():
    frame = daft.from_pydict({"text": [{"a"}, {1}]})
    with pytest.raises(Exception, match="texts were expected, not Python objects of set"):
        frame.select(questions(daft.col("text"))).to_pydict()
