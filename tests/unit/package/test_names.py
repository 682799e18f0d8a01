"""The public names of ``import belated``: all there, lazily, and the same for type checkers as at run time."""

import ast
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

import belated as bl


def test_every_public_name_can_be_had():
    for name in bl.__all__:
        assert getattr(bl, name) is not None
    assert set(bl.__all__) <= set(dir(bl))


def test_type_checkers_see_the_same_names():
    tree = ast.parse(Path(bl.__file__).read_text())
    block = next(node for node in tree.body if isinstance(node, ast.If))
    declared = {alias.asname for line in block.body if isinstance(line, ast.ImportFrom) for alias in line.names}
    assert declared == set(bl.__all__)


def test_unknown_names_are_attribute_errors():
    with pytest.raises(AttributeError, match="no attribute 'dogd_xl'"):
        _ = bl.dogd_xl


def test_the_version_is_that_of_the_package():
    assert bl.__version__ == metadata.version("belated")


def test_a_tree_that_was_never_installed_has_no_version(monkeypatch):
    def missing(name):
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", missing)
    assert bl._version() == "not installed"


def test_importing_the_package_loads_nothing_heavy():
    code = "import sys, belated; print(sorted({'numpy', 'numba', 'xarray'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
