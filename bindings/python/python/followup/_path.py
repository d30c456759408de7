"""Paths to a column, also inside lists and structs, such as `trajectory[].text`."""

import re
from collections.abc import Callable, Iterable
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

Parse = Callable[[pa.Array], pa.Array]


# What may follow the name of a column.
STEPS = r"(?:\[\]|\.[^.\[\]]+)*"


class Path:
    """A path of a column.

    The name of the column, then `.name` for a field of a struct and `[]` for the elements of a
    list.

    A name may have dots and brackets itself: of the `names` of columns, the longest that the path
    starts with counts. Raises ValueError if the text is no path.
    """

    def __init__(self, text: str, names: Iterable[str] = ()) -> None:
        starts = [
            name
            for name in names
            if text.startswith(name) and re.fullmatch(STEPS, text[len(name) :])
        ]
        if not starts and not re.fullmatch(rf"[^.\[\]]+{STEPS}", text):
            raise ValueError(
                f"column: a name or a path like trajectory[].text was expected, not {text!r}"
            )
        self.text = text
        self.column: str = max(starts, key=len) if starts else re.split(r"[.\[]", text)[0]
        self.steps = re.findall(r"\[\]|[^.\[\]]+", text[len(self.column) :])

    def check(self, schema: pa.Schema) -> pa.DataType:
        """Returns the type at the path.

        Raises ValueError with the names there are if there is none.
        """
        data_type, so_far = pa.struct(list(schema)), ""
        for step in [self.column, *self.steps]:
            data_type = type_of_step(data_type, step, so_far)
            so_far += step if step == "[]" else f".{step}" if so_far else step
        if is_list(data_type) or pa.types.is_struct(data_type):
            more = (
                f"{self.text}[]" if is_list(data_type) else f"{self.text}.{data_type.field(0).name}"
            )
            raise ValueError(f"column: {self.text} is no text but {data_type}; is it {more}?")
        return data_type

    def apply(self, column: pa.Array, parse: Parse) -> tuple[pa.Array, pa.Array]:
        """Returns the values at the path, and the result of `parse` in the lists around them."""
        return descend(column, self.steps, parse)


def is_list(data_type: pa.DataType) -> bool:
    kinds = [
        pa.types.is_list,
        pa.types.is_large_list,
        pa.types.is_fixed_size_list,
        pa.types.is_list_view,
        pa.types.is_large_list_view,
    ]
    return any(kind(data_type) for kind in kinds)


def type_of_step(data_type: pa.DataType, step: str, so_far: str) -> pa.DataType:
    if pa.types.is_null(data_type):
        # All values are null, so nobody knows of what.
        return data_type
    where = f"{so_far} is" if so_far else "the file is"
    if step == "[]":
        if not is_list(data_type):
            raise ValueError(f"column: {where} no list but {data_type}")
        return data_type.value_type
    if not pa.types.is_struct(data_type):
        hint = f"; is it {so_far}[].{step}?" if is_list(data_type) else ""
        raise ValueError(f"column: {where} no struct but {data_type}{hint}")
    names = [field.name for field in data_type]
    if names.count(step) != 1:
        what = "several columns" if step in names else "no column"
        raise ValueError(
            f"column: there is {what} {step!r}{f' in {so_far}' if so_far else ''}; there are: {', '.join(names)}"
        )
    return data_type.field(step).type


def descend(array: pa.Array, steps: list[str], parse: Parse) -> tuple[pa.Array, pa.Array]:
    if not steps:
        return array, parse(array)
    if pa.types.is_null(array.type):
        return descend_null(len(array), steps, parse)
    step, *rest = steps
    if step != "[]":
        return descend(pc.struct_field(array, step), rest, parse)
    values, result = descend(array.flatten(), rest, parse)
    return values, lists_like(array, result)


def descend_null(rows: int, steps: list[str], parse: Parse) -> tuple[pa.Array, pa.Array]:
    """Returns the same for a column of nulls, whose type does not tell what is in it."""
    lists = steps.count("[]")
    values = pa.nulls(0 if lists else rows)
    result = parse(values)
    if not lists:
        return values, result
    of = result.type
    for _ in range(lists):
        of = pa.list_(of)
    return values, pa.nulls(rows, of)


def lists_like(array: pa.Array, values: pa.Array) -> pa.Array:
    """Returns `values` in lists of the lengths of those in `array`.

    There is one for each element of these lists.
    """
    lists, offset = pa.ListArray, pa.int32()
    if pa.types.is_large_list(array.type) or pa.types.is_large_list_view(array.type):
        lists, offset = pa.LargeListArray, pa.int64()
    lengths = pc.fill_null(pc.cast(pc.list_value_length(array), offset), 0)
    offsets = pa.concat_arrays([pa.array([0], offset), pc.cumulative_sum(lengths)])
    return lists.from_arrays(offsets, values, mask=array.is_null())


def elements(array: Any) -> tuple[Any, Any]:
    """Returns the structs in lists of lists, and for each the index of the row that it is in."""
    rows = pa.array(range(len(array)), pa.int64())
    while is_list(array.type):
        rows = rows.take(pc.list_parent_indices(array))
        array = array.flatten()
    return array, rows
