"""`python -m followup questions`.

The output has all of the input and the questions, or there is no output.
"""

import datetime
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from xml.etree import ElementTree

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from arrow_help import ASK
from followup.__main__ import main
from followup._command import TEMPORARY, run, summary
from followup._path import Path
from followup.arrow import questions
from followup.ray import Questions
from hypothesis import given, settings
from hypothesis import strategies as st

BARE = "<ask_followup_question>Tea?</ask_followup_question>"
CUT = "<ask_followup_question><question>cut"
CELLS = [ASK.format(1) + ASK.format(2), None, "prose", BARE, CUT]
TABLE = pa.table(
    {
        "id": range(len(CELLS)),
        "model": ["one", "two", None, "one", "two"],
        "text": CELLS,
        "steps": [[{"role": "ai", "text": cell}, None] if cell else None for cell in CELLS],
    }
)


@pytest.fixture
def paths(tmp_path):
    source, target = tmp_path / "in.parquet", tmp_path / "out.parquet"
    pq.write_table(TABLE, source, row_group_size=2)
    return source, target


def command(paths, *more):
    return main(["questions", *map(str, paths), *more])


def test_the_output_has_all_columns_and_the_questions(paths):
    assert command(paths, "--column", "text") == 0
    found = pq.read_table(paths[1])
    assert found.drop_columns("questions") == TABLE
    assert found["questions"].to_pylist() == questions(pa.array(CELLS)).to_pylist()
    assert sorted(path.name for path in paths[0].parent.iterdir()) == ["in.parquet", "out.parquet"]


def test_a_column_inside_lists_has_questions_in_the_same_lists(paths):
    assert command(paths, "--column", "steps[].text", "--keep", "id", "--into", "found") == 0
    found = pq.read_table(paths[1])
    assert found.column_names == ["id", "found"]
    rows = questions(pa.array(CELLS)).to_pylist()
    assert found["found"].to_pylist() == [[row, None] if row is not None else None for row in rows]


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("attributes.output.value", "attributes.output.value"),
        ("choices[0].text", "choices[0].text"),
        ("output.", "output."),
        ("output.values", "output.values[].text"),
    ],
)
def test_a_column_whose_name_has_dots_comes_first(tmp_path, name, path):
    cells = [[{"text": cell}] for cell in CELLS] if "[]" in path else CELLS
    others = {
        "attributes": [{"output": {"value": "no"}}] * len(CELLS),
        "output": [{"values": [{"text": "no"}]}] * len(CELLS),
    }
    table = pa.table({**others, name: cells})
    paths = write(tmp_path, **{column: table[column] for column in table.column_names})
    for more in [[], ["--keep", "output", "--force"], ["--keep", "", "--force"]]:
        assert command(paths, "--column", path, *more) == 0
        found, expected = pq.read_table(paths[1]), questions(pa.array(CELLS)).to_pylist()
        assert found["questions"].to_pylist() == (
            [[row] for row in expected] if "[]" in path else expected
        )
        assert found.drop_columns("questions") == table.select(found.column_names[:-1])
    if path not in (
        "choices[0].text",
        "output.",
    ):  # Without a table, a worker of Ray can't know that these are no mistakes.
        assert Questions(path)(table)["questions"] == found["questions"]


def test_a_worker_of_ray_replaces_no_column():
    table = Questions("text")(TABLE)
    with pytest.raises(
        ValueError, match="into: there is a column 'questions' already: name another one"
    ):
        Questions("text")(table)
    assert Questions("text", "again")(table).column_names[-2:] == ["questions", "again"]


def test_the_counts_are_those_of_the_calls(paths, capsys):
    assert command(paths, "--column", "text", "--json") == 0
    counts = {"notes": {"bare_question": 1}, "rejected": {"truncated: question": 1}, "errors": {}}
    none = {"notes": {}, "rejected": {}, "errors": {}}
    assert json.loads(capsys.readouterr().out) == {
        "messages": 4, "rows": 5, "asked": 2, "complete": 3, "repaired": 1, **counts, "by": "model",
        "models": {
            "one": {"rows": 2, "asked": 2, "complete": 3, "repaired": 1, **counts, "rejected": {}},
            "two": {"rows": 2, "asked": 0, "complete": 0, "repaired": 0, **none, "rejected": counts["rejected"]},
            "": {"rows": 1, "asked": 0, "complete": 0, "repaired": 0, **none},
        },
    }  # fmt: skip


