"""The objects of SDKs as the JSON that the provider sent."""

from __future__ import annotations

import json
from typing import Any


def to_json(item: Any, sdk: str, exclude: set[str] | None = None) -> str:
    """Returns the JSON of an object of an SDK, which is a model of pydantic, or a dict if its type is not known.

    Fields in `exclude` are left out. Raises `TypeError` for anything else.
    """
    if isinstance(item, dict):
        return json.dumps({name: value for name, value in item.items() if name not in (exclude or ())})
    if not hasattr(item, "model_dump_json"):
        raise TypeError(f"an object of a stream of {sdk} was expected, not {type(item).__name__}")
    try:
        return item.model_dump_json(exclude=exclude, exclude_unset=True, warnings=False)  # type: ignore[no-any-return]
    except ValueError:
        # Half of a surrogate pair, whose other half is in the next object, is no UTF-8. An escape is.
        return json.dumps(item.model_dump(exclude=exclude, exclude_unset=True, warnings=False))
