"""A provider in a process of its own: the APIs of OpenAI and Anthropic, with a scripted model.

The model asks which colour, in a native call, and repeats the answer once it has it. Prints its
base URL when it is ready.
"""

import itertools
import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

ARGUMENTS = json.dumps(
    {"question": "Which colour?", "follow_up": [{"text": "Red"}, {"text": "Blue"}]}
)
TOOL = "ask_followup_question"
counter = itertools.count(1)


def new_id(prefix):
    return f"{prefix}_{next(counter):08}"


def result_of(request):
    """Returns the result of the call, in any of the three formats; None if the request has none."""
    for message in reversed(request.get("messages") or request.get("input") or []):
        if not isinstance(message, dict):
            continue
        if message.get("role") == "tool":
            return message["content"]
        if message.get("type") == "function_call_output":
            return message["output"]
        if message.get("role") == "user" and isinstance(message.get("content"), list):
            for block in message["content"]:
                if block.get("type") == "tool_result":
                    content = block["content"]
                    return (
                        content
                        if isinstance(content, str)
                        else "".join(part["text"] for part in content)
                    )
    return None


def answer_to(request):
    """Returns the text of the model's message, and whether it asks."""
    result = result_of(request)
    return ("One moment.", True) if result is None else (f"Then: {result}", False)


def pieces(text, size=7):
    return [text[start : start + size] for start in range(0, len(text), size)]


def chat(request):
    text, asks = answer_to(request)
    head = {"id": new_id("chatcmpl"), "created": 1, "model": request["model"]}
    call = {
        "id": new_id("call"),
        "type": "function",
        "function": {"name": TOOL, "arguments": ARGUMENTS},
    }
    reason = "tool_calls" if asks else "stop"
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    if not request.get("stream"):
        message = {"role": "assistant", "content": text, "refusal": None}
        if asks:
            message["tool_calls"] = [call]
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": reason}
        return {**head, "object": "chat.completion", "choices": [choice], "usage": usage}

    def chunk(delta, reason=None):
        choice = {"index": 0, "delta": delta, "finish_reason": reason}
        return None, {**head, "object": "chat.completion.chunk", "choices": [choice]}

    events = [chunk({"role": "assistant", "content": ""})] + [
        chunk({"content": piece}) for piece in pieces(text)
    ]
    if asks:
        start = {**call, "index": 0, "function": {"name": TOOL, "arguments": ""}}
        events.append(chunk({"tool_calls": [start]}))
        for piece in pieces(ARGUMENTS):
            events.append(chunk({"tool_calls": [{"index": 0, "function": {"arguments": piece}}]}))
    return events + [chunk({}, reason), (None, "[DONE]")]


