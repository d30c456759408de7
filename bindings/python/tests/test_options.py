"""The options of the parsers, and what is wrong with them."""

import json

import pytest
from followup import ArgumentsParser, Complete, Error, Parser, ResponseParser
from help import MESSAGE, OPEN, ROOT, run


def test_options_change_what_is_read():
    code = f"```\n{OPEN}</question></ask_followup_question>\n```"
    assert any(isinstance(event, Complete) for event in run(Parser(), [code]))
    assert not any(isinstance(event, Complete) for event in run(Parser(outside_code=True), [code]))
    entity = "<ask_followup_question><question>a &lt; b</question></ask_followup_question>"
    assert run(Parser(), [entity])[-1].question == "a &lt; b"
    assert run(Parser(decode_entities=True), [entity])[-1].question == "a < b"
    leaked = '<tool_call>{"name": "ask_followup_question", "arguments": {"question": "Tea?"}}</tool_call>\n'
    assert any(
        event.type == "complete" and event.envelope == "hermes" for event in run(Parser(), [leaked])
    )
    assert [event.type for event in run(Parser(envelopes=[]), [leaked])] == ["text"]
    thought = (
        b'{"message":{"thinking":"<ask_followup_question><question>Tea?</question>'
        b'</ask_followup_question>"},"done":true}'
    )
    assert run(ResponseParser("ollama"), [thought]) == []
    assert run(ResponseParser("ollama", reasoning=True), [thought])[-1].note_codes == (
        "in_reasoning",
    )


LIMITS = [
    "question",
    "answer",
    "suggestions",
    "tag",
    "unconfirmed",
    "questions",
    "header",
    "description",
    "texts",
]


@pytest.mark.parametrize("limit", LIMITS)
def test_each_limit_of_a_call_changes_what_is_read(limit):
    call = {
        "question": "Tea?",
        "header": "Drink",
        "options": [{"label": "Yes", "description": "Hot"}, {"label": "No"}],
    }
    arguments = json.dumps({"questions": [call, call]})
    markup = "<ask_followup_question>Tea?<question>Tea?</question><suggest>Yes</suggest></ask_followup_question>"

    def ends(**options):
        events = run(ArgumentsParser("AskUserQuestion", **options), [arguments]) + run(
            Parser(**options), [markup]
        )
        return [event for event in events if event.type != "partial"]

    assert ends() == ends(limits={limit: 2**31}) != ends(limits={limit: 1})


def test_each_limit_of_a_stream_changes_what_is_read():
    body = (ROOT / "examples/responses/openai-chat.sse").read_bytes()

    def codes(**limits):
        return [
            event.code
            for event in run(ResponseParser("openai-chat", limits=limits), [body])
            if isinstance(event, Error)
        ]

    assert codes() == []
    assert "too_long" in codes(event=20)
    assert set(codes(open_calls=0)) == set(codes(arguments=1)) == {"too_many_calls"}


def test_options_that_are_none_are_the_defaults():
    options = dict.fromkeys(["envelopes", "tools", "parameters", "shapes", "limits"])
    assert run(Parser(**options), [MESSAGE]) == run(Parser(), [MESSAGE])


def test_a_shape_is_a_name_a_text_or_a_file(tmp_path):
    shapes = list((ROOT / "src/shape/tools").iterdir())
    assert shapes
    for shape in shapes:
        text = shape.read_text()
        file = tmp_path / "mine.shapes"
        file.write_text(text)
        tool = text.split("\ntool ", 1)[1].split(maxsplit=1)[0]
        for given in (text, file):
            ArgumentsParser(tool, shapes=[given])
    with pytest.raises(ValueError, match="no shape reads the tool AskUserQuestion"):
        ArgumentsParser("AskUserQuestion", shapes=["codex"])
    with pytest.raises(FileNotFoundError):
        Parser(shapes=[tmp_path / "missing"])


