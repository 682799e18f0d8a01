"""The version of belated, which reports bear."""

from importlib import metadata


def installed_version() -> str:
    """The version that is installed; a source tree that never was has none to tell."""
    try:
        return metadata.version("belated")
    except metadata.PackageNotFoundError:
        return "not installed"