def messages(request):
    text, asks = answer_to(request)
    call = {"type": "tool_use", "id": new_id("toolu"), "name": TOOL}
    content = [{"type": "text", "text": text}] + (
        [{**call, "input": json.loads(ARGUMENTS)}] if asks else []
    )
    reason = "tool_use" if asks else "end_turn"
    message = {
        "id": new_id("msg"),
        "type": "message",
        "role": "assistant",
        "model": request["model"],
    }
    message |= {"content": content, "stop_reason": reason, "stop_sequence": None}
    message["usage"] = {"input_tokens": 1, "output_tokens": 1}
    if not request.get("stream"):
        return message
    events = [{"type": "message_start", "message": {**message, "content": [], "stop_reason": None}}]
    blocks = [
        (
            {"type": "text", "text": ""},
            [{"type": "text_delta", "text": piece} for piece in pieces(text)],
        )
    ]
    if asks:
        deltas = [
            {"type": "input_json_delta", "partial_json": piece} for piece in pieces(ARGUMENTS)
        ]
        blocks.append(({**call, "input": {}}, deltas))
    for index, (block, deltas) in enumerate(blocks):
        events.append({"type": "content_block_start", "index": index, "content_block": block})
        events += [
            {"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas
        ]
        events.append({"type": "content_block_stop", "index": index})
    delta = {"stop_reason": reason, "stop_sequence": None}
    events.append({"type": "message_delta", "delta": delta, "usage": {"output_tokens": 1}})
    events.append({"type": "message_stop"})
    return [(event["type"], event) for event in events]


def responses(request):
    text, asks = answer_to(request)
    part = {"type": "output_text", "text": text, "annotations": [], "logprobs": []}
    items = [
        {
            "type": "message",
            "id": new_id("msg"),
            "role": "assistant",
            "status": "completed",
            "content": [part],
        }
    ]
    if asks:
        call = {
            "type": "function_call",
            "id": new_id("fc"),
            "call_id": new_id("call"),
            "name": TOOL,
        }
        items.append({**call, "arguments": ARGUMENTS, "status": "completed"})
    usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
    usage |= {
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens_details": {"reasoning_tokens": 0},
    }
    response = {
        "id": new_id("resp"),
        "object": "response",
        "created_at": 1,
        "model": request["model"],
    }
    response |= {
        "status": "completed",
        "error": None,
        "incomplete_details": None,
        "instructions": None,
    }
    response |= {
        "metadata": {},
        "parallel_tool_calls": True,
        "temperature": 1,
        "tool_choice": "auto",
        "tools": [],
    }
    response |= {"top_p": 1, "output": items, "usage": usage}
    if not request.get("stream"):
        return response
    events = [
        {
            "type": "response.created",
            "response": {**response, "status": "in_progress", "output": [], "usage": None},
        }
    ]
    for index, item in enumerate(items):
        place = {"output_index": index, "item_id": item["id"]}
        events.append(
            {
                "type": "response.output_item.added",
                "output_index": index,
                "item": {
                    **item,
                    "status": "in_progress",
                    **({"content": []} if "content" in item else {"arguments": ""}),
                },
            }
        )
        if "content" in item:
            place["content_index"] = 0
            events.append(
                {"type": "response.content_part.added", **place, "part": {**part, "text": ""}}
            )
            for piece in pieces(text):
                events.append(
                    {"type": "response.output_text.delta", **place, "delta": piece, "logprobs": []}
                )
            events.append(
                {"type": "response.output_text.done", **place, "text": text, "logprobs": []}
            )
            events.append({"type": "response.content_part.done", **place, "part": part})
        else:
            for piece in pieces(ARGUMENTS):
                events.append(
                    {"type": "response.function_call_arguments.delta", **place, "delta": piece}
                )
            done = {"type": "response.function_call_arguments.done", **place, "name": TOOL}
            events.append({**done, "arguments": ARGUMENTS})
        events.append({"type": "response.output_item.done", "output_index": index, "item": item})
    events.append({"type": "response.completed", "response": response})
    return [
        (event["type"], {**event, "sequence_number": number}) for number, event in enumerate(events)
    ]


MODELS = {
    "object": "list",
    "data": [{"id": "scripted", "object": "model", "created": 1, "owned_by": "tests"}],
}


def embeddings(request):
    data = [{"object": "embedding", "index": 0, "embedding": [0.5, 0.25]}]
    return {
        "object": "list",
        "data": data,
        "model": request["model"],
        "usage": {"prompt_tokens": 1, "total_tokens": 1},
    }


ANSWERS = {
    "/v1/chat/completions": chat,
    "/v1/messages": messages,
    "/v1/responses": responses,
    "/v1/embeddings": embeddings,
}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        if self.path == "/v1/models":
            self.json(200, MODELS)
        else:
            self.json(404, {"error": {"message": "there is no such path", "type": "not_found"}})

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        answer = ANSWERS.get(self.path)
        if request.get("model") == "refuse" or not answer:
            return self.json(
                400,
                {"type": "error", "error": {"type": "invalid_request_error", "message": "refused"}},
            )
        answered = answer(request)
        if isinstance(answered, dict):
            return self.json(200, answered)
        self.send_response(200)
        self.send_header("content-type", "text/event-stream; charset=utf-8")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for name, data in answered:
            event = f"event: {name}\n" if name else ""
            event += f"data: {data if isinstance(data, str) else json.dumps(data)}\n\n"
            self.wfile.write(f"{len(event.encode()):x}\r\n{event}\r\n".encode())
            self.wfile.flush()
        self.wfile.write(b"0\r\n\r\n")

    def json(self, status, body):
        body = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(f"http://127.0.0.1:{server.server_address[1]}/v1", flush=True)
server.serve_forever()
