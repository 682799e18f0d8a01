"""Saving a predictor to a file, and going on from the file.

A file is complete or not there: the bytes are written beside their place and moved there when the disk has all of them
(:mod:`belated.output.files`). A process that is killed, or a disk that is full, leaves the old file as it was.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from belated.core import checks
from belated.core.errors import StateMismatch
from belated.keeping.archive import packed, unpacked
from belated.models.model import Model
from belated.models.predictor import Predictor
from belated.models.saving import SCHEMA
from belated.output.files import place


def save(predictor: Predictor, path: str | os.PathLike[str]) -> None:
    """Write a predictor to a file, with all predictions that wait for their labels.

    When it returns, the file is complete. Whatever stops it before that leaves the file that was there as it was.

    Args:
        predictor: The run. It is not changed, and may go on.
        path: Where to write. Folders that do not exist are made. The name is taken as it is; ``.npz`` suits it, since
            NumPy can read the file.

    Raises:
        InvalidArgument: An argument is not what it must be.
        NumericalFailure: A number of the run is not finite any more; a file that was there is left as it was.
        OSError: The file cannot be written: no permission, no space, or a folder of this name.
        SharedPlayer: Another thread is using the predictor.

    Example:
        >>> import tempfile
        >>> import belated as bl
        >>> model = bl.models.logistic(bits=8)
        >>> predictor = model.start()
        >>> prediction = predictor.predict({"page": "home"}, key="visit-1")
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     bl.save(predictor, f"{folder}/clicks.npz")
        ...     later = bl.load(model, f"{folder}/clicks.npz")
        >>> later.learn("visit-1", 1)
        True
    """
    if not isinstance(predictor, Predictor):
        checks.refuse("save", "predictor", predictor, "must be a predictor, such as model.start() returns")
    file = _checked_path("save", path)
    place(file.parent, {file.name: packed(predictor.state())})


def load(model: Model, path: str | os.PathLike[str]) -> Predictor:
    """Go on from a file that :func:`save` has written; every later prediction is the same, bit for bit.

    The digest in a file finds damage. It does not show who wrote the file, so load only files whose origin you trust;
    no code is run from a file in any case.

    Args:
        model: The model that the predictor was started from, described in the same way.
        path: Where the file is.

    Returns:
        A predictor that waits for the same labels as the one that was saved.

    Raises:
        InvalidArgument: An argument is not what it must be.
        OSError: The file cannot be read; FileNotFoundError if there is none.
        StateMismatch: The file belongs to another model, is truncated or changed, was written by another version whose
            files are different, or is no file of :func:`save`. The message says which.
    """
    if not isinstance(model, Model):
        checks.refuse("load", "model", model, "must be a model, such as bl.models.logistic()")
    file = _checked_path("load", path)
    try:
        state = unpacked(file.read_bytes())
        _check_owner(model, state)
        return model.resume(state)
    except StateMismatch as problem:
        raise StateMismatch(f"`load(path={checks.shown(str(file))})`: {problem}") from problem


def _check_owner(model: Model, state: dict[str, Any]) -> None:
    """Say what differs, where ``resume`` would only say that something does."""
    name, schema = state.get("model"), state.get("schema")
    if schema != SCHEMA:
        raise StateMismatch(f"its state has schema {checks.shown(schema)} and this version of belated reads {SCHEMA}")
    if name != model.name:
        raise StateMismatch(f"it has a predictor of another model, {checks.shown(name)} and not {model.name!r}")
    if state.get("fingerprint") != model.fingerprint:
        raise StateMismatch(f"it has a predictor of another model: {name} with other features, step or options")


def _checked_path(where: str, path: Any) -> Path:
    """The path of a file, which need not exist, if the system can have such a path."""
    if not isinstance(path, str | os.PathLike) or not str(path):
        checks.refuse(where, "path", path, "must be the path of a file")
    try:
        file = Path(path)
        possible = b"\0" not in os.fsencode(file) and file.name != ""
    except (TypeError, UnicodeEncodeError):  # TypeError: a path of bytes
        possible = False
    if not possible:
        checks.refuse(where, "path", str(path), "must be the path of a file, in letters that paths can have here")
    return file
