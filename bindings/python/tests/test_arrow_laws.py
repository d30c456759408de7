"""The result of a column equals the joined events of its cells' streams, for any cut, type and chunking."""

import pyarrow as pa
import pytest
from arrow_help import ASK, BYTES, STRINGS, rows_of
from followup.arrow import questions
from hypothesis import given, settings
from hypothesis import strategies as st

pytestmark = pytest.mark.slow
PIECES = [
    "<ask_followup_question>", "</ask_followup_question>", "<question>", "</question>", "<follow_up>", "</follow_up>",
    "<suggest>", '<suggest mode="code">', "</suggest>", "<tool_call>", "</tool_call>", "<function=ask_followup_question>",
    "<parameter=question>", "</parameter>", "</function>", "`", "```\n", "&lt;", "Tea?", " é€😀 ", "\n", "<", ASK.format("Q"),
    '{"name": "ask_followup_question", "arguments": {"question": "Which?"}}',
]  # fmt: skip
texts = st.lists(st.sampled_from(PIECES) | st.text(max_size=5), max_size=12).map("".join)
ill_formed = st.lists(st.sampled_from(PIECES).map(str.encode) | st.binary(max_size=4), max_size=12).map(b"".join)
bodies = st.builds(
    "".join,
    st.lists(
        st.sampled_from([
            'data: {"choices":[{"index":0,"delta":{"content":"Hm. <ask_followup_question><question>Te"}}]}\n\n',
            'data: {"choices":[{"index":0,"delta":{"content":"a?</question></ask_followup_question>"}}]}\n\n',
            'data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c1","function":{"name":'
            '"ask_followup_question","arguments":"{\\"question\\": \\"Which?\\"}"}}]}}]}\n\n',
            'data: {"choices":[{"index":0,"finish_reason":"stop","delta":{}}]}\n\n',
            'data: {"error":{"message":"Overloaded"}}\n\n', "data: {broken\n\n", "data: [DONE]\n\n", ": comment\n\n",
        ]),
        max_size=6,
    ),
)  # fmt: skip
arguments = st.lists(
    st.sampled_from(['{"question"', ": ", '"Which?"', ', "follow_up": [', '{"text": "A", "mode": null}', "]", "}", '"\\u00e9', ","]),
    max_size=10,
).map("".join)
options = st.fixed_dictionaries(
    {},
    optional={
        "strict": st.booleans(),
        "outside_code": st.booleans(),
        "decode_entities": st.booleans(),
        "envelopes": st.sampled_from([[], ["all"], ["hermes"]]),
        "limits": st.fixed_dictionaries({}, optional={"question": st.integers(0, 9), "suggestions": st.integers(0, 2)}),
    },
)


@st.composite
def columns(draw, cells, types):
    """Returns a column in some type and cut, and its cells."""
    rows = draw(st.lists(st.none() | cells, max_size=6))
    whole = pa.array([draw(cells), *rows, None], draw(st.sampled_from(types)))
    if draw(st.booleans()) and not str(whole.type).endswith("view"):
        whole = whole.dictionary_encode()
    ends = sorted(draw(st.lists(st.integers(0, len(rows)), max_size=3)))
    # The first and the last row belong to the buffers, but to no chunk.
    chunks = [whole.slice(1 + start, end - start) for start, end in zip([0, *ends], [*ends, len(rows)])]
    return (chunks[0] if len(chunks) == 1 else pa.chunked_array(chunks)), rows


def pieces(draw, cell):
    """Returns a cell in chunks that end anywhere, inside characters too."""
    data = cell if isinstance(cell, bytes) else cell.encode()
    ends = sorted(draw(st.lists(st.integers(0, len(data)), max_size=8)))
    return [data[start:end] for start, end in zip([0, *ends], [*ends, len(data)])]


def check(data, cells, types, **how):
    column, rows = data.draw(columns(cells, types))
    expected = [None if cell is None else rows_of(pieces(data.draw, cell), **how) for cell in rows]
    result = questions(column, threads=data.draw(st.sampled_from([1, 1, 2, 5])), **how)
    assert result.to_pylist() == expected
    if isinstance(column, pa.ChunkedArray):
        assert pa.chunked_array(result).to_pylist() == expected
        assert [len(chunk) for chunk in result.chunks] == [len(chunk) for chunk in column.chunks]
    else:
        assert pa.array(result).to_pylist() == expected
        pa.array(result).validate(full=True)


@settings(deadline=None, max_examples=300)
@given(st.data(), options)
def test_messages(data, how):
    check(data, texts, STRINGS + BYTES, **how)


@settings(deadline=None, max_examples=150)
@given(st.data(), options)
def test_ill_formed_messages(data, how):
    check(data, ill_formed, BYTES, **how)


@settings(deadline=None, max_examples=150)
@given(st.data(), st.sampled_from(["auto", "openai-chat"]), options)
def test_bodies(data, wire, how):
    check(data, bodies, STRINGS + BYTES, wire=wire, **how)


@settings(deadline=None, max_examples=100)
@given(st.data(), st.sampled_from(["ask_followup_question", "AskUserQuestion"]), options)
def test_arguments(data, tool, how):
    check(data, arguments, STRINGS + BYTES, arguments_of=tool, **how)
