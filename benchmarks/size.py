"""``python -m benchmarks.size``: how large the library is, by packages, and what in it is small, large or named twice.

Code lines are those that have code in them: no blank line, no comment, no docstring and no import. A module with one
importer is one that a single other module imports and no ``__init__``, which would make it a member of a registry or a
part of what a package exports. Words of the documentation do not count the pages in ``docs/reference``.
"""

import argparse
import ast
import io
import sys
import tokenize
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

SMALL, LARGE = 120, 600
NO_CODE = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}


class Module(NamedTuple):
    """One file of the library.

    Args:
        name: As it is imported, such as ``belated.core.parts``.
        lines: All of its lines.
        code: Those with code.
        classes: The classes that it defines outside of functions and of other classes.
        imports: Modules of the library that it imports, or of which it may import a name.
    """

    name: str
    is_package: bool
    lines: int
    code: int
    classes: list[str]
    imports: set[str]

    @property
    def room(self) -> str:
        """The package just below the library that it belongs to; the library itself for those beside the packages."""
        parts = self.name.split(".")
        return parts[1] if len(parts) > 2 or (len(parts) == 2 and self.is_package) else parts[0]


def modules(source: Path) -> list[Module]:
    """Every module of the packages in a folder, sorted by name."""
    found = []
    for file in sorted(source.rglob("*.py")):
        text = file.read_text(encoding="utf-8")
        tree = ast.parse(text)
        parts = file.relative_to(source).with_suffix("").parts
        is_package = parts[-1] == "__init__"
        name = ".".join(parts[:-1] if is_package else parts)
        classes = [node.name for node in tree.body if isinstance(node, ast.ClassDef)]
        imports = set(_imported(tree, name, is_package))
        found.append(Module(name, is_package, len(text.splitlines()), _code_lines(text, tree), classes, imports))
    return found


def _code_lines(text: str, tree: ast.Module) -> int:
    """The number of lines that have a token of code, and belong to no docstring and to no import."""
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    lines = {line for each in tokens if each.type not in NO_CODE for line in range(each.start[0], each.end[0] + 1)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom) or (isinstance(node, ast.Expr) and _is_text(node.value)):
            lines.difference_update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return len(lines)


def _is_text(value: ast.expr) -> bool:
    """Whether a statement with this value is nothing but a text: a docstring, also that of a constant."""
    return isinstance(value, ast.Constant) and isinstance(value.value, str)


def _imported(tree: ast.Module, name: str, is_package: bool) -> Iterator[str]:
    """What may be a module: ``from a import b`` may import ``a.b``."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parent = name.split(".")[: -node.level + is_package or None] if node.level else []
            module = ".".join([*parent, *([node.module] if node.module else [])])
            yield module
            yield from (f"{module}.{alias.name}" for alias in node.names)


def with_one_importer(known: list[Module]) -> list[tuple[Module, str]]:
    """Small modules that exactly one other one imports, and no ``__init__``."""
    importers: dict[str, list[Module]] = defaultdict(list)
    for module in known:
        for imported in module.imports - {module.name}:
            importers[imported].append(module)
    found = []
    for module in known:
        by = importers[module.name]
        if not module.is_package and module.lines < SMALL and len(by) == 1 and not by[0].is_package:
            found.append((module, by[0].name))
    return found


def report(root: Path, verbose: bool) -> str:
    """All numbers of a checkout; with ``verbose`` also the names behind them."""
    known = modules(root / "src")
    rooms: dict[str, list[Module]] = defaultdict(list)
    for module in known:
        rooms[module.room].append(module)
    lines = [f"{'':16}{'files':>8}{'lines':>9}{'code':>9}"]
    for room, members in [*sorted(rooms.items()), ("in total", known)]:
        size = len(members), sum(each.lines for each in members), sum(each.code for each in members)
        lines.append(f"{room:16}{size[0]:>8,}{size[1]:>9,}{size[2]:>9,}")
    times = Counter(name for module in known for name in set(module.classes))
    twice = sorted(name for name, count in times.items() if count > 1)
    alone = with_one_importer(known)
    large = [module for module in known if module.lines > LARGE]
    tests = [len(file.read_text(encoding="utf-8").splitlines()) for file in (root / "tests").rglob("*.py")]
    pages = [page for page in (root / "docs").rglob("*.md") if not {"reference", "_build"} & set(page.parts)]
    words = [len(page.read_text(encoding="utf-8").split()) for page in pages]
    numbers: list[tuple[str, int, list[str]]] = [
        ("class names that several modules use", len(twice), twice),
        (f"modules under {SMALL} lines with one importer", len(alone), [f"{each.name} <- {by}" for each, by in alone]),
        (f"files over {LARGE} lines", len(large), [f"{each.name}: {each.lines}" for each in large]),
        ("lines in tests", sum(tests), []),
        ("words in docs, without the reference", sum(words), []),
    ]
    lines.append("")
    for words_of, number, names in numbers:
        lines.append(f"{words_of:44}{number:>9,}")
        lines += [f"    {name}" for name in names] if verbose else []
    return "\n".join(lines) + "\n"


def main() -> int:
    """Print it."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.size", description="How large the library is.")
    parser.add_argument(
        "root", type=Path, nargs="?", default=Path(__file__).parents[1], help="a checkout (default: this)"
    )
    parser.add_argument("--verbose", action="store_true", help="also the names behind the numbers")
    options = parser.parse_args()
    sys.stdout.write(report(options.root, options.verbose))
    return 0


if __name__ == "__main__":
    sys.exit(main())
