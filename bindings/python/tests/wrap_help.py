"""Streams as the SDKs have them."""

import asyncio

MESSAGE = "So: <ask_followup_question><question>T|ea?</question></ask_followup_question>| <ask"
TEXTS = MESSAGE.split("|")


def chunk(text):
    return {
        "object": "chat.completion.chunk",
        "choices": [{"index": 0, "delta": {"content": text}}],
    }


CHUNKS = [chunk(text) for text in TEXTS]


class Source:
    """A stream of either kind, as a context manager, that can be closed."""

    response = "the response"

    def __init__(self, objects, error=None):
        self.objects = objects
        self.error = error
        self.closed = False

    def close(self):
        self.closed = True


class SyncSource(Source):
    def __iter__(self):
        yield from self.objects
        if self.error:
            raise self.error

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def until_done(self):
        return self

    def get_final_message(self):
        return "the message"

    @property
    def text_stream(self):
        return iter(())


class AsyncSource(Source):
    async def __aiter__(self):
        for one in self.objects:
            await asyncio.sleep(0)
            yield one
        if self.error:
            raise self.error

    async def __aenter__(self):
        return self

    async def __aexit__(self, *_):
        self.close()

    async def get_final_message(self):
        return "the message"

    @property
    def text_stream(self):
        return iter(())


def kinds(events):
    return [event.type for event in events]
