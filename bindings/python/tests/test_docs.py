"""The examples of the documentation run."""

import ast
import doctest
import importlib
import inspect
import re
from pathlib import Path

import followup
import pytest
from help import ROOT

PUBLIC_MODULES = [
    "arrow",
    "dialogue",
    "openai",
    "anthropic",
    "litellm",
    "polars",
    "duckdb",
    "ray",
    "spark",
    "daft",
]

PAGES = [ROOT / "bindings/python/README.md", *sorted((ROOT / "bindings/python/docs").glob("*.md"))]
BODY = (ROOT / "examples/responses/openai-chat.sse").read_bytes()


class Response:
    """A response as the client libraries have it."""

    def iter_bytes(self):
        return (BODY[i : i + 64] for i in range(0, len(BODY), 64))

    async def aiter_bytes(self):
        for chunk in self.iter_bytes():
            yield chunk


class Screen:
    def __init__(self):
        self.shown = ""

    def grow(self, field, delta):
        self.shown += delta


@pytest.mark.parametrize("module", ["followup._stream", "followup.arrow", "followup.dialogue"])
def test_the_examples_of_docstrings_run(module):
    results = doctest.testmod(importlib.import_module(module))
    assert results.attempted > 0 and results.failed == 0


def test_each_signature_of_questions_is_described_to_an_editor():
    signatures = [
        node
        for node in stub().body
        if isinstance(node, ast.FunctionDef) and node.name == "questions"
    ]
    [whole, short] = map(ast.get_docstring, signatures)
    assert whole == inspect.getdoc(followup.arrow.questions) and short


def definitions(tree, prefix=""):
    """Returns the public classes, methods, properties and functions of a module.

    Those that Python itself names are left out.
    """
    for node in tree.body:
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and not node.name.startswith("_"):
            yield f"{prefix}{node.name}", ast.get_docstring(node)
            if isinstance(node, ast.ClassDef):
                yield from definitions(node, f"{node.name}.")


def stub():
    return ast.parse(Path(followup.__file__).with_name("_followup.pyi").read_text(encoding="utf-8"))


def test_every_public_name_of_the_extension_module_is_described():
    found = list(definitions(stub()))
    assert len(found) > 100
    assert [name for name, docstring in found if not docstring] == []


MODULES = [followup, *(importlib.import_module(f"followup.{name}") for name in PUBLIC_MODULES)]


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_every_public_name_of_a_module_is_described(module):
    values = {name: getattr(module, name) for name in module.__all__}
    members = {
        f"{name}.{member}": value
        for name, one in values.items()
        if inspect.isclass(one)
        for member, value in vars(one).items()
        if not member.startswith("_") and (inspect.isfunction(value) or isinstance(value, property))
    }
    # A type has no docstring of its own.
    values = {
        name: value
        for name, value in values.items()
        if inspect.isclass(value) or inspect.isroutine(value)
    } | members
    assert [name for name, value in values.items() if not inspect.getdoc(value)] == []


RAISING = [
    "StreamParser.feed",
    "StreamParser.finish",
    "StreamParser.checkpoint",
    "Parser",
    "ArgumentsParser",
    "ResponseParser",
    "Record",
]


def test_what_can_fail_says_how():
    found = {name: docstring for name, docstring in definitions(stub()) if docstring}
    silent = [name for name in RAISING if not re.search("[Rr]aises? ", found[name])]
    dialogue = followup.dialogue.Dialogue
    methods = ["event", "answer", "cancel", "decline", "discuss", "time_out", "guide"]
    others = [
        dialogue,
        followup.events,
        followup.arrow.questions,
        followup.dialogue.messages,
        *(getattr(dialogue, name) for name in methods),
    ]
    others += [getattr(followup, name).wrap for name in ("openai", "anthropic", "litellm")]
    others += [followup.Parser, followup.ArgumentsParser, followup.ResponseParser]
    assert silent + [one.__qualname__ for one in others if "Raises" not in one.__doc__] == []


def blocks(page: Path):
    return re.findall(
        r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )


@pytest.mark.parametrize(
    "page", [page for page in PAGES if blocks(page)], ids=lambda page: page.name
)
def test_the_examples_of_a_page_run(page):
    asked: list[str] = []
    shown: list[object] = []
    names = {
        "response": Response(),
        "screen": Screen(),
        "show": shown.append,
        "ask": lambda question, suggestions: asked.append(question),
        "conversation": [],
    }
    for block in blocks(page):
        exec(compile(block, page.name, "exec"), names)
    if page.name == "README.md":
        assert len(asked) == 2 and names["screen"].shown.startswith(asked[0])
        assert len(names["conversation"]) == 1
    if page.name == "streams.md":
        assert len([event for event in shown if event.type == "complete"]) == 3


def test_the_example_of_the_project_runs():
    [block] = blocks(ROOT / "README.md")
    asked = []
    exec(
        compile(block, "README.md", "exec"),
        {"response": Response(), "ask": lambda *question: asked.append(question)},
    )
    [(question, suggestions)] = asked
    assert question and suggestions


def test_the_first_example_of_the_readme_prints_what_is_below_it(capsys):
    [code, *_], [printed] = (
        blocks(PAGES[0]),
        re.findall(r"^```text\n(.*?)^```", PAGES[0].read_text(encoding="utf-8"), re.M | re.S),
    )
    exec(compile(code, "README.md", "exec"), {})
    lines = capsys.readouterr().out.splitlines()
    assert [re.sub(r"\(Question\(.*\),\)", "(…)", line) for line in lines] == printed.splitlines()


def test_the_readme_names_all_fields_of_the_events():
    text = PAGES[0].read_text(encoding="utf-8")
    for name in ("Text", "Opaque", "Partial", "Complete", "Error"):
        event = getattr(followup, name)
        fields = ", ".join(f"`{field}`" for field in event.__match_args__)
        assert f"| {fields} |" in text, name


def releases(path):
    """Returns the releases of packages that a file for pip names."""
    lines = re.findall(
        r"^([\w-]+)(?:\[.*\])?==(.*)$", path.read_text(encoding="utf-8"), re.MULTILINE
    )
    return dict(lines)


def test_the_docs_name_the_releases_of_engines_that_are_tested():
    page = (ROOT / "bindings/python/docs/bulk.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\w+) \| ([\d.]+) \| ([\d.]+) \|", page, re.MULTILINE)
    named = {name.lower(): (oldest, newest) for name, oldest, newest in rows}
    assert len(named) == 6
    for folder in ("engines", "ray", "spark", "command"):
        files = [
            ROOT / "bindings/python/integration" / folder / name
            for name in ("oldest.txt", "requirements.txt")
        ]
        oldest, newest = map(releases, files)
        for name in named.keys() & oldest.keys():
            assert named[name] == (oldest[name], newest[name]), (folder, name)


def test_the_extras_accept_the_oldest_releases_that_are_tested():
    project = (ROOT / "bindings/python/pyproject.toml").read_text(encoding="utf-8")
    extras = dict(
        re.findall(r'"([\w-]+)>=([\d.]+)"', project.split("[project.optional-dependencies]")[1])
    )
    tested = releases(ROOT / "bindings/python/integration/command/oldest.txt")
    assert len(extras) == 3
    for name, least in extras.items():
        assert tested[name].startswith(f"{least}."), name
