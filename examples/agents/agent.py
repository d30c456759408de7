"""An agent whose user answers on the page of `followup serve`.

    followup serve --upstream https://api.example.com/v1
    MODEL=… API_KEY=… python3 examples/agents/agent.py "Plan my week" http://localhost:4127

It needs nothing but Python's standard library.
"""

import json
import os
import sys
from urllib.request import Request, urlopen

task = sys.argv[1]
service = sys.argv[2] if len(sys.argv) > 2 else "http://localhost:4127"
headers = {"content-type": "application/json"}
if "API_KEY" in os.environ:
    headers["authorization"] = "Bearer " + os.environ["API_KEY"]
if "FOLLOWUP_TOKEN" in os.environ:
    headers["x-followup-token"] = os.environ["FOLLOWUP_TOKEN"]

ASK = {
    "type": "function",
    "function": {
        "name": "ask_followup_question",
        "description": "Asks the user a question, with 2 to 4 suggested answers.",
        "parameters": {
            "type": "object",
            "properties": {
                "question": {"type": "string"},
                "follow_up": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "properties": {"text": {"type": "string"}},
                        "required": ["text"],
                    },
                },
            },
            "required": ["question", "follow_up"],
        },
    },
}


def ask_model(messages, conversation):
    """Sends the messages. Returns the model's message, and the id of the conversation."""
    body = {
        "model": os.environ.get("MODEL", "default"),
        "stream": True,
        "tools": [ASK],
        "messages": messages,
    }
    named = {"x-followup-conversation": conversation} if conversation else {}
    request = Request(f"{service}/v1/chat/completions", json.dumps(body).encode(), headers | named)
    message = {"role": "assistant", "content": ""}
    with urlopen(request) as response:
        for line in response:
            if line.startswith(b"data: {"):
                append(message, json.loads(line[len("data: ") :]))
        return message, response.headers["x-followup-conversation"]


def append(message, chunk):
    """Appends a chunk of the stream to the message."""
    for choice in chunk.get("choices", [])[:1]:
        delta = choice.get("delta") or {}
        message["content"] += delta.get("content") or ""
        for piece in delta.get("tool_calls") or []:
            calls, function = message.setdefault("tool_calls", []), piece.get("function") or {}
            if piece["index"] == len(calls):
                calls.append(
                    {
                        "id": piece["id"],
                        "type": "function",
                        "function": {"name": "", "arguments": ""},
                    }
                )
            for field in ("name", "arguments"):
                calls[piece["index"]]["function"][field] += function.get(field) or ""


def collect(conversation, last):
    """Waits until the user has answered everything. Returns the messages for the model."""
    wait = 0  # Without a question there is nothing to wait for.
    while True:
        path = f"/conversations/{conversation}/replies?after={last}&wait={wait}&format=openai-chat"
        with urlopen(Request(service + path, headers=headers)) as response:
            collected = json.load(response)
        last = collected["last"]
        if collected["missing"] == 0:
            return collected["messages"], last
        wait = 60


messages, conversation, last = [{"role": "user", "content": task}], None, 0
while True:
    message, conversation = ask_model(messages, conversation)
    replies, last = collect(conversation, last)
    messages += [message, *replies]
    if not replies:
        break
print(message["content"])
