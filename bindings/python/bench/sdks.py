"""Measures what the events of a wrapped stream cost, and the SDK that makes its objects.

In one run:

    pip install openai
    python bench/sdks.py
"""

from __future__ import annotations

import json
import platform
import time
from collections.abc import Callable, Iterable
from typing import Any

import openai
from followup.openai import wrap

try:
    import httpx2 as httpx  # of openai 3
except ImportError:
    import httpx

ROUNDS = 7
CHUNKS = 4000


def chat() -> Iterable[dict[str, Any]]:
    """The chunks of a call in text, of 4 characters each."""
    text = "<ask_followup_question><question>" + "word " * (CHUNKS * 4 // 5)
    head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "model-1"}
    for i in range(CHUNKS):
        choice = {
            "index": 0,
            "delta": {"content": text[4 * i : 4 * i + 4]},
            "logprobs": None,
            "finish_reason": None,
        }
        yield {**head, "service_tier": "default", "system_fingerprint": "fp_1", "choices": [choice]}


def best(use: Callable[[], Iterable[Any]]) -> float:
    """Returns the microseconds of a chunk in the best of several rounds."""
    seconds = []
    for _ in range(ROUNDS):
        stream = use()
        start = time.perf_counter()
        for _ in stream:
            pass
        seconds.append(time.perf_counter() - start)
    return min(seconds) / CHUNKS * 1e6


def main() -> None:
    body = (
        "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chat()).encode() + b"data: [DONE]\n\n"
    )
    headers = {"content-type": "text/event-stream"}
    transport = httpx.MockTransport(
        lambda request: httpx.Response(200, headers=headers, content=body)
    )
    client = openai.OpenAI(api_key="none", http_client=httpx.Client(transport=transport))

    def create() -> Any:
        return client.chat.completions.create(model="model-1", messages=[], stream=True)

    objects = list(create())
    assert len(objects) == CHUNKS
    sdk = best(create)
    loop = best(lambda: iter(objects))
    wrapped = best(lambda: wrap(objects, limits={"question": 1 << 30})) - loop
    print(
        f"Python {platform.python_version()}, openai {openai.__version__}; µs for a chunk of 4 characters"
    )
    print(f"the SDK alone                 {sdk:7.1f}")
    print(f"the events of its objects     {wrapped:7.1f}   {wrapped / sdk:.0%} of it")


if __name__ == "__main__":
    main()
