"""Measures what a chunk costs, in one run.

Beyond an empty call, by length, and against partial JSON parsers.

    pip install jiter partial-json-parser
    python bench/feed.py [--check]

With `--check` it fails if a goal is missed.
"""

from __future__ import annotations

import argparse
import json
import platform
import time
from dataclasses import dataclass
from functools import partial
from typing import Any, Callable

import jiter
import partial_json_parser
from followup import ArgumentsParser, Parser, Text

ROUNDS = 15
EMPTY = "an empty call"
OWN = "4 characters of arguments of 8 KiB"


@dataclass
class Subject:
    """What is measured.

    How a stream begins, its chunks, and how many chunks a round has at least.
    """

    prepare: Callable[[], Callable[[Any], Any]]
    chunks: list[Any]
    least: int = 50_000

    def measure(self) -> float:
        """Returns the nanoseconds of a chunk."""
        streams = -(-self.least // len(self.chunks))
        uses = [self.prepare() for _ in range(streams)]
        # The time of this process, as other processes may run on its core.
        start = time.process_time()
        for use in uses:
            for chunk in self.chunks:
                use(chunk)
        return (time.process_time() - start) / len(self.chunks) / streams * 1e9


def best(subjects: dict[str, Subject]) -> dict[str, float]:
    """Returns the best of several rounds, in which all subjects take turns."""
    rounds = [[subject.measure() for subject in subjects.values()] for _ in range(ROUNDS)]
    return dict(zip(subjects, map(min, *rounds)))


def fours(text: str) -> list[str]:
    return [text[i : i + 4] for i in range(0, len(text), 4)]


def question(length: int) -> str:
    return "<ask_followup_question><question>" + "word " * (length // 5)


def arguments(length: int) -> str:
    suggestions = [
        {"text": f"Answer {i}: " + "word " * 20, "mode": None} for i in range(length // 300)
    ]
    return json.dumps({"question": "word " * (length // 10), "follow_up": suggestions})[:length]


def parser() -> Callable[[str], Any]:
    return Parser(limits={"question": 1 << 30}).feed


def reparse(parse: Callable[[Any], Any], empty: Any) -> Callable[[], Callable[[Any], Any]]:
    """Returns what parses everything so far with each chunk.

    There is no state to continue from.
    """

    def prepare() -> Callable[[Any], Any]:
        text = empty

        def use(chunk: Any) -> Any:
            nonlocal text
            text += chunk
            return parse(text)

        return use

    return prepare


def main() -> None:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--check", action="store_true", help="fail if a goal is missed")
    check = options.parse_args().check
    print(
        f"{platform.python_implementation()} {platform.python_version()}, {platform.machine()}, best of {ROUNDS}\n"
    )

    chunks = fours(arguments(8 << 10))
    encoded = [chunk.encode() for chunk in chunks]
    lengths = {
        f"4 characters in a question of {length >> 10} KiB": length
        for length in (2048, 8192, 32768, 1 << 20)
    }
    costs = best(
        {
            # A method of the same extension module that ignores its argument.
            EMPTY: Subject(lambda: Text("").__deepcopy__, ["word"] * 50_000),
            **{name: Subject(parser, fours(question(length))) for name, length in lengths.items()},
            "4 characters of prose": Subject(lambda: Parser().feed, fours("word " * 20_000)),
            OWN: Subject(lambda: ArgumentsParser("ask_followup_question").feed, chunks),
            "jiter": Subject(
                reparse(partial(jiter.from_json, partial_mode="trailing-strings"), b""),
                encoded,
                2000,
            ),
            "partial-json-parser": Subject(reparse(partial_json_parser.loads, ""), chunks, 2000),
        }
    )
    for name, cost in costs.items():
        ratio = (
            f", {cost / costs[OWN]:.1f} times as long"
            if name in ("jiter", "partial-json-parser")
            else ""
        )
        print(f"{name:50} {cost:7.0f} ns{ratio}")

    questions = [costs[name] for name in lengths]
    goals = {
        "4 characters take at most 250 ns beyond an empty call": max(questions) - costs[EMPTY]
        <= 250,
        "the cost does not depend on the length": max(questions) <= 1.3 * min(questions),
        "5 times as fast as jiter": costs["jiter"] >= 5 * costs[OWN],
        "5 times as fast as partial-json-parser": costs["partial-json-parser"] >= 5 * costs[OWN],
    }
    print()
    for goal, is_met in goals.items():
        print(f"{'met   ' if is_met else 'missed'}  {goal}")
    if check and not all(goals.values()):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
