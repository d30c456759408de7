"""The result has the rows, nulls and chunks of its column, and strings like those of the column."""

import gc
import json
import os
import subprocess
import sys
import threading
import time

import pyarrow as pa
import pytest
from arrow_help import ASK, BYTES, STRINGS, rows_of
from followup.arrow import Array, ChunkedArray, questions

CELLS = [
    "Hm. " + ASK.format("Tea?"),
    None,
    "prose",
    "",
    ASK.format("1") + "<ask_followup_question><question>cut",
]
ROWS = [None if cell is None else rows_of([cell]) for cell in CELLS]


def result_type(string):
    suggest = pa.list_(pa.struct([("answer", string), ("mode", string)]))
    fields = [("call", pa.uint32()), ("state", string), ("question", string), ("suggest", suggest)]
    fields += [
        ("notes", pa.list_(string)),
        ("reason", string),
        ("start", pa.int64()),
        ("end", pa.int64()),
    ]
    return pa.list_(pa.struct(fields))


def column(cells, data_type):
    encode = (lambda cell: cell and cell.encode()) if data_type in BYTES else (lambda cell: cell)
    return pa.array([encode(cell) for cell in cells], data_type)


def test_a_call_is_a_row_with_all_that_is_known_of_it():
    suggest = [{"answer": "A", "mode": None}, {"answer": "B", "mode": "code"}]
    call = {
        "call": 0,
        "state": "complete",
        "question": "Tea?",
        "suggest": suggest,
        "notes": [],
        "reason": None,
    }
    assert questions(pa.array([CELLS[0]])).to_pylist() == [
        [{**call, "start": 4, "end": len(CELLS[0])}]
    ]


def test_a_call_that_cannot_be_asked_has_a_reason():
    [[_, cut]] = questions(pa.array([CELLS[4]])).to_pylist()
    assert (cut["state"], cut["question"], cut["reason"]) == (
        "rejected",
        "cut",
        "truncated: question",
    )


def test_a_repair_is_a_note():
    [[call]] = questions(
        pa.array(["<ask_followup_question>Tea?</ask_followup_question>"])
    ).to_pylist()
    assert (call["state"], call["notes"]) == ("complete", ["bare_question"])


@pytest.mark.parametrize("data_type", STRINGS + BYTES, ids=str)
def test_every_type_gives_the_same_rows(data_type):
    result = questions(column(CELLS, data_type))
    assert isinstance(result, Array)
    assert result.to_pylist() == ROWS == pa.array(result).to_pylist()


@pytest.mark.parametrize("data_type", STRINGS + BYTES, ids=str)
def test_a_dictionary_gives_the_same_rows(data_type):
    values, keys = (
        column(["unused", *CELLS], data_type),
        pa.array([1, 2, None, 5, 1, 3, 4], pa.int8()),
    )
    result = questions(pa.DictionaryArray.from_arrays(keys, values))
    assert result.to_pylist() == [ROWS[0], None, None, ROWS[4], ROWS[0], ROWS[2], ROWS[3]]


def test_strings_have_the_offsets_of_the_column_and_are_never_views():
    large = [pa.large_string(), pa.large_binary(), pa.string_view(), pa.binary_view()]
    for data_type in STRINGS + BYTES:
        expected = result_type(pa.large_string() if data_type in large else pa.string())
        assert pa.array(questions(pa.array([], data_type))).type == expected
        dictionary = pa.DictionaryArray.from_arrays(
            pa.array([], pa.int32()), pa.array([], data_type)
        )
        assert pa.array(questions(dictionary)).type == expected


def test_a_column_of_nulls_has_a_result_of_nulls():
    result = pa.array(questions(pa.nulls(3)))
    assert (result.to_pylist(), result.type) == ([None] * 3, result_type(pa.string()))
    empty = pa.DictionaryArray.from_arrays(
        pa.array([None, None], pa.int8()), pa.array([], pa.string())
    )
    assert questions(empty).to_pylist() == [None, None]


@pytest.mark.parametrize("data_type", STRINGS + BYTES, ids=str)
def test_a_slice_gives_the_rows_of_the_slice(data_type):
    for start in range(len(CELLS) + 1):
        for end in range(start, len(CELLS) + 1):
            cells = column(CELLS, data_type).slice(start, end - start)
            assert questions(cells).to_pylist() == ROWS[start:end]
            if data_type in STRINGS[:2] + BYTES[:2]:
                assert questions(cells.dictionary_encode()).to_pylist() == ROWS[start:end]


def test_a_stream_of_arrays_keeps_its_chunks():
    whole = pa.array(CELLS)
    chunks = [
        whole.slice(0, 0),
        whole.slice(0, 3),
        whole.slice(3),
        whole.slice(1, 1),
        whole.slice(5),
    ]
    result = questions(pa.chunked_array(chunks))
    assert isinstance(result, ChunkedArray)
    assert [len(chunk) for chunk in result.chunks] == [0, 3, 2, 1, 0]
    assert result.to_pylist() == ROWS + ROWS[1:2] and len(result) == 6
    assert [len(chunk) for chunk in pa.chunked_array(result).chunks] == [0, 3, 2, 1, 0]
    assert pa.chunked_array(result) == pa.chunked_array(result), "it can be read again"


def test_a_stream_without_arrays_keeps_its_type():
    result = pa.chunked_array(questions(pa.chunked_array([], pa.large_string())))
    assert (result.num_chunks, result.type) == (0, result_type(pa.large_string()))


