"""Measures what a chunk costs, in one run: beyond an empty call, by length, and against partial JSON parsers.

    pip install jiter partial-json-parser
    python bench/feed.py [--check]

With `--check` it fails if a goal is missed.
"""

from __future__ import annotations

import argparse
import json
import platform
import time
from functools import partial
from typing import Any, Callable

import jiter
import partial_json_parser
from followup import ArgumentsParser, Parser, Text

ROUNDS = 7


def best(prepare: Callable[[], Callable[[Any], Any]], chunks: list[Any], least: int = 50_000) -> float:
    """Returns the nanoseconds of a chunk in the best of several rounds of at least so many chunks."""
    streams = -(-least // len(chunks))
    seconds = []
    for _ in range(ROUNDS):
        uses = [prepare() for _ in range(streams)]
        start = time.perf_counter()
        for use in uses:
            for chunk in chunks:
                use(chunk)
        seconds.append(time.perf_counter() - start)
    return min(seconds) / len(chunks) / streams * 1e9


def fours(text: str) -> list[str]:
    return [text[i : i + 4] for i in range(0, len(text), 4)]


def question(length: int) -> str:
    return "<ask_followup_question><question>" + "word " * (length // 5)


def arguments(length: int) -> str:
    suggestions = [{"text": f"Answer {i}: " + "word " * 20, "mode": None} for i in range(length // 300)]
    return json.dumps({"question": "word " * (length // 10), "follow_up": suggestions})[:length]


def parser() -> Callable[[str], Any]:
    return Parser(limits={"question": 1 << 30}).feed


def reparse(parse: Callable[[Any], Any], empty: Any) -> Callable[[], Callable[[Any], Any]]:
    """Returns what parses everything so far with each chunk, as there is no state to continue from."""

    def prepare() -> Callable[[Any], Any]:
        text = empty

        def use(chunk: Any) -> Any:
            nonlocal text
            text += chunk
            return parse(text)

        return use

    return prepare


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--check", action="store_true", help="fail if a goal is missed")
    check = options.parse_args().check
    print(f"{platform.python_implementation()} {platform.python_version()}, {platform.machine()}, best of {ROUNDS}\n")

    # A method of the same extension module that ignores its argument.
    empty = best(lambda: Text("").__deepcopy__, ["word"] * 50_000)
    print(f"an empty call                                         {empty:6.0f} ns")
    costs = {}
    for length in (2 << 10, 8 << 10, 32 << 10, 1 << 20):
        costs[length] = best(parser, fours(question(length)))
        print(f"4 characters in a question of {length >> 10:4} KiB                {costs[length]:6.0f} ns")
    prose = best(lambda: Parser().feed, fours("word " * 20_000))
    print(f"4 characters of prose                                 {prose:6.0f} ns")

    chunks = fours(arguments(8 << 10))
    own = best(lambda: ArgumentsParser("ask_followup_question").feed, chunks)
    print(f"\n4 characters of arguments of 8 KiB                    {own:6.0f} ns")
    encoded = [chunk.encode() for chunk in chunks]
    jiter_cost = best(reparse(partial(jiter.from_json, partial_mode="trailing-strings"), b""), encoded, 2000)
    other_cost = best(reparse(partial_json_parser.loads, ""), chunks, 2000)
    for name, cost in {"jiter": jiter_cost, "partial-json-parser": other_cost}.items():
        print(f"{name:22}                                {cost:6.0f} ns, {cost / own:.1f} times as long")

    goals = {
        "4 characters take at most 250 ns beyond an empty call": max(costs.values()) - empty <= 250,
        "the cost does not depend on the length": max(costs.values()) <= 1.3 * min(costs.values()),
        "5 times as fast as jiter": jiter_cost >= 5 * own,
        "5 times as fast as partial-json-parser": other_cost >= 5 * own,
    }
    print()
    for goal, is_met in goals.items():
        print(f"{'met   ' if is_met else 'missed'}  {goal}")
    if check and not all(goals.values()):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
