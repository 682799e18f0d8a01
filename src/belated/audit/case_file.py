"""Worst cases in files: JSON with a schema number and a digest, so that a changed file is noticed.

JSON writes a real number with as many digits as it needs to be read again exactly. The digest shows damage, not who
wrote a file; nothing in a file is run.
"""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from belated.audit.adversaries import FAMILIES
from belated.audit.found import WorstCase
from belated.core import checks
from belated.core.errors import BelatedError, StateMismatch
from belated.output.files import place

KIND, SCHEMA = "belated worst case", 1
"""What a file begins with, by which others are told apart."""

_WHOLE, _REAL = ("signs", "delays"), ("gradients", "decisions")


def write(case: WorstCase, path: str | os.PathLike[str]) -> None:
    """Write a worst case to a file, which is complete or not there."""
    if not isinstance(path, str | os.PathLike) or not Path(path).name:
        checks.refuse("save", "path", path, "must be the path of a file")
    file = Path(path)
    content: dict[str, Any] = {field.name: getattr(case, field.name) for field in fields(case)}
    content |= {name: content[name].tolist() for name in (*_WHOLE, *_REAL)}
    losses = case.losses
    content["losses"] = {"family": type(losses).__name__, **losses._asdict()}  # type: ignore[attr-defined]  # a NamedTuple
    whole = {"kind": KIND, "schema": SCHEMA, "digest": _digest(content), "case": content}
    place(file.parent, {file.name: f"{json.dumps(whole, indent=1)}\n".encode()})


def read(path: Path) -> WorstCase:
    """Read a worst case from a file that :func:`write` has written."""
    try:
        whole = json.loads(path.read_bytes())
        if whole["kind"] != KIND:
            raise KeyError("kind")
    except (ValueError, TypeError, LookupError) as problem:
        raise _wrong(path, "this is not a file that WorstCase.save has written") from problem
    if whole.get("schema") != SCHEMA:
        raise _wrong(path, f"it has schema {checks.shown(whole.get('schema'))}, and this version reads {SCHEMA}")
    content = whole.get("case")
    if whole.get("digest") != _digest(content):
        raise _wrong(path, "it was changed or damaged since it was written: it does not have its digest")
    try:
        losses = dict(content["losses"])
        family = FAMILIES[losses.pop("family")]
        arrays = {name: np.array(content[name], dtype=np.int64) for name in _WHOLE}
        arrays |= {name: np.array(content[name], dtype=float) for name in _REAL}
        return WorstCase(**{**content, **arrays, "losses": family(**losses)})
    except (BelatedError, ValueError, TypeError, LookupError) as problem:  # somebody has made the digest himself
        raise _wrong(path, f"it was made by another program: {problem}") from problem


def _digest(content: Any) -> str:
    return hashlib.blake2b(json.dumps(content, sort_keys=True).encode(), digest_size=16).hexdigest()


def _wrong(path: Path, reason: str) -> StateMismatch:
    return StateMismatch(f"`WorstCase.load(path={checks.shown(str(path))})`: {reason}")
