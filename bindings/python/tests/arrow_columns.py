"""Columns that hypothesis makes.

Their cells are of any kind, in any type, with nulls, cut into slices and chunks.
"""

import pyarrow as pa
from arrow_help import ASK, BYTES, STRINGS, rows_of
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

# Those of strings and those of bytes, each with dictionaries.
TEXT_TYPES = STRINGS + [pa.dictionary(pa.int32(), one) for one in STRINGS[:2]]
BYTE_TYPES = BYTES + [pa.dictionary(pa.int32(), one) for one in BYTES[:2]]
PIECES = [
    "<ask_followup_question>", "</ask_followup_question>", "<question>", "</question>",
    "<follow_up>", "</follow_up>", "<suggest>", '<suggest mode="code">', "</suggest>",
    "<tool_call>", "</tool_call>", "<function=ask_followup_question>", "<parameter=question>",
    "</parameter>", "</function>", "`", "```\n", "&lt;", "Tea?", " é€😀 ", "\n", "<", ASK.format("Q"),
    '{"name": "ask_followup_question", "arguments": {"question": "Which?"}}',
    "[TOOL_CALLS]", "[ARGS]", "ask_followup_question",
    '[{"name": "ask_followup_question", "arguments": {"question": "Which?"}}]',
    '{"question": "Which?"}',
]  # fmt: skip
texts = st.lists(st.sampled_from(PIECES) | st.text(max_size=5), max_size=12).map("".join)
ill_formed = st.lists(
    st.sampled_from(PIECES).map(str.encode) | st.binary(max_size=4), max_size=12
).map(b"".join)
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
    st.sampled_from(
        [
            '{"question"',
            ": ",
            '"Which?"',
            ', "follow_up": [',
            '{"text": "A", "mode": null}',
            "]",
            "}",
            '"\\u00e9',
            ",",
        ]
    ),
    max_size=10,
).map("".join)
options = st.fixed_dictionaries(
    {},
    optional={
        "strict": st.booleans(),
        "outside_code": st.booleans(),
        "decode_entities": st.booleans(),
        "envelopes": st.sampled_from([[], ["all"], ["hermes"]]),
        "limits": st.fixed_dictionaries(
            {}, optional={"question": st.integers(0, 9), "suggestions": st.integers(0, 2)}
        ),
    },
)

# How rows are read, and cells to read so, as strings and as bytes.
KINDS = [
    ({}, texts, ill_formed),
    ({"wire": "auto"}, bodies, bodies.map(str.encode)),
    ({"arguments_of": "ask_followup_question"}, arguments, arguments.map(str.encode)),
]

# Options for an engine whose jobs take long, each with a message in which it changes what is found.
OPTIONS = {
    "strict": ({"strict": True}, "<ask_followup_question>Tea?</ask_followup_question>"),
    "envelopes": (
        {"envelopes": ["all"]},
        '<|python_tag|>{"name": "ask_followup_question", "parameters": {"question": "Tea?", "follow_up": []}}',
    ),
    "limits": ({"limits": {"question": 3, "suggestions": 1}}, ASK.format("Tea?")),
    "outside code": ({"outside_code": True}, f"```\n{ASK.format('Tea?')}\n```"),
}


@st.composite
def columns(draw, cells, types):
    """Returns a column in some type and cut, and its cells."""
    rows = draw(st.lists(st.none() | cells, max_size=6))
    return draw(column_of(rows, cells, types)), rows


@st.composite
def column_of(draw, rows, cells, types):
    """Returns a column of these rows.

    An array, or one in chunks, of slices of an array with more rows.
    """
    whole = array(draw, [draw(cells), *rows, None], draw(st.sampled_from(types)))
    ends = sorted(draw(st.lists(st.integers(0, len(rows)), max_size=3)))
    # The first and the last row belong to the buffers, but to no chunk.
    chunks = [
        whole.slice(1 + start, end - start) for start, end in zip([0, *ends], [*ends, len(rows)])
    ]
    return chunks[0] if len(chunks) == 1 else pa.chunked_array(chunks)


def array(draw, cells, data_type):
    """Returns an array. A null in a dictionary is a key that is null, or one of a value that is.

    As strings, bytes may be ill-formed.
    """
    if not pa.types.is_dictionary(data_type):
        return retyped(cells, data_type)
    values = [*dict.fromkeys(cell for cell in cells if cell is not None), None]
    keys = [None if cell is None and draw(st.booleans()) else values.index(cell) for cell in cells]
    return pa.DictionaryArray.from_arrays(
        pa.array(keys, data_type.index_type), retyped(values, data_type.value_type)
    )


def retyped(cells, data_type):
    """Returns an array, of strings also where they are bytes, which pyarrow would check."""
    if data_type not in STRINGS or not any(isinstance(cell, bytes) for cell in cells):
        return pa.array(cells, data_type)
    plain = pa.array(cells, BYTES[STRINGS.index(data_type)])
    return pa.Array.from_buffers(data_type, len(plain), plain.buffers())


@st.composite
def tables(draw, **kinds):
    """Returns a table, and for each of its columns the streams of its cells.

    Each is null or in chunks.

    `kinds` has the cells and the types of each column.
    """
    size = draw(st.integers(0, 6))
    found, streams = {}, {}
    for name, (cells, types) in kinds.items():
        rows = draw(st.lists(st.none() | cells, min_size=size, max_size=size))
        found[name] = draw(column_of(rows, cells, types))
        streams[name] = [None if cell is None else pieces(draw, cell) for cell in rows]
    return pa.table(found), streams


@st.composite
def examples(draw, text_types, byte_types):
    """Returns a table, the streams of its cells, and how they are read.

    The table has the columns `text` and `raw`.
    """
    how, strings, binaries = draw(st.sampled_from(KINDS))
    table, streams = draw(tables(text=(strings, text_types), raw=(binaries, byte_types)))
    return table, streams, draw(options) | how


def pieces(draw, cell):
    """Returns a cell in chunks that end anywhere, inside characters too."""
    data = cell if isinstance(cell, bytes) else cell.encode()
    ends = sorted(draw(st.lists(st.integers(0, len(data)), max_size=8)))
    return [data[start:end] for start, end in zip([0, *ends], [*ends, len(data)])]


def joined(streams, **options):
    """Returns the rows of the streams of each column."""
    return {
        name: [None if chunks is None else rows_of(chunks, **options) for chunks in cells]
        for name, cells in streams.items()
    }


def long_table(count, **kinds):
    """Returns some tables as one, in which each row has an `id`, and its streams.

    For an engine whose jobs take long.
    """
    examples = []

    @settings(
        max_examples=count,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=[HealthCheck.too_slow],
    )
    @given(tables(**kinds))
    def collect(example):
        examples.append(example)

    collect()
    table = pa.concat_tables([one for one, _ in examples])
    streams = {name: [cell for _, one in examples for cell in one[name]] for name in kinds}
    return table.append_column("id", pa.array(range(len(table)), pa.int64())), streams


def table_with(message):
    """Returns a long table of any messages, as strings and as bytes, and its streams.

    This message is at the end.
    """
    table, streams = long_table(30, text=(texts, [pa.string()]), raw=(ill_formed, [pa.binary()]))
    row = pa.table({"text": [message], "raw": [message.encode()], "id": [len(table)]})
    return pa.concat_tables([table, row]), {
        name: [*cells, [message.encode()]] for name, cells in streams.items()
    }
