"""States as the bytes of one file, and back; a byte that was changed, lost or added on the way is noticed.

The file is an ``.npz`` archive of NumPy's with one array for each name of the state, so that other programs can read
it, too. Nothing in it is pickled. A text is an array of its bytes in UTF-8.

A zip archive has bytes that no checksum covers, such as dates. So it ends with a *seal*, which zip takes for the
archive's comment: one line of fixed length with the number of the file's schema and a digest of everything before the
digest. The form of the seal is the same for all schemas, so that a file of a later version is told from a damaged one.
"""

from __future__ import annotations

import hashlib
import io
import re
import zipfile
from collections.abc import Mapping
from typing import Any

import numpy as np

from belated.core.errors import StateMismatch

SCHEMA = 1
"""The newest layout of files that this version reads, and the one that it writes."""

FIRST = "belated.schema"
"""The name of the first array, by which the beginning of a file is recognised."""

_SEAL = re.compile(rb"\nbelated predictor, schema (\d{4}), digest ([0-9a-f]{64})\n")
_SEAL_SIZE, _DIGEST_SIZE = 105, 65
_HEADER = 30
"""Bytes of a zip archive before the name of its first file."""


def packed(state: Mapping[str, Any]) -> bytes:
    """The bytes of a file.

    Args:
        state: Named arrays, texts and numbers, as ``predictor.state()`` returns them.

    Returns:
        The whole file; the same state gives the same bytes.
    """
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, "w", zipfile.ZIP_STORED) as archive:
        for name, value in {FIRST: SCHEMA, **state}.items():
            # Without a date of its own, an entry has the year 1980: the same state gives the same bytes.
            with archive.open(zipfile.ZipInfo(f"{name}.npy"), "w", force_zip64=True) as entry:
                np.lib.format.write_array(entry, _as_array(value), allow_pickle=False)
        archive.comment = bytes(_SEAL_SIZE)
    raw.seek(-_SEAL_SIZE, io.SEEK_END)
    raw.write(f"\nbelated predictor, schema {SCHEMA:04d}, digest ".encode())
    with raw.getbuffer() as content:
        digest = _digest(content[:-_DIGEST_SIZE])
    raw.write(digest + b"\n")
    return raw.getvalue()


def unpacked(content: bytes) -> dict[str, Any]:
    """The state that :func:`packed` was given.

    Args:
        content: All bytes of a file.

    Returns:
        Named arrays, texts and numbers.

    Raises:
        StateMismatch: The bytes are another kind of file, truncated, changed, or written by a later version.
    """
    seal = _SEAL.fullmatch(content[-_SEAL_SIZE:])
    if seal is None:
        name = f"{FIRST}.npy".encode()
        if content[_HEADER : _HEADER + len(name)] != name:
            raise StateMismatch("this is not a file that belated.save has written")
        raise StateMismatch("the file is truncated or damaged: it does not end as belated.save has written it")
    if _digest(memoryview(content)[:-_DIGEST_SIZE]) != seal[2]:
        raise StateMismatch("the file was changed or damaged since it was saved: it does not have its digest")
    if int(seal[1]) != SCHEMA:
        raise StateMismatch(
            f"the file has schema {int(seal[1])} and this version of belated reads schema {SCHEMA}: it was saved by "
            "another version, which can read it"
        )
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as archive:
            return {name: _as_value(archive[name]) for name in archive.files if name != FIRST}
    except Exception as problem:  # somebody has made the digest himself; such an archive may fail in any way
        raise StateMismatch(f"the file was made by another program than belated.save: {problem}") from problem


def _digest(body: bytes | memoryview) -> bytes:
    return hashlib.blake2b(body, digest_size=32).hexdigest().encode()


def _as_array(value: Any) -> Any:
    if isinstance(value, str):
        return np.frombuffer(value.encode("utf-8", "surrogatepass"), dtype=np.uint8)
    return np.asarray(value)


def _as_value(array: Any) -> Any:
    """What :func:`_as_array` was given: no state has an array of bytes, so such an array is a text."""
    if array.dtype == np.uint8:
        return array.tobytes().decode("utf-8", "surrogatepass")
    return array if array.ndim else array.item()