def test_the_counts_are_printed_for_people(paths, capsys):
    assert command(paths, "--column", "text") == 0
    assert (
        capsys.readouterr().out
        == """\
5 rows, 4 messages

           3  questions can be asked, in 2 rows (40.0%)
           1  of them have notes
               1  bare_question
           1  can't be asked
               1  truncated: question

model         rows    asked   questions    repaired    rejected
one              2   100.0%           3           1           0
  repaired: 1 bare_question
two              2     0.0%           0           0           1
  rejected: 1 truncated: question
(none)           1     0.0%           0           0           0
"""
    )


def test_the_most_common_reasons_of_a_model_are_printed(tmp_path, capsys):
    def body(message):
        return f'data: {{"error":{{"message":"{message}"}}}}\n\n'

    cells = [body(message) for message in ["Overloaded", "Overloaded", "a", "b", "c", "d", "e"]]
    pq.write_table(
        pa.table({"model": ["one"] * len(cells), "body": cells}), tmp_path / "in.parquet"
    )
    assert (
        command(
            (tmp_path / "in.parquet", tmp_path / "out.parquet"),
            "--column",
            "body",
            "--wire",
            "openai-chat",
        )
        == 0
    )
    line = capsys.readouterr().out.splitlines()[-1]
    assert (
        line
        == "  errors: 2 provider: Overloaded, 1 provider: a, 1 provider: b, 1 provider: c, 2 others"
    )


def error_body(message):
    return f"data: {json.dumps({'error': {'message': message}}, ensure_ascii=False)}\n\n"


def write(folder, **columns):
    """Writes a file, and returns its path and that of the output."""
    pq.write_table(pa.table(columns), folder / "in.parquet")
    return folder / "in.parquet", folder / "out.parquet"


