"""What the tests of the dialogue use."""

import json

import pytest
from followup import ArgumentsParser, Dialogue, DialogueError, Parser
from followup.dialogue import Ask, Later, Stop, Tell
from help import run

BAD = "<ask_followup_question></ask_followup_question>"
GIF = "data:image/gif;base64,R0lGODlh"
QUESTIONS = [
    {
        "id": "a",
        "header": "Store",
        "question": 'Which "store"?',
        "options": [{"label": "Redis, 7"}, {"label": 'say "hi"'}],
    },
    {
        "question": "Which parts?",
        "multiSelect": True,
        "options": [{"label": "A, B"}, {"label": "C"}, {"label": "E"}],
    },
    {"question": "Why?"},
]


def markup(question, answers=()):
    suggest = "".join(f"<suggest>{answer}</suggest>" for answer in answers)
    return (
        f"<ask_followup_question><question>{question}</question>"
        f"<follow_up>{suggest}</follow_up></ask_followup_question>"
    )


def directives(dialogue, message):
    """Returns the directives for a message, as one line each, without what is only shown."""
    lines = []
    for event in run(Parser(), [message]):
        match dialogue.event(event):
            case (Ask(question) | Later(question)) as directive:
                lines.append(f"{directive.type} {question.number} {question.question}")
            case (Tell(correction) | Stop(correction)) as directive:
                lines.append(f"{directive.type} {correction.reason}")
    return lines


def asked(tool, call, **options):
    """Returns a dialogue in which a tool was called."""
    dialogue = Dialogue(**options)
    for event in run(ArgumentsParser(tool), [json.dumps(call)]):
        dialogue.event(event)
    return dialogue


def fails_with(code, action, *args, **keywords):
    with pytest.raises(DialogueError) as info:
        action(*args, **keywords)
    assert info.value.code == code
    return str(info.value)
