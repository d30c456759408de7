"""What all engines read, and what they should find."""

import pyarrow as pa

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


def rows(cells, **options):
    return questions(pa.array(cells, pa.string()), **options).to_pylist()


def normal(value):
    """Returns the values of an engine as plain lists and dicts."""
    if hasattr(value, "asDict"):
        value = value.asDict()
    if isinstance(value, dict):
        return {key: normal(one) for key, one in value.items()}
    return [normal(one) for one in value] if isinstance(value, (list, tuple)) or hasattr(value, "tolist") else value
