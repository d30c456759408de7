"""A column without a result is an error that says what to do.

A row that can't be read is a value.
"""

import pyarrow as pa
import pytest
from arrow_help import ASK, rows_of
from followup.arrow import questions
from producer_help import Producer


def test_what_is_no_arrow_data_is_a_type_error():
    for column in [["text"], "text", None, 7]:
        with pytest.raises(
            TypeError, match=rf"__arrow_c_stream__ was expected.*not {type(column).__name__}"
        ):
            questions(column)


@pytest.mark.parametrize(
    "column", [pa.array([1]), pa.array([["text"]]), pa.array([1.5]).dictionary_encode()], ids=str
)
def test_a_column_without_strings_or_bytes_is_a_type_error(column):
    for one in [column, pa.chunked_array([column]), pa.chunked_array([], column.type)]:
        with pytest.raises(TypeError, match=r"utf8, large_utf8.*, not (Int64|List|Float64)"):
            questions(one)


def test_a_table_is_a_type_error_with_the_names_of_its_columns():
    table = pa.table({"id": [1], "text": ["x"]})
    for one in [table, table.to_batches()[0], table.to_reader()]:
        with pytest.raises(
            TypeError, match="one column was expected, not a table or struct of: id, text"
        ):
            questions(one)


def test_options_that_do_not_exist_are_errors():
    column = pa.array(["x"])
    for options, error, message in [
        ({"threads": 0}, ValueError, "threads: a number from 1 to 1024 was expected, not 0"),
        ({"threads": -1}, ValueError, "threads: .*not -1"),
        ({"threads": 10**5000}, ValueError, "threads: .*not a larger one"),
        ({"threads": "2"}, TypeError, "threads: a whole number was expected, not str"),
        ({"wire": "smoke"}, ValueError, "wire: .*smoke"),
        ({"wire": 7}, TypeError, "wire: a str was expected, not int"),
        ({"arguments_of": 7}, TypeError, "arguments_of: a str was expected, not int"),
        ({"arguments_of": "read_file"}, ValueError, "no shape reads the tool read_file"),
        ({"arguments_of": "AskUserQuestion", "wire": "auto"}, ValueError, "arguments_of"),
        ({"strict": 1}, TypeError, "strict"),
        ({"policy": "x"}, TypeError, "policy is no option"),
        ({"limits": {"question": -1}}, ValueError, "question"),
        ({"limits": {"question": 10**5000}}, ValueError, "question: .*not a larger one"),
        ({"reasoning": True}, TypeError, "reasoning is no option"),
    ]:
        with pytest.raises(error, match=message):
            questions(column, **options)


def test_a_body_that_cannot_be_read_is_a_row_and_the_next_body_is_read():
    broken = 'data: {"choices": [{"delta": {"content": "Hi\n\n'
    overloaded = (
        'data: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n'
    )
    rows = questions(pa.array([broken, None, overloaded]), wire="anthropic").to_pylist()
    assert rows[1] is None
    assert {one["state"] for one in rows[0]} == {"error"} and all(one["reason"] for one in rows[0])
    error = {"call": None, "state": "error", "question": None, "suggest": [], "notes": []}
    assert rows[2] == [{**error, "reason": "provider: Overloaded", "start": None, "end": None}]


def large_result():
    """Returns a small column, and its number of rows.

    Its result has more than 2 GiB of strings.
    """
    length, rows = 100_000, 21_500
    values = pa.array([ASK.format("x" * length)])
    return pa.DictionaryArray.from_arrays(pa.array([0] * rows, pa.int32()), values), rows


@pytest.mark.slow
@pytest.mark.parametrize("threads", [1, 2])
def test_a_result_that_is_too_large_is_an_error_that_says_what_to_do(threads):
    column, _ = large_result()
    with pytest.raises(
        ValueError,
        match="2 GiB or more.*cast the column to large_utf8 or large_binary, or pass smaller",
    ):
        questions(column, threads=threads)


@pytest.mark.slow
def test_a_large_column_may_have_a_large_result():
    column, rows = large_result()
    large = pa.DictionaryArray.from_arrays(
        column.indices, column.dictionary.cast(pa.large_string())
    )
    result = pa.array(questions(large))
    assert len(result) == rows and result.flatten().field("question").nbytes > 1 << 31


def failing():
    yield pa.array([ASK.format("Tea?")] * 3)
    raise OSError("the disk is gone")


@pytest.mark.parametrize("threads", [1, 2])
def test_a_producer_that_fails_after_an_array_is_an_error_with_its_message(threads):
    producer = Producer(pa.string(), failing())
    with pytest.raises(OSError, match="^column: its producer failed: .*the disk is gone$"):
        questions(producer, threads=threads)
    assert producer.released


@pytest.mark.parametrize("threads", [1, 2])
def test_a_producer_that_fails_without_a_message_is_an_error_and_no_bug_of_ours(threads):
    producer = Producer(pa.string(), failing(), has_message=False)
    with pytest.raises(
        OSError, match="^column: its producer failed without a message, or gave an array that"
    ):
        questions(producer, threads=threads)
    assert producer.released


@pytest.mark.parametrize("has_message", [True, False])
def test_a_producer_that_cannot_say_its_type_is_an_error(has_message):
    producer = Producer(None, [], has_message=has_message)
    with pytest.raises(ValueError, match="Cannot get schema from input stream"):
        questions(producer)
    assert producer.released


def test_a_producer_whose_arrays_have_another_type_is_an_error():
    """It has one buffer, where three are expected."""
    producer = Producer(pa.string(), [pa.array([None, None])])
    with pytest.raises(OSError, match="^column: its producer failed"):
        questions(producer)
    assert producer.released


def test_a_producer_that_does_not_fail_has_a_result():
    producer = Producer(
        pa.string(), [pa.array([ASK.format("Tea?")]), pa.array([None], pa.string())]
    )
    result = questions(producer)
    assert [len(chunk) for chunk in result.chunks] == [1, 1] and producer.released
    assert result.to_pylist() == [rows_of([ASK.format("Tea?")]), None]


@pytest.mark.parametrize("storage", [pa.binary(), pa.large_binary()])
def test_bytes_of_an_extension_type_are_an_error(storage):
    metadata = {"ARROW:extension:name": "some.pickles", "ARROW:extension:metadata": ""}
    schema = pa.schema([pa.field("text", storage, metadata=metadata)])
    with pytest.raises(
        TypeError, match="not bytes of the extension type some.pickles: cast it first"
    ):
        questions(Produced(schema.field(0), pa.array([b"x"], storage)))


def test_text_of_an_extension_type_is_read():
    assert len(questions(pa.array(["{}"], pa.json_()))) == 1


def test_an_array_that_does_not_match_its_type_is_an_error_of_its_producer():
    class Wrong:
        def __arrow_c_array__(self, requested_schema=None):
            return pa.array(["x"]).__arrow_c_array__()[0], pa.nulls(1).__arrow_c_array__()[1]

    with pytest.raises(OSError, match="gave an array that does not match its type"):
        questions(Wrong())


class Produced:
    """An array with a field of its own."""

    def __init__(self, field, array):
        self.field, self.array = field, array

    def __arrow_c_array__(self, requested_schema=None):
        return self.field.__arrow_c_schema__(), self.array.__arrow_c_array__()[1]
