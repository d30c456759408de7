"""Reads recorded messages and bodies, which are not part of the repository, as columns.

    python tests/shared_columns.py [FOLDER]

The result of each column has to be that of the stream of each of its cells.
"""

from __future__ import annotations

import json
import sys
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa
from arrow_help import BYTES, STRINGS, rows_of
from followup.arrow import questions
from help import ROOT

FOLDER = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT.parent / "shared/data"
# The shapes that read the recorded tools.
SHAPES = (
    "claude codex vscode cursor cursor-tool ask_user opencode cline qwen mcp hermes omp pi droid "
    "confirm acp"
).split()


def records(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (FOLDER / name).read_bytes().splitlines()]


def columns() -> dict[str, tuple[list[Any], dict[str, Any]]]:
    """Returns the cells of each column, and how they are read."""
    messages = [row["content"] for row in records("cases.jsonl") + records("turns.jsonl")]
    found = {
        "messages": (messages, {}),
        "messages, strict": (messages, {"strict": True}),
        "envelopes": (
            [row["content"] for row in records("envelopes.jsonl")],
            {"envelopes": ["all"]},
        ),
        "bodies": (
            [path.read_bytes() for path in sorted((FOLDER / "bodies").glob("*.sse"))],
            {"wire": "auto"},
        ),
    }
    for row in records("question-tools.jsonl"):
        if row["expect"].get("rejected") == "unknown_tool":
            continue
        tool = (row["tool"].partition(":")[2] or row["tool"]).removesuffix(".form")
        cells, _ = found.setdefault(tool, ([], {"arguments_of": tool, "shapes": SHAPES}))
        cells.append(row["arguments"])
    return found


def by_byte(cell: str | bytes) -> list[bytes]:
    data = cell if isinstance(cell, bytes) else cell.encode()
    return [data[i : i + 1] for i in range(len(data))]


def chunked(cells: list[Any], data_type: pa.DataType) -> pa.ChunkedArray:
    """Returns a column with a null after each cell, in chunks of three rows."""
    rows = [row for cell in cells for row in (cell, None)]
    if data_type in BYTES:
        rows = [row.encode() if isinstance(row, str) else row for row in rows]
    whole = pa.array(rows, data_type)
    return pa.chunked_array([whole.slice(start, 3) for start in range(0, len(rows), 3)], data_type)


disagree = 0
for name, (cells, how) in columns().items():
    expected = [rows_of(by_byte(cell), **how) for cell in cells]
    types = BYTES if any(isinstance(cell, bytes) for cell in cells) else STRINGS + BYTES
    for data_type in types:
        result = questions(chunked(cells, data_type), threads=2, **how).to_pylist()
        wrong = [
            i
            for i, rows in enumerate(expected)
            if result[2 * i] != rows or result[2 * i + 1] is not None
        ]
        disagree += len(wrong)
        for i in islice(wrong, 3):
            print(
                f"{name}, {data_type}, {i}\n  expected {json.dumps(expected[i])}\n"
                f"  have     {json.dumps(result[2 * i])}"
            )
    print(f"{name}: {len(cells)} cells as {len(types)} types")
sys.exit(1 if disagree else 0)
