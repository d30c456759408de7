"""What a helper for an engine checks at once: its own errors, not those of a later worker."""

from typing import Any

import pyarrow as pa

from .arrow import questions


def check_type(name: str, value: object, expected: str, attribute: str) -> None:
    """Raises TypeError for a value that has not the attribute of what was expected."""
    if not hasattr(value, attribute):
        raise TypeError(f"{name}: {expected} was expected, not {type(value).__qualname__}")


def check_name(name: str, value: object) -> None:
    """Raises TypeError for what is no `str`."""
    if not isinstance(value, str):
        raise TypeError(f"{name}: a str was expected, not {type(value).__qualname__}")


def check_options(options: Any) -> None:
    """Raises the errors of `followup.arrow.questions` for options that are unusable."""
    questions(pa.array([], pa.string()), **options)
