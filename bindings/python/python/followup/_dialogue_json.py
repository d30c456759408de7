"""The data of a dialogue as the extension module takes and returns it: JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from ._dialogue_check import check_index
from ._dialogue_types import (
    AnyFormAnswer,
    Ask,
    Correction,
    Directive,
    Finding,
    Form,
    FormAnswer,
    FormOption,
    FormQuestion,
    Later,
    Nothing,
    OpenQuestion,
    Reply,
    Stop,
    Tell,
)
from ._followup import Complete, Question, Rejected, Suggestion


def plain(text: str) -> str:
    """Returns a text in which surrogates without their other half are U+FFFD."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def to_json(value: Any, name: str = "options") -> str:
    """Returns data as JSON.

    Raises TypeError and ValueError with the name of the argument for what is no data.
    """

    def other(one: object) -> Any:
        raise TypeError(f"{name}: data as in JSON was expected, not {type(one).__name__}")

    try:
        return plain(json.dumps(value, ensure_ascii=False, allow_nan=False, default=other))
    except (TypeError, ValueError) as error:
        if str(error).startswith(f"{name}: "):
            raise
        raise type(error)(f"{name}: {error}") from None


def directive(text: str) -> Directive:
    """Returns the directive that the extension module writes as JSON."""
    kind, value = json.loads(text)
    match kind:
        case "ask":
            return Ask(_open_question(value))
        case "later":
            return Later(_open_question(value))
        case "tell":
            return Tell(Correction(**value))
        case "stop":
            return Stop(Correction(**value))
    return Nothing()


def form_answer(answer: AnyFormAnswer) -> dict[str, Any]:
    """Returns an answer to one question of a form as data."""
    if isinstance(answer, FormAnswer):
        data = known(answer)
    elif isinstance(answer, Mapping):
        data = {key: value for key, value in answer.items() if value is not None}
    else:
        raise TypeError(
            f"answers: a FormAnswer or a mapping was expected, not {type(answer).__name__}"
        )
    picked = data.get("picked")
    if isinstance(picked, (list, tuple)):
        for index in picked:
            check_index("option", index)
    return data


def call_data(call: Complete) -> dict[str, Any]:
    """Returns the question of a call as data. The dialogue numbers it."""
    suggest = [_some(one, ("answer", "mode")) for one in call.suggestions]
    data: dict[str, Any] = {"number": 0, "question": call.question, "suggest": suggest}
    data |= _some(call, ("id", "native"))
    if call.shape is not None:
        form = _some(call, ("tool", "shape", "title"))
        data["form"] = form | {"questions": [_question_data(one) for one in call.questions]}
    return data


def _question_data(question: Question) -> dict[str, Any]:
    values = _some(question, question.__match_args__)
    values["options"] = [_some(one, one.__match_args__) for one in values.pop("suggestions")]
    for option in values["options"]:
        option["label"] = option.pop("answer")
    return values


def rejection_data(call: Rejected) -> dict[str, Any]:
    """Returns what the dialogue has to know of a rejected call, as data."""
    data = _some(call, ("code", "part", "limit", "note", "id", "native", "tool", "shape"))
    return data | {"questions": [{"text": question.text} for question in call.questions]}


def _some(record: Any, names: tuple[str, ...]) -> dict[str, Any]:
    """Returns these fields of an event, unless they are `None`."""
    pairs = ((name, getattr(record, name)) for name in names)
    return {name: value for name, value in pairs if value is not None}


def open_question(text: str) -> OpenQuestion:
    """Returns the question that the extension module writes as JSON."""
    return _open_question(json.loads(text))


def _open_question(data: dict[str, Any]) -> OpenQuestion:
    form = data.pop("form", None)
    suggest = tuple(Suggestion(**one) for one in data.pop("suggest"))
    advice = _findings(data)
    return OpenQuestion(
        **data, suggest=suggest, advice=advice, form=None if form is None else _form(form)
    )


def _form(data: dict[str, Any]) -> Form:
    questions = tuple(_form_question(one) for one in data.pop("questions"))
    title = data.pop("title", None)
    return Form(**data, title=title, questions=questions)


def _form_question(data: dict[str, Any]) -> FormQuestion:
    options = tuple(FormOption(**one) for one in data.pop("options", ()))
    defaults = tuple(data.pop("defaults", ()))
    advice = _findings(data)
    return FormQuestion(**data, options=options, defaults=defaults, advice=advice)


def _findings(data: dict[str, Any]) -> tuple[Finding, ...]:
    return tuple(Finding(**one) for one in data.pop("advice", ()))


def reply(text: str) -> Reply:
    """Returns the reply that the extension module writes as JSON."""
    data = json.loads(text)
    images = tuple(data.pop("images", ()))
    return Reply(**data, images=images)


def known(value: Any) -> dict[str, Any]:
    """Returns the fields of a dataclass that are not `None`."""
    pairs = ((field.name, getattr(value, field.name)) for field in fields(value))
    return {name: field for name, field in pairs if field is not None}
