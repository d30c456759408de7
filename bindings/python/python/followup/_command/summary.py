"""How many questions there are, why others can't be asked, and what was repaired."""

from __future__ import annotations

import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from followup._path import elements

LARGEST = 4
"""How many reasons are printed for a model."""

PRINTED = 20
"""How many models are printed, and how many reasons of the total."""

KEPT_MODELS = 1000
"""How many models have counts of their own: the first ones.

Those of all later ones are counted together.
"""

KEPT_REASONS = 200
"""How many reasons a model has, more than there are codes: the first ones.

Messages of providers may be all different.
"""

LONGEST = 200
"""The number of characters that are kept of a model's name and of a reason."""

CONTROLS = {"Cc", "Cf", "Cs", "Zl", "Zp"}
"""The categories of characters that a terminal may obey."""

OTHERS = "others"
"""The counts of all reasons that are not kept. No reason has this name."""


@dataclass
class Counts:
    """The counts of some rows."""

    rows: int = 0
    """Rows of the file."""
    asked: int = 0
    """Rows with at least one question that can be asked."""
    complete: int = 0
    """Questions that can be asked."""
    repaired: int = 0
    """Those of them with a note."""
    notes: Counter[str] = field(default_factory=Counter)
    rejected: Counter[str] = field(default_factory=Counter)
    errors: Counter[str] = field(default_factory=Counter)

    def add(self, other: Counts) -> None:
        """Adds other counts: those of other rows, or of a part of the same rows."""
        self.rows += other.rows
        self.asked += other.asked
        self.complete += other.complete
        self.repaired += other.repaired
        for mine, its in [
            (self.notes, other.notes),
            (self.rejected, other.rejected),
            (self.errors, other.errors),
        ]:
            for reason, number in its.items():
                mine[reason if reason in mine or len(mine) < KEPT_REASONS else OTHERS] += number

    def json(self) -> dict[str, Any]:
        numbers = {
            "rows": self.rows,
            "asked": self.asked,
            "complete": self.complete,
            "repaired": self.repaired,
        }
        counters = {"notes": self.notes, "rejected": self.rejected, "errors": self.errors}
        return numbers | {name: dict(counter.most_common()) for name, counter in counters.items()}


class Summary:
    """The counts of all rows, and of those of each model."""

    def __init__(self, by: str | None) -> None:
        self.by = by
        self.messages = 0
        self.total = Counts()
        self.models: dict[str, Counts] = {}
        self.other_models: Counts | None = None

    def add(self, messages: pa.Array, result: pa.Array, models: pa.Array | None) -> None:
        """Adds a batch: its messages, its result, and the model of each row."""
        self.messages += len(messages) - messages.null_count
        names = pa.array([b""] * len(result)) if models is None else texts_of(models)
        for model, counts in counted(result, names).items():
            self.total.add(counts)
            if models is not None:
                self.of_model(model).add(counts)

    def of_model(self, model: bytes) -> Counts:
        # A column of strings in a file may have ill-formed UTF-8.
        name = cut(model.decode(errors="replace"))
        if name in self.models or len(self.models) < KEPT_MODELS:
            return self.models.setdefault(name, Counts())
        if self.other_models is None:
            self.other_models = Counts()
        return self.other_models

    def json(self) -> dict[str, Any]:
        by = (
            {}
            if self.by is None
            else {"by": self.by, "models": {name: one.json() for name, one in self.models.items()}}
        )
        others = {} if self.other_models is None else {"other_models": self.other_models.json()}
        return {"messages": self.messages, **self.total.json(), **by, **others}

    def text(self) -> str:
        total = self.total
        lines = [f"{total.rows:,} rows, {self.messages:,} messages", ""]
        lines += [
            f"{total.complete:>12,}  questions can be asked, in {total.asked:,} rows "
            f"({percent(total.asked, total.rows)})"
        ]
        lines += [f"{total.repaired:>12,}  of them have notes"] if total.repaired else []
        for name, counter in [
            ("", total.notes),
            ("can't be asked", total.rejected),
            ("errors in bodies", total.errors),
        ]:
            lines += [f"{counter.total():>12,}  {name}"] if name and counter else []
            lines += [
                f"{number:>16,}  {printable(reason)}"
                for reason, number in largest(counter, PRINTED)
            ]
        lines += self.table() if self.models else []
        return "\n".join(lines)

    def ranked(self, number: int) -> list[tuple[str, Counts]]:
        """Returns the models with the most rows, and all others as one."""
        ranked = sorted(self.models.items(), key=lambda item: (-item[1].rows, item[0]))
        others = Counts()
        for counts in [*(one for _, one in ranked[number:]), *filter(None, [self.other_models])]:
            others.add(counts)
        return [(name_of(name), one) for name, one in ranked[:number]] + (
            [("(others)", others)] if others.rows else []
        )

    def table(self) -> list[str]:
        """Returns the counts of each model as lines, and below them what they consist of."""
        models = self.ranked(PRINTED)
        by = printable(self.by or "")
        width = max(len(name) for name in [by, *(name for name, _ in models)])
        lines = [
            "",
            f"{by:<{width}}  {'rows':>10}  {'asked':>7}  {'questions':>10}  {'repaired':>10}  {'rejected':>10}",
        ]
        for name, one in models:
            numbers = [one.complete, one.repaired, one.rejected.total()]
            lines += [
                f"{name:<{width}}  {one.rows:>10,}  {percent(one.asked, one.rows):>7}  "
                + "  ".join(f"{number:>10,}" for number in numbers)
            ]
            for kind, counter in [
                ("repaired", one.notes),
                ("rejected", one.rejected),
                ("errors", one.errors),
            ]:
                reasons = ", ".join(
                    f"{number:,} {printable(reason)}"
                    for reason, number in largest(counter, LARGEST)
                )
                lines += [f"  {kind}: {reasons}"] if counter else []
        return lines


