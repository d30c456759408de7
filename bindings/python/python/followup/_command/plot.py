"""A picture of the counts."""

import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from followup._command.summary import Counts, Summary, largest, printable

LARGEST = 12
"""The number of models and of reasons that are drawn; the others are drawn together."""

LONGEST = 60
"""The number of characters of a name or a reason that are drawn."""

COLOURS = {"asked as written": "#2a9d8f", "repaired": "#e9c46a", "can't be asked": "#e76f51"}


def check(path: str) -> None:
    """Raises ValueError if the picture can't be drawn."""
    if Path(path).suffix not in (".svg", ".png"):
        raise ValueError(f"--plot: a name that ends in .svg or .png was expected, not {path}")
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise ValueError("--plot needs matplotlib: pip install 'followup[plot]'") from None


def draw(summary: Summary, path: str, format: str) -> None:
    """Draws the calls of each model, and why they are repaired or can't be asked."""
    import matplotlib

    matplotlib.use("Agg")
    # A name with two dollar signs is no formula. What the font has no glyph for is drawn as a box.
    with matplotlib.rc_context({"text.parse_math": False}), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph")
        draw_all(summary, path, format)


def draw_all(summary: Summary, path: str, format: str) -> None:
    from matplotlib import pyplot

    models = summary.ranked(LARGEST)[::-1] or [("all", summary.total)]
    reasons = summary.total.notes + summary.total.rejected + summary.total.errors
    most = largest(reasons, LARGEST)[::-1]
    height = 1.9 + 0.3 * max(len(models), len(most))
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(12, height), layout="constrained")
    start = [0] * len(models)
    for label, colour in COLOURS.items():
        numbers = [parts(counts)[label] for _, counts in models]
        left.barh(range(len(models)), numbers, left=start, label=label, color=colour)
        start = [one + two for one, two in zip(start, numbers)]
    name_bars(left, (name for name, _ in models))
    left.set_title(f"Calls by {printable(summary.by or '')}" if summary.models else "Calls")
    figure.legend(
        *left.get_legend_handles_labels(),
        frameon=False,
        loc="outside lower left",
        ncols=len(COLOURS),
    )
    is_note = [name in summary.total.notes for name, _ in most]
    colours = [COLOURS["repaired" if note else "can't be asked"] for note in is_note]
    right.barh(range(len(most)), [number for _, number in most], color=colours)
    name_bars(right, (printable(name) for name, _ in most))
    right.set_title("Repairs, and why calls can't be asked")
    for axes in (left, right):
        axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, format=format)
    pyplot.close(figure)


def name_bars(axes: Any, names: Iterable[str]) -> None:
    """Writes a name beside each bar. As categories of matplotlib, equal names would be one bar."""
    short = [name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…" for name in names]
    axes.set_yticks(range(len(short)), short)


def parts(counts: Counts) -> dict[str, int]:
    numbers = [
        counts.complete - counts.repaired,
        counts.repaired,
        counts.rejected.total() + counts.errors.total(),
    ]
    return dict(zip(COLOURS, numbers))
