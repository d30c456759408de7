"""Streams of the Anthropic SDK give the events of the body, and the SDK's objects as they are."""

import anthropic
import pytest
from followup.anthropic import wrap
from law import (
    AsyncSpied,
    AsyncSpiedHelper,
    Spied,
    SpiedHelper,
    bodies,
    check,
    completes,
    is_broken,
    model,
    read,
    read_async,
    run,
)

BODIES = bodies("anthropic")
# The SDK's helper can't read arguments that are no JSON.
UNREADABLE_BY_HELPER = {"anthropic/rejected-inputs.sse"}
OPTIONS = {"api_key": "none", "max_retries": 0}
ONE_CALL = "anthropic/one-call.sse"


@pytest.fixture
def client(provider):
    with anthropic.Anthropic(base_url=provider, **OPTIONS) as client:
        yield client


def with_async(provider, use):
    """Runs what uses an asynchronous client."""

    async def main():
        async with anthropic.AsyncAnthropic(base_url=provider, **OPTIONS) as client:
            return await use(client)

    return run(main())


def request(body, way):
    return {
        "model": model(body, way),
        "max_tokens": 100,
        "messages": [{"role": "user", "content": "Ask me."}],
    }


def create(client, body):
    return client.messages.create(**request(body, "create"), stream=True)


def helper(client, body):
    return client.messages.stream(**request(body, "helper"))


def check_all(reading, body, unreadable=()):
    check(reading, body)
    assert (reading.error is not None) == (body in unreadable or is_broken(body)), reading.error


@pytest.mark.parametrize("body", BODIES)
def test_a_stream_has_the_events_of_its_body(client, body):
    source = Spied(create(client, body))
    reading = read(wrap(source))
    assert [id(one) for one in reading.objects] == [id(one) for one in source.given]
    check_all(reading, body)


@pytest.mark.parametrize("body", BODIES)
def test_an_asynchronous_stream_has_the_events_of_its_body(provider, body):
    async def use(client):
        source = AsyncSpied(await create(client, body))
        return source, await read_async(wrap(source))

    source, reading = with_async(provider, use)
    assert [id(one) for one in reading.objects] == [id(one) for one in source.given]
    check_all(reading, body)


@pytest.mark.parametrize("body", BODIES)
def test_a_helper_has_the_events_of_its_body(client, body):
    source = SpiedHelper(helper(client, body))
    with wrap(source) as stream:
        reading = read(stream)
    assert [id(one) for one in reading.objects] == [id(one) for one in source.given]
    check_all(reading, body, UNREADABLE_BY_HELPER)


@pytest.mark.parametrize("body", BODIES)
def test_an_asynchronous_helper_has_the_events_of_its_body(provider, body):
    async def use(client):
        source = AsyncSpiedHelper(helper(client, body))
        async with wrap(source) as stream:
            return source, await read_async(stream)

    source, reading = with_async(provider, use)
    assert [id(one) for one in reading.objects] == [id(one) for one in source.given]
    check_all(reading, body, UNREADABLE_BY_HELPER)


def test_the_helper_of_the_beta_has_the_events_of_its_body(client):
    with wrap(client.beta.messages.stream(**request(ONE_CALL, "beta"))) as stream:
        reading = read(stream)
    check_all(reading, ONE_CALL)


def test_the_texts_come_with_all_events(client):
    with helper(client, ONE_CALL) as plain:
        expected = list(plain.text_stream)
    with wrap(helper(client, ONE_CALL)) as stream:
        texts, events = [], []
        for text in stream.text_stream:
            texts.append(text)
            events += stream.followup
        events += stream.followup
        assert texts == expected
        assert stream.get_final_text() == "".join(expected)
    assert len(completes(events)) == 1


def test_the_asynchronous_texts_come_with_all_events(provider):
    async def use(client):
        async with wrap(helper(client, ONE_CALL)) as stream:
            texts, events = [], []
            async for text in stream.text_stream:
                texts.append(text)
                events += stream.followup
            return texts, events + stream.followup, await stream.get_final_message()

    texts, events, message = with_async(provider, use)
    assert "".join(texts) == message.content[0].text
    assert [event.id for event in completes(events)] == [message.content[1].id]


def test_the_attributes_and_the_methods_of_the_stream_remain(client):
    with wrap(helper(client, ONE_CALL)) as stream:
        next(stream)
        assert stream.current_message_snapshot.role == "assistant"
        response = stream.response
        stream.close()
    assert response.is_closed


def test_an_error_of_the_provider_is_raised_after_a_question_is_rejected(client):
    reading = read(wrap(create(client, "anthropic/error-in-arguments.sse")))
    assert isinstance(reading.error, anthropic.APIStatusError)
    assert reading.events[-1].type == "rejected" and not completes(reading.events)
