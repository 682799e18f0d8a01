"""Figures that are laid out and not saved, which takes most of the time."""

import pytest
from matplotlib.figure import Figure

from belated.output import drawing


@pytest.fixture
def quick_drawing(monkeypatch: pytest.MonkeyPatch) -> list[Figure]:
    """The figures that would have been saved."""
    made: list[Figure] = []

    def lay_out(figure: Figure, file_format: str, metadata: dict[str, None]) -> bytes:
        if file_format == "png":
            figure.draw_without_rendering()
            made.append(figure)
        return file_format.encode()

    monkeypatch.setattr(drawing, "_saved", lay_out)
    return made
