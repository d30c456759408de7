"""The examples of the documentation run with the SDKs."""

import ast
import asyncio
import inspect
import re
from types import SimpleNamespace

import anthropic
import followup.anthropic
import followup.litellm
import followup.openai
import openai
import pytest
from law import ROOT, completes, model

PAGES = ROOT / "bindings/python"
MESSAGES = [{"role": "user", "content": "Ask me."}]


@pytest.fixture
def client(provider):
    with openai.OpenAI(base_url=provider, api_key="none", max_retries=0) as client:
        yield client


def example(page, part):
    """Returns the only example of a page with this text, with names for what it leaves out."""
    blocks = re.findall(
        r"^```py\n(.*?)^```", (PAGES / page).read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )
    [code] = [block for block in blocks if part in block]
    return (
        re.sub(r"\b(model|messages)=…", r"\1=\1", code)
        .replace("stream(…)", "stream(**request)")
        .replace("(…,", "(**request,")
    )


def run(code, **names):
    """Runs an example, which may await."""
    compiled = compile(code, "example", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)

    async def main():
        waited = eval(compiled, names)
        if inspect.isawaitable(waited):
            await waited
        return names

    return asyncio.run(asyncio.wait_for(main(), 60))


def test_the_example_of_a_stream_asks(provider, monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", provider)
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    asked, relayed, shown = [], [], []
    screen = SimpleNamespace(grow=lambda field, delta: shown.append(delta))
    names = {
        "model": model("openai-chat/one-call.sse", "docs"),
        "messages": MESSAGES,
        "screen": screen,
        "relay": relayed.append,
    }
    names = run(
        example("docs/sdks.md", "relay(chunk)"),
        ask=lambda question, suggestions: asked.append(question),
        **names,
    )
    names["client"].close()
    assert len(asked) == 1 and "".join(shown).startswith(asked[0])
    assert {type(one).__name__ for one in relayed} == {"ChatCompletionChunk"}


def test_the_example_of_the_readme_shows_all_events(client):
    shown = []
    names = {
        "client": client,
        "model": model("openai-chat/not-closed-at-stop.sse", "docs"),
        "messages": MESSAGES,
    }
    run(example("README.md", "followup.openai import wrap"), show=shown.extend, **names)
    assert [event.question for event in completes(shown)] == ["Tea?"]


def test_the_examples_of_asynchronous_streams_show_all_events(provider):
    whole = example("docs/sdks.md", "litellm.acompletion")
    [helper, line] = whole.split("\n\n")
    shown = []

    async def acompletion(**request):
        return await openai.AsyncOpenAI(base_url=provider, api_key="none").chat.completions.create(
            **request
        )

    request = {
        "model": model("anthropic/one-call.sse", "docs"),
        "max_tokens": 100,
        "messages": MESSAGES,
    }
    client = anthropic.AsyncAnthropic(base_url=provider, api_key="none")
    found = run(
        helper, wrap=followup.anthropic.wrap, client=client, request=request, show=shown.extend
    )
    assert [event.id for event in completes(shown)] == [found["message"].content[1].id]
    request = {"model": model("openai-chat/one-call.sse", "docs"), "messages": MESSAGES}
    loop = "\nasync for chunk in stream:\n    shown.extend(stream.followup)"
    run(
        line + loop,
        wrap=followup.litellm.wrap,
        litellm=SimpleNamespace(acompletion=acompletion),
        request=request,
        shown=shown,
    )
    assert len(completes(shown)) == 2


@pytest.mark.parametrize(
    ("body", "expected"), [("not-closed-at-limit", []), ("not-closed-at-stop", ["Tea?"])]
)
def test_the_example_of_a_cut_message_does_not_ask(client, body, expected):
    request = {
        "model": model(f"openai-chat/{body}.sse", "docs"),
        "messages": MESSAGES,
        "stream": True,
    }
    stream = followup.openai.wrap(client.chat.completions.create(**request))
    asked = []
    names = {
        "stream": stream,
        "Complete": followup.Complete,
        "ask": lambda question, suggestions: asked.append(question),
    }
    run(example("docs/sdks.md", "is_cut ="), **names)
    assert [event.question for event in completes(stream.followup)] == ["Tea?"]
    assert asked == expected
