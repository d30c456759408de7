"""The example makes a file of trajectories, and the command finds questions in it."""

import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq

EXAMPLE = Path(__file__).parents[1] / "examples/trajectories.py"


def test_the_command_finds_questions_in_trajectories(tmp_path):
    for arguments in [["make", "in.parquet", "--rows", "30"], ["command", "in.parquet", "out.parquet"]]:
        done = subprocess.run([sys.executable, EXAMPLE, *arguments], check=True, cwd=tmp_path, capture_output=True, text=True)
    assert "30 rows, 1,200 messages" in done.stdout and "large-405b" in done.stdout and "peak memory" in done.stdout
    found, trajectories = pq.read_table(tmp_path / "out.parquet"), pq.read_table(tmp_path / "in.parquet")
    assert found.column_names == ["instance_id", "model_name", "questions"]
    texts = [[one["text"] for one in row] for row in trajectories["trajectory"].to_pylist()]
    results = found["questions"].to_pylist()
    assert [[text is None for text in row] for row in texts] == [[one is None for one in row] for row in results]
    asked = sum(text.count("</follow_up>") for row in texts for text in row if text)
    states = [call["state"] for row in results for calls in row if calls for call in calls if call["suggest"]]
    assert asked > 0 and states == ["complete"] * asked
