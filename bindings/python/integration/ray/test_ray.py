"""Questions in bulk with Ray Data, also when a worker is killed."""

import os
import signal
from pathlib import Path

import pyarrow as pa
import pytest
import ray
from arrow_columns import BYTE_TYPES, KINDS, OPTIONS, TEXT_TYPES, joined, long_table, table_with
from cases import CELLS, rows, run_example
from followup.ray import Questions, questions

BLOCKS = 6


@pytest.fixture(scope="module", autouse=True)
def cluster():
    # Without this address it joins a cluster that is already there.
    ray.init(
        "local",
        num_cpus=2,
        include_dashboard=False,
        log_to_driver=False,
        object_store_memory=80 << 20,
    )
    yield
    ray.shutdown()


def dataset():
    return ray.data.from_arrow(
        [pa.table({"id": [n] * len(CELLS), "text": CELLS}) for n in range(BLOCKS)]
    )


def found(dataset):
    """Returns the questions of each block."""
    blocks = {}
    for row in dataset.take_all():
        blocks.setdefault(row["id"], []).append(row["found"])
    return blocks


class Dies(Questions):
    """Kills its own process, once in all processes, in the middle of the work."""

    def __init__(self, *arguments, marker, **options):
        super().__init__(*arguments, **options)
        self.marker = Path(marker)

    def __call__(self, table):
        if table["id"][0].as_py() == BLOCKS // 2:
            try:
                self.marker.touch(exist_ok=False)
            except FileExistsError:
                return super().__call__(table)
            os.kill(os.getpid(), signal.SIGKILL)
        return super().__call__(table)


HOW = {"batch_format": "pyarrow", "batch_size": None, "zero_copy_batch": True}


def test_a_dataset_has_the_questions_of_each_row():
    one = questions(dataset(), "text", into="found", strict=True)
    assert found(one) == {n: rows(CELLS, strict=True) for n in range(BLOCKS)}


@pytest.mark.parametrize("how, strings, binaries", KINDS, ids=["messages", "bodies", "arguments"])
def test_any_table_has_the_questions_of_its_streams(how, strings, binaries):
    cells = {data_type: strings for data_type in TEXT_TYPES} | {
        data_type: binaries for data_type in BYTE_TYPES
    }
    # Ray can't send views to another process.
    kinds = {
        f"of {data_type}": (cells[data_type], [data_type])
        for data_type in cells
        if "view" not in str(data_type)
    }
    table, streams = long_table(30, **kinds)
    one = ray.data.from_arrow([table.slice(start, 40) for start in range(0, len(table), 40)])
    for name in kinds:
        one = questions(one, name, into=f"found {name}", **how)
    rows = sorted(one.take_all(), key=lambda row: row["id"])
    assert len(rows) == len(table)
    assert {name: [row[f"found {name}"] for row in rows] for name in kinds} == joined(
        streams, **how
    )


@pytest.mark.parametrize(("options", "message"), OPTIONS.values(), ids=OPTIONS)
def test_options_change_what_is_found_as_in_the_streams(options, message):
    table, streams = table_with(message)
    one = ray.data.from_arrow([table.slice(start, 40) for start in range(0, len(table), 40)])
    for name in streams:
        one = questions(one, name, into=f"found {name}", **options)
    rows = sorted(one.take_all(), key=lambda row: row["id"])
    assert (
        {name: [row[f"found {name}"] for row in rows] for name in streams}
        == joined(streams, **options)
        != joined(streams)
    )


def test_a_column_that_is_there_already_is_not_added_again():
    with pytest.raises(
        Exception, match="into: there is a column 'found' already: name another one"
    ):
        questions(questions(dataset(), "text", into="found"), "text", into="found").materialize()


def test_a_column_whose_name_has_dots_can_be_read():
    table = pa.table({"output.value": CELLS})
    assert [
        row["questions"] for row in questions(ray.data.from_arrow(table), "output.value").take_all()
    ] == rows(CELLS)


def test_a_column_inside_lists_has_questions_in_the_same_lists():
    table = pa.table({"steps": [[{"text": cell} for cell in CELLS], None, []]})
    found = questions(ray.data.from_arrow(table), "steps[].text", into="found").take_all()
    assert [row["found"] for row in found] == [rows(CELLS), None, []]


def test_actors_give_the_same():
    one = dataset().map_batches(
        Questions, fn_constructor_args=("text", "found"), concurrency=2, **HOW
    )
    assert found(one) == {n: rows(CELLS) for n in range(BLOCKS)}


def test_the_result_is_complete_though_an_actor_is_killed(tmp_path):
    marker = tmp_path / "killed"
    how = {
        "fn_constructor_args": ("text", "found"),
        "fn_constructor_kwargs": {"marker": marker},
        "concurrency": 2,
    }
    assert found(dataset().map_batches(Dies, **how, **HOW)) == {
        n: rows(CELLS) for n in range(BLOCKS)
    }
    assert marker.exists()


def test_the_result_is_complete_though_a_worker_is_killed(tmp_path):
    marker = tmp_path / "killed"
    work = Dies("text", "found", marker=marker)
    assert found(dataset().map_batches(lambda table: work(table), **HOW)) == {
        n: rows(CELLS) for n in range(BLOCKS)
    }
    assert marker.exists()


def test_the_example_of_the_docs_runs(tmp_path):
    assert run_example("Ray Data", tmp_path) == rows(CELLS)


@pytest.mark.parametrize(
    "wrong, error, message",
    [
        (
            lambda: questions([1], "text"),
            TypeError,
            "dataset: a Dataset of Ray was expected, not list",
        ),
        (lambda: questions(dataset(), 1), TypeError, "column: a str was expected, not int"),
        (
            lambda: questions(dataset(), "text", into=None),
            TypeError,
            "into: a str was expected, not NoneType",
        ),
        (lambda: questions(dataset(), "text["), ValueError, "column: a name or a path"),
        (lambda: questions(dataset(), "text", wire="smoke"), ValueError, "wire: .*smoke"),
        (lambda: Questions("text", threads=0), ValueError, "threads: .*not 0"),
    ],
)
def test_a_mistake_is_an_error_at_once(wrong, error, message):
    with pytest.raises(error, match=message):
        wrong()


def test_a_block_of_empty_lists_has_the_result_of_the_others():
    message = "<ask_followup_question><question>Tea?</question></ask_followup_question>"
    turns = [[], [{"role": "user", "text": message}], None]
    dataset = ray.data.from_items([{"turns": one} for one in turns], override_num_blocks=3)
    found = {
        len(row["turns"] or []): row["questions"]
        for row in questions(dataset, "turns[].text").take_all()
    }
    assert [call["question"] for call in found[1][0]] == ["Tea?"]
    assert not any(found[0] if found[0] is not None else [])


def test_a_block_with_other_objects_than_texts_is_an_error():
    dataset = ray.data.from_items([{"text": "Tea?"}, {"text": 5}], override_num_blocks=1)
    with pytest.raises(
        Exception, match="bytes of the extension type ray.data.arrow_pickled_object"
    ):
        questions(dataset, "text").take_all()
