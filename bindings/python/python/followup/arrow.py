"""Questions in bulk: a column of messages, bodies or arguments in, the calls of each row out.

Any library of Arrow can pass the column and take the result; none is needed.

>>> import pyarrow as pa
>>> from followup.arrow import questions
>>> column = pa.array(["Hi", None, "<ask_followup_question>Tea?</ask_followup_question>"])
>>> result = questions(column)
>>> result
<followup.arrow.Array of 3 rows>
>>> pa.array(result)[2][0]["question"]
<pyarrow.StringScalar: 'Tea?'>
>>> [row and [call["state"] for call in row] for row in result.to_pylist()]
[[], None, ['complete']]
"""

from ._followup import Array, ChunkedArray, questions

__all__ = ["Array", "ChunkedArray", "questions"]