def test_many_models_and_reasons_are_counted_together(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(summary, "KEPT_MODELS", 30)
    monkeypatch.setattr(summary, "KEPT_REASONS", 25)
    count = 300
    models = ["first", *(f"m{i:03}" for i in range(count)), "first", "last", "last"]
    bodies = [error_body(f"request {i}") for i in range(len(models))]
    paths = write(tmp_path, model=models, body=bodies)
    assert command(paths, "--column", "body", "--wire", "openai-chat") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[3] == f"{len(models):>12}  errors in bodies"
    assert lines[4:25] == [f"{1:>16}  provider: request {i}" for i in range(20)] + [
        f"{len(models) - 20:>16}  others"
    ]
    rows = [line.split() for line in lines[27:] if not line.startswith(" ")]
    assert [name for name, *_ in rows] == ["first", *(f"m{i:03}" for i in range(19)), "(others)"]
    assert [int(number) for _, number, *_ in rows] == [2, *[1] * 19, len(models) - 21]

    assert command(paths, "--column", "body", "--wire", "openai-chat", "--json", "--force") == 0
    counts = json.loads(capsys.readouterr().out)
    assert len(counts["errors"]) == 26 and counts["errors"]["others"] == len(models) - 25
    assert list(counts["models"]) == ["first", *(f"m{i:03}" for i in range(29))]
    others = counts["other_models"]
    assert others["rows"] == sum(others["errors"].values()) == len(models) - 31
    for name in ["rows", "asked", "complete", "repaired"]:
        assert counts[name] == others[name] + sum(one[name] for one in counts["models"].values())


@pytest.mark.slow
def test_the_time_to_count_does_not_depend_on_the_number_of_models():
    cells = [ASK.format(1), None] * 128
    result = pa.array(questions(pa.array(cells)))

    def seconds(models):
        counts, start = summary.Summary("id"), time.process_time()
        for batch in range(40):
            counts.add(
                pa.array(cells),
                result,
                pa.array([f"m{(batch * 256 + row) % models}" for row in range(256)]),
            )
        counts.text()
        return time.process_time() - start

    seconds(1)
    assert seconds(10_240) < 20 * seconds(1)


def test_the_counts_are_those_of_every_model_alone(paths, tmp_path, capsys):
    cells = [*CELLS, error_body("x"), BARE + CUT + ASK.format(1)] * 3
    models = pa.array([["one", "two", None, ""][i % 4] for i in range(len(cells))])

    def counts(cells, *columns):
        one = summary.Summary("model")
        one.add(
            pa.array(cells, pa.string()),
            pa.array(questions(pa.array(cells, pa.string()))),
            *columns,
        )
        return one

    whole = counts(cells, models)
    for name in ["one", "two", ""]:
        alone = counts(
            [cell for cell, model in zip(cells, models.to_pylist()) if (model or "") == name], None
        )
        assert whole.models[name] == alone.total and whole.models[name].asked
    assert whole.total == counts(cells, None).total


def test_a_long_reason_is_cut(tmp_path, capsys):
    paths = write(tmp_path, body=[error_body("x" * 1000 + "1"), error_body("x" * 1000 + "2")])
    assert command(paths, "--column", "body", "--wire", "openai-chat", "--json") == 0
    [[reason, number]] = json.loads(capsys.readouterr().out)["errors"].items()
    assert (reason, number) == ("provider: " + "x" * 189 + "…", 2)


def test_what_could_control_the_terminal_is_escaped(tmp_path, capsys):
    names = ["a\nb\x1b[31m", "\u202eabc", "模型 é"]
    paths = write(tmp_path, **{"by\x07": names, "body": list(map(error_body, names))})
    assert command(paths, "--column", "body", "--wire", "openai-chat", "--by", "by\x07") == 0
    output = capsys.readouterr().out
    assert not re.search("[\x00-\x09\x0b-\x1f\u202e]", output)
    for name in ["by\\x07 ", "a\\nb\\x1b[31m ", "\\u202eabc", "模型 é", "provider: a\\nb\\x1b[31m"]:
        assert name in output


def test_no_model_is_not_the_model_of_that_name(tmp_path, capsys):
    paths = write(tmp_path, model=["(none)", None, "(others)"], text=[ASK.format(1)] * 3)
    assert command(paths, "--column", "text") == 0
    names = [line.split()[0] for line in capsys.readouterr().out.splitlines()[-3:]]
    assert sorted(names) == ['"(none)"', '"(others)"', "(none)"]


def test_options_of_the_parser_are_passed_on(paths, capsys):
    assert command(paths, "--column", "text", "--strict", "--json", "--by", "id") == 0
    counts = json.loads(capsys.readouterr().out)
    assert (
        counts["rejected"] == {"truncated: question": 1, "malformed: bare_question": 1}
        and counts["by"] == "id"
    )


@pytest.mark.parametrize(
    "model",
    [
        pa.array([{"name": "one"}]),
        pa.array([["one"]]),
        pa.array([b"\xff"]),
        pa.array([b"\xff"], pa.large_binary()),
        pa.array([b"\xff"], pa.binary_view()),
        pa.array([b"\xff" * 16], pa.binary(16)),
        pa.array([b"\xff"]).dictionary_encode(),
        pa.ExtensionArray.from_storage(pa.uuid(), pa.array([b"\xff" * 16], pa.binary(16))),
        pa.array([1], pa.duration("s")),
    ],
    ids=lambda model: str(model.type),
)
def test_a_column_model_without_texts_is_not_counted_by(tmp_path, capsys, model):
    try:
        paths = write(tmp_path, model=model, model_name=["two"], text=["prose"])
    except pa.ArrowNotImplementedError:
        pytest.skip("this pyarrow writes no such column")
    assert command(paths, "--column", "text", "--json") == 0
    assert json.loads(capsys.readouterr().out)["by"] == "model_name"
    assert command(paths, "--column", "text", "--by", "model", "--force") == 1
    assert "--by: model is " in capsys.readouterr().err


def test_ill_formed_utf_8_in_a_name_is_replaced(tmp_path, capsys):
    paths = write(tmp_path, model=pa.array([b"a\xff"]).view(pa.string()), text=["prose"])
    assert command(paths, "--column", "text", "--json") == 0
    assert list(json.loads(capsys.readouterr().out)["models"]) == ["a\ufffd"]


@pytest.mark.parametrize(
    ("model", "name"),
    [
        (1, "1"),
        (1.5, "1.5"),
        (True, "true"),
        (datetime.date(2026, 1, 2), "2026-01-02"),
        ("x", "x"),
        (None, ""),
    ],
)
def test_texts_numbers_booleans_and_dates_are_counted_by(tmp_path, capsys, model, name):
    assert (
        command(write(tmp_path, model=[model], text=["prose"]), "--column", "text", "--json") == 0
    )
    assert list(json.loads(capsys.readouterr().out)["models"]) == [name]


def test_small_batches_give_the_same_file(paths, monkeypatch):
    assert command(paths, "--column", "text") == 0
    whole = pq.read_table(paths[1])
    monkeypatch.setattr(run, "BATCH_ROWS", 1)
    monkeypatch.setattr(run, "GROUP_BYTES", 1)
    assert command(paths, "--column", "text", "--force") == 0
    assert pq.read_table(paths[1]) == whole and pq.ParquetFile(paths[1]).num_row_groups == len(
        CELLS
    )


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--column", "txt"], "no column 'txt'; there are: id, model, text, steps"),
        (["--column", "steps"], "steps is no text but list.*is it steps\\[\\]\\?"),
        (["--column", "steps.text"], "is it steps\\[\\].text\\?"),
        (["--column", "steps[].txt"], "no column 'txt' in steps\\[\\]; there are: role, text"),
        (["--column", "text[]"], "text is no list but string"),
        (["--column", "text."], "a name or a path like"),
        (["--column", "id"], "strings or bytes were expected"),
        (["--column", "text", "--keep", "id,x"], "--keep: there is no column 'x'"),
        (["--column", "text", "--by", "x"], "--by: there is no column 'x'"),
        (
            ["--column", "text", "--by", "steps"],
            "--by: steps is list<.*name a column of texts or numbers",
        ),
        (["--column", "text", "--into", "id"], "--into: there is a column 'id' already"),
        (["--column", "text", "--wire", "smoke"], "wire: "),
        (["--column", "text", "--reasoning"], "reasoning is no option"),
        (
            ["--column", "text", "--threads", "0"],
            "threads: a number from 1 to 1024 was expected, not 0",
        ),
        (["--column", "text", "--plot", "x.pdf"], "--plot: .*svg or .png was expected, not x.pdf"),
    ],
)
def test_a_mistake_is_explained_and_leaves_no_file(paths, capsys, more, message):
    status = command(paths, *more)
    error = capsys.readouterr().err
    assert status == 1 and error.startswith("followup: ") and "Traceback" not in error
    assert re.search(message, error), error
    assert [path.name for path in paths[0].parent.iterdir()] == ["in.parquet"]


