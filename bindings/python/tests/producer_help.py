"""A producer of arrays over the C stream interface, as a library that reads files has one.

pyarrow has none that fails: its readers give tables, and its chunked arrays are in memory.
"""

import ctypes
from ctypes import CFUNCTYPE, POINTER, c_int, c_void_p

NAME = b"arrow_array_stream"
EIO = 5


class CStream(ctypes.Structure):
    """`struct ArrowArrayStream`."""


CStream._fields_ = [
    ("get_schema", CFUNCTYPE(c_int, POINTER(CStream), c_void_p)),
    ("get_next", CFUNCTYPE(c_int, POINTER(CStream), c_void_p)),
    ("get_last_error", CFUNCTYPE(c_void_p, POINTER(CStream))),
    ("release", CFUNCTYPE(None, POINTER(CStream))),
    ("private_data", c_void_p),
]
new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.restype, new_capsule.argtypes = ctypes.py_object, [c_void_p, ctypes.c_char_p, c_void_p]


class Producer:
    """A stream of the arrays of a generator.

    What the generator raises is its error, with a message or without.

    Without a `data_type`, it fails to return one. `released` is true once the consumer has released
    the stream.
    """

    def __init__(self, data_type, arrays, has_message=True):
        self.data_type, self.arrays, self.has_message = data_type, iter(arrays), has_message
        self.error, self.released = None, False
        callbacks = [self._get_schema, self._get_next, self._get_last_error, self._release]
        self._stream = CStream(
            *(kind(callback) for (_, kind), callback in zip(CStream._fields_, callbacks))
        )

    def __arrow_c_stream__(self, requested_schema=None):
        return new_capsule(ctypes.addressof(self._stream), NAME, None)

    def _get_schema(self, _, schema):
        if self.data_type is None:
            self.error = ctypes.create_string_buffer(b"there is no type")
            return EIO
        self.data_type._export_to_c(schema)
        return 0

    def _get_next(self, _, array):
        try:
            one = next(self.arrays, None)
        except Exception as error:
            self.error = ctypes.create_string_buffer(str(error).encode())
            return EIO
        if one is None:
            ctypes.memset(
                array, 0, 80
            )  # The size of `struct ArrowArray`: one without `release` is the end.
        else:
            one._export_to_c(array)
        return 0

    def _get_last_error(self, _):
        return ctypes.addressof(self.error) if self.has_message else None

    def _release(self, stream):
        self.released = True
        stream.contents.release = type(stream.contents.release)()
