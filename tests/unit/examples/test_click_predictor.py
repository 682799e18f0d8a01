"""The example of a click predictor, run as processes: stopped, killed and started again, it says the same."""

import subprocess
import sys
from pathlib import Path

EXAMPLE = Path(__file__).parents[3] / "examples" / "click_predictor.py"


def said(folder: Path, until: int) -> list[str]:
    """What the example prints, line by line."""
    command = [sys.executable, str(EXAMPLE), str(folder), "--until", str(until)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


def test_a_run_that_is_stopped_goes_on_as_one_that_is_not(tmp_path: Path) -> None:
    whole = said(tmp_path / "whole", 24)
    assert len(whole) == 25
    first, second = said(tmp_path / "in parts ä", 10), said(tmp_path / "in parts ä", 24)
    assert first[:-1] + second == whole
    files = [(tmp_path / name / "clicks-024.npz").read_bytes() for name in ("whole", "in parts ä")]
    assert files[0] == files[1]
    assert said(tmp_path / "whole", 24) == whole[-1:]


def test_a_run_that_is_killed_goes_on_too(tmp_path: Path) -> None:
    whole = said(tmp_path / "whole", 12)
    command = [sys.executable, str(EXAMPLE), str(tmp_path / "killed"), "--until", "12"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        before = [process.stdout.readline().strip() for _ in range(3)]
        process.kill()
    assert before == whole[:3]
    again = said(tmp_path / "killed", 12)
    assert again == whole[-len(again) :]


def test_the_predictor_learns(tmp_path: Path) -> None:
    """Over the second half of the day, it predicts about as many clicks as there are."""
    numbers = [(float(line.split()[3].rstrip(",")), float(line.split()[5])) for line in said(tmp_path, 24)[12:24]]
    predicted, clicked = (sum(each) / len(numbers) for each in zip(*numbers, strict=True))
    assert abs(predicted - clicked) < 0.06
