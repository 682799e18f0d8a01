"""Reading Markdown pages, and running their Python in order and in one namespace, as a reader would who types it in.

A block with prompts (``>>>``) is a doctest, whose output is compared; any other block is executed as it stands.
"""

import doctest
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

FENCE = re.compile(r"^(?P<fence>`{3,}|~{3,})(?P<language>.*)$")
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


class Block(NamedTuple):
    language: str
    line: int
    """Lines of the page before the first of the block."""
    source: str


def blocks(text: str) -> Iterator[Block]:
    """Every fenced block of a page, whatever its language."""
    lines = iter(enumerate(text.splitlines(keepends=True), start=1))
    for number, line in lines:
        opening = FENCE.match(line.rstrip())
        if opening is None:
            continue
        body = []
        for _, inner in lines:
            if inner.rstrip() == opening["fence"]:
                break
            body.append(inner)
        else:
            raise ValueError(f"the block that begins in line {number} has no end")
        yield Block(opening["language"].strip(), number, "".join(body))


def table(text: str, first: str) -> list[list[str]]:
    """The rows of the table whose first heading is ``first``, headings included; of links only their text."""
    lines = text.splitlines()
    begin = next(number for number, line in enumerate(lines) if line.startswith(f"| {first} |"))
    rows = []
    for line in lines[begin:]:
        if not line.startswith("|"):
            break
        rows.append([re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", cell.strip()) for cell in line.strip("|").split(" | ")])
    return [rows[0], *rows[2:]]


def run_page(text: str, name: str, shared: dict[str, Any] | None = None) -> int:
    """Run every ``python`` block of a page; how many there were. An error tells the line of the page.

    Whoever runs a page in parts gives the namespace that the parts share.
    """
    namespace = {} if shared is None else shared
    namespace["__name__"] = Path(name).stem
    python = [block for block in blocks(text) if block.language == "python"]
    for block in python:
        if ">>> " in block.source:
            _compare(block, namespace, name)
        else:
            exec(compile("\n" * block.line + block.source, name, "exec"), namespace)
    return len(python)


def _compare(block: Block, namespace: dict[str, Any], name: str) -> None:
    test = doctest.DocTestParser().get_doctest(block.source, namespace, name, name, block.line)
    complaints: list[str] = []
    runner = doctest.DocTestRunner(optionflags=OPTIONS, verbose=False)
    runner.run(test, out=complaints.append, clear_globs=False)
    if complaints:
        raise AssertionError("".join(complaints))
    namespace.update(test.globs)


def is_shown(wanted: str, got: str) -> bool:
    """Whether a reply is as a page shows it: white space between values does not count, and dots stand for anything."""
    tight = "".join(line.strip() for line in wanted.splitlines())
    return doctest.OutputChecker().check_output(f"{tight}\n", f"{got.strip()}\n", doctest.ELLIPSIS)
