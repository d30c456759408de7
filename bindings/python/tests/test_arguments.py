"""The crate's cases of native arguments, tests/spec/arguments.txt, have the same events here."""

import re
from typing import Any

import pytest
from followup import ArgumentsParser, Complete, Partial, Rejected
from help import ROOT, cut, run

TEXT = (ROOT / "tests/spec/arguments.txt").read_text(encoding="utf-8")
LINES = [line for line in TEXT.split("\n") if line and not line.startswith("#")]
CASES = [tuple(LINES[i : i + 3]) for i in range(0, len(LINES), 3)]
LIMITS = {"q": "question", "a": "answer", "s": "suggestions", "tag": "tag"}


def options(rules: str) -> dict[str, Any]:
    limits = {LIMITS[key]: int(number) for key, number in re.findall(r"(\w+)=(\d+)", rules)}
    return {"strict": "strict" in rules, "decode_entities": "entities" in rules, "limits": limits}


def stream(line: str) -> bytes:
    """Returns the bytes of a stream: ⟨HH⟩ is a byte, ⟨n*x⟩ is x repeated n times."""

    def written(match: re.Match[str]) -> bytes:
        times, star, repeated = match[1].partition("*")
        return repeated.encode() * int(times) if star else bytes([int(match[1], 16)])

    if line == "(empty)":
        return b""
    parts = re.split(r"⟨(.*?)⟩", line)
    matches = re.finditer(r"⟨(.*?)⟩", line)
    return b"".join(
        part.encode() if i % 2 == 0 else written(next(matches)) for i, part in enumerate(parts)
    )


def unescape(text: str) -> str:
    """Returns a text that Rust has written with escapes."""
    named = {"n": "\n", "r": "\r", "t": "\t", "0": "\0"}

    def character(match: re.Match[str]) -> str:
        return chr(int(match[2], 16)) if match[2] else named.get(match[1], match[1])

    return re.sub(r"\\(u\{([0-9a-f]+)\}|.)", character, text)


def expected(line: str) -> tuple[list[tuple[str, str]], dict[str, str], str]:
    """Returns the texts in order, the modes, and the end."""
    quoted = re.findall(r'([QAM]\d*)"((?:[^"\\]|\\.)*)"', line)
    texts = [(label, unescape(text)) for label, text in quoted if label[0] != "M"]
    modes = {label: unescape(text) for label, text in quoted if label[0] == "M"}
    end = re.sub(r'[QAM]\d*"(?:[^"\\]|\\.)*"|\bA\d+\b', "", line).strip()
    return texts, modes, end


def shown(events) -> tuple[list[tuple[str, str]], dict[str, str], str]:
    texts: list[tuple[str, str]] = []
    modes: dict[str, str] = {}
    end = ""
    for event in events:
        match event:
            case Partial():
                label = "Q" if event.suggestion_index is None else f"A{event.suggestion_index}"
                if event.known is not None and event.known.mode is not None:
                    modes[f"M{event.suggestion_index}"] = event.known.mode
                if texts and texts[-1][0] == label:
                    texts[-1] = (label, texts[-1][1] + event.delta)
                elif event.delta:
                    texts.append((label, event.delta))
            case Complete():
                names = sorted(
                    "".join(word.capitalize() for word in code.split("_"))
                    for code in event.note_codes
                )
                end = f"complete[{','.join(names)}]"
            case Rejected(code):
                end = code
    return texts, modes, end


@pytest.mark.parametrize("case", CASES, ids=range(len(CASES)))
def test_arguments_have_the_events_of_the_case(case):
    rules, line, events = case
    data = stream(line)
    for size in (max(len(data), 1), 1):
        parser = ArgumentsParser("ask_followup_question", **options(rules))
        assert shown(run(parser, cut(data, list(range(size, len(data), size))))) == expected(
            events
        ), line


def test_there_are_cases():
    assert len(LINES) % 3 == 0 and len(CASES) > 300
