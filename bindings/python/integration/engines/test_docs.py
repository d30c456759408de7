import doctest
import importlib

import pytest


@pytest.mark.parametrize("module", ["followup.polars", "followup.duckdb"])
def test_the_examples_of_docstrings_run(module):
    results = doctest.testmod(importlib.import_module(module))
    assert results.attempted > 0 and results.failed == 0
