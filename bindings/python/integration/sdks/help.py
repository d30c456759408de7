"""What the tests of all SDKs use."""

import asyncio
import random
from pathlib import Path

from followup import Complete, Error, Opaque, Partial, ResponseParser, Text

BODIES = Path(__file__).parents[4] / "tests/wire/bodies"


def bodies(format):
    """Returns the names of the golden bodies of a format, each with a seed for the pieces of the provider."""
    names = sorted(path.name for path in (BODIES / format).glob("*.sse"))
    return [f"{format}/{name},{random.randrange(1 << 30)}" for name in names]


def model(name, seed=0):
    return f"{name},{seed}"


def raw(model, **options):
    """Returns the joined events of a body as the provider sends it."""
    name = model.rsplit(",", 1)[0]
    parser = ResponseParser(name.split("/")[0], **options)
    return joined(parser.feed((BODIES / name).read_bytes()) + parser.finish())


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


def check(events, model, error, **options):
    """Fails unless the events are those of the body, or, if the SDK raised an error, those before it."""
    expected = raw(model, **options)
    if error is None:
        assert joined(events) == expected
        return
    assert any(isinstance(event, Error) for event in expected), error


class Spy:
    """A stream, or the manager of one, that records the objects of the SDK's stream."""

    def __init__(self, stream):
        self.stream = stream
        self.objects = []


def read(stream):
    """Returns the objects, the events beside each, the events of the end, and what was raised."""
    objects, beside, error = [], [], None
    try:
        for one in stream:
            objects.append(one)
            beside.append(stream.followup)
    except Exception as raised:
        error = raised
    return objects, beside, stream.followup, error


async def read_async(stream):
    objects, beside, error = [], [], None
    try:
        async for one in stream:
            objects.append(one)
            beside.append(stream.followup)
    except Exception as raised:
        error = raised
    return objects, beside, stream.followup, error
