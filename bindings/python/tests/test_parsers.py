"""The parsers: events, options, views, checkpoints and errors."""

import gc
import threading

import pytest
from help import ROOT, cut, joined, run

from followup import ArgumentsParser, Complete, Opaque, Parser, Partial, Rejected, ResponseParser, Suggestion, Text

MESSAGE = (
    "Before that: <ask_followup_question><question>Wohin, 😀 < Süden?</question>"
    "<follow_up><suggest mode='code'>Ja</suggest><suggest>Nein &amp; 数据</suggest></follow_up></ask_followup_question> Danke."
)
OPEN = "<ask_followup_question><question>Tea?"
CLASSES = [Parser, lambda **options: ArgumentsParser("AskUserQuestion", **options), ResponseParser]


def test_a_question_is_shown_while_it_is_written():
    parser = Parser()
    assert parser.feed("So: <ask_followup_question><question>Tea or co") == [
        Text("So: "),
        Partial(0, "question", "Tea or co"),
    ]
    events = parser.feed("ffee?</question><suggest mode='ask'>Te")
    match events:
        case [Partial(0, "question", "ffee?"), Partial(0, "suggestion", "Te", 0, 0, known=known)]:
            assert known is not None and known.mode == "ask"
        case _:
            pytest.fail(repr(events))
    view = parser.view()
    assert view is not None and view.questions[0].text == "Tea or coffee?"
    assert view.questions[0].suggestions == (Suggestion("Te", mode="ask"),)
    *_, complete = parser.feed("a</suggest></ask_followup_question>")
    assert isinstance(complete, Complete)
    assert complete.suggestions == (Suggestion("Tea", mode="ask"),)
    assert parser.view() is None
    assert parser.finish() == []


def test_a_rejection_says_why():
    def rejection(message, **options):
        [rejected] = [event for event in run(Parser(**options), [message]) if isinstance(event, Rejected)]
        return rejected.code, rejected.part, rejected.limit, rejected.note

    assert rejection(OPEN) == ("truncated", "question", None, None)
    assert rejection(OPEN, limits={"question": 2}) == ("too_long", "question", 2, None)
    assert rejection(f"{OPEN}<follow_up>", strict=True) == ("malformed", None, None, "unclosed_question")
    empty = "<ask_followup_question><follow_up></follow_up></ask_followup_question>"
    assert rejection(empty) == ("missing_parameter", None, None, None)


def test_notes_are_words_and_codes():
    *_, complete = run(Parser(), [f"{OPEN}<follow_up>"])
    assert complete.note_codes == ("unclosed_question", "stream_ended")
    assert complete.notes == ("the question has no close tag", "the message ended before the call was closed")


def test_calls_of_other_tools_are_opaque():
    events = run(Parser(), ["<read_file><path>a</path></read_file>"])
    assert "".join(event.raw for event in events) == "<read_file><path>a</path></read_file>"
    assert [event.start for event in events] == [True] + [False] * (len(events) - 1)
    own = run(Parser(tools=["deploy"], parameters=["to"]), ["<deploy><to>b</to></deploy>"])
    assert isinstance(own[0], Opaque) and own[0].tool == "deploy"


def test_arguments_of_other_question_tools_are_read():
    parser = ArgumentsParser("AskUserQuestion")
    events = parser.feed(
        '{"questions": [{"header": "Drink", "question": "Tea?", "multiSelect": true, '
        '"options": [{"label": "Yes", "description": "Hot"}, {"label": "No"}]}]}'
    )
    view = parser.view(0)
    assert view is not None and view.questions[0].header == "Drink"
    [complete] = parser.finish()
    [question] = complete.questions
    assert (complete.shape, question.multiple) == ("claude", True)
    assert question.suggestions == (Suggestion("Yes", description="Hot"), Suggestion("No"))
    assert view.questions == complete.questions
    for field in ("header", "question", "suggestion", "description"):
        assert any(event.field == field for event in events)


def test_a_response_is_detected_and_its_errors_are_events():
    parser = ResponseParser()
    assert parser.detected_format is None
    body = (ROOT / "examples/responses/openai-chat.sse").read_bytes()
    events = run(parser, [body])
    [complete] = [event for event in events if isinstance(event, Complete)]
    assert complete.id is not None
    [error] = run(ResponseParser("anthropic"), ['data: {"type":"error","error":{"message":"Overloaded"}}\n\n'])
    assert (error.code, error.message) == ("provider", "Overloaded")


def test_the_format_is_known_once_it_is_certain():
    parser = ResponseParser()
    parser.feed(b'{"model":"qwen3","message":{"role":"assistant","content":"Hi"},"done":false}\n')
    assert parser.detected_format == "ollama"
    assert ResponseParser("anthropic").detected_format == "anthropic"


