"""The examples of the documentation run with Polars, DuckDB and Daft."""

import doctest
import importlib

import pytest
from cases import CELLS, rows, run_example


@pytest.mark.parametrize("module", ["followup.polars", "followup.duckdb"])
def test_the_examples_of_docstrings_run(module):
    results = doctest.testmod(importlib.import_module(module))
    assert results.attempted > 0 and results.failed == 0


@pytest.mark.parametrize("engine", ["Polars", "DuckDB", "Daft"])
def test_the_example_of_an_engine_runs(engine, tmp_path):
    assert run_example(engine, tmp_path) == rows(CELLS)
