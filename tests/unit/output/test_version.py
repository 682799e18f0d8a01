"""The version is that of the installed package; a source tree that was never installed causes no error."""

from importlib import metadata

import pytest

from belated.output.version import installed_version


def test_the_version_is_that_of_the_package() -> None:
    assert installed_version() == metadata.version("belated")


def test_a_tree_that_was_never_installed_has_no_version(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", missing)
    assert installed_version() == "not installed"
