"""The types of columns, and the options of questions in bulk."""

from typing import Protocol, Union

from ._options import ResponseOptions


class ArrowArray(Protocol):
    """An array of any library of Arrow."""

    def __arrow_c_array__(
        self, requested_schema: Union[object, None] = None
    ) -> tuple[object, object]: ...


class ArrowStream(Protocol):
    """A stream of arrays of any library of Arrow, such as a chunked array or a Series."""

    def __arrow_c_stream__(self, requested_schema: Union[object, None] = None) -> object: ...


class BulkOptions(ResponseOptions, total=False):
    """How a column is read."""

    wire: str
    """What a row is. Default `text`, for a message.

    `auto` or a provider's format for the body of a response.
    """
    arguments_of: Union[str, None]
    """The tool, if a row has the arguments of a native call."""
    threads: int
    """The threads that share the rows of an array. Default 1."""
