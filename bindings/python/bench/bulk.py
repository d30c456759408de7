"""Measures questions in bulk, in ratios of one run.

    python bench/bulk.py [--megabytes 100] [--program ../../target/release/followup] [--check]

Needs pyarrow and polars, and the program `followup` for the comparison with `parse --records`. With
`--check` it fails if a goal is missed.
"""

import argparse
import json
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import polars
import pyarrow as pa
import pyarrow.compute as pc
from bulk_corpus import PATTERN, PROSE, TSX, messages
from followup.arrow import questions

ROUNDS = 10


def best(work, rounds=1, clock=time.perf_counter):
    """Returns the shortest time of some rounds, in seconds."""
    times = []
    for _ in range(rounds):
        start = clock()
        work()
        times.append(clock() - start)
    return min(times)


def processor_time():
    """Returns the time that this process and those that it has waited for have used, in seconds.

    On one core it is the time that passes, but for other programs.
    """
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def in_turns(ways, rounds, clock=time.perf_counter):
    """Returns the shortest time of each way: in turns, since other programs may use the cores meanwhile."""
    times = {name: [] for name in ways}
    for _ in range(rounds):
        for name, work in ways.items():
            times[name].append(best(work, clock=clock))
    return {name: min(one) for name, one in times.items()}


def parse_records(program, file):
    command = [program, "parse", "--records", file.name]
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)


def of_halves(cells):
    """Parses the halves of a column at once: as fast as two threads can be on this machine now."""
    half = len(cells) // 2
    threads = [threading.Thread(target=questions, args=(one,)) for one in (cells.slice(0, half), cells.slice(half))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def free_share(cells):
    """Returns how much another thread of Python runs while a column is parsed and its result is freed.

    The other thread counts. What it counts while another process parses the column is 1, because a core
    is slower while the others are busy.
    """
    count, stop = 0, False

    def counting():
        nonlocal count
        while not stop:
            count += 1

    counter = threading.Thread(target=counting)
    counter.start()

    def rate(work):
        before, start = count, time.perf_counter()
        work()
        return (count - before) / (time.perf_counter() - start)

    def parse():
        for _ in range(20):
            questions(cells)

    def parse_elsewhere():
        if (child := os.fork()) == 0:
            try:
                parse()
            finally:
                os._exit(0)
        os.waitpid(child, 0)

    here, elsewhere = [], []
    for _ in range(10):
        here.append(rate(parse))
        elsewhere.append(rate(parse_elsewhere))
    stop = True
    counter.join()
    return statistics.median(here) / statistics.median(elsewhere)


def time_to_free(cells):
    """Returns the time that freeing a result takes, when its last variable goes."""
    times = []
    for _ in range(20):
        result = questions(cells)
        start = time.perf_counter()
        del result
        times.append(time.perf_counter() - start)
    return min(times)


def peak(rows):
    """Returns the memory that a column takes besides itself, as a multiple of it, in a process of its own."""
    with tempfile.NamedTemporaryFile(suffix=".arrow") as file:
        table = pa.table({"text": rows})
        with pa.ipc.new_file(file.name, table.schema) as writer:
            writer.write_table(table)
        command = [sys.executable, __file__, "--peak-of", file.name]
        return float(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def own_peak(path):
    # The file is read as a whole, so that its pages count, and nothing else is in the memory.
    [cells] = pa.ipc.open_file(pa.py_buffer(Path(path).read_bytes())).read_all()["text"].chunks
    before = status("VmRSS")
    result = questions(cells)
    print((status("VmHWM") - before) / cells.nbytes)
    del result


def status(key):
    """Returns a size of this process in bytes; that of getrusage begins with the memory of the parent."""
    [size] = re.findall(rf"{key}:\s*(\d+) kB", Path("/proc/self/status").read_text())
    return int(size) * 1024


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--megabytes", type=int, default=100)
    arguments.add_argument("--program", default="../../target/release/followup")
    arguments.add_argument("--check", action="store_true", help="fail if a goal is missed")
    arguments.add_argument("--peak-of", help=argparse.SUPPRESS)
    options = arguments.parse_args()
    if options.peak_of is not None:
        return own_peak(options.peak_of)

    rows = messages(options.megabytes)
    cells = pa.array(rows)
    ways = {"one": lambda: questions(cells), "two": lambda: questions(cells, threads=2), "halves": lambda: of_halves(cells)}
    one, two, halves = in_turns(ways, 40).values()
    print(f"threads: two are {one / two:.2f} x as fast as one; two calls at once, each of a half, {one / halves:.2f} x")
    empty = best(lambda: questions(cells.slice(0, 0)), 1000)
    print(f"the GIL: held for {empty * 1e6:.0f} µs of a call, as long as a column without rows takes: {empty / one:.2%} of this one")
    print(f"  freeing the result takes {time_to_free(cells) * 1e6:.0f} µs, without the GIL")
    share = free_share(cells)
    print(f"  another thread that counts: {share:.1%} of what it counts while another process parses")
    goals = {
        "two threads are 1.8 x as fast as one": one / two >= 1.8,
        "the GIL is free for 99 % of a call": empty / one <= 0.01,
        "another thread counts 99 % of what it counts while another process parses": share >= 0.99,
    }
    os.sched_setaffinity(0, {min(ALL_CORES)})
    for name, text, asking in [("prose", PROSE, 0.0), ("questions", PROSE, 1.0), ("tsx", TSX, 1.0)]:
        print(f"\n{name}, on one core")
        met = compare(messages(options.megabytes, text, asking=asking), options.program)
        goals |= {f"{name}: {goal}": is_met for goal, is_met in met.items()}
    print()
    for goal, is_met in goals.items():
        print(f"{'met   ' if is_met else 'missed'}  {goal}")
    if options.check and not all(goals.values()):
        raise SystemExit(1)


def compare(rows, program):
    """Compares with other ways to read the same messages, and returns which goals are met."""
    cells, size = pa.array(rows), sum(map(len, rows))
    pattern, series = re.compile(PATTERN), polars.Series(rows)
    named = PATTERN.replace("(.*?)</question>", "(?P<question>.*?)</question>")
    ways = {
        "questions": lambda: questions(cells),
        "re over the column": lambda: [pattern.findall(row.as_py()) for row in cells],
        "re over a list that is there": lambda: [pattern.findall(row) for row in rows],
        "pyarrow.compute.extract_regex": lambda: pc.extract_regex(cells, named),
        "polars str.extract": lambda: series.str.extract(PATTERN),
    }
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
        file.writelines(json.dumps({"content": row}) + "\n" for row in rows)
        file.flush()
        if Path(program).exists():
            ways["parse --records"] = lambda: parse_records(program, file)
        else:
            print(f"  parse --records: there is no {program}")
        times = in_turns(ways, ROUNDS, processor_time)
    own = times.pop("questions")
    print(f"  {size / own / 1e6:.0f} MB/s, {len(rows)} messages of {size // len(rows)} bytes")
    goals = {}
    for name, seconds in times.items():
        least = 0.85 if name == "parse --records" else 1.0
        print(f"  {name}: {seconds / own:.2f} x as long")
        goals[f"{name} takes {least} x as long"] = seconds >= least * own
    memory = peak(rows)
    print(f"  memory besides the column: {memory:.2f} x the column")
    return goals | {"the memory is at most 2 x the column": memory <= 2}


ALL_CORES = os.sched_getaffinity(0)

if __name__ == "__main__":
    main()
