"""The settings that come with the library, and reading one of them or one from a file."""

from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from belated.comparisons.document import Document, parsed, read_document
from belated.core.checks import shown
from belated.core.errors import InvalidArgument
from belated.core.spelling import suggestion

if TYPE_CHECKING:
    from belated.comparisons.setting import WrittenSetting

FOLDER = resources.files("belated.comparisons") / "settings"


def names() -> list[str]:
    """The names of the settings that are shipped, in the order of the alphabet."""
    return sorted(each.name.removesuffix(".toml") for each in FOLDER.iterdir() if each.name.endswith(".toml"))


def document(name_or_path: str | Path) -> tuple[Document, str]:
    """The document of a shipped setting or of a file, and the setting's name."""
    text = str(name_or_path)
    if text in names():
        return parsed(f"{text}.toml", (FOLDER / f"{text}.toml").read_text(encoding="utf-8")), text
    path = Path(name_or_path)
    if path.suffix != ".toml":
        listed = f"there are {', '.join(names())}, and files named *.toml"
        raise InvalidArgument(f"there is no setting {shown(text)}; {suggestion(text, names(), listed)}")
    return read_document(path), path.stem if path.stem != "setting" else path.resolve().parent.name  # as runs leave it


def read(name_or_path: str | Path, **changes: int) -> "WrittenSetting":
    """A shipped setting by its name, or one from a TOML file; ``rounds`` and ``seeds`` may be given anew."""
    from belated.comparisons.reading import setting_of  # heavy, and not needed to know which settings there are

    given, name = document(name_or_path)
    for key, value in changes.items():
        given = given.with_option(f"read({key}=...)", (key,), value)
    return setting_of(given, name)