def texts_of(models: pa.Array) -> pa.Array:
    """Returns the values of a column as the bytes of their texts; null has none."""
    return pc.fill_null(pc.cast(pc.cast(models, pa.string()), pa.binary()), b"")


def counted(result: pa.Array, models: pa.Array) -> dict[bytes, Counts]:
    """Returns the counts of each model in a batch.

    The time does not depend on how many models there are.
    """
    counts: defaultdict[bytes, Counts] = defaultdict(Counts)
    for [model], number in occurrences(models):
        counts[model].rows = number
    calls, rows = elements(result)
    state, reason, notes = (calls.field(name) for name in ["state", "reason", "notes"])
    model = models.take(rows)
    is_complete = pc.equal(state, "complete")
    asked = rows.filter(is_complete)
    for [of], number in occurrences(models.take(asked.unique())):
        counts[of].asked = number
    for [of], number in occurrences(models.take(asked)):
        counts[of].complete = number
    for [of], number in occurrences(model.filter(pc.greater(pc.list_value_length(notes), 0))):
        counts[of].repaired = number
    for [of, note], number in occurrences(
        model.take(pc.list_parent_indices(notes)), notes.flatten()
    ):
        counts[of].notes[note] = number
    for [of, state, why], number in occurrences(model, state, reason):
        if state != "complete":
            counter = counts[of].rejected if state == "rejected" else counts[of].errors
            counter[cut(why)] += number
    return dict(counts)


def occurrences(*columns: pa.Array) -> Iterator[tuple[tuple[Any, ...], int]]:
    """Returns the different rows of some columns, and how many there are of each.

    They are in the order of the first.
    """
    names = [str(number) for number in range(len(columns))]
    groups = (
        pa.table(list(columns), names)
        .group_by(names, use_threads=False)
        .aggregate([([], "count_all")])
    )
    rows = zip(*(groups[name].to_pylist() for name in names))
    return zip(rows, groups["count_all"].to_pylist())


def cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def name_of(model: str) -> str:
    """Returns what is shown for a model.

    A name that is in brackets itself is quoted, so that none looks like no name.
    """
    name = printable(model) or "(none)"
    return f'"{name}"' if model.startswith("(") else name


def printable(text: str) -> str:
    """Returns a text for the terminal.

    What would control it, or change the direction of a line, is escaped.
    """
    return "".join(
        one.encode("unicode_escape").decode() if unicodedata.category(one) in CONTROLS else one
        for one in text
    )


def largest(counter: Counter[str], number: int) -> list[tuple[str, int]]:
    """Returns the largest counts, and the sum of the others as the last."""
    named = [(reason, count) for reason, count in counter.most_common() if reason != OTHERS][
        :number
    ]
    others = counter.total() - sum(count for _, count in named)
    return named + ([(OTHERS, others)] if others else [])


def percent(part: int, whole: int) -> str:
    return f"{part / whole:.1%}" if whole else "0.0%"
