"""A provider in a process of its own: answers with recorded bodies, in pieces that end anywhere.

The model of a request names the body and the seed of the pieces: `openai-chat/one-call.sse,7`. The
arguments are the folders of bodies: the first that has the body counts. Prints its base URL when it
is ready.
"""

import json
import random
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        name, seed = request["model"].rsplit(",", 1)
        body = next(
            path for folder in sys.argv[1:] if (path := Path(folder) / name).is_file()
        ).read_bytes()
        pieces = random.Random(int(seed))
        self.send_response(200)
        self.send_header("content-type", "text/event-stream; charset=utf-8")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        try:
            while body:
                size = pieces.randint(1, 200)
                piece, body = body[:size], body[size:]
                self.wfile.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
            self.wfile.write(b"0\r\n\r\n")
        except ConnectionError:
            pass  # The client has read enough.


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(f"http://127.0.0.1:{server.server_address[1]}", flush=True)
server.serve_forever()
