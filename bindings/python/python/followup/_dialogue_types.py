"""What a dialogue gets and returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Mapping, TypeAlias, TypedDict, Union

from ._followup import Partial, Suggestion

DialectName: TypeAlias = Literal[
    "roo-code", "roo-code-zh", "roo-code-latest", "vjsp", "kilo-code-zh"
]
"""The built-in dialects."""

Severity: TypeAlias = Literal["ignore", "advice", "reject"]
"""What happens to a question that breaks a rule.

Nothing, it is asked with advice, or it is not asked.
"""

MessageFormat: TypeAlias = Literal[
    "openai-chat", "openai-responses", "anthropic", "gemini", "bedrock-converse", "ollama"
]
"""The API that messages are for.

For OpenAI Responses, write the result of a custom tool (`custom_tool_call_output`) yourself.
"""

Turn: TypeAlias = dict[str, Any]
"""A step of a dialogue, to be stored as it is: one line of JSON, as the Rust crate stores it."""


class RuleOptions(TypedDict, total=False):
    """The rules for questions."""

    follow_up_required: Union[bool, None]
    """Whether a call without suggestions is a mistake. By default the dialect decides."""
    min_suggestions: int
    """The smallest number of suggestions, if there are any. Default 2."""
    max_suggestions: int
    """The largest number of suggestions. Default 4."""
    suggestion_count: Severity
    """What happens if there are too few or too many. Default `advice`."""
    placeholders: Severity
    """What happens if a suggestion has a placeholder. Default `advice`."""
    duplicates: Severity
    """What happens if a suggestion comes twice. Default `advice`."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What the rules found. Suggestions are counted from 0."""

    finding: Literal["too_few", "too_many", "placeholder", "duplicate"]
    suggestions: int | None = None
    """Of `too_few` and `too_many`: the number of suggestions."""
    least: int | None = None
    """Of `too_few`: the smallest number there should be."""
    most: int | None = None
    """Of `too_many`: the largest number there should be."""
    suggestion: int | None = None
    """Of `placeholder` and `duplicate`: the index of the suggestion."""
    placeholder: str | None = None
    """Of `placeholder`: the placeholder as it is written."""
    of: int | None = None
    """Of `duplicate`: the index of the suggestion that it repeats."""


@dataclass(frozen=True, slots=True)
class FormOption:
    """An option of a question."""

    label: str
    """What the user reads."""
    description: str | None = None
    """What the option means."""
    value: str | None = None
    """What goes back to the model, if it is not the label."""
    mode: str | None = None
    """The mode to which the agent should change with this option."""
    preview: str | None = None
    """What the option would lead to, as Markdown."""
    recommended: bool = False
    """Whether the model recommends it."""


@dataclass(frozen=True, slots=True)
class FormQuestion:
    """One question of a form. What the call did not say is `None`."""

    text: str
    id: str | None = None
    """The id under which the answer goes back."""
    header: str | None = None
    """A short title of the question."""
    detail: str | None = None
    """A text below the question."""
    placeholder: str | None = None
    """A hint in the empty field of the user's own answer."""
    kind: Literal["text", "yesno", "number"] | None = None
    """What it asks for, if it is not a choice."""
    multiple: bool | None = None
    """Whether several options can be chosen."""
    custom: bool | None = None
    """Whether the user can answer in words of their own. Without options, the user always can."""
    required: bool | None = None
    """Whether it has to be answered."""
    notes: bool = False
    """Whether the reply has a place for a note on the answer."""
    defaults: tuple[str, ...] = ()
    """The answers that are chosen at first: labels or values of options, or a text."""
    options: tuple[FormOption, ...] = ()
    advice: tuple[Finding, ...] = ()
    """What the rules found in its options."""


