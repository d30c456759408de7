"""Shows the events of a message while it comes, four characters at a time.

python examples/events.py [FILE]
"""

import sys
from pathlib import Path

from followup import Complete, Parser, Partial, Rejected, Text

MESSAGE = """\
Let me ask.
<ask_followup_question><question>Which database?</question>
<follow_up><suggest>PostgreSQL</suggest><suggest mode="code">SQLite</suggest></follow_up>
</ask_followup_question>
"""

message = Path(sys.argv[1]).read_text(encoding="utf-8") if len(sys.argv) > 1 else MESSAGE
parser = Parser()
chunks = [message[i : i + 4] for i in range(0, len(message), 4)]
for events in [*map(parser.feed, chunks), parser.finish()]:
    for event in events:
        match event:
            case Text(text):
                print(text, end="")
            case Partial(field=field, delta=delta):
                print(f"  {field} += {delta!r}")
            case Complete(question, suggestions):
                print("ask:", question, [suggestion.answer for suggestion in suggestions])
            case Rejected(message=why):
                print("not asked:", why)
