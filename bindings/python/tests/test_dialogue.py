"""The dialogue.

Expectations are those of the crate's own tests, tests/dialogue/scripts.rs and replies.rs.
"""

import copy
import dataclasses
import json
import pickle

import pytest
from dialogue_help import BAD, GIF, QUESTIONS, asked, directives, fails_with, markup
from followup import Dialogue, Parser, Partial, ResponseParser, Suggestion, Text
from followup.dialogue import Ask, Finding, FormAnswer, Nothing, OpenQuestion, Show, Tell, messages
from help import ROOT, run


def test_a_growing_question_is_shown_and_the_whole_one_is_asked():
    parser, dialogue = Parser(), Dialogue()
    call = (
        "<ask_followup_question><question>Which?</question>"
        '<suggest mode="code">Do it</suggest></ask_followup_question>'
    )
    all = [dialogue.event(event) for character in call for event in parser.feed(character)]
    assert all[:-1] and all[:-1] == [Show(one.call) for one in all[:-1]]
    advice = (Finding("too_few", suggestions=1, least=2),)
    question = OpenQuestion(0, "Which?", (Suggestion("Do it", "code"),), advice=advice)
    assert all[-1] == Ask(question)
    assert dialogue.question == question
    reply = dialogue.answer(0, suggestion=0)
    assert (reply.kind, reply.number, reply.text, reply.mode) == (
        "answer",
        0,
        "<answer>\nDo it\n</answer>",
        "code",
    )
    assert dialogue.question is None


def test_nothing_is_shown_while_a_question_is_open_or_the_dialogue_has_stopped():
    dialogue, partial = Dialogue(), Partial(0, "question", "Q")
    assert dialogue.event(partial) == Show(partial)
    directives(dialogue, markup("Q?"))
    assert dialogue.event(partial) == Nothing()
    assert dialogue.event(Text("a")) == Nothing()
    stopped = Dialogue(mistake_limit=1)
    directives(stopped, BAD)
    assert stopped.event(partial) == Nothing()


def test_an_edited_suggestion_keeps_its_mode_and_a_text_has_none():
    for answer, text, mode in [
        ({"suggestion": 0, "text": "Do it, slowly"}, "Do it, slowly", "code"),
        ({"text": "Do it"}, "Do it", None),
    ]:
        dialogue = Dialogue()
        directives(
            dialogue,
            markup("Q?").replace("<follow_up>", "<follow_up><suggest mode='code'>Do it</suggest>"),
        )
        reply = dialogue.answer(0, **answer)
        assert (reply.text, reply.mode) == (f"<answer>\n{text}\n</answer>", mode)


def test_mistakes_in_a_row_stop_and_an_answer_or_guidance_resets_them():
    dialogue, tell = Dialogue(), "tell missing_parameter"
    assert directives(dialogue, BAD + BAD) == [tell, tell]
    assert directives(dialogue, markup("Q?")) == ["ask 0 Q?"]
    assert dialogue.mistakes == 2
    fails_with("not_stopped", dialogue.guide, "not now")
    dialogue.answer(0, text="yes")
    assert dialogue.mistakes == 0
    assert directives(dialogue, BAD * 4) == [
        tell,
        tell,
        "stop missing_parameter",
        "stop missing_parameter",
    ]
    assert dialogue.has_stopped
    assert directives(dialogue, markup("R?")) == ["later 1 R?"]
    assert dialogue.waiting_count == 1
    reply = dialogue.guide("Use tabs", images=[GIF])
    assert reply.kind == "guidance" and reply.text.endswith("<feedback>\nUse tabs\n</feedback>")
    assert reply.images == (GIF,)
    assert (
        dialogue.mistakes == 0 and dialogue.question is not None and dialogue.question.number == 1
    )
    assert directives(Dialogue(mistake_limit=0), BAD * 50) == [tell] * 50