@dataclass(frozen=True, slots=True)
class Form:
    """The questions of a call of another agent's tool. The user answers them together."""

    tool: str
    """The name of the tool, such as `AskUserQuestion`."""
    shape: str
    """The name of the shape that read the call."""
    title: str | None
    """A text above all questions."""
    questions: tuple[FormQuestion, ...]
    """The questions, in order. There is at least one."""


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """A question that can be asked."""

    number: int
    """The number of the question in the dialogue, from 0. It is answered by this number."""
    question: str
    suggest: tuple[Suggestion, ...] = ()
    """The suggested answers."""
    id: str | None = None
    """The provider's id of the call; `None` if it has none."""
    advice: tuple[Finding, ...] = ()
    """What the rules found."""
    can_discuss: bool = False
    """Whether the tool has a reply for a user who wants to talk about the question first."""
    form: Form | None = None
    """All questions of a call of another agent's tool; `None` for `ask_followup_question`."""
    native: bool = False
    """Whether it is a native call, not one that was written in a message."""


@dataclass(frozen=True, slots=True)
class FormAnswer:
    """The answer to one question of a form; without any field it is none."""

    picked: tuple[int, ...] = ()
    """The indexes of the options that were picked."""
    text: str | None = None
    """The user's own words."""
    note: str | None = None
    """A remark on the answer."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What the model gets as the result of its call."""

    kind: Literal["answer", "cancelled", "declined", "correction", "guidance"]
    text: str
    """The text for the model, wrapped."""
    number: int | None = None
    """The number of the question, if the reply is about one."""
    id: str | None = None
    """The provider's id of the call; `None` if it has none."""
    images: tuple[str, ...] = ()
    """The images, as data URLs."""
    mode: str | None = None
    """The mode to which the agent should change: that of the suggestion that was taken."""
    is_error: bool = False
    """Whether the tool's host marks such a result as an error."""
    tool: str | None = None
    """The name of the tool, if the call is a native one."""


@dataclass(frozen=True, slots=True)
class Correction:
    """Why a call can't be asked, and the messages about it."""

    reason: str
    """The code of the rejection, or `rule`."""
    user: str
    """The message for the user."""
    model: str
    """The message for the model."""
    id: str | None = None
    """The provider's id of the call; `None` if it has none."""
    is_error: bool = False
    """Whether the tool's host marks such a result as an error."""
    tool: str | None = None
    """The name of the tool, if it is a native call."""

    def reply(self) -> Reply:
        """Returns the reply that the model gets as the result of the call."""
        return Reply("correction", self.model, id=self.id, is_error=self.is_error, tool=self.tool)


@dataclass(frozen=True, slots=True)
class Nothing:
    """Do nothing."""

    type: ClassVar[Literal["nothing"]] = "nothing"


@dataclass(frozen=True, slots=True)
class Show:
    """Show the growing call."""

    type: ClassVar[Literal["show"]] = "show"
    call: Partial


@dataclass(frozen=True, slots=True)
class Ask:
    """Ask this question. It is open until it is answered or ends otherwise."""

    type: ClassVar[Literal["ask"]] = "ask"
    question: OpenQuestion


@dataclass(frozen=True, slots=True)
class Later:
    """Ask this question later: another one is open, or the dialogue has stopped."""

    type: ClassVar[Literal["later"]] = "later"
    question: OpenQuestion


@dataclass(frozen=True, slots=True)
class Tell:
    """Tell the model and the user what is wrong with a call."""

    type: ClassVar[Literal["tell"]] = "tell"
    correction: Correction


@dataclass(frozen=True, slots=True)
class Stop:
    """Tell them, and stop: there were too many mistakes in a row.

    The user should guide the model.
    """

    type: ClassVar[Literal["stop"]] = "stop"
    correction: Correction


Directive: TypeAlias = Union[Nothing, Show, Ask, Later, Tell, Stop]
"""What a host is to do next."""

AnyFormAnswer: TypeAlias = Union[FormAnswer, Mapping[str, Any]]
"""A `FormAnswer`, or a mapping with its fields."""