WRONG = [
    (
        lambda: Parser().feed(3),
        TypeError,
        "chunk: str, bytes, bytearray or memoryview was expected, not int",
    ),
    (
        lambda: Parser().feed(None),
        TypeError,
        "chunk: str, bytes, bytearray or memoryview was expected, not NoneType",
    ),
    (
        lambda: Parser().feed(["a"]),
        TypeError,
        "chunk: str, bytes, bytearray or memoryview was expected, not list",
    ),
    (lambda: Parser(stict=True), TypeError, "stict is no option; there are: strict"),
    (lambda: Parser(reasoning=True), TypeError, "reasoning is no option; there are: strict"),
    (lambda: Parser(strict=1), TypeError, "strict: a bool was expected, not int"),
    (
        lambda: Parser(envelopes="all"),
        TypeError,
        "envelopes: an iterable of strings was expected, not str",
    ),
    (
        lambda: Parser(envelopes=[1]),
        TypeError,
        "envelopes: an iterable of strings was expected, not int",
    ),
    (
        lambda: Parser(envelopes=["x"]),
        ValueError,
        "envelopes: x: no family of envelopes has this name; there are: function-xml, hermes",
    ),
    (lambda: Parser(tools=5), TypeError, "tools: an iterable of strings was expected, not int"),
    (
        lambda: Parser(tools=["a b"]),
        ValueError,
        'tools: "a b" can.t be the name of a tool or parameter: use ASCII letters',
    ),
    (
        lambda: Parser(parameters=["path"]),
        ValueError,
        "parameters: they are those of tools, which are not given",
    ),
    (
        lambda: Parser(tools=None, parameters=[]),
        ValueError,
        "parameters: they are those of tools, which are not given",
    ),
    (
        lambda: Parser(shapes=["nix"]),
        ValueError,
        "shapes: there is no built-in shape nix; there are: claude",
    ),
    (
        lambda: Parser(shapes=["shape a\nb"]),
        ValueError,
        "shapes: line 2, column 1: `b` is no role: see docs/question-tools.md",
    ),
    (
        lambda: Parser(shapes=[3]),
        TypeError,
        "shapes: an iterable of strings and paths was expected, not int",
    ),
    (
        lambda: Parser(limits=3),
        TypeError,
        "limits: a mapping of names to numbers was expected, not int",
    ),
    (
        lambda: Parser(limits={"event": 1}),
        TypeError,
        "limits: event is no limit; there are: question",
    ),
    (
        lambda: Parser(limits={"question": -1}),
        ValueError,
        "limits: question: a number from 0 to 2147483648 was expected, not -1",
    ),
    (
        lambda: Parser(limits={"question": 2**80}),
        ValueError,
        "limits: question: a number from 0 to 2147483648 was expected, not 1208925819614629174706176",
    ),
    (
        lambda: Parser(limits={"question": 1.5}),
        TypeError,
        "limits: question: a whole number was expected, not float",
    ),
    (
        lambda: Parser(limits={"question": True}),
        TypeError,
        "limits: question: a whole number was expected, not bool",
    ),
    (
        lambda: Parser(checkpoint=b""),
        ValueError,
        "checkpoint: the bytes are no checkpoint of such a parser",
    ),
    (lambda: Parser(checkpoint="x"), TypeError, "checkpoint: bytes was expected, not str"),
    (
        lambda: ArgumentsParser("AskUserQuestion", checkpoint=3),
        TypeError,
        "checkpoint: bytes was expected, not int",
    ),
    (
        lambda: ResponseParser(checkpoint=bytearray()),
        TypeError,
        "checkpoint: bytes was expected, not bytearray",
    ),
    (lambda: ArgumentsParser("x"), ValueError, "tool: no shape reads the tool x"),
    (lambda: ArgumentsParser(), TypeError, "missing 1 required positional argument: 'tool'"),
    (lambda: ArgumentsParser(None), TypeError, "tool: a str was expected, not NoneType"),
    (
        lambda: ResponseParser("x"),
        ValueError,
        'format: "x" is none of openai-chat, openai-responses',
    ),
    (lambda: ResponseParser(3), TypeError, "format: a str was expected, not int"),
]


@pytest.mark.parametrize("use, error, message", WRONG)
def test_wrong_input_is_an_error_that_says_what_was_expected(use, error, message):
    with pytest.raises(error, match=message):
        use()
