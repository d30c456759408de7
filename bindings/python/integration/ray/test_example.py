"""The example finds the same questions on a Ray cluster as with the command on one machine."""

import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq

EXAMPLE = Path(__file__).parents[2] / "examples/trajectories.py"


def test_a_cluster_finds_in_trajectories_what_the_command_finds(tmp_path):
    def example(*arguments):
        subprocess.run(
            [sys.executable, EXAMPLE, *map(str, arguments)], check=True, cwd=tmp_path, timeout=200
        )

    example("make", "in.parquet", "--rows", 300)
    example("command", "in.parquet", "out.parquet")
    example("ray", "in.parquet", "out", "--nodes", 2)
    columns = ["instance_id", "questions"]
    one = pq.read_table(tmp_path / "out.parquet", columns=columns)
    several = pq.read_table(tmp_path / "out", columns=columns).sort_by("instance_id")
    assert one.num_rows == 300 and one.sort_by("instance_id").to_pylist() == several.to_pylist()
