"""`python -m followup questions`: from one Parquet file to another, batch by batch."""

import json
import os
import secrets
import stat
import sys
from argparse import Namespace
from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from pathlib import Path as File
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from followup._command import TEMPORARY, plot
from followup._command.progress import progress
from followup._command.summary import Summary
from followup._path import Path
from followup.arrow import questions

BATCH_ROWS = 256
"""Rows that are parsed at once. A row may be a trajectory of some 100 KB."""

GROUP_BYTES = 16 << 20
"""The size from which on rows are written as a row group. Until then they are in memory."""


def run(options: Namespace) -> None:
    """Writes the file, prints the counts, and draws the picture.

    Raises ValueError, TypeError, OSError or an exception of Arrow, with a message for people. Then
    there is no output, unless it is the picture that fails.
    """
    check_files(options)
    try:
        file = pq.ParquetFile(
            options.input, memory_map=False, pre_buffer=False, buffer_size=1 << 20
        )
    except pa.ArrowInvalid as error:
        raise ValueError(f"{options.input} is no Parquet file: {error}") from None
    try:
        with file:
            summary = write(file, options)
    except KeyboardInterrupt:
        raise KeyboardInterrupt(f"{options.output} was not written") from None
    try:
        show(json.dumps(summary.json()) if options.json else summary.text())
    finally:
        if options.plot:
            with appearing(File(options.plot)) as temporary:
                plot.draw(summary, temporary, File(options.plot).suffix[1:])


def show(text: str) -> None:
    """Prints a text. Characters that the output's encoding does not have are escaped."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    print(text.encode(encoding, "backslashreplace").decode(encoding), flush=True)


def check_files(options: Namespace) -> None:
    source = File(options.input)
    if not source.is_file():
        raise ValueError(f"{source}: there is no such file")
    targets = [File(options.output), *([File(options.plot)] if options.plot else [])]
    for target in targets:
        check_target(target, source, options.force)
    if len({os.path.realpath(target) for target in targets}) < len(targets):
        raise ValueError(f"--plot: {options.plot} is the file for the questions: name another one")
    if options.plot:
        plot.check(options.plot)


def check_target(target: File, source: File, is_forced: bool) -> None:
    """Raises ValueError if a file can't or must not be written."""
    real = File(os.path.realpath(target))
    # Where a link is still one, it leads nowhere but to itself.
    if real.is_symlink() or real.exists() and not real.is_file():
        raise ValueError(f"{target} is no regular file: name another one")
    if real.exists() and real.samefile(source):
        raise ValueError(f"{target} is the file to read: name another one")
    if real.exists() and not is_forced:
        raise ValueError(f"{target} exists: remove it, or pass --force to replace it")
    if not real.parent.is_dir():
        raise ValueError(f"{real.parent}: there is no such folder")


def write(file: pq.ParquetFile, options: Namespace) -> Summary:
    """Writes the columns with their result."""
    schema = file.schema_arrow
    path = Path(options.column, schema.names)
    path.check(schema)
    kept = kept_columns(schema, options)
    by = group_column(schema, options)
    read = [name for name in schema.names if name in {*kept, path.column, by}]
    summary, group, size = Summary(by), [], 0

    how = keywords(options)

    def parse(values: pa.Array) -> pa.Array:
        return pa.array(questions(values, **how))

    # The type of the result depends on that of the column, but never on its rows.
    _, no_rows = path.apply(pa.array([], schema.field(path.column).type), parse)
    written = pa.schema([schema.field(name) for name in kept], schema.metadata).append(
        pa.field(options.into, no_rows.type)
    )
    with (
        appearing(File(options.output)) as temporary,
        pq.ParquetWriter(temporary, written, compression="zstd") as writer,
        progress(file.metadata.num_rows, not options.no_progress) as show,
        # Closed before the file is.
        closing(ahead(batches(file, read)) if options.threads > 1 else batches(file, read)) as rows,
    ):
        for batch in rows:
            messages, result = path.apply(batch.column(path.column), parse)
            summary.add(messages, result, batch.column(by) if by else None)
            group.append(pa.record_batch([*(batch.column(name) for name in kept), result], written))
            size += group[-1].nbytes
            if size >= GROUP_BYTES:
                writer.write_table(pa.Table.from_batches(group))
                group, size = [], 0
            show(summary.total.rows)
            # Not in memory while the first batch of the next row group is read.
            del batch, messages, result
        if group:
            writer.write_table(pa.Table.from_batches(group))
    return summary


