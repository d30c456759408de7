"""What all engines read, and what they should find."""

import re
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from followup.arrow import questions

ASK = (
    "Hm. <ask_followup_question><question>{}</question><follow_up><suggest>A</suggest>"
    '<suggest mode="code">B</suggest></follow_up></ask_followup_question>'
)
CELLS = [
    ASK.format("Tea?"),
    None,
    "prose",
    "",
    "<ask_followup_question>Tea?</ask_followup_question>",
    ASK.format("é€😀") + "<ask_followup_question><question>cut",
    '<tool_call>{"name": "ask_followup_question", "arguments": {"question": "Which?"}}</tool_call>',
]


PAGE = Path(__file__).parents[1] / "docs/bulk.md"


def run_example(engine, folder):
    """Runs the example of an engine in the docs, and returns the questions that it writes."""
    [code] = re.findall(
        rf"^### {engine}\n+```py\n(.*?)^```",
        PAGE.read_text(encoding="utf-8"),
        re.MULTILINE | re.DOTALL,
    )
    pq.write_table(pa.table({"id": range(len(CELLS)), "text": CELLS}), folder / "messages.parquet")
    exec(
        compile(re.sub(r"(messages|found)\.parquet", rf"{folder}/\g<0>", code), engine, "exec"), {}
    )
    found = pq.read_table(folder / "found.parquet").sort_by("id")
    assert found.column_names == ["id", "text", "questions"]
    return found["questions"].to_pylist()


def rows(cells, **options):
    return questions(pa.array(cells, pa.string()), **options).to_pylist()


def normal(value):
    """Returns the values of an engine as plain lists and dicts."""
    if hasattr(value, "asDict"):
        value = value.asDict()
    if isinstance(value, dict):
        return {key: normal(one) for key, one in value.items()}
    return (
        [normal(one) for one in value]
        if isinstance(value, (list, tuple)) or hasattr(value, "tolist")
        else value
    )
