"""Progress on the terminal, if there is one: a bar with rich, a line without."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def progress(total: int, is_wanted: bool) -> Iterator[Callable[[int], None]]:
    """Gives a function that is called with the number of rows that are done."""
    if not is_wanted or sys.stderr is None or not sys.stderr.isatty():
        yield lambda done: None
        return
    try:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
            TimeRemainingColumn,
        )
    except ImportError:
        try:
            yield lambda done: print(
                f"\r{done:,} of {total:,} rows", end="", file=sys.stderr, flush=True
            )
        finally:
            print(file=sys.stderr)
        return
    columns = [BarColumn(), MofNCompleteColumn(), TextColumn("rows"), TimeRemainingColumn()]
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=total)
        yield lambda done: bar.update(task, completed=done)
