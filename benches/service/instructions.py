#!/usr/bin/env python3
"""Counts the instructions of `followup serve` for one event, with valgrind, for each program named.

    benches/service/instructions.py target/release/followup [OTHER/followup ...]

A body is pushed in chunks of one text, each after a reader has got the one before. Two numbers of
texts are run, and the difference is divided, so that starting costs nothing. Needs Python 3.10 and
valgrind.
"""

import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

FEW, MANY = 500, 4500


def connect(port: int, head: str) -> socket.socket:
    stream = socket.create_connection(("127.0.0.1", port), timeout=60)
    stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    stream.sendall(f"{head} HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\n".encode())
    return stream


def send(push: socket.socket, text: str) -> None:
    event = f'data: {{"choices":[{{"index":0,"delta":{{"content":"{text}"}}}}]}}\n\n'.encode()
    push.sendall(b"%x\r\n%s\r\n" % (len(event), event))


def read_events(port: int) -> tuple[socket.socket, bytes]:
    """Opens the events of the conversation, as soon as it exists."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        reader = connect(port, "GET /conversations/x/events")
        reader.sendall(b"\r\n")
        seen = reader.recv(65536)
        if seen.startswith(b"HTTP/1.1 200"):
            return reader, seen
        reader.close()
        time.sleep(0.1)
    sys.exit("the conversation does not exist")


def stream(port: int, texts: int) -> None:
    """Pushes texts, each after a reader has got the one before."""
    push = connect(port, "POST /conversations?wire=openai-chat&id=x")
    push.sendall(b"transfer-encoding: chunked\r\n\r\n")
    send(push, "first ")
    reader, seen = read_events(port)
    for index in range(texts):
        text = f"word{index:06} "
        send(push, text)
        while text.encode() not in seen:
            seen = (seen + reader.recv(65536))[-65536:]
    push.sendall(b"0\r\n\r\n")
    push.recv(65536)


def instructions(program: str, texts: int) -> int:
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "out")
        valgrind = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}"]
        command = [*valgrind, program, "serve", "--demo", "--listen", "127.0.0.1:0"]
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        ) as service:
            try:
                stream(int(service.stdout.readline().rsplit(":", 1)[1]), texts)
                service.send_signal(signal.SIGTERM)
                service.wait(60)
            finally:
                service.kill()
        return int(re.search(r"^(?:summary|totals): (\d+)", out.read_text(), re.MULTILINE)[1])


if len(sys.argv) < 2:
    sys.exit(__doc__)
for program in sys.argv[1:]:
    few, many = instructions(program, FEW), instructions(program, MANY)
    print(f"{(many - few) / (MANY - FEW):8.0f} instructions per event  {program}")
