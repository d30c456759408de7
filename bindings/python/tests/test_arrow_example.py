"""The example makes a file of trajectories, and the command finds questions in it."""

import re
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest

EXAMPLE = Path(__file__).parents[1] / "examples/trajectories.py"


def run(folder, rows):
    """Makes a file with this number of rows, and finds its questions.

    Returns what is printed of both.
    """
    printed = []
    for arguments in [
        ["make", "in.parquet", "--rows", str(rows)],
        ["command", "in.parquet", "out.parquet"],
    ]:
        done = subprocess.run(
            [sys.executable, EXAMPLE, *arguments],
            check=True,
            cwd=folder,
            capture_output=True,
            text=True,
        )
        printed.append(done.stdout)
    return printed


def test_the_command_finds_questions_in_trajectories(tmp_path):
    _, printed = run(tmp_path, 30)
    assert (
        "30 rows, 1,200 messages" in printed
        and "large-405b" in printed
        and "peak memory" in printed
    )
    found, trajectories = (
        pq.read_table(tmp_path / "out.parquet"),
        pq.read_table(tmp_path / "in.parquet"),
    )
    assert found.column_names == ["instance_id", "model_name", "questions"]
    texts = [[one["text"] for one in row] for row in trajectories["trajectory"].to_pylist()]
    results = found["questions"].to_pylist()
    assert [[text is None for text in row] for row in texts] == [
        [one is None for one in row] for row in results
    ]
    asked = sum(text.count("</follow_up>") for row in texts for text in row if text)
    states = [
        call["state"]
        for row in results
        for calls in row
        if calls
        for call in calls
        if call["suggest"]
    ]
    assert asked > 0 and states == ["complete"] * asked


@pytest.mark.slow
@pytest.mark.skipif(
    sys.platform != "linux", reason="the unit of ru_maxrss is another one elsewhere"
)
def test_the_memory_of_the_command_does_not_depend_on_the_number_of_rows(tmp_path):
    sizes, peaks = [], []
    for rows in [1000, 6000]:
        made, found = run(tmp_path, rows)
        sizes.append(float(re.search(r"([\d.]+) GB in memory", made)[1]) * 1e9 / (1 << 20))
        peaks.append(int(re.search(r"peak memory (\d+) MiB", found)[1]))
    # What grows are the allocators, and what Parquet keeps of each row group.
    assert peaks[1] - peaks[0] < (sizes[1] - sizes[0]) / 4 and peaks[1] < 300, (sizes, peaks)