def test_files_are_checked_before_they_are_read(paths, capsys, tmp_path):
    (tmp_path / "text.txt").write_text("text")
    for source, target, message in [
        ("none.parquet", "out.parquet", "there is no such file"),
        ("in.parquet", "in.parquet", "is the file to read"),
        ("in.parquet", "none/out.parquet", "there is no such folder"),
        ("text.txt", "out.parquet", "is no Parquet file"),
    ]:
        assert (
            main(["questions", str(tmp_path / source), str(tmp_path / target), "--column", "text"])
            == 1
        )
        assert message in capsys.readouterr().err
    assert command((paths[0], paths[0]), "--column", "text", "--force") == 1
    assert "is the file to read" in capsys.readouterr().err
    assert pq.read_table(paths[0]) == TABLE


@pytest.mark.parametrize("force", [[], ["--force"]])
def test_the_picture_is_checked_before_the_file_is_read(paths, capsys, tmp_path, force):
    pytest.importorskip("matplotlib")
    source, target = tmp_path / "in.svg", tmp_path / "out.svg"
    source.write_bytes(paths[0].read_bytes())
    (tmp_path / "folder.svg").mkdir()
    (tmp_path / "link.svg").symlink_to("out.svg")
    for picture, message in [
        ("none/p.svg", "there is no such folder"),
        ("in.svg", "is the file to read"),
        ("out.svg", "is the file for the questions"),
        ("./out.svg", "is the file for the questions"),
        ("link.svg", "is the file for the questions"),
        ("folder.svg", "is no regular file"),
    ]:
        assert (
            command((source, target), "--column", "text", "--plot", f"{tmp_path}/{picture}", *force)
            == 1
        )
        assert message in capsys.readouterr().err
        assert not target.exists()
    assert source.read_bytes() == paths[0].read_bytes()


