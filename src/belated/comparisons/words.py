"""The names that may stand in a setting, as far as they are known without the things that they name.

To import everything that a comparison needs takes seconds. Who has mistyped a name should not wait for that, so the
commonest names are looked at first: what is wrong otherwise is found when the setting is made.
"""

from collections.abc import Mapping
from importlib import resources
from typing import Any

from belated.comparisons.document import Document
from belated.comparisons.measures import MEASURES
from belated.comparisons.positions import Key
from belated.core.checks import shown
from belated.core.spelling import spelled as spelled
from belated.core.spelling import spoken as spoken
from belated.core.spelling import suggestion


def learner_names() -> list[str]:
    """The names of the learners: each has a file of its own, which need not be read to know that it is there."""
    files = (resources.files("belated") / "learners" / "algorithms").iterdir()
    stems = (each.name.removesuffix(".py") for each in files if each.name.endswith(".py"))
    return sorted(spelled(stem) for stem in stems if not stem.startswith("_"))


def check_words(document: Document) -> None:
    """Refuse a measure, a learner or a law of delay whose name nobody knows.

    Args:
        document: What somebody wrote. What is not of the expected form is left to those who read it whole.

    Raises:
        InvalidArgument: There is no such name. The message says where it stands and suggests one that there is.
    """
    check_measure(document)
    learners = document.tables.get("learners")
    if isinstance(learners, Mapping):
        for label in learners:
            _check_name(document, ("learners", label), learners[label], learner_names(), str(label))
    if "delays" in document.tables:
        from belated import delays  # needs NumPy, and nothing else that is heavy

        laws = sorted(spoken(each.__name__) for each in delays.EVERY)
        _check_name(document, ("delays",), document.tables["delays"], laws)


def check_measure(document: Document) -> str:
    """The name of the measure, if there is such a one."""
    name = document.tables.get("measure", "regret")
    if not isinstance(name, str) or name not in MEASURES:
        hint = suggestion(name, MEASURES, "") if isinstance(name, str) else ""
        wanted = f"must be one of {', '.join(MEASURES)}, not {shown(name)}"
        document.refuse(("measure",), f"{wanted}; {hint}" if hint else wanted)
    return name


def unknown(document: Document, key: Key, given: Any, name: str, known: list[str]) -> None:
    """Refuse the name of a thing that nobody knows, and suggest one that there is."""
    place = (*key, "name") if isinstance(given, Mapping) and "name" in given else key
    document.refuse(place, f"there is no {shown(name)} here; {suggestion(spelled(name), known)}")


def _check_name(document: Document, key: Key, given: Any, known: list[str], label: str = "") -> None:
    name = given.get("name", label) if isinstance(given, Mapping) else given
    if isinstance(name, str) and name and spelled(name) not in known:
        unknown(document, key, given, name, known)
