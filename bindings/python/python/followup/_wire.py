"""The objects of SDKs as the JSON that the provider sent."""

from __future__ import annotations

import json
from typing import Any

# The events of `chat.completions.stream` that the SDK makes from chunks.
_OF_CHUNKS = ("content.", "refusal.", "tool_calls.", "logprobs.")
# What `responses.stream` adds to the provider's events: all so far, which would be parsed with each
# delta.
_OF_RESPONSES = {"snapshot", "parsed"}
# The events of `messages.stream` that the SDK makes from the provider's.
_OF_MESSAGES = {"text", "citation", "thinking", "signature", "input_json", "compaction"}
# What `messages.stream` adds to the provider's events: all so far.
_AT_ENDS = {"message_stop": {"message"}, "content_block_stop": {"content_block"}}


def openai(item: Any) -> tuple[str | None, str] | None:
    """Returns the format and the JSON of an object of the OpenAI SDK; `None` if it repeats another.

    The format is `None` for an object that any format may have, such as `{"type": "ping"}`.
    """
    # A server may send a chunk with `null` for its choices, and compatible ones send choices
    # without `object`.
    if _field(item, "choices") is not None or _field(item, "object") == "chat.completion.chunk":
        return "openai-chat", _json(item, None)
    kind = _field(item, "type")
    if kind == "chunk":
        return openai(item.chunk)
    if isinstance(kind, str) and kind.startswith(_OF_CHUNKS):
        return None
    is_response = isinstance(kind, str) and (kind.startswith("response.") or kind == "error")
    return "openai-responses" if is_response else None, _json(item, _OF_RESPONSES)


def anthropic(item: Any) -> tuple[str, str] | None:
    """Returns the format and the JSON of an object of the Anthropic SDK.

    `None` if it repeats others.
    """
    kind = _field(item, "type")
    return None if kind in _OF_MESSAGES else ("anthropic", _json(item, _AT_ENDS.get(kind)))


def _field(item: Any, name: str) -> Any:
    return item.get(name) if isinstance(item, dict) else getattr(item, name, None)


def _json(item: Any, exclude: set[str] | None) -> str:
    """Returns the JSON of a model of pydantic, or of a dict.

    An object of unknown type may be a dict.
    """
    if isinstance(item, dict):
        return json.dumps(
            {name: value for name, value in item.items() if name not in (exclude or ())}
        )
    if not hasattr(item, "model_dump_json"):
        raise TypeError(f"an object of the SDK's stream was expected, not {type(item).__name__}")
    try:
        return item.model_dump_json(exclude=exclude, exclude_unset=True, warnings=False)  # type: ignore[no-any-return]
    except ValueError:
        # Half of a surrogate pair, whose other half is in the next object, is no UTF-8. An escape
        # is.
        return json.dumps(item.model_dump(exclude=exclude, exclude_unset=True, warnings=False))