def test_options_change_what_is_read():
    code = f"```\n{OPEN}</question></ask_followup_question>\n```"
    assert any(isinstance(event, Complete) for event in run(Parser(), [code]))
    assert not any(isinstance(event, Complete) for event in run(Parser(outside_code=True), [code]))
    entity = "<ask_followup_question><question>a &lt; b</question></ask_followup_question>"
    assert run(Parser(), [entity])[-1].question == "a &lt; b"
    assert run(Parser(decode_entities=True), [entity])[-1].question == "a < b"
    leaked = '<tool_call>{"name": "ask_followup_question", "arguments": {"question": "Tea?"}}</tool_call>\n'
    assert any(event.type == "complete" and event.envelope == "hermes" for event in run(Parser(), [leaked]))
    assert [event.type for event in run(Parser(envelopes=[]), [leaked])] == ["text"]
    thought = b'{"message":{"thinking":"<ask_followup_question><question>Tea?</question></ask_followup_question>"},"done":true}'
    assert run(ResponseParser("ollama"), [thought]) == []
    assert run(ResponseParser("ollama", reasoning=True), [thought])[-1].note_codes == ("in_reasoning",)


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
    with pytest.raises(ValueError, match="AskUserQuestion is no question tool"):
        ArgumentsParser("AskUserQuestion", shapes=["codex"])
    with pytest.raises(FileNotFoundError):
        Parser(shapes=[tmp_path / "missing"])


@pytest.mark.parametrize("create", CLASSES)
def test_bytes_of_all_types_are_the_same(create):
    data = MESSAGE.encode()
    expected = run(create(), [data])
    for chunk in (bytearray(data), memoryview(data), memoryview(bytes(c for byte in data for c in (byte, 0)))[::2]):
        assert run(create(), [chunk]) == expected
    assert run(create(), [MESSAGE]) == expected


def test_a_bytearray_can_change_after_it_is_fed():
    parser, chunk = Parser(), bytearray(b"<ask_foll")
    parser.feed(chunk)
    chunk[:] = b"?" * 9
    assert parser.finish() == [Text("<ask_foll")]


def test_halves_of_a_surrogate_pair_are_joined_and_others_are_replaced():
    def text(*chunks):
        return "".join(event.text for event in run(Parser(), list(chunks)))

    assert text("a\ud83d", "\ude00b") == "a😀b"
    assert text("a\ud83d", "", "\ude00b") == "a😀b"
    assert text("\ud83d\ude00") == "😀"
    assert text("a\ud83d", "b") == "a\ufffdb"
    assert text("a\ud83d", b"b") == "a\ufffdb"
    assert text("a\ud83d") == "a\ufffd"
    assert text("\ude00\ud83d\ud83d", "\ude00\ude00") == "\ufffd\ufffd😀\ufffd"
    assert text("数\udcff据") == "数\ufffd据"


def test_ill_formed_bytes_are_replaced_wherever_they_are_cut():
    data = b"a\xff\xf0\x9f\x98b\xed\xa0\x80c\xf0\x9f\x98\x80\xc3"
    expected = data.decode(errors="replace")
    for i in range(len(data)):
        assert "".join(event.text for event in run(Parser(), [data[:i], data[i:]])) == expected


@pytest.mark.parametrize("create", CLASSES)
def test_a_parser_continues_from_a_checkpoint_after_every_character(create):
    whole = joined(run(create(), [MESSAGE]))
    for i in range(len(MESSAGE) + 1):
        first = create()
        events = first.feed(MESSAGE[:i])
        second = create(checkpoint=first.checkpoint())
        assert joined(events + run(second, [MESSAGE[i:]])) == whole


def test_a_checkpoint_keeps_half_a_surrogate_pair():
    parser = Parser()
    parser.feed("\ud83d")
    assert Parser(checkpoint=parser.checkpoint()).feed("\ude00") == [Text("😀")]


def test_a_checkpoint_does_not_depend_on_the_cut():
    by_character, whole = Parser(), Parser()
    for character in MESSAGE[:100]:
        by_character.feed(character)
    whole.feed(MESSAGE[:100])
    assert by_character.checkpoint() == whole.checkpoint()


def test_a_checkpoint_of_other_options_or_with_damage_is_a_value_error():
    parser = Parser()
    parser.feed(OPEN)
    checkpoint = parser.checkpoint()
    with pytest.raises(ValueError, match="another policy"):
        Parser(strict=True, checkpoint=checkpoint)
    for i in range(len(checkpoint)):
        for damaged in (checkpoint[:i], checkpoint[:i] + bytes([checkpoint[i] ^ 0x55]) + checkpoint[i + 1 :]):
            with pytest.raises(ValueError):
                Parser(checkpoint=damaged)


