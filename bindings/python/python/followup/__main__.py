"""`python -m followup`: questions in files, in bulk."""

import argparse
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from followup._command import TEMPORARY

DESCRIPTION = "Finds the questions of language models in files of their messages."

QUESTIONS = """\
Copies a Parquet file and adds a column with the questions in one of its columns: for each message
a list of its calls, whether each can be asked or why not, and what was repaired. Prints how many
there are.

The column may be inside lists: trajectory[].text names the field text of each element of the
column trajectory, and messages[].content that of chat messages.
"""

EXAMPLES = """\
examples:
  python -m followup questions turns.parquet found.parquet --column content
  python -m followup questions runs.parquet found.parquet --column 'trajectory[].text' --keep id,model
  python -m followup questions gateway.parquet found.parquet --column body --wire auto --plot found.svg
"""


def parser() -> argparse.ArgumentParser:
    root = argparse.ArgumentParser(prog="python -m followup", description=DESCRIPTION)
    commands = root.add_subparsers(dest="command", required=True)
    one = commands.add_parser(
        "questions",
        help="add the questions of a column to a Parquet file",
        description=QUESTIONS,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    one.add_argument("input", metavar="IN.parquet", help="the file to read")
    one.add_argument(
        "output", metavar="OUT.parquet", help="the file to write; it appears when it is complete"
    )
    one.add_argument(
        "--column",
        required=True,
        metavar="PATH",
        help="the column with the messages, such as messages[].content",
    )
    one.add_argument(
        "--wire",
        default="text",
        metavar="FORMAT",
        help="text for messages (default), auto or a provider's format for bodies of responses",
    )
    one.add_argument(
        "--arguments-of",
        metavar="TOOL",
        help="the column has the arguments of native calls of this tool",
    )
    one.add_argument("--strict", action="store_true", help="reject calls that need a repair")
    one.add_argument(
        "--outside-code", action="store_true", help="start no call inside code or thinking"
    )
    one.add_argument("--decode-entities", action="store_true", help="decode &lt; and its like")
    one.add_argument(
        "--envelopes",
        metavar="NAMES",
        help="families of envelopes to read, separated by commas; default, all, or none",
    )
    one.add_argument(
        "--reasoning", action="store_true", help="with --wire: read the model's reasoning, too"
    )
    one.add_argument(
        "--into",
        default="questions",
        metavar="NAME",
        help="the name of the new column (default: questions)",
    )
    one.add_argument(
        "--keep", metavar="NAMES", help="the columns to copy, separated by commas (default: all)"
    )
    one.add_argument(
        "--by",
        metavar="NAME",
        help="count by this column, too (default: model or model_name, if there is such a column)",
    )
    one.add_argument(
        "--threads",
        type=int,
        default=cores(),
        metavar="N",
        help="parse with N threads (default: one for each core); with several, another reads ahead",
    )
    one.add_argument("--json", action="store_true", help="print the counts as JSON")
    one.add_argument(
        "--plot", metavar="FILE", help="draw the counts, as .svg or .png (needs matplotlib)"
    )
    one.add_argument(
        "--force", action="store_true", help="replace OUT.parquet and the picture if they exist"
    )
    one.add_argument("--no-progress", action="store_true", help="show no progress on the terminal")
    return root


def cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def main(arguments: Sequence[str] | None = None) -> int:
    options = parser().parse_args(arguments)
    try:
        return run_questions(options)
    except KeyboardInterrupt as interrupt:
        print(
            f"followup: interrupted{''.join(f'; {what}' for what in interrupt.args)}",
            file=sys.stderr,
        )
        return 130


def run_questions(options: argparse.Namespace) -> int:
    try:
        from pyarrow import ArrowException

        from followup._command.run import run
    except ImportError as error:
        print(f"followup: {error.name} is missing: pip install 'followup[cli]'", file=sys.stderr)
        return 1
    try:
        run(options)
    except (ValueError, TypeError, OSError, ArrowException) as error:
        print(f"followup: {error}", file=sys.stderr)
        return 1
    return 0


def terminated(number: int, frame: Any) -> None:
    """Removes the temporary files, and ends the program as the signal does.

    An exception would not always end it: pyarrow catches all of them while it looks for pandas.
    """
    for name in TEMPORARY:
        with suppress(OSError):
            os.unlink(name)
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


def handle_signals() -> None:
    """Lets the signals that end the program remove the temporary files."""
    for name in ("SIGTERM", "SIGHUP"):
        # Windows has no SIGHUP, and nohup ignores it.
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, terminated)


if __name__ == "__main__":
    # For the allocator of pyarrow, before it is loaded: do not keep memory that is freed, or the
    # peak is 100 MiB higher.
    os.environ.setdefault("MIMALLOC_PURGE_DELAY", "0")
    handle_signals()
    sys.exit(main())
