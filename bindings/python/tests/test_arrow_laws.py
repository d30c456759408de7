"""The result of a column equals the joined events of its cells' streams.

For any cut, type and chunking.
"""

import pyarrow as pa
import pytest
from arrow_columns import (
    BYTE_TYPES,
    TEXT_TYPES,
    arguments,
    bodies,
    columns,
    ill_formed,
    options,
    pieces,
    texts,
)
from arrow_help import rows_of
from followup.arrow import questions
from hypothesis import given, settings
from hypothesis import strategies as st

pytestmark = pytest.mark.slow


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
    check(data, texts, TEXT_TYPES + BYTE_TYPES, **how)


@settings(deadline=None, max_examples=150)
@given(st.data(), options)
def test_ill_formed_messages(data, how):
    check(data, ill_formed, TEXT_TYPES + BYTE_TYPES, **how)


@settings(deadline=None, max_examples=150)
@given(st.data(), st.sampled_from(["auto", "openai-chat"]), options)
def test_bodies(data, wire, how):
    check(data, bodies, TEXT_TYPES + BYTE_TYPES, wire=wire, **how)


@settings(deadline=None, max_examples=100)
@given(st.data(), st.sampled_from(["ask_followup_question", "AskUserQuestion"]), options)
def test_arguments(data, tool, how):
    check(data, arguments, TEXT_TYPES + BYTE_TYPES, arguments_of=tool, **how)