def batches(file: pq.ParquetFile, columns: list[str]) -> Generator[pa.RecordBatch, None, None]:
    """Returns the rows.

    A batch is of one row group: pyarrow joins no dictionaries inside lists and structs.
    """
    for group in range(file.num_row_groups):
        yield from file.iter_batches(BATCH_ROWS, row_groups=[group], columns=columns)


def ahead(batches: Iterator[pa.RecordBatch]) -> Generator[pa.RecordBatch, None, None]:
    """Returns the batches. While one is used, a thread reads the next one, and no more."""
    with ThreadPoolExecutor(1) as reader:
        coming = reader.submit(next, batches, None)
        while (batch := coming.result()) is not None:
            coming = reader.submit(next, batches, None)
            yield batch
            # Not in memory while the next batch is waited for.
            del batch


def keywords(options: Namespace) -> dict[str, Any]:
    """Returns the options of `questions` that were given.

    So others are refused where they mean nothing.
    """
    names = ["arguments_of", "strict", "outside_code", "decode_entities", "reasoning"]
    how = {name: value for name in names if (value := getattr(options, name))}
    how |= {"wire": options.wire, "threads": options.threads}
    if options.envelopes is not None:
        how["envelopes"] = [
            name for name in options.envelopes.split(",") if name not in ("", "none")
        ]
    return how


def kept_columns(schema: pa.Schema, options: Namespace) -> list[str]:
    """Returns the columns to copy."""
    names = (
        schema.names if options.keep is None else [name for name in options.keep.split(",") if name]
    )
    for option, name in [("--keep", name) for name in names] + [("--by", options.by)] * bool(
        options.by
    ):
        if schema.names.count(name) != 1:
            what = "several columns" if name in schema.names else "no column"
            raise ValueError(
                f"{option}: there is {what} {name!r}; there are: {', '.join(schema.names)}"
            )
    if options.into in names:
        raise ValueError(f"--into: there is a column {options.into!r} already: name another one")
    return names


def group_column(schema: pa.Schema, options: Namespace) -> str | None:
    """Returns the column to count by.

    That of `--by`, or a model's if its values are texts or numbers.
    """
    if options.by:
        if not has_texts(schema.field(options.by).type):
            raise ValueError(
                f"--by: {options.by} is {schema.field(options.by).type}: name a column of texts or numbers"
            )
        return options.by
    names = [name for name in ["model", "model_name"] if schema.names.count(name) == 1]
    return next((name for name in names if has_texts(schema.field(name).type)), None)


def has_texts(of: pa.DataType) -> bool:
    """Returns whether any value of a type has a text."""
    if pa.types.is_dictionary(of):
        of = of.value_type
    types = pa.types
    kinds = [
        types.is_string,
        types.is_large_string,
        types.is_string_view,
        types.is_integer,
        types.is_floating,
        types.is_decimal,
    ]
    kinds += [types.is_boolean, types.is_date, types.is_time, types.is_timestamp, types.is_null]
    return any(is_kind(of) for is_kind in kinds)


def permissions(target: File) -> int:
    """Returns the permissions of the file that is there; of a new one if there is none."""
    with suppress(FileNotFoundError):
        return stat.S_IMODE(target.stat().st_mode)
    umask = os.umask(0)
    os.umask(umask)
    return 0o666 & ~umask


@contextmanager
def appearing(target: File) -> Iterator[str]:
    """Gives the name of a temporary file, which replaces the target once it is complete.

    If the target is a link, it replaces the file that the link leads to.
    """
    target = File(os.path.realpath(target))
    temporary = str(target.with_name(f".{target.name}.{secrets.token_hex(4)}"))
    # Before it exists, because a signal may arrive at any moment.
    TEMPORARY.add(temporary)
    try:
        os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        try:
            yield temporary
            with open(temporary, "rb+") as written:
                os.fsync(written.fileno())
            os.chmod(temporary, permissions(target))
            os.replace(temporary, target)
        except BaseException:
            os.unlink(temporary)
            raise
    finally:
        TEMPORARY.discard(temporary)