def test_the_rules_give_advice_or_reject():
    call = markup("Q?", ["Use [path]", "Use [path]"])
    advised = Dialogue()
    directives(advised, call)
    assert advised.question is not None
    assert advised.question.advice == (
        Finding("placeholder", suggestion=0, placeholder="[path]"),
        Finding("placeholder", suggestion=1, placeholder="[path]"),
        Finding("duplicate", suggestion=1, of=0),
    )
    strict = Dialogue(rules={"duplicates": "reject", "placeholders": "ignore"})
    [correction] = [
        d.correction for d in map(strict.event, run(Parser(), [call])) if isinstance(d, Tell)
    ]
    assert (
        correction.model == "Failed to parse operations: suggestion 2 is the same as suggestion 1"
    )
    assert correction.reply().kind == "correction" and correction.reply().text == correction.model


def test_dialects_are_names_or_mappings():
    def ask(**options):
        return directives(Dialogue(**options), markup("Q?"))

    assert ask(dialect="roo-code") == ["ask 0 Q?"]
    assert ask(dialect="roo-code-latest") == ["tell missing_parameter"]
    assert ask(rules={"follow_up_required": True}) == ["tell missing_parameter"]
    own = Dialogue(dialect={"reply": {"open": "[", "close": "]"}}, escape=True)
    directives(own, markup("Q?"))
    assert own.answer(0, text="a ]").text.startswith("[\n")


def test_an_answer_that_does_not_fit_is_refused_and_nothing_changes():
    dialogue = Dialogue()
    directives(dialogue, markup("One?") + markup("Two?", ["a", "b"]))
    before = dialogue.history()
    assert (
        fails_with("no_such_suggestion", dialogue.answer, 0, suggestion=0)
        == "the question has no suggestions"
    )
    assert (
        fails_with("not_yet_asked", dialogue.answer, 1, text="x")
        == "another question is to be answered first"
    )
    for number in (7, -1, 2**70):
        fails_with("not_asked", dialogue.answer, number, text="x")
    fails_with("no_form", dialogue.answer, 0, answers=[{}])
    fails_with("no_discussion", dialogue.discuss, 0)
    assert dialogue.history() == before
    assert dialogue.cancel(0).kind == "cancelled"
    fails_with("already_cancelled", dialogue.answer, 0, text="x")
    assert dialogue.decline(1).kind == "declined"
    fails_with("already_declined", dialogue.cancel, 1)


@pytest.mark.parametrize("index", [-1, 99, 10**30])
def test_an_index_that_no_list_has_is_refused_in_the_same_way(index):
    dialogue = Dialogue()
    directives(dialogue, markup("One?", ["a", "b"]))
    assert "usize" not in fails_with("no_such_suggestion", dialogue.answer, 0, suggestion=index)
    assert "usize" not in fails_with(
        "no_such_suggestion", dialogue.answer, 0, suggestion=index, text="a"
    )
    form = asked("AskUserQuestion", {"questions": QUESTIONS})
    for answers in ([{"picked": [index]}, {}, {}], [FormAnswer((index,)), {}, {}]):
        assert "usize" not in fails_with("no_such_option", form.answer, 0, answers=answers)
        fails_with("no_such_option", form.discuss, 0, answers)


def test_a_form_is_answered_in_the_words_of_the_host():
    dialogue = asked("AskUserQuestion", {"questions": QUESTIONS})
    assert dialogue.question is not None and dialogue.question.form is not None
    form = dialogue.question.form
    assert (form.tool, form.shape, len(form.questions)) == ("AskUserQuestion", "claude", 3)
    assert [option.label for option in form.questions[1].options] == ["A, B", "C", "E"]
    fails_with("wrong_number_of_answers", dialogue.answer, 0, answers=[])
    fails_with("only_one", dialogue.answer, 0, answers=[{"picked": [0, 1]}, {}, {}])
    reply = dialogue.answer(
        0, answers=[FormAnswer((1,)), {"picked": [2, 0]}, FormAnswer(text='It\'s\n"new"')]
    )
    assert reply.text == (
        'The user answered: "Which "store"?"="say "hi"", "Which parts?"="E, A, B", "Why?"="It\'s\n"new"". Read the '
        "answers carefully \u2014 they may request clarification, changes, or that you not proceed \u2014 and follow "
        "what they actually say."
    )
    declined = asked("AskUserQuestion", {"questions": QUESTIONS}).decline(0)
    assert declined.is_error and declined.text.startswith(
        "The user doesn't want to proceed with this tool use"
    )