def test_a_picture_is_replaced_with_force_only_and_as_a_whole(paths, capsys, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    picture = tmp_path / "picture.png"
    picture.write_bytes(b"precious")
    assert command(paths, "--column", "text", "--plot", str(picture)) == 1
    assert "picture.png exists" in capsys.readouterr().err and not paths[1].exists()

    def fails(summary, path, format):
        assert format == "png"
        with open(path, "wb") as file:
            file.write(b"half")
        raise OSError("the disk is full")

    draw = run.plot.draw
    monkeypatch.setattr(run.plot, "draw", fails)
    assert command(paths, "--column", "text", "--plot", str(picture), "--force") == 1
    assert picture.read_bytes() == b"precious"
    monkeypatch.setattr(run.plot, "draw", draw)
    assert command(paths, "--column", "text", "--plot", str(picture), "--force") == 0
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "in.parquet",
        "out.parquet",
        "picture.png",
    ]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such files")
@pytest.mark.parametrize("force", [[], ["--force"]])
def test_what_is_no_regular_file_is_not_replaced(paths, capsys, tmp_path, force):
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("fifo")
    (tmp_path / "loop").symlink_to("loop")
    before = sorted(tmp_path.iterdir())
    for name in ["fifo", "folder", "link", "loop", "/dev/null"]:
        assert command((paths[0], tmp_path / name), "--column", "text", *force) == 1
        assert "is no regular file: name another one" in capsys.readouterr().err
    assert sorted(tmp_path.iterdir()) == before and (tmp_path / "fifo").is_fifo()


@pytest.mark.skipif(sys.platform == "win32", reason="on Windows, links need a privilege")
@pytest.mark.parametrize("exists", [False, True])
def test_the_file_that_a_link_leads_to_is_written(paths, tmp_path, exists):
    real, link = tmp_path / "folder" / "real.parquet", tmp_path / "link.parquet"
    real.parent.mkdir()
    link.symlink_to(real)
    if exists:
        real.write_bytes(b"old")
        assert command((paths[0], link), "--column", "text") == 1
    assert command((paths[0], link), "--column", "text", *(["--force"] * exists)) == 0
    assert link.is_symlink() and pq.read_table(real).num_rows == len(CELLS)
    assert [path.name for path in real.parent.iterdir()] == ["real.parquet"]


ERRORS = [
    (KeyboardInterrupt(), 130, "followup: interrupted; OUT was not written\n"),
    (OSError("the disk is full"), 1, "followup: the disk is full\n"),
    (pa.ArrowNotImplementedError("no such type"), 1, "followup: no such type\n"),
    (pa.ArrowCapacityError("too much"), 1, "followup: too much\n"),
]


@pytest.mark.parametrize(
    ("error", "status", "message"), ERRORS, ids=[type(error).__name__ for error, *_ in ERRORS]
)
def test_an_output_that_is_not_complete_replaces_nothing(
    paths, monkeypatch, capsys, error, status, message
):
    paths[1].write_bytes(b"precious")

    def fails(*_):
        raise error

    monkeypatch.setattr(run.Summary, "add", fails)
    assert command(paths, "--column", "text", "--force") == status
    assert capsys.readouterr().err == message.replace("OUT", str(paths[1]))
    assert paths[1].read_bytes() == b"precious"
    assert sorted(path.name for path in paths[0].parent.iterdir()) == ["in.parquet", "out.parquet"]


def test_an_error_has_a_line_of_its_own_below_the_progress(paths, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "rich.console", None)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setattr(run, "BATCH_ROWS", 2)
    add = run.Summary.add

    def fails(counts, *arguments):
        if counts.total.rows:
            raise OSError("the disk is full")
        add(counts, *arguments)

    monkeypatch.setattr(run.Summary, "add", fails)
    assert command(paths, "--column", "text") == 1
    assert capsys.readouterr().err == "\r2 of 5 rows\nfollowup: the disk is full\n"


def test_an_interrupt_while_the_picture_is_drawn_leaves_the_output(
    paths, tmp_path, monkeypatch, capsys
):
    pytest.importorskip("matplotlib")

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(run.plot, "draw", interrupted)
    assert command(paths, "--column", "text", "--plot", str(tmp_path / "picture.svg")) == 130
    assert capsys.readouterr().err == "followup: interrupted\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.parquet", "out.parquet"]


