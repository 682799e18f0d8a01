"""The file of a run: Parquet, one row, the setting as columns.

Only this file of the room imports pyarrow, an optional package.

Numbers of the setting are columns of real numbers, and everything else is text: JSON, where it is a list or a table. So
the files of many runs can be read as one table by whatever reads Parquet. The bytes are a function of the run.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from belated.sweeps.cells import Cell
from belated.sweeps.stages import Score
from belated.sweeps.words import canonical


def check_installed() -> None:
    """Raise the error that says what to install, if pyarrow is missing."""
    _arrow()


def as_bytes(key: str, cell: Cell, seed: int, score: Score) -> bytes:
    """The content of the file of a run."""
    arrow, parquet = _arrow()
    table = arrow.Table.from_pylist([{"key": key, **flat(cell), "seed": seed, **score._asdict()}])
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
            (row,) = file.read(columns=["key", *Score._fields], use_threads=False).to_pylist()
    except Exception:  # a damaged file may fail in any way
        return None
    return Score(row["score"], row["cumulative_loss"]) if row["key"] == key else None


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
