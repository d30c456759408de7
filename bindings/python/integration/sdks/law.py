"""What a wrapped stream promises, and the provider that plays the bodies."""

import asyncio
import re
import subprocess
import sys
import zlib
from pathlib import Path

import pytest

from followup import Complete, Error, Opaque, Partial, ResponseParser, Text

BODIES = Path(__file__).parents[4] / "tests/wire/bodies"


@pytest.fixture(scope="session")
def provider():
    """The URL of a provider that answers with the golden bodies."""
    script = Path(__file__).with_name("provider.py")
    with subprocess.Popen([sys.executable, script, BODIES], stdout=subprocess.PIPE, text=True) as process:
        yield process.stdout.readline().strip()
        process.terminate()


def bodies(format):
    """Returns the names of the golden bodies of a format."""
    return sorted(f"{format}/{path.name}" for path in (BODIES / format).glob("*.sse"))


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


def check(reading, body, **options):
    """Fails unless the events are those of the part of the body that the SDK reads.

    No SDK reads an event without its blank line. If the SDK raises an error, it has read only the
    events before.
    """
    frames = re.findall(rb".*?(?:\r\n\r\n|\n\n|\r\r)", (BODIES / body).read_bytes(), re.DOTALL)
    events = joined(reading.events)
    if reading.error is None:
        assert events == of_frames(frames, body, options)
        return
    assert any(events == of_frames(frames[:n], body, options) for n in range(len(frames))), events


def is_broken(body):
    """Returns whether there is an error in what the SDK reads of a body."""
    frames = re.findall(rb".*?(?:\r\n\r\n|\n\n|\r\r)", (BODIES / body).read_bytes(), re.DOTALL)
    return any(isinstance(event, Error) for event in of_frames(frames, body, {}))


def of_frames(frames, body, options):
    parser = ResponseParser(body.split("/")[0], **options)
    return joined([event for frame in frames for event in parser.feed(frame)] + parser.finish())


def joined(events):
    """Joins what only the cut separates: neighbouring texts, pieces of a call, deltas of a field."""
    all = []
    for event in events:
        last = all[-1] if all else None
        match event:
            case Text(text) if isinstance(last, Text):
                all[-1] = Text(last.text + text)
            case Opaque(tool, raw, False, id) if isinstance(last, Opaque):
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
