"""Streams of LiteLLM give the events of the body, and LiteLLM's objects as they are."""

import litellm
import pytest
from followup.litellm import wrap
from law import AsyncSpied, Spied, bodies, check, completes, is_broken, model, read, read_async, run

CHAT = bodies("openai-chat")
# LiteLLM leaves refusals out.
LEFT_OUT = {"openai-chat/refusal.sse"}
# Bodies that the SDK of OpenAI can't read.
UNREADABLE = {"openai-chat/framing-bom-crlf-comments.sse"}


def request(provider, body):
    kind = "anthropic" if body.startswith("anthropic") else "openai"
    messages = [{"role": "user", "content": "Ask me."}]
    options = {"api_base": provider, "api_key": "none", "max_retries": 0, "stream": True}
    return {"model": f"{kind}/{model(body, 'litellm')}", "messages": messages, **options}


def check_all(reading, source, body):
    assert [id(one) for one in reading.objects] == [id(one) for one in source.given]
    check(reading, body)
    assert (reading.error is not None) == (body in UNREADABLE or is_broken(body)), reading.error


@pytest.mark.parametrize("body", [body for body in CHAT if body not in LEFT_OUT])
def test_a_stream_has_the_events_of_its_body(provider, body):
    source = Spied(litellm.completion(**request(provider, body)))
    check_all(read(wrap(source)), source, body)


@pytest.mark.parametrize("body", [body for body in CHAT if body not in LEFT_OUT])
def test_an_asynchronous_stream_has_the_events_of_its_body(provider, body):
    async def use():
        source = AsyncSpied(await litellm.acompletion(**request(provider, body)))
        return source, await read_async(wrap(source))

    source, reading = run(use())
    check_all(reading, source, body)


def test_the_class_of_both_can_be_read_either_way(provider):
    body = "openai-chat/one-call.sse"
    stream = wrap(litellm.completion(**request(provider, body)))
    assert hasattr(stream, "__next__") and hasattr(stream, "__anext__")
    check(read(stream), body)

    async def use():
        stream = wrap(await litellm.acompletion(**request(provider, body)))
        reading = await read_async(stream)
        await stream.aclose()
        return reading

    check(run(use()), body)


@pytest.mark.parametrize("name", ["one-call", "markup-in-text", "cut-off", "max-tokens"])
def test_the_stream_of_another_provider_has_the_same_questions(provider, name):
    body = f"anthropic/{name}.sse"
    reading = read(wrap(litellm.completion(**request(provider, body))))
    assert reading.error is None
    check(reading, body)
    assert bool(completes(reading.events)) == (name in {"one-call", "markup-in-text"})