def test_a_form_can_be_discussed_and_time_out_with_the_answers_so_far():
    dialogue = asked("AskUserQuestion", {"questions": QUESTIONS})
    assert dialogue.question is not None and dialogue.question.can_discuss
    reply = dialogue.discuss(0, [FormAnswer((0,)), {}, {}])
    assert '- "Which "store"?"\n  Answer: Redis, 7\n' in reply.text
    fails_with("already_discussed", dialogue.cancel, 0)
    late = asked("AskUserQuestion", {"questions": QUESTIONS})
    assert late.time_out(0).kind == "cancelled"
    fails_with("already_timed_out", late.cancel, 0)
    for one in (dialogue, late):
        assert Dialogue(history=one.history()).history() == one.history()


def test_a_note_on_an_answer_goes_back_where_there_is_a_place():
    dialogue = asked("AskUserQuestion", {"questions": QUESTIONS[:1]})
    assert dialogue.question is not None and dialogue.question.form is not None
    assert dialogue.question.form.questions[0].notes
    assert "soon" in dialogue.answer(0, answers=[FormAnswer((0,), note="soon")]).text


def test_templates_are_names_or_mappings():
    call = {"question": "Tea?", "options": ["Yes", "No"]}
    plain = asked("ask_user", call).answer(0, answers=[{"picked": [0]}]).text
    named = (
        asked("ask_user", call, templates={"ask_user": "gemini"})
        .answer(0, answers=[{"picked": [0]}])
        .text
    )
    assert plain != named


def test_images_are_data_urls_or_bytes():
    dialogue = Dialogue()
    directives(dialogue, markup("One?") + markup("Two?"))
    assert dialogue.answer(0, text="x", images=[GIF]).images == (GIF,)
    assert dialogue.answer(1, text="x", images=[b"GIF89a"]).images == (GIF,)
    directives(dialogue, markup("Three?"))
    for image, error, message in [
        ("data:image/png;base64,R0lGODlh", ValueError, "images: "),
        (b"", ValueError, "images: "),
        (3, TypeError, "images: a data URL or bytes was expected, not int"),
    ]:
        with pytest.raises(error, match=message):
            dialogue.answer(2, text="x", images=[image])
    assert dialogue.answer(2, text="x").images == ()


@pytest.mark.parametrize(
    "format",
    ["openai-chat", "openai-responses", "anthropic", "gemini", "bedrock-converse", "ollama"],
)
def test_replies_are_messages_of_each_api(format):
    dialogue = Dialogue()
    body = (ROOT / "examples/responses/openai-chat.sse").read_bytes()
    for event in run(ResponseParser(), [body]):
        dialogue.event(event)
    reply = dialogue.answer(0, suggestion=0, images=[GIF])
    assert reply.id is not None
    for replies in (reply, [reply]):
        text = json.dumps(messages(replies, format))
        assert reply.id in text and json.dumps(reply.text)[1:-1] in text and "R0lGODlh" in text