def test_a_temporary_file_is_known_before_it_exists(tmp_path, monkeypatch):
    # So a signal that arrives at any moment removes it.
    known = []
    create = os.open

    def observed(path, *more):
        known.append(path in TEMPORARY)
        return create(path, *more)

    monkeypatch.setattr(os, "open", observed)
    with run.appearing(tmp_path / "out.parquet"):
        pass
    assert known == [True]
    assert [one.name for one in tmp_path.iterdir()] == ["out.parquet"]
    assert not TEMPORARY


@pytest.mark.skipif(sys.platform == "win32", reason="Windows ends a process at once")
@pytest.mark.parametrize("threads", ["1", "2"])
def test_a_command_that_is_terminated_leaves_no_file(tmp_path, threads):
    # A machine that is slow here, and fast in the command, sees its end before it terminates it.
    for rows in (200_000, 400_000, 800_000):
        paths = write(tmp_path, text=[ASK.format("x" * 1000)] * rows)
        program = [
            sys.executable,
            "-m",
            "followup",
            "questions",
            *map(str, paths),
            "--column",
            "text",
            "--threads",
            threads,
        ]
        with subprocess.Popen(program, stderr=subprocess.PIPE, text=True) as process:
            while process.poll() is None and not list(tmp_path.glob(".out.parquet.*")):
                time.sleep(0.005)
            process.terminate()
            errors = process.communicate()[1]
        if process.returncode != 0:
            break
        (tmp_path / "out.parquet").unlink()
    assert errors == ""
    assert process.returncode == -signal.SIGTERM
    assert [path.name for path in tmp_path.iterdir()] == ["in.parquet"]


def test_the_next_batch_is_read_while_one_is_used_and_no_more():
    coming, wanted = [threading.Event() for _ in range(4)], threading.Event()

    def source():
        for number, event in enumerate(coming):
            event.set()
            yield number
        wanted.set()

    batches = run.ahead(source())
    for number in range(len(coming) - 1):
        assert next(batches) == number
        assert coming[number + 1].wait(10)
        assert not any(event.is_set() for event in coming[number + 2 :])
    assert [*batches] == [3] and wanted.is_set()


def test_an_error_of_the_reading_comes_after_the_batches_before_it():
    def source():
        yield 1
        raise OSError("the disk fails")

    batches = run.ahead(source())
    assert next(batches) == 1
    with pytest.raises(OSError, match="the disk fails"):
        next(batches)


def test_an_error_ends_the_reading_before_the_file_is_closed(paths, monkeypatch):
    has_failed, is_closed, read = threading.Event(), [], pq.ParquetFile.iter_batches

    def slow(file, *arguments, row_groups, **options):
        if row_groups != [0]:
            assert has_failed.wait(10)
            time.sleep(0.1)  # For a file that is closed too early.
            is_closed.append(file.closed)
        yield from read(file, *arguments, row_groups=row_groups, **options)

    def fails(*_):
        has_failed.set()
        raise OSError("the disk is full")

    monkeypatch.setattr(pq.ParquetFile, "iter_batches", slow)
    monkeypatch.setattr(run.Summary, "add", fails)
    assert command(paths, "--column", "text", "--threads", "2") == 1
    assert is_closed == [False]


@pytest.mark.parametrize("threads", ["1", "2"])
def test_a_row_group_is_not_in_memory_while_the_next_but_one_is_read(
    tmp_path, monkeypatch, threads
):
    source, target = tmp_path / "in.parquet", tmp_path / "out.parquet"
    cells = ["x" * 1_000_000] * 8
    pq.write_table(pa.table({"text": cells}), source, row_group_size=1)
    read, allocated = pq.ParquetFile.iter_batches, []

    def measured(*arguments, **options):
        allocated.append(pa.total_allocated_bytes())
        yield from read(*arguments, **options)

    monkeypatch.setattr(pq.ParquetFile, "iter_batches", measured)
    assert command((source, target), "--column", "text", "--keep", "", "--threads", threads) == 0
    # With two threads, there is the batch that is used.
    assert max(allocated) - allocated[0] < 500_000 + 1_000_000 * (int(threads) - 1)


