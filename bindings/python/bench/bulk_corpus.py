"""Messages to measure with: always the same ones."""

import json
import random

# The same text as in the benchmarks of the crate.
PROSE = (
    "The build is **green** again. Next I would look at `src/main.rs`, where the\n"
    "configuration is read twice:\n\n- once for the defaults,\n- once for the user's own file.\n\n"
)
TSX = '<ul className="list">{items.map((item) => <li key={item.id}><b>{item.name}</b> {a < b}</li>)}</ul>\n'
ASK = """<ask_followup_question>
<question>Which database should service {} use?</question>
<follow_up>
<suggest>PostgreSQL, as the other services do</suggest>
<suggest mode="architect">Compare them first</suggest>
</follow_up>
</ask_followup_question>
"""

# What people write instead of a parser. It finds only well-formed calls, and neither suggestions
# nor repairs.
PATTERN = r"(?s)<ask_followup_question>.*?<question>(.*?)</question>.*?</ask_followup_question>"


def messages(megabytes, text=PROSE, length=2048, asking=1.0, seed=7):
    """Returns messages of about `length` bytes, of which a share ends in a question."""
    one = random.Random(seed)
    rows = []
    for number in range(megabytes * 1_000_000 // length):
        ask = ASK.format(number) if one.random() < asking else ""
        rows.append(text * ((length - len(ask)) // len(text)) + ask)
    return rows


def kinds(count=1000):
    """Returns messages of each kind of call that models write: of each, `count`."""
    question = "Which database should service {} use?"
    arguments = {"question": question, "follow_up": ["PostgreSQL", "SQLite"]}
    call = json.dumps({"name": "ask_followup_question", "arguments": arguments})
    forms = {
        "well-formed": ASK,
        "without <question>": f"<ask_followup_question>\n{question}\n</ask_followup_question>",
        "<question> is not closed": ASK.replace("</question>", ""),
        "the call is not closed": ASK.replace("</ask_followup_question>", ""),
        "an envelope of Hermes": f"<tool_call>\n{call}\n</tool_call>",
    }
    return {
        name: [PROSE + form.replace("{}", str(number)) for number in range(count)]
        for name, form in forms.items()
    }
