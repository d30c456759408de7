"""How many questions there are, why others can't be asked, and what was repaired."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from followup._path import elements

LARGEST = 4
"""How many reasons are printed for a model. The total has all of them, and so has the JSON."""


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

    def json(self) -> dict[str, Any]:
        numbers = {"rows": self.rows, "asked": self.asked, "complete": self.complete, "repaired": self.repaired}
        counters = {"notes": self.notes, "rejected": self.rejected, "errors": self.errors}
        return numbers | {name: dict(counter.most_common()) for name, counter in counters.items()}


class Summary:
    """The counts of all rows, and of those of each model."""

    def __init__(self, by: str | None) -> None:
        self.by = by
        self.messages = 0
        self.total = Counts()
        self.models: dict[str, Counts] = {}

    def add(self, messages: pa.Array, result: pa.Array, models: pa.Array | None) -> None:
        """Adds a batch: its messages, its result, and the model of each row."""
        self.messages += len(messages) - messages.null_count
        calls, rows = elements(result)
        self.count(self.total, calls, rows, len(result))
        if models is None:
            return
        models = pc.fill_null(pc.cast(models, pa.string()), "")
        for model in models.unique():
            of_model = pc.equal(models, model)
            is_its = of_model.take(rows)
            counts = self.models.setdefault(model.as_py(), Counts())
            self.count(counts, calls.filter(is_its), rows.filter(is_its), of_model.true_count)

    def count(self, counts: Counts, calls: pa.StructArray, rows: pa.Array, number: int) -> None:
        state, reason, notes = (calls.field(name) for name in ["state", "reason", "notes"])
        is_complete = pc.equal(state, "complete")
        counts.rows += number
        counts.asked += len(rows.filter(is_complete).unique())
        counts.complete += is_complete.true_count
        counts.repaired += pc.greater(pc.list_value_length(notes), 0).true_count
        counts.notes.update(occurrences(notes.flatten()))
        counts.rejected.update(occurrences(reason.filter(pc.equal(state, "rejected"))))
        counts.errors.update(occurrences(reason.filter(pc.equal(state, "error"))))

    def json(self) -> dict[str, Any]:
        by = {} if self.by is None else {"by": self.by, "models": {name: one.json() for name, one in self.models.items()}}
        return {"messages": self.messages, **self.total.json(), **by}

    def text(self) -> str:
        total = self.total
        lines = [f"{total.rows:,} rows, {self.messages:,} messages", ""]
        lines += [f"{total.complete:>12,}  questions can be asked, in {total.asked:,} rows ({percent(total.asked, total.rows)})"]
        lines += [f"{total.repaired:>12,}  of them have notes"] if total.repaired else []
        lines += [f"{number:>16,}  {note}" for note, number in total.notes.most_common()]
        for name, counter in [("can't be asked", total.rejected), ("errors in bodies", total.errors)]:
            lines += [f"{counter.total():>12,}  {name}"] if counter else []
            lines += [f"{number:>16,}  {reason}" for reason, number in counter.most_common()]
        lines += self.table() if self.models else []
        return "\n".join(lines)

    def table(self) -> list[str]:
        """Returns the counts of each model as lines, and below them what they consist of."""
        names = {name: name or "(none)" for name in self.models}
        width = max(len(name) for name in [self.by or "", *names.values()])
        lines = ["", f"{self.by:<{width}}  {'rows':>10}  {'asked':>7}  {'questions':>10}  {'repaired':>10}  {'rejected':>10}"]
        for name, one in sorted(self.models.items(), key=lambda item: (-item[1].rows, item[0])):
            numbers = [one.complete, one.repaired, one.rejected.total()]
            lines += [
                f"{names[name]:<{width}}  {one.rows:>10,}  {percent(one.asked, one.rows):>7}  "
                + "  ".join(f"{number:>10,}" for number in numbers)
            ]
            for kind, counter in [("repaired", one.notes), ("rejected", one.rejected), ("errors", one.errors)]:
                lines += [f"  {kind}: {largest(counter)}"] if counter else []
        return lines


def occurrences(values: pa.Array) -> dict[str, int]:
    return {one["values"].as_py(): one["counts"].as_py() for one in values.value_counts()}


def largest(counter: Counter[str]) -> str:
    """Returns the largest counts in a line, such as `12 bare_question, 3 unclosed_call, 2 others`."""
    counts = counter.most_common(LARGEST)
    others = counter.total() - sum(number for _, number in counts)
    return ", ".join(f"{number:,} {name}" for name, number in [*counts, ("others", others)] if number)


def percent(part: int, whole: int) -> str:
    return f"{part / whole:.1%}" if whole else "0.0%"
