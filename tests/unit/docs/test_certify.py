"""The page on certificates has every step of every chain, in its order, and every constant that may be claimed."""

import re
from pathlib import Path

import belated as bl
from belated.audit.chains import CHAINS
from support.doctored import BALL, SOUND, recorded

PAGE = (Path(__file__).parents[3] / "docs" / "certify.md").read_text(encoding="utf-8")
SECTIONS = {
    "dogd_sc": "DOGD-SC",
    "bdogd_sc": "BDOGD-SC",
    "dogd": "DOGD",
    "dda": "DDA",
    "composite_ftrl": "Composite FTRL",
}


def steps_of(section: str) -> list[str]:
    """The names in the first column of the table of a section."""
    text = PAGE.partition(f"\n## {section}\n")[2].partition("\n## ")[0]
    first = [line.split("|")[1] for line in text.splitlines() if line.startswith("| `")]
    return [name for cell in first for name in re.findall(r"`([^`]+)`", cell)]


def test_the_steps_of_every_chain_are_on_the_page() -> None:
    assert SECTIONS.keys() == CHAINS.keys()
    for name, section in SECTIONS.items():
        certificate = bl.certify(recorded(SOUND[name](BALL)))
        assert steps_of(section) == [step.name for step in certificate.steps]


def test_what_may_be_claimed_is_on_the_page() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (.*) \|$", PAGE, flags=re.MULTILINE)
    listed = {name: re.findall(r"`(\w+)`", claims) for name, claims in rows if name in CHAINS}
    assert listed == {name: list(chain.claims) for name, chain in CHAINS.items()}