@pytest.mark.parametrize("create", CLASSES)
def test_a_finished_parser_raises_value_error(create):
    parser = create()
    parser.feed("{")
    parser.finish()
    for use in (lambda: parser.feed("a"), parser.finish, parser.checkpoint):
        with pytest.raises(ValueError, match="the parser is finished"):
            use()
    assert parser.view() is None


def test_views_of_no_call_are_none():
    parser = Parser()
    assert parser.view() is None
    parser.feed(OPEN)
    assert parser.view(0) == parser.view()
    for call in (1, -1, 2**70):
        assert parser.view(call) is None
    with pytest.raises(TypeError):
        parser.view("0")


WRONG = [
    (lambda: Parser().feed(3), TypeError, "str, bytes, bytearray or memoryview was expected, not int"),
    (lambda: Parser().feed(None), TypeError, "not NoneType"),
    (lambda: Parser().feed(["a"]), TypeError, "not list"),
    (lambda: Parser(stict=True), TypeError, "stict is no option; there are: strict"),
    (lambda: Parser(reasoning=True), TypeError, "reasoning is no option"),
    (lambda: Parser(strict=1), TypeError, "strict: a bool was expected, not int"),
    (lambda: Parser(envelopes="all"), TypeError, "envelopes: an iterable of strings was expected, not str"),
    (lambda: Parser(envelopes=[1]), TypeError, "not int"),
    (lambda: Parser(envelopes=["x"]), ValueError, "envelopes: x: .*hermes"),
    (lambda: Parser(tools=5), TypeError, "tools: an iterable of strings was expected, not int"),
    (lambda: Parser(tools=["a b"]), ValueError, "tools: "),
    (lambda: Parser(shapes=["nix"]), ValueError, "no built-in shape nix; there are: claude"),
    (lambda: Parser(shapes=["shape a\nb"]), ValueError, "shapes: line 2"),
    (lambda: Parser(shapes=[3]), TypeError, "strings and paths was expected, not int"),
    (lambda: Parser(limits=3), TypeError, "limits: a mapping"),
    (lambda: Parser(limits={"event": 1}), TypeError, "limits: event is no limit; there are: question"),
    (lambda: Parser(limits={"question": -1}), ValueError, "from 0 to 2147483648 was expected, not -1"),
    (lambda: Parser(limits={"question": 2**80}), ValueError, "limits: question"),
    (lambda: Parser(limits={"question": 1.5}), TypeError, "a whole number was expected, not float"),
    (lambda: Parser(limits={"question": True}), TypeError, "a whole number was expected, not bool"),
    (lambda: Parser(checkpoint=b""), ValueError, "no checkpoint"),
    (lambda: Parser(checkpoint="x"), TypeError, "str"),
    (lambda: ArgumentsParser("x"), ValueError, "x is no question tool"),
    (lambda: ArgumentsParser(), TypeError, "tool"),
    (lambda: ResponseParser("x"), ValueError, "format: .*openai-chat"),
    (lambda: ResponseParser(3), TypeError, "str"),
]


@pytest.mark.parametrize("use, error, message", WRONG)
def test_wrong_input_is_an_error_that_says_what_was_expected(use, error, message):
    with pytest.raises(error, match=message):
        use()


def test_a_parser_is_in_use_by_one_thread_at_a_time():
    # Each thread feeds its own letter; an error or whole chunks, and never a mix.
    parser, chunks, errors = Parser(), [], []
    start = threading.Barrier(4)

    def feed(letter):
        start.wait()
        for _ in range(2000):
            try:
                chunks.extend(event.text for event in parser.feed(letter * 3))
            except RuntimeError as error:
                errors.append(str(error))

    threads = [threading.Thread(target=feed, args=(letter,)) for letter in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(errors) <= {"the parser is in use by another thread"}
    assert len(chunks) + len(errors) == 8000
    assert all(chunk in ("aaa", "bbb", "ccc", "ddd") for chunk in chunks)


def test_parsers_that_are_forgotten_leave_no_memory():
    resource = pytest.importorskip("resource")

    def use(count):
        for _ in range(count):
            Parser().feed(OPEN + "x" * 10_000)
        gc.collect()
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    before = use(2000)
    assert use(8000) < before + 10_000  # KiB; without freeing it would be 80,000


def test_cuts_of_bytes_give_the_same_events():
    data = MESSAGE.encode()
    whole = joined(run(Parser(), [data]))
    for size in (1, 2, 3, 7):
        assert joined(run(Parser(), cut(data, list(range(0, len(data), size))))) == whole
