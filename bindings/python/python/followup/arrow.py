"""Questions in bulk: a column of messages, bodies or arguments in, the calls of each row out."""

from followup._followup import Array, ChunkedArray, questions

__all__ = ["Array", "ChunkedArray", "questions"]
