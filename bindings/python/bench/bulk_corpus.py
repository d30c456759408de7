"""Messages to measure with: always the same ones."""

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

# What people write instead of a parser. It finds only well-formed calls, and neither suggestions nor repairs.
PATTERN = r"(?s)<ask_followup_question>.*?<question>(.*?)</question>.*?</ask_followup_question>"


def messages(megabytes, text=PROSE, length=2048, asking=1.0, seed=7):
    """Returns messages of about `length` bytes, of which a share ends in a question."""
    one = random.Random(seed)
    rows = []
    for number in range(megabytes * 1_000_000 // length):
        ask = ASK.format(number) if one.random() < asking else ""
        rows.append(text * ((length - len(ask)) // len(text)) + ask)
    return rows
