"""What a wrapped stream promises, and the provider that plays the bodies."""

import asyncio
import re
import subprocess
import sys
import zlib
from pathlib import Path

import pytest
from followup import Complete, Error, Opaque, Partial, ResponseParser, Text

ROOT = Path(__file__).parents[4]
# The golden bodies of the crate, those that only matter to SDKs, and recorded ones, which are not
# part of the repository.
FOLDERS = [
    ROOT / "tests/wire/bodies",
    Path(__file__).with_name("bodies"),
    ROOT.parent / "shared/data",
]
# What only the recorded bodies of a format have in them.
SIGNS = {
    "openai-chat": b'"chat.completion',
    "openai-responses": b'"response.',
    "anthropic": b'"message_start"',
}


@pytest.fixture(scope="session")
def provider():
    """The URL of a provider that answers with the bodies."""
    script = Path(__file__).with_name("provider.py")
    with subprocess.Popen(
        [sys.executable, script, *FOLDERS], stdout=subprocess.PIPE, text=True
    ) as process:
        yield process.stdout.readline().strip()
        process.terminate()


def bodies(format):
    """Returns the names of the bodies of a format."""
    golden = [
        f"{format}/{path.name}" for folder in FOLDERS for path in (folder / format).glob("*.sse")
    ]
    recorded = [
        path
        for path in (FOLDERS[-1] / "bodies").glob("*.sse")
        if SIGNS[format] in path.read_bytes()
    ]
    return sorted(golden) + sorted(f"bodies/{path.name}" for path in recorded)


def read_body(body):
    return next(path for folder in FOLDERS if (path := folder / body).is_file()).read_bytes()


def format_of(body):
    """Returns the format of a body."""
    return next(format for format in SIGNS if body in bodies(format))


def model(body, way):
    """Returns the model that gives the body in pieces which are others for each way to read it."""
    return f"{body},{zlib.crc32(f'{body} {way}'.encode())}"


class Reading:
    """All that a wrapped stream gives."""

    def __init__(self, stream):
        self.stream = stream
        self.objects, self.events, self.error = [], [], None

    def add(self, one):
        self.objects.append(one)
        self.events += self.stream.followup

    def end(self, error):
        self.error = error
        self.events += self.stream.followup


def read(stream):
    reading = Reading(stream)
    try:
        for one in stream:
            reading.add(one)
    except Exception as error:
        reading.end(error)
    else:
        reading.end(None)
    return reading


async def read_async(stream):
    reading = Reading(stream)
    try:
        async for one in stream:
            reading.add(one)
    except Exception as error:
        reading.end(error)
    else:
        reading.end(None)
    return reading


def run(read):
    """Runs a reading of an asynchronous client."""
    return asyncio.run(asyncio.wait_for(read, 60))


class Spied:
    """A stream that keeps the objects which it gives."""

    def __init__(self, stream):
        self.stream = stream
        self.given = []

    def __getattr__(self, name):
        return getattr(self.stream, name)

    def __iter__(self):
        for one in self.stream:
            self.given.append(one)
            yield one


class AsyncSpied(Spied):
    __iter__ = None

    async def __aiter__(self):
        async for one in self.stream:
            self.given.append(one)
            yield one


class SpiedHelper:
    """A helper, such as `messages.stream(…)`, whose stream keeps the objects which it gives."""

    def __init__(self, manager):
        self.manager = manager

    def __enter__(self):
        stream = Spied(self.manager.__enter__())
        self.given = stream.given
        return stream

    def __exit__(self, *error):
        return self.manager.__exit__(*error)


class AsyncSpiedHelper:
    def __init__(self, manager):
        self.manager = manager

    async def __aenter__(self):
        stream = AsyncSpied(await self.manager.__aenter__())
        self.given = stream.given
        return stream

    async def __aexit__(self, *error):
        return await self.manager.__aexit__(*error)


def check(reading, body, **options):
    """Fails unless the events are those of the part of the body that the SDK reads.

    No SDK reads an event without its blank line. If the SDK raises an error, it has read only the
    events before.
    """
    frames = re.findall(rb".*?(?:\r\n\r\n|\n\n|\r\r)", read_body(body), re.DOTALL)
    events = joined(reading.events)
    if reading.error is None:
        assert events == of_frames(frames, body, options)
        return
    assert any(events == of_frames(frames[:n], body, options) for n in range(len(frames))), events


def is_broken(body):
    """Returns whether there is an error in what the SDK reads of a body."""
    frames = re.findall(rb".*?(?:\r\n\r\n|\n\n|\r\r)", read_body(body), re.DOTALL)
    return any(isinstance(event, Error) for event in of_frames(frames, body, {}))


def of_frames(frames, body, options):
    parser = ResponseParser(format_of(body), **options)
    return joined([event for frame in frames for event in parser.feed(frame)] + parser.finish())


def joined(events):
    """Joins what only the cut separates: texts, pieces of a call, deltas of a field."""
    all = []
    for event in events:
        last = all[-1] if all else None
        match event:
            case Text(text) if isinstance(last, Text):
                all[-1] = Text(last.text + text)
            case Opaque(_, raw, False, _) if isinstance(last, Opaque):
                all[-1] = Opaque(last.tool, last.raw + raw, last.start, last.id)
            case Partial(call, field, delta, question, suggestion):
                place = (call, field, question, suggestion)
                if isinstance(last, tuple) and last[0] == place:
                    all[-1] = (place, last[1] + delta)
                elif delta:
                    all.append((place, delta))
            case _:
                all.append(event)
    return all


def completes(events):
    return [event for event in events if isinstance(event, Complete)]
