"""The file of a run: Parquet, one row, the words of its cell as columns.

Only this file of the room imports pyarrow, an optional package.

Numbers among the words are columns of real numbers, and everything else is text: JSON, where it is a list or a table.
So the files of many runs can be read as one table by whatever reads Parquet. The bytes are a function of the run. The
column ``digest`` is that of the key and the numbers: the checksums of Parquet leave some bytes of a file uncovered.
"""

from __future__ import annotations

import io
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from belated.core.parts import fingerprint
from belated.sweeps.cells import Cell
from belated.sweeps.scores import Score
from belated.sweeps.words import canonical


def check_installed() -> None:
    """Raise the error that says what to install, if pyarrow is missing."""
    _arrow()


def as_bytes(key: str, cell: Cell, seed: int | None, score: Score) -> bytes:
    """The content of the file of a run. What a run does not have, such as a seed on a log, is no column."""
    arrow, parquet = _arrow()
    numbers = {name: value for name, value in score._asdict().items() if not math.isnan(value)}
    seeds = {} if seed is None else {"seed": seed}
    row = {"key": key, **flat(cell), **seeds, **numbers, "digest": _digest(key, score)}
    table = arrow.Table.from_pylist([row])
    file = io.BytesIO()
    parquet.write_table(table, file, compression="none", write_statistics=False, write_page_checksum=True)
    return file.getvalue()


def read(path: Path, key: str) -> Score | None:
    """What a file holds; ``None`` if it is not there, is damaged, or belongs to another run."""
    _, parquet = _arrow()
    if not path.exists():
        return None
    try:
        with path.open("rb") as raw, parquet.ParquetFile(raw, page_checksum_verification=True) as file:
            (row,) = file.read(columns=[*Score._fields, "digest"], use_threads=False).to_pylist()
        score = Score(**{name: row[name] for name in Score._fields if name in row})
        return score if row["digest"] == _digest(key, score) else None
    except Exception:  # a damaged file may fail in any way
        return None


def _digest(key: str, score: Score) -> str:
    """A digest of a key and of the bits of the numbers."""
    return fingerprint((key, *map(float.hex, score)))


def flat(cell: Cell) -> dict[str, float | str]:
    """The words of a cell as columns: ``problem.name``, ``delays.mean``, ``rounds``."""
    found: dict[str, float | str] = {}
    for key, value in cell.items():
        table = value if isinstance(value, Mapping) else {"": value}
        for inner, each in table.items():
            found[f"{key}.{inner}" if inner else key] = _column(each)
    return found


def _column(value: Any) -> float | str:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    return value if isinstance(value, str) else canonical(value)


def _arrow() -> Any:
    try:
        import pyarrow
        from pyarrow import parquet
    except ModuleNotFoundError as error:
        wanted = "a sweep keeps its runs as Parquet, which needs the package pyarrow: pip install 'belated[parquet]'"
        raise ModuleNotFoundError(wanted, name=error.name) from error
    return pyarrow, parquet
