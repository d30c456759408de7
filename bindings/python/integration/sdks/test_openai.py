"""Streams of the OpenAI SDK give the events of the body, and the SDK's objects as they are."""

import openai
import pytest
from followup.openai import wrap
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

CHAT, RESPONSES = bodies("openai-chat"), bodies("openai-responses")
MESSAGES = [{"role": "user", "content": "Ask me."}]
# Bodies that the SDK itself can't read, or not with its helpers.
UNREADABLE = {"openai-chat/framing-bom-crlf-comments.sse"}
UNREADABLE_BY_HELPER = {
    "openai-chat/no-index.sse", "openai-chat/null-choices-first.sse", "openai-chat/repeated-empty-name-and-id.sse",
    "bodies/6-null-in-tool_calls-costs-text.sse", "bodies/7-responses-text-only-in-done.sse",
}  # fmt: skip
# Errors that the SDK gives as objects, with an event beside.
GIVEN = {"openai-responses/error-in-the-middle.sse", "openai-responses/response-failed.sse"}
OPTIONS = {"api_key": "none", "max_retries": 0}
ONE_CALL = "openai-chat/one-call.sse"


@pytest.fixture
def client(provider):
    with openai.OpenAI(base_url=provider, **OPTIONS) as client:
        yield client


def with_async(provider, use):
    """Runs what uses an asynchronous client."""

    async def main():
        async with openai.AsyncOpenAI(base_url=provider, **OPTIONS) as client:
            return await use(client)

    return run(main())


def create(client, body):
    if body in CHAT:
        return client.chat.completions.create(
            model=model(body, "create"), messages=MESSAGES, stream=True
        )
    return client.responses.create(model=model(body, "create"), input=MESSAGES, stream=True)


def helper(client, body):
    if body in CHAT:
        return client.chat.completions.stream(model=model(body, "helper"), messages=MESSAGES)
    return client.responses.stream(model=model(body, "helper"), input=MESSAGES)


def check_all(reading, body, unreadable):
    check(reading, body)
    assert (reading.error is not None) == (
        body in unreadable or is_broken(body) and body not in GIVEN
    ), reading.error


@pytest.mark.parametrize("body", CHAT + RESPONSES)
def test_a_stream_has_the_events_of_its_body(client, body):
    source = Spied(create(client, body))
    reading = read(wrap(source))
    assert [id(one) for one in reading.objects] == [id(one) for one in source.given]
    check_all(reading, body, UNREADABLE)


@pytest.mark.parametrize("body", CHAT + RESPONSES)
def test_an_asynchronous_stream_has_the_events_of_its_body(provider, body):
    async def use(client):
        source = AsyncSpied(await create(client, body))
        return source, await read_async(wrap(source))

    source, reading = with_async(provider, use)
    assert [id(one) for one in reading.objects] == [id(one) for one in source.given]
    check_all(reading, body, UNREADABLE)


@pytest.mark.parametrize("body", CHAT + RESPONSES)
def test_a_helper_has_the_events_of_its_body(client, body):
    source = SpiedHelper(helper(client, body))
    with wrap(source) as stream:
        reading = read(stream)
    assert [id(one) for one in reading.objects] == [id(one) for one in source.given]
    check_all(reading, body, UNREADABLE | UNREADABLE_BY_HELPER)


@pytest.mark.parametrize("body", CHAT + RESPONSES)
def test_an_asynchronous_helper_has_the_events_of_its_body(provider, body):
    async def use(client):
        source = AsyncSpiedHelper(helper(client, body))
        async with wrap(source) as stream:
            return source, await read_async(stream)

    source, reading = with_async(provider, use)
    assert [id(one) for one in reading.objects] == [id(one) for one in source.given]
    check_all(reading, body, UNREADABLE | UNREADABLE_BY_HELPER)


def test_options_are_those_of_a_response(client):
    body = "openai-chat/markup-in-text.sse"
    options = {"limits": {"question": 3}, "outside_code": True}
    reading = read(wrap(create(client, body), **options))
    check(reading, body, **options)
    assert not completes(reading.events)


def test_the_attributes_and_the_methods_of_the_stream_remain(client):
    source = create(client, ONE_CALL)
    with wrap(source) as stream:
        assert stream.response is source.response
        next(stream)
        stream.close()
    assert source.response.is_closed


def test_a_final_object_can_be_had_with_all_events(client):
    with wrap(helper(client, ONE_CALL)) as stream:
        [call] = stream.get_final_completion().choices[0].message.tool_calls
        assert [event.id for event in completes(stream.followup)] == [call.id]
    with wrap(helper(client, "openai-responses/one-call.sse")) as stream:
        assert stream.until_done() is stream
        events = stream.followup
        assert stream.get_final_response().status == "completed"
        assert stream.followup is events and len(completes(events)) == 1


def test_an_asynchronous_final_object_can_be_had_with_all_events(provider):
    async def use(client):
        async with wrap(helper(client, ONE_CALL)) as stream:
            final = await stream.get_final_completion()
            return final.choices[0].message.tool_calls, completes(stream.followup)

    [call], [event] = with_async(provider, use)
    assert event.id == call.id


def test_an_error_of_the_provider_is_raised_after_a_question_is_rejected(client):
    reading = read(wrap(create(client, "openai-chat/error-in-the-middle.sse")))
    assert isinstance(reading.error, openai.APIError)
    assert not completes(reading.events)
