"""Checks of what a dialogue is given, with messages of this package."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

from ._dialogue_error import DialogueError
from ._dialogue_types import RuleOptions, Severity

_MOST = 2**32 - 1
_SEVERITIES = get_args(Severity)


def check_limit(value: object) -> None:
    """Raises TypeError and ValueError for what is no number of mistakes."""
    _check_count("mistake_limit", value)


def check_rules(rules: Mapping[str, Any]) -> None:
    """Raises ValueError for an unknown rule or severity, and TypeError for another type."""
    if not isinstance(rules, Mapping):
        raise TypeError(f"rules: a mapping was expected, not {type(rules).__name__}")
    for name, value in rules.items():
        if name not in RuleOptions.__annotations__:
            raise ValueError(
                f"rules: there is no {name!r}; there are: {', '.join(RuleOptions.__annotations__)}"
            )
        if name in ("min_suggestions", "max_suggestions"):
            _check_count(f"rules: {name}", value)
        elif name == "follow_up_required":
            if not isinstance(value, (bool, type(None))):
                raise TypeError(
                    f"rules: {name}: True, False or None was expected, not {type(value).__name__}"
                )
        elif not isinstance(value, str):
            raise TypeError(f"rules: {name}: a str was expected, not {type(value).__name__}")
        elif value not in _SEVERITIES:
            raise ValueError(
                f"rules: {name}: one of {', '.join(_SEVERITIES)} was expected, not {value!r}"
            )


def check_number(value: object) -> None:
    """Raises TypeError for what is no number of a question."""
    if not isinstance(value, int):
        raise TypeError(f"number: a whole number was expected, not {type(value).__name__}")


def check_index(name: str, value: object) -> None:
    """Raises DialogueError for an index that no list has.

    A negative one does not count from the end.
    """
    if isinstance(value, int) and not 0 <= value <= _MOST:
        raise DialogueError(
            f"no_such_{name}", f"{name}: there is none with the index {value}; the first is 0"
        )


def _check_count(name: str, value: object) -> None:
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{name}: a whole number was expected, not {type(value).__name__}")
    if not 0 <= value <= _MOST:
        raise ValueError(f"{name}: a number from 0 to {_MOST} was expected, not {value}")
