"""Measures questions in bulk, in ratios of one run.

    python bench/bulk.py [--megabytes 100] [--program ../../target/release/followup] [--check]

Needs pyarrow and polars, and the program `followup` for the comparison with `parse --records`. With
`--check` it fails if a goal is missed.
"""

import argparse
import contextlib
import hashlib
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
from bulk_corpus import PATTERN, PROSE, TSX, kinds, messages
from followup.arrow import questions

ROUNDS = 10
THREAD_ROUNDS = 30


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
    """Returns the times of each way: in turns, since other programs may use the cores meanwhile."""
    times = {name: [] for name in ways}
    for _ in range(rounds):
        for name, work in ways.items():
            times[name].append(best(work, clock=clock))
    return times


def ratios(slow, fast):
    """Returns the median and the tenth percentile of the ratios of each round."""
    each = sorted(one / two for one, two in zip(slow, fast))
    return statistics.median(each), each[len(each) // 10]


def parse_records(program, file):
    command = [program, "parse", "--records", file.name]
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)


def of_halves(cells):
    """Parses the halves of a column at once: as fast as two threads can be on this machine now."""
    half = len(cells) // 2
    threads = [
        threading.Thread(target=questions, args=(one,))
        for one in (cells.slice(0, half), cells.slice(half))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def gil_kept(cells):
    """Returns for how long a call keeps another thread of Python from running, in seconds.

    The same for a call of hashlib that takes as long, which releases the GIL once, and for two that
    take half as long; and a check of all.

    The other thread counts on a core of its own, and waits for nothing but the GIL and this core.
    Linux keeps the times in which it ran and waited for the core; the rest is the GIL, with the
    time to wake up. The check is the same share while two threads count, of which each has the GIL
    for half of the time.
    """
    stop = False

    def counting():
        count = 0
        while not stop:
            count += 1

    counter, cores = threading.Thread(target=counting), sorted(ALL_CORES)
    counter.start()
    clock, scheduled = (
        time.pthread_getcpuclockid(counter.ident),
        Path(f"/proc/self/task/{counter.native_id}/schedstat"),
    )
    os.sched_setaffinity(counter.native_id, cores[-1:])
    os.sched_setaffinity(0, cores[:1])
    with contextlib.suppress(PermissionError):
        # Otherwise another program may run while a thread has the GIL, or waits for a core with it.
        for thread in (counter.native_id, 0):
            os.setpriority(os.PRIO_PROCESS, thread, -20)

    def times():
        waited = int(scheduled.read_text().split()[1]) / 1e9
        return time.perf_counter(), time.clock_gettime(clock) + waited

    def kept(work):
        """Returns the time that the counter waited for the GIL, and the whole time."""
        before = times()
        work()
        passed, free = (after - start for after, start in zip(times(), before))
        return passed - free, passed

    def count_too():
        end = time.perf_counter() + 1
        while time.perf_counter() < end:
            pass

    def kept_by_call(work):
        calls = max(1, round(1 / best(work, 3)))

        def repeat():
            for _ in range(calls):
                work()

        return statistics.median(kept(repeat)[0] / calls for _ in range(9))

    seconds, data = best(lambda: questions(cells), 5), bytes(1 << 20)
    data *= max(1, round(seconds / best(lambda: hashlib.sha256(data), 5)))
    half = data[: len(data) // 2]

    def hash_halves():
        hashlib.sha256(half)
        hashlib.sha256(half)

    try:
        check = statistics.median(
            waited / passed for waited, passed in [kept(count_too) for _ in range(5)]
        )
        works = [lambda: questions(cells), lambda: hashlib.sha256(data), hash_halves]
        return *map(kept_by_call, works), check
    finally:
        stop = True
        counter.join()
        os.sched_setaffinity(0, ALL_CORES)
        with contextlib.suppress(PermissionError):
            os.setpriority(os.PRIO_PROCESS, 0, 0)


def time_to_free(cells):
    """Returns the time that freeing a result takes, when its last variable goes."""
    times = []
    for _ in range(20):
        result = questions(cells)
        start = time.perf_counter()
        del result
        times.append(time.perf_counter() - start)
    return min(times)


def peak(cells, threads=1):
    """Returns the memory that a column takes besides itself, as a multiple of it.

    It is measured in a process of its own.
    """
    with tempfile.NamedTemporaryFile(suffix=".arrow") as file:
        table = pa.table({"text": cells})
        with pa.ipc.new_file(file.name, table.schema) as writer:
            writer.write_table(table)
        command = [sys.executable, __file__, "--peak-of", file.name, "--threads", str(threads)]
        return float(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def own_peak(path, threads):
    # The file is read as a whole, so that its pages count, and nothing else is in the memory.
    [cells] = pa.ipc.open_file(pa.py_buffer(Path(path).read_bytes())).read_all()["text"].chunks
    before = status("VmRSS")
    result = questions(cells, threads=threads)
    print((status("VmHWM") - before) / cells.nbytes)
    del result


def status(key):
    """Returns a size of this process in bytes.

    That of getrusage begins with the memory of the parent.
    """
    [size] = re.findall(rf"{key}:\s*(\d+) kB", Path("/proc/self/status").read_text())
    return int(size) * 1024


def main():
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument("--megabytes", type=int, default=100)
    arguments.add_argument("--program", default="../../target/release/followup")
    arguments.add_argument("--check", action="store_true", help="fail if a goal is missed")
    arguments.add_argument("--peak-of", help=argparse.SUPPRESS)
    arguments.add_argument("--threads", type=int, help=argparse.SUPPRESS)
    options = arguments.parse_args()
    if options.peak_of is not None:
        return own_peak(options.peak_of, options.threads)

    rows = messages(options.megabytes)
    cells = pa.array(rows)
    ways = {
        "one": lambda: questions(cells),
        "two": lambda: questions(cells, threads=2),
        "halves": lambda: of_halves(cells),
    }
    one, two, halves = in_turns(ways, THREAD_ROUNDS).values()
    (faster, tenth), (at_once, _) = ratios(one, two), ratios(one, halves)
    print(
        f"threads: two are {faster:.2f} x as fast as one in the median of {THREAD_ROUNDS} rounds, "
        f"{tenth:.2f} x at their tenth percentile;"
    )
    print(f"  two calls at once, each of a half, {at_once:.2f} x")
    kept, by_hashlib, by_halves, check = gil_kept(cells)
    share = kept / min(one)
    print(
        f"the GIL: a call keeps another thread from running for {kept * 1e6:.0f} µs, "
        f"{share:.2%} of its time; one of hashlib that takes"
    )
    print(
        f"  as long, for {by_hashlib * 1e6:.0f} µs; two that take half as long, "
        f"for {by_halves * 1e6:.0f} µs; two threads that count keep each"
    )
    print(
        f"  other for {check:.0%}, which should be 50 %. Freeing the result takes "
        f"{time_to_free(cells) * 1e6:.0f} µs, without the GIL"
    )
    goals = {
        "two threads are 1.8 x as fast as one": faster >= 1.8,
        "another thread can run for 99 % of a call": share <= 0.01,
    }
    print("memory besides the column, as a multiple of it, with one thread and with two")
    for name, column in memory_columns(options.megabytes).items():
        size = column.nbytes // len(column)
        multiples = [peak(column, threads) for threads in (1, 2)]
        shown = " and ".join(f"{one:.2f} x, {one * size:.0f} bytes a row" for one in multiples)
        print(f"  {name}, {size} bytes a row: {shown}")
        met = zip(("one thread", "two"), multiples)
        goals |= {
            f"{name}, {threads}: the memory is at most 2 x the column": multiple <= 2
            for threads, multiple in met
        }
    compare_counts()
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


def memory_columns(megabytes):
    """Returns columns whose results are small beside them, and columns whose results are not."""
    asking = pa.array(messages(megabytes))
    short = megabytes * 20_000
    keys = pa.array([row % 100 for row in range(short)], pa.int32())
    questions = pa.array(
        [f"<ask_followup_question>Is it {row}?</ask_followup_question>" for row in range(short)]
    )
    return {
        "prose": pa.array(messages(megabytes, asking=0.0)),
        "a question in each message": asking,
        "short prose": pa.array(["What shall we drink now: tea or coffee? I like both"] * short),
        "short questions": questions,
        "a dictionary of 100 short questions": pa.DictionaryArray.from_arrays(
            keys, questions[:100]
        ),
        "a dictionary of 100 messages with a question": pa.DictionaryArray.from_arrays(
            keys, asking[:100]
        ),
    }


def compare_counts():
    """Prints what a regular expression finds of calls that are not all well-formed."""
    print("questions found, of 1,000 messages of each kind")
    for name, rows in kinds().items():
        complete = sum(
            call["state"] == "complete"
            for row in questions(pa.array(rows)).to_pylist()
            for call in row
        )
        found = sum(len(re.findall(PATTERN, row)) for row in rows)
        print(f"  {name}: {complete} by followup, {found} by re")


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
        times = {name: min(each) for name, each in in_turns(ways, ROUNDS, processor_time).items()}
    own = times.pop("questions")
    print(f"  {size / own / 1e6:.0f} MB/s, {len(rows)} messages of {size // len(rows)} bytes")
    goals = {}
    for name, seconds in times.items():
        least = 0.85 if name == "parse --records" else 1.0
        print(f"  {name}: {seconds / own:.2f} x as long")
        goals[f"{name} takes {least} x as long"] = seconds >= least * own
    memory = peak(cells)
    print(f"  memory besides the column: {memory:.2f} x the column")
    return goals | {"the memory is at most 2 x the column": memory <= 2}


ALL_CORES = os.sched_getaffinity(0)

if __name__ == "__main__":
    main()
