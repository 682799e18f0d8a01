"""How Sphinx builds the documentation: pages are Markdown, and the reference is made from the package's docstrings."""

from importlib.metadata import version as installed_version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from docutils.parsers.rst.states import Inliner
from numpy.typing import ArrayLike
from sphinx.application import Sphinx
from sphinx.util.typing import stringify_annotation

from belated.core.arrays import Integers, Vector

project = "belated"
author = "The belated authors"
copyright = "2026, The belated authors"
version = release = installed_version("belated")

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.mathjax", "sphinx.ext.napoleon"]
exclude_patterns = ["_build"]

myst_enable_extensions = ["amsmath", "deflist", "dollarmath", "fieldlist"]
myst_heading_anchors = 3

autodoc_default_options = {"ignore-module-all": True}
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True

html_theme = "furo"
html_title = f"belated {version}"

# MathJax sets formulas in the browser. It is a single file without fonts, which is copied into the build, so that pages
# can be read without a network. The package that ships it is also an extension of Sphinx, but one that prevents
# building in parallel; so only its file is used.
MATHJAX = find_spec("sphinx-mathjax-offline")
if MATHJAX is None or MATHJAX.origin is None:
    raise ModuleNotFoundError("sphinx-mathjax-offline is not installed; make setup installs it")
html_static_path = [str(Path(MATHJAX.origin).parent / "static" / "mathjax" / "tex-svg-full.js"), "style.css"]
html_css_files = ["style.css"]
mathjax_path = "tex-svg-full.js"

SHORT_NAMES = {
    stringify_annotation(alias, mode): name
    for name, alias in {"ArrayLike": ArrayLike, "Vector": Vector, "Integers": Integers}.items()
    for mode in ("fully-qualified-except-typing", "smart")
}


def bar_as_text(inliner: Inliner, match: Any, line: int) -> tuple[str, list[Any], str, list[Any]]:
    """Take a bar as text: docstrings write norms as |x|, which reStructuredText would read as a substitution."""
    return match.string[: match.end("start")], [], match.string[match.end("start") :], []


def leave_out(app: Sphinx, what: str, name: str, member: Any, skip: bool, options: Any) -> bool | None:
    """Leave out the registries, which only the suite uses, and the tuples that store the fields of parts."""
    place_in_tuple = str(getattr(member, "__doc__", "")).startswith("Alias for field number")
    return True if place_in_tuple or name == "EVERY" or name.endswith("Fields") else None


def shorten(
    app: Sphinx, what: str, name: str, member: Any, options: Any, arguments: str | None, result: str | None
) -> tuple[str | None, str | None]:
    """Write the library's own names of types in signatures, such as Vector, in place of their long definitions."""
    for spelled_out, short in SHORT_NAMES.items():
        arguments = arguments and arguments.replace(spelled_out, short)
        result = result and result.replace(spelled_out, short)
    return arguments, result


HIDDEN_COLON = "\ue000"
"""A character that no docstring has: it takes the place of a colon while Napoleon reads the docstring."""


def hide_colons(app: Sphinx, what: str, name: str, member: Any, options: Any, lines: list[str]) -> None:
    """Keep Napoleon from reading the words before a colon as a type: types stand in annotations, never in docstrings.

    It would do so in the first line of the docstring of a property or a value, and in the first line of ``Returns:``.
    """
    returns = [number + 1 for number, line in enumerate(lines[:-1]) if line.strip() == "Returns:"]
    for number in [0, *returns] if what in ("attribute", "data", "property") else returns:
        lines[number] = lines[number].replace(": ", HIDDEN_COLON + " ")


def show_colons(app: Sphinx, what: str, name: str, member: Any, options: Any, lines: list[str]) -> None:
    """Put the colons back that :func:`hide_colons` has hidden."""
    lines[:] = [line.replace(HIDDEN_COLON, ":") for line in lines]


def setup(app: Sphinx) -> None:
    """Connect the functions above; Sphinx calls this once, before it reads a page."""
    Inliner.dispatch["|"] = bar_as_text
    app.connect("autodoc-process-docstring", hide_colons, priority=400)  # before Napoleon, which has the default, 500
    app.connect("autodoc-process-docstring", show_colons, priority=600)
    app.connect("autodoc-skip-member", leave_out)
    app.connect("autodoc-process-signature", shorten)
