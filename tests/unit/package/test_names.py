"""The public names of ``import belated``: all there, lazily, and the same for type checkers as at run time."""

import ast
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

import belated as bl
from belated import learners


def test_every_public_name_can_be_had():
    for name in bl.__all__:
        assert getattr(bl, name) is not None
    assert set(bl.__all__) <= set(dir(bl))


def test_type_checkers_see_the_same_names():
    tree = ast.parse(Path(bl.__file__).read_text())
    block = next(node for node in tree.body if isinstance(node, ast.If))
    lines = [line for line in block.body if isinstance(line, ast.ImportFrom)]
    declared = {alias.asname for line in lines for alias in line.names if alias.name != "*"}
    assert [line.module for line in lines for alias in line.names if alias.name == "*"] == ["belated.learners"]
    assert declared | exported_by_learners() == set(bl.__all__)


def exported_by_learners():
    """Type checkers take for exported what is imported under the same name once more."""
    lines = ast.parse(Path(learners.__file__).read_text()).body
    aliases = [alias for line in lines if isinstance(line, ast.ImportFrom) for alias in line.names]
    assert all(alias.asname == alias.name for alias in aliases)
    return {alias.name for alias in aliases}


def test_everything_can_be_imported_at_once():
    namespace = {}
    exec("from belated import *", namespace)
    assert set(bl.__all__) <= set(namespace)


def test_unknown_names_are_attribute_errors():
    with pytest.raises(AttributeError, match="no attribute 'dogd_xl'"):
        _ = bl.dogd_xl


def test_the_version_is_that_of_the_package():
    assert bl.__version__ == metadata.version("belated")


def test_importing_the_package_loads_nothing_heavy():
    """Nor do a room of it, or a name that Python asks every module for."""
    code = """
import sys, belated
from belated import cli
assert not hasattr(belated, "__wrapped__")
print(sorted({"numpy", "numba", "xarray"} & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