def test_without_pyarrow_it_says_what_to_install(paths, monkeypatch, capsys):
    for name in [name for name in sys.modules if name.startswith("followup._command")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert command(paths, "--column", "text") == 1
    assert "pip install 'followup[cli]'" in capsys.readouterr().err


@pytest.mark.parametrize("has_rich", [False, True])
def test_progress_is_shown_on_a_terminal_only(paths, monkeypatch, capsys, has_rich):
    if has_rich:
        pytest.importorskip("rich")
        monkeypatch.setenv("TERM", "xterm")
    else:
        monkeypatch.setitem(sys.modules, "rich.console", None)
    assert command(paths, "--column", "text") == 0
    assert capsys.readouterr().err == ""
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    assert command(paths, "--column", "text", "--force", "--no-progress") == 0
    assert capsys.readouterr().err == ""
    assert command(paths, "--column", "text", "--force") == 0
    error = capsys.readouterr().err
    if has_rich:
        assert "5/5" in error and error.endswith("\x1b[2K"), (
            "the bar is full at the end, and then removed"
        )
    else:
        assert "\r5 of 5 rows\n" in error


@pytest.mark.parametrize("suffix", ["svg", "png"])
def test_the_counts_are_drawn(paths, tmp_path, monkeypatch, suffix):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    picture = tmp_path / f"picture.{suffix}"
    close, closed = pyplot.close, []
    monkeypatch.setattr(pyplot, "close", closed.append)
    assert command(paths, "--column", "text", "--plot", str(picture)) == 0
    begin = picture.read_bytes()[:5]
    assert begin.startswith(b"<?xml" if suffix == "svg" else b"\x89PNG")
    # Older releases also close "all" when they choose how to draw.
    [figure] = [one for one in closed if one != "all"]
    models, reasons = figure.axes
    names = [label.get_text() for label in models.get_yticklabels()]
    bars = {
        one.get_label(): dict(zip(names, [bar.get_width() for bar in one]))
        for one in models.containers
    }
    close(figure)
    assert bars == {
        "asked as written": {"(none)": 0, "one": 2, "two": 0},
        "repaired": {"(none)": 0, "one": 1, "two": 0},
        "can't be asked": {"(none)": 0, "one": 0, "two": 1},
    }
    assert {label.get_text() for label in reasons.get_yticklabels()} == {
        "bare_question",
        "truncated: question",
    }
    assert [bar.get_width() for bar in reasons.patches] == [1, 1]


@pytest.mark.parametrize("name", ["$\\foo$", "a$b$c", "模型", "a" * 1000, "a & <b>"])
def test_any_name_can_be_drawn(tmp_path, capsys, recwarn, name):
    pytest.importorskip("matplotlib")
    body = json.dumps({"error": {"message": name}}, ensure_ascii=False)
    source, target = tmp_path / "in.parquet", tmp_path / "out.parquet"
    pq.write_table(pa.table({"model": [name], "body": [f"data: {body}\n\n"]}), source)
    for suffix in ["svg", "png"]:
        more = ["--wire", "openai-chat", "--force", "--plot", str(tmp_path / f"picture.{suffix}")]
        assert command((source, target), "--column", "body", *more) == 0
        output = capsys.readouterr()
        assert name[:99] in output.out and output.err == ""
    assert ElementTree.parse(tmp_path / "picture.svg").getroot().tag.endswith("svg")
    assert not [str(one.message) for one in recwarn if "Glyph" in str(one.message)]


def test_a_picture_that_fails_leaves_the_output_and_the_counts(
    paths, tmp_path, capsys, monkeypatch
):
    pytest.importorskip("matplotlib")

    def fails(*_):
        raise OSError("the disk is full")

    monkeypatch.setattr(run.plot, "draw", fails)
    assert command(paths, "--column", "text", "--plot", str(tmp_path / "picture.svg")) == 1
    output = capsys.readouterr()
    assert output.out.startswith("5 rows") and output.err == "followup: the disk is full\n"
    assert pq.read_table(paths[1]).num_rows == 5


texts = st.none() | st.sampled_from(["", "prose", BARE, CUT, ASK.format("Q")])
structs = st.none() | st.fixed_dictionaries({"text": texts})
nested = st.lists(
    st.none() | st.lists(st.none() | st.lists(structs, max_size=3), max_size=3), max_size=5
)
KINDS = [pa.list_, pa.large_list]


@settings(deadline=None)
@given(nested, st.sampled_from(KINDS), st.sampled_from(KINDS), st.integers(0, 3))
def test_every_text_in_lists_of_lists_has_its_questions(rows, outer, inner, start):
    column = pa.array(rows, outer(inner(pa.struct([("text", pa.string())])))).slice(start)
    values, result = Path("x[][].text").apply(column, lambda values: pa.array(questions(values)))

    def parsed(one):
        if isinstance(one, list):
            return [parsed(element) for element in one]
        cell = one and one["text"]
        return None if cell is None else questions(pa.array([cell])).to_pylist()[0]

    assert result.to_pylist() == [parsed(row) for row in rows[start:]]
    result.validate(full=True)


def test_dictionaries_inside_lists_are_copied_across_row_groups(tmp_path):
    role = pa.array(["user"] * 300).dictionary_encode()
    turns = pa.StructArray.from_arrays([role, pa.array([ASK.format(1)] * 300)], ["role", "text"])
    lists = pa.ListArray.from_arrays(pa.array(range(301), pa.int32()), turns)
    source, target = tmp_path / "in.parquet", tmp_path / "out.parquet"
    pq.write_table(pa.table({"turns": lists}), source, row_group_size=100)
    assert (
        main(["questions", str(source), str(target), "--column", "turns[].text", "--no-progress"])
        == 0
    )
    written = pq.read_table(target)
    assert written.num_rows == 300
    assert written["turns"].combine_chunks().flatten().field("role").cast(
        pa.string()
    ).unique().to_pylist() == ["user"]


def test_counts_that_the_output_cannot_encode_are_escaped_and_the_picture_is_drawn(tmp_path):
    pytest.importorskip("matplotlib")
    source, target, picture = tmp_path / "in.parquet", tmp_path / "out.parquet", tmp_path / "p.svg"
    pq.write_table(pa.table({"text": [ASK.format(1)], "model": ["模型"]}), source)
    command = [
        sys.executable,
        "-m",
        "followup",
        "questions",
        source,
        target,
        "--column",
        "text",
        "--plot",
        picture,
    ]
    done = subprocess.run(
        command, env=os.environ | {"PYTHONIOENCODING": "cp1252"}, capture_output=True, check=True
    )
    assert b"\\u6a21\\u578b" in done.stdout
    assert picture.exists()


@pytest.mark.skipif(os.name == "nt", reason="Windows closes no standard error so")
def test_without_a_standard_error_there_is_no_progress_and_the_file_is_written(tmp_path):
    source, target = tmp_path / "in.parquet", tmp_path / "out.parquet"
    pq.write_table(TABLE, source)
    script = (
        f'exec "{sys.executable}" -m followup questions "{source}" "{target}" --column text 2>&-'
    )
    assert subprocess.run(["sh", "-c", script], stdout=subprocess.DEVNULL).returncode == 0
    assert target.exists()


@pytest.mark.skipif(os.name == "nt", reason="Windows has no permissions of this kind")
def test_a_file_that_is_replaced_keeps_its_permissions(tmp_path):
    source, target = tmp_path / "in.parquet", tmp_path / "out.parquet"
    pq.write_table(TABLE, source)
    target.touch(mode=0o600)
    assert (
        main(
            ["questions", str(source), str(target), "--column", "text", "--no-progress", "--force"]
        )
        == 0
    )
    assert target.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    "values",
    [
        pa.nulls(2),
        pa.array([[], None], pa.list_(pa.null())),
        pa.array([[None], []], pa.list_(pa.null())),
    ],
)
def test_a_column_whose_type_is_not_known_yet_has_the_result_of_nulls(values):
    lists = pa.array([[{"text": ASK.format(1)}]], pa.list_(pa.struct([("text", pa.string())])))
    [known, unknown] = [
        Questions("turns[].text")(pa.table({"turns": one}))["questions"] for one in (lists, values)
    ]
    assert unknown.type == known.type
    expected = (
        [None, None]
        if pa.types.is_null(values.type)
        else [None if row is None else [None] * len(row) for row in values.to_pylist()]
    )
    assert unknown.to_pylist() == expected