@pytest.mark.parametrize("data_type", [*STRINGS, pa.dictionary(pa.int16(), pa.string())], ids=str)
def test_any_number_of_threads_gives_the_same_array(data_type):
    cells = (
        pa.array(CELLS * 41, pa.string()).cast(data_type)
        if "dictionary" in str(data_type)
        else column(CELLS * 41, data_type)
    )
    for threads in [2, 3, 64, 1000]:
        for part in [cells, cells.slice(3, 100), cells.slice(0, 1), cells.slice(0, 0)]:
            assert pa.array(questions(part, threads=threads)) == pa.array(questions(part))


def run_alone(program, *arguments):
    """Fails unless a program ends well, in a process of its own."""
    run = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        cwd=os.path.dirname(__file__),
        capture_output=True,
        text=True,
    )
    assert (run.returncode, run.stderr) == (0, "")


@pytest.mark.skipif(sys.platform != "linux", reason="needs a limit on the threads of a user")
def test_threads_that_the_system_refuses_are_not_needed():
    program = """
import os, resource
import pyarrow as pa
from arrow_help import ASK
from followup.arrow import questions
column = pa.array([ASK.format(row) for row in range(5000)])
expected = questions(column).to_pylist()
if os.geteuid() == 0:
    os.setuid(65534)  # Of root the threads are not counted.
for limit in [4, 1]:
    resource.setrlimit(resource.RLIMIT_NPROC, (limit, limit))
    assert questions(column, threads=1000).to_pylist() == expected
"""
    run_alone(program)


@pytest.mark.skipif(sys.platform != "linux", reason="reads the threads of this process from /proc")
@pytest.mark.parametrize(
    ("more", "least", "most"), [({}, 0, 0), ({"threads": 2}, 0, 1), ({"threads": 1000}, 0, 3)]
)
def test_no_more_threads_are_started_than_were_asked_for_and_there_are_rows(more, least, most):
    program = """
import json, os, sys, threading
import pyarrow as pa
from arrow_help import ASK
from followup.arrow import questions
column, done, most = pa.array([ASK.format("x" * 20_000_000)] * 4), False, 0
def watch():
    global most
    while not done:
        most = max(most, len(os.listdir("/proc/self/task")))
watcher = threading.Thread(target=watch)
watcher.start()
before = len(os.listdir("/proc/self/task"))
questions(column, **json.loads(sys.argv[1]))
done = True
watcher.join()
least_wanted, most_wanted = map(int, sys.argv[2:])
assert least_wanted <= most - before <= most_wanted, most - before
"""
    run_alone(program, json.dumps(more), str(least), str(most))


def test_the_result_outlives_its_column():
    result = questions(pa.array(CELLS))
    gc.collect()
    assert result.to_pylist() == ROWS


def test_a_column_that_is_read_by_two_threads_at_once_has_one_result():
    cells, results = pa.array(CELLS * 200), []
    readers = [
        threading.Thread(target=lambda: results.append(questions(cells).to_pylist()))
        for _ in range(4)
    ]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join()
    assert results == [ROWS * 200] * 4


def another_thread_runs_during(action, prepare=lambda: None):
    """Returns whether another thread ran in one of some calls.

    One that waits for the GIL may be late, but not each time.
    """
    count, stop = 0, False

    def counting():
        nonlocal count
        while not stop:
            count += 1
            time.sleep(0)  # Gives the GIL away, which it does not do otherwise.

    counter, interval = threading.Thread(target=counting), sys.getswitchinterval()
    sys.setswitchinterval(100)
    counter.start()
    try:
        for _ in range(200):
            argument = [prepare()]
            before = count
            action(argument)
            if count > before:
                return True
        return False
    finally:
        stop = True
        sys.setswitchinterval(interval)
        counter.join()


LARGE = pa.array([ASK.format("x" * 50_000)] * 200)
# Its result has 50 MB: the system allocator gives that back at once, which takes a millisecond.
LARGER = pa.DictionaryArray.from_arrays(pa.array([0] * 1000, pa.int32()), LARGE[:1])


def test_another_thread_runs_while_a_column_is_parsed():
    assert another_thread_runs_during(lambda _: questions(LARGE))


@pytest.mark.parametrize(
    "column", [LARGER, pa.chunked_array([LARGER, LARGER])], ids=["array", "stream"]
)
def test_another_thread_runs_while_a_large_result_is_freed(column):
    assert another_thread_runs_during(list.clear, lambda: questions(column))


def test_a_large_result_that_lives_to_the_end_of_the_program_is_freed():
    program = """
import threading
import pyarrow as pa
from followup.arrow import questions
column = pa.array(["<ask_followup_question><question>" + "x" * 3_000_000])
result = questions(column)
cycle = [questions(pa.chunked_array([column]))]
cycle.append(cycle)
thread = threading.Thread(target=lambda: questions(column))
thread.start()
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_ill_formed_utf_8_is_replaced_also_in_a_column_of_strings():
    ill_formed = ASK.format("\0\0").encode().replace(b"\0\0", b"\xff\xc3")
    view = pa.array([ill_formed], pa.binary()).view(pa.string())
    for cells in [pa.array([ill_formed]), view]:
        [[call]] = questions(cells).to_pylist()
        assert call["question"] == "\ufffd\ufffd"
