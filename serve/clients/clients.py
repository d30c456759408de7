"""The Python clients of OpenAI and Anthropic, through the service, streamed and not."""

import json
import sys
import urllib.request

import anthropic
import openai

SERVICE = sys.argv[1]
TOOL = "ask_followup_question"
SCHEMA = {
    "type": "object",
    "properties": {"question": {"type": "string"}},
    "required": ["question"],
}

openai_client = openai.OpenAI(base_url=f"{SERVICE}/v1", api_key="key", max_retries=0)
anthropic_client = anthropic.Anthropic(base_url=SERVICE, api_key="key", max_retries=0)


def call(path, body=None):
    data = None if body is None else json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(SERVICE + path, data=data)) as response:
        return json.load(response)


def answered(api):
    """Answers the open question of the newest conversation.

    Returns its id, and the reply's text.
    """
    newest = call("/conversations")["conversations"][0]
    assert newest["open"] == "Which colour?", newest
    answer = call(
        f"/conversations/{newest['id']}/answer", {"number": 0, "suggestion": 1, "format": api}
    )
    return newest["id"], answer["reply"]["text"]


def check(name, ask):
    """Asks twice: the second request has the answer, and belongs to the same conversation."""
    api, first, second = ask
    for stream in (False, True):
        user = f"Paint it, {name}, {stream}"
        shown, arguments, call_id = first(user, stream)
        assert json.loads(arguments)["question"] == "Which colour?", arguments
        conversation, reply = answered(api)
        text = second(user, shown, call_id, reply, stream)
        assert text == f"Then: {reply}" and "Blue" in text, text
        items = call(f"/conversations/{conversation}")["items"]
        turns = [item for item in items if item["type"] == "turn"]
        assert len(turns) == 2, (
            f"{name}: the second request is a turn of the same conversation: {items}"
        )
        print(f"ok  python {name} {'streamed' if stream else 'whole'}")


def chat():
    tools = [{"type": "function", "function": {"name": TOOL, "parameters": SCHEMA}}]

    def create(messages, stream):
        request = {"model": "scripted", "messages": messages, "tools": tools}
        if not stream:
            return openai_client.chat.completions.create(**request).choices[0].message
        with openai_client.chat.completions.stream(**request) as events:
            return events.get_final_completion().choices[0].message

    def first(user, stream):
        message = create([{"role": "user", "content": user}], stream)
        function = message.tool_calls[0]
        # As agents write it: only what the API takes.
        calls = [
            {
                "id": function.id,
                "type": "function",
                "function": {
                    "name": function.function.name,
                    "arguments": function.function.arguments,
                },
            }
        ]
        shown = {"role": "assistant", "content": message.content, "tool_calls": calls}
        return shown, function.function.arguments, function.id

    def second(user, shown, call_id, reply, stream):
        result = {"role": "tool", "tool_call_id": call_id, "content": reply}
        return create([{"role": "user", "content": user}, shown, result], stream).content

    return "openai-chat", first, second


def responses(kept):
    """With `kept`, the provider keeps the conversation."""
    tools = [{"type": "function", "name": TOOL, "parameters": SCHEMA}]

    def create(stream, **request):
        request |= {"model": "scripted", "tools": tools}
        if not stream:
            return openai_client.responses.create(**request)
        with openai_client.responses.stream(**request) as events:
            for _ in events:
                pass
            return events.get_final_response()

    def first(user, stream):
        response = create(stream, input=user)
        function = response.output[1]
        return response, function.arguments, function.call_id

    def second(user, response, call_id, reply, stream):
        result = {"type": "function_call_output", "call_id": call_id, "output": reply}
        if kept:
            return create(stream, previous_response_id=response.id, input=[result]).output_text
        shown = [item.model_dump(exclude_none=True) for item in response.output]
        for item in shown:
            item.pop("parsed_arguments", None)
        return create(stream, input=[{"role": "user", "content": user}, *shown, result]).output_text

    return "openai-responses", first, second


def messages():
    tools = [{"name": TOOL, "input_schema": SCHEMA}]

    def create(all_messages, stream):
        request = {"model": "scripted", "max_tokens": 100, "messages": all_messages, "tools": tools}
        if not stream:
            return anthropic_client.messages.create(**request)
        with anthropic_client.messages.stream(**request) as events:
            return events.get_final_message()

    def first(user, stream):
        message = create([{"role": "user", "content": user}], stream)
        use = message.content[1]
        return message.content, json.dumps(use.input), use.id

    def second(user, shown, call_id, reply, stream):
        result = {"type": "tool_result", "tool_use_id": call_id, "content": reply}
        all_messages = [
            {"role": "user", "content": user},
            {"role": "assistant", "content": shown},
            {"role": "user", "content": [result]},
        ]
        return create(all_messages, stream).content[0].text

    return "anthropic", first, second


def others():
    assert [model.id for model in openai_client.models.list()] == ["scripted"]
    assert openai_client.embeddings.create(model="m", input="x", encoding_format="float").data[
        0
    ].embedding == [0.5, 0.25]
    for client, create in (
        (openai, lambda: openai_client.chat.completions.create(model="refuse", messages=[])),
        (
            anthropic,
            lambda: anthropic_client.messages.create(model="refuse", max_tokens=1, messages=[]),
        ),
    ):
        try:
            create()
            raise AssertionError("the provider refuses it")
        except client.BadRequestError as error:
            assert "refused" in str(error)
    print("ok  python models, embeddings, errors")


others()
check("chat completions", chat())
check("responses", responses(False))
check("responses that are kept", responses(True))
check("messages", messages())
