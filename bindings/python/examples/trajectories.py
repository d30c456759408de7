"""Finds the questions in trajectories of agents.

With the command on one machine, and on a Ray cluster.

    python examples/trajectories.py make FILE.parquet [--rows 80000]
    python examples/trajectories.py command FILE.parquet OUT.parquet
    python examples/trajectories.py ray FILE.parquet OUT_FOLDER [--nodes 2]

`make` writes a file of the form in which trajectories are published: a row is a trajectory of some
64 KB with a list of its messages, `trajectory: list<struct<role, text, system_prompt, mask,
cutoff_date>>`. 80,000 rows are 5 GB. `command` runs `python -m followup questions` and prints its
time and its peak memory. `ray` starts a cluster whose nodes are processes of this machine, with one
core each; to use a cluster that is there, call `ray.init("auto")` instead.

Needs pyarrow, and for `ray` also `ray[data]`.
"""

from __future__ import annotations

import argparse
import random
import resource
import subprocess
import sys
import time

import pyarrow as pa
import pyarrow.parquet as pq

MESSAGES = 40
GROUP = 200
"""Rows of a row group."""

MESSAGE = pa.struct(
    {
        "role": pa.string(),
        "text": pa.string(),
        "system_prompt": pa.string(),
        "mask": pa.bool_(),
        "cutoff_date": pa.string(),
    }
)
SCHEMA = pa.schema(
    {
        "instance_id": pa.string(),
        "model_name": pa.string(),
        "exit_status": pa.string(),
        "trajectory": pa.list_(MESSAGE),
    }
)
MODELS = ["small-8b", "medium-70b", "large-405b"]
ASK = """
<ask_followup_question>
<question>The test {} fails before the change, too. Should it be fixed with this one?</question>
<follow_up>
<suggest>Yes, in the same commit</suggest>
<suggest mode="architect">No; only report it</suggest>
</follow_up>
</ask_followup_question>"""
BROKEN = [
    "\n<ask_followup_question>\nWhich test?\n</ask_followup_question>",
    "\n<ask_followup_question>\n<question>Which of the two",
    "\n<ask_followup_question>\n</ask_followup_question>",
]
LINES = [
    "The traceback ends in `resolve_{}()`; I would look there first.\n",
    '    def resolve_{}(self, name: str) -> "Node | None":\n',
    "        if name not in self.nodes_{} and a < b:\n            return None\n",
    "$ python -m pytest tests/test_{}.py -q\n",
    "E       AssertionError: assert [1, 2] == [{}]\n",
    "[File: /src/graph/resolve_{}.py (412 lines total)]\n",
]
POOL = 8 << 20
"""The length of the text from which the messages are cut.

It is too long for a compression to know all of it.
"""

ROLES = ["system", *["user", "ai"] * (MESSAGES // 2)]


def ending(one: random.Random) -> str:
    """Returns the end of a message of the model.

    Sometimes it is a question, and now and then one that has to be repaired.
    """
    chance = one.random()
    if chance < 0.03:
        return ASK.format(one.randrange(1000))
    return one.choice(BROKEN) if chance < 0.035 else ""


def trajectories(one: random.Random, pool: str, rows: int) -> pa.ListArray:
    texts, prompts, roles = [], [], ROLES * rows
    for role in roles:
        start = one.randrange(POOL)
        body = pool[start : start + one.randrange(600, 2600)] + (
            ending(one) if role == "ai" else ""
        )
        texts.append(None if role == "system" else body)
        prompts.append(body if role == "system" else None)
    mask, dates = [role == "ai" for role in roles], ["01.01.2023"] * len(roles)
    columns = [
        pa.array(column, field.type)
        for column, field in zip([roles, texts, prompts, mask, dates], MESSAGE)
    ]
    offsets = pa.array(range(0, len(roles) + 1, len(ROLES)), pa.int32())
    return pa.ListArray.from_arrays(
        offsets, pa.StructArray.from_arrays(columns, fields=list(MESSAGE))
    )


def make(file: str, rows: int) -> None:
    one, size = random.Random(7), 0
    pool = "".join(line.format(one.randrange(10**6)) for line in one.choices(LINES, k=POOL // 45))
    pool = (pool * 2)[: POOL + 4096]
    with pq.ParquetWriter(file, SCHEMA, compression="zstd") as writer:
        for start in range(0, rows, GROUP):
            numbers = range(start, min(start + GROUP, rows))
            columns = [
                pa.array([f"org__repo-{number}" for number in numbers]),
                pa.array([MODELS[number % len(MODELS)] for number in numbers]),
                pa.array(["submitted" if number % 3 else "exit_format" for number in numbers]),
                trajectories(one, pool, len(numbers)),
            ]
            batch = pa.record_batch(columns, SCHEMA)
            size += batch.nbytes
            writer.write_batch(batch)
    print(f"{rows:,} trajectories, {size / 1e9:.2f} GB in memory")


def command(file: str, output: str) -> None:
    names = ["--column", "trajectory[].text", "--keep", "instance_id,model_name"]
    start = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "followup", "questions", file, output, "--force", *names], check=True
    )
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(f"\n{seconds:.1f} s, peak memory {peak:.0f} MiB")


def on_ray(file: str, folder: str, nodes: int) -> None:
    import ray
    from followup.ray import questions
    from ray.cluster_utils import Cluster

    node = {"num_cpus": 1, "object_store_memory": 256 << 20}
    cluster = Cluster(initialize_head=True, head_node_args=node | {"include_dashboard": False})
    for _ in range(nodes - 1):
        cluster.add_node(**node)
    ray.init(address=cluster.address, log_to_driver=False)
    try:
        start = time.perf_counter()
        dataset = ray.data.read_parquet(file, columns=["instance_id", "model_name", "trajectory"])
        found = questions(dataset, "trajectory[].text").drop_columns(["trajectory"])
        found.write_parquet(folder)
        print(f"{time.perf_counter() - start:.1f} s on {len(ray.nodes())} nodes")
    finally:
        ray.shutdown()
        cluster.shutdown()


def main() -> None:
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument("work", choices=["make", "command", "ray"])
    arguments.add_argument("file")
    arguments.add_argument("output", nargs="?")
    arguments.add_argument("--rows", type=int, default=80_000)
    arguments.add_argument("--nodes", type=int, default=2)
    options = arguments.parse_args()
    if options.work == "make":
        return make(options.file, options.rows)
    if options.output is None:
        arguments.error("the output is missing")
    if options.work == "command":
        return command(options.file, options.output)
    on_ray(options.file, options.output, options.nodes)


if __name__ == "__main__":
    main()