def test_a_native_call_without_an_id_is_answered_under_the_name_of_its_tool():
    def call(question):
        return {"functionCall": {"name": "ask_followup_question", "args": {"question": question}}}

    parts = [{"text": markup("Written?")}, call("Q?"), call("")]
    body = {"candidates": [{"content": {"parts": parts, "role": "model"}, "finishReason": "STOP"}]}
    dialogue, replies = Dialogue(), []
    for event in run(ResponseParser("gemini"), [f"data: {json.dumps(body)}\n\n".encode()]):
        match dialogue.event(event):
            case Tell(correction):
                replies.append(correction.reply())
    replies += [dialogue.answer(0, text="A"), dialogue.answer(1, text="B")]
    assert [reply.tool for reply in replies] == [
        "ask_followup_question",
        None,
        "ask_followup_question",
    ]
    told, written, answered = [reply.text for reply in replies]
    results = [
        {"functionResponse": {"name": "ask_followup_question", "response": {"output": text}}}
        for text in (told, answered)
    ]
    assert messages(replies, "gemini") == [
        {"role": "user", "parts": results},
        {"role": "user", "parts": [{"text": written}]},
    ]
    assert messages(replies, "ollama")[0]["tool_name"] == "ask_followup_question"


def test_the_history_is_json_and_is_continued():
    dialogue = Dialogue()
    directives(dialogue, BAD + markup("One?", ["a", "b"]) + markup("Two?"))
    dialogue.answer(0, suggestion=1, images=[GIF])
    history = json.loads(json.dumps(dialogue.history()))
    assert [turn["turn"] for turn in history] == ["corrected", "asked", "asked", "answered"]
    continued = Dialogue(history=history)
    assert continued.history() == history
    assert continued.question == dialogue.question
    assert continued.answer(1, text="x") == dialogue.answer(1, text="x")
    assert len(dialogue.take_history()) == 5 and dialogue.history() == []
    fails_with("history", Dialogue, history=history[3:])


def test_a_dialogue_continues_from_a_checkpoint_without_its_history():
    whole = Dialogue()
    directives(whole, BAD + markup("One?", ["a", "b"]) + markup("Two?", ["a", "b"]))
    assert whole.take_history()
    resumed = Dialogue(checkpoint=whole.checkpoint())
    assert resumed.history() == []
    assert (resumed.question, resumed.waiting_count, resumed.mistakes) == (whole.question, 1, 1)
    for dialogue in (whole, resumed):
        dialogue.answer(0, suggestion=1)
        assert directives(dialogue, markup("Three?", ["a", "b"])) == ["later 2 Three?"]
    assert resumed.history() == whole.history()
    assert resumed.checkpoint() == whole.checkpoint()


def test_what_is_no_checkpoint_of_a_dialogue_is_an_error():
    dialogue = Dialogue()
    directives(dialogue, markup("One?", ["a", "b"]))
    stored = dialogue.checkpoint()
    wrong = [
        stored.replace("One?", "Two?"),
        stored.replace('"mistakes":0', '"mistakes":1'),
        stored[:-1],
        "",
        "{}",
        "null",
    ]
    for text in wrong:
        assert text != stored
        fails_with("checkpoint", Dialogue, checkpoint=text)
    with pytest.raises(TypeError, match="checkpoint: a str was expected, not bytes"):
        Dialogue(checkpoint=stored.encode())
    with pytest.raises(
        TypeError, match="checkpoint: a history or a checkpoint was expected, not both"
    ):
        Dialogue(checkpoint=stored, history=dialogue.history())


def test_half_a_surrogate_pair_in_an_answer_is_replaced():
    dialogue = Dialogue()
    directives(dialogue, markup("One?"))
    assert dialogue.answer(0, text="a\ud83d").text == "<answer>\na\ufffd\n</answer>"


def test_what_a_dialogue_returns_is_frozen_and_can_be_copied():
    dialogue = asked("AskUserQuestion", {"questions": QUESTIONS})
    for value in (dialogue.question, dialogue.cancel(0), Show(Partial(0, "question", "Q"))):
        assert copy.deepcopy(value) == value
        assert pickle.loads(pickle.dumps(value)) == value
        assert hash(value) == hash(copy.copy(value))
        with pytest.raises(AttributeError):
            setattr(value, dataclasses.fields(value)[0].name, 1)
