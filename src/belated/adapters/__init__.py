"""Models of belated with the interfaces of other libraries, one file for each library.

A file is imported when its name is first used, and needs the library that it is for: ``belated.adapters.river`` river,
``belated.adapters.sklearn`` scikit-learn.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from belated.adapters import river as river
    from belated.adapters import sklearn as sklearn

__all__ = ["river", "sklearn"]


def __getattr__(name: str) -> Any:
    """Import the file of a library, once."""
    if name not in __all__:
        raise AttributeError(f"module 'belated.adapters' has no attribute {name!r}")
    return importlib.import_module(f"belated.adapters.{name}")
