"""The line of every key, against texts of which it is known in which line each was written."""

import random
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from belated.comparisons.positions import Key, line_of

SCALARS = [
    "1",
    "-0.5e3",
    "true",
    "inf",
    "0xff",
    "1979-05-27",
    "1979-05-27 07:32:00.5Z",
    '""',
    "''",
    r'"a # [ ] { } = , \" \\"',
    "'# [ { = \\'",
    '"""one """',
    "'''it's'''",
]
TEXTS = ['"""', 'a = 1 # "', '[b] { ""', r'\""" \\', "'''", 'the end"""""']
LITERALS = ["'''", "a = 1 # '", '[b] { """', "the end'''"]
KEYS = ["a", "b-c", "3", "d e", "f.g", "é", ""]
TABLES = ["t", "#", "[h]", "i=j", "k'l", 'm"n']


class Writer:
    """Writes a random document, and notes where."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.lines = [""]
        self.positions: dict[Key, int] = {}
        self.noise()
        self.pairs((), 3)
        for name in self.some(TABLES, 3):
            if rng.random() < 0.5:
                self.table((name,))
            else:
                for i in range(rng.randint(1, 3)):
                    self.header(f"[[{self.spelled(name)}]]", (name,), (name, i))
                    self.pairs((name, i), 2)
                    if rng.random() < 0.5:
                        self.header(f"[{self.spelled(name)}.inner]", (name, i, "inner"))
                        self.pairs((name, i, "inner"), 2)

    def table(self, path: Key) -> None:
        self.header(
            f"[ {' . '.join(self.spelled(str(each)) for each in path)} ]", *(path[: n + 1] for n in range(len(path)))
        )
        self.pairs(path, 3)
        if len(path) < 3:
            for name in self.some(TABLES, 1):
                self.table((*path, name))

    def header(self, text: str, *paths: Key) -> None:
        for path in paths:
            self.positions.setdefault(path, len(self.lines))
        self.put(text)
        self.end()

    def pairs(self, table: Key, most: int) -> None:
        for name in self.some(KEYS, most):
            self.pair((*table, name), 3)
            self.end()

    def pair(self, path: Key, depth: int) -> None:
        self.positions.setdefault(path, len(self.lines))
        self.put(self.spelled(str(path[-1])))
        if self.rng.random() < 0.2:
            path = (*path, "dotted")
            self.positions.setdefault(path, len(self.lines))
            self.put(" . dotted")
        self.put(self.rng.choice([" = ", "=", "\t= "]))
        self.value(path, depth)

    def value(self, path: Key, depth: int) -> None:
        kind = self.rng.choice(["scalar", "text", "list", "table"]) if depth else "scalar"
        if kind == "scalar":
            self.put(self.rng.choice(SCALARS))
        elif kind == "text":
            first, *rest = self.rng.choice([TEXTS, LITERALS])
            self.put(first)
            for line in rest:
                self.lines.append(line)
        elif kind == "list":
            self.put("[")
            for i in range(self.rng.randint(0, 3)):
                self.maybe_end()
                self.positions[*path, i] = len(self.lines)
                self.value((*path, i), depth - 1)
                self.maybe_end()
                self.put(",")
            self.maybe_end()
            self.put("]")
        else:
            self.put("{")
            for n, name in enumerate(self.some(KEYS, 2)):
                self.put("," if n else "")
                self.pair((*path, name), depth - 1)
            self.put("}")

    def some(self, names: list[str], most: int) -> list[str]:
        return self.rng.sample(names, self.rng.randint(0, most))

    def spelled(self, name: str) -> str:
        if name.isascii() and name.replace("-", "a").isalnum() and self.rng.random() < 0.7:
            return name
        if "'" not in name and self.rng.random() < 0.5:
            return f"'{name}'"
        return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'

    def put(self, text: str) -> None:
        self.lines[-1] += text

    def end(self) -> None:
        self.put(self.rng.choice(["", "", " # no = [ { \" '"]))
        self.lines.append("")
        self.noise()

    def maybe_end(self) -> None:
        if self.rng.random() < 0.4:
            self.end()

    def noise(self) -> None:
        for _ in range(self.rng.choice([0, 0, 1, 2])):
            self.put(self.rng.choice(["", "  ", '# [x] a = """ \'']))
            self.lines.append("")


@given(st.integers(0, 2**32), st.sampled_from(["\n", "\r\n"]))
def test_every_key_is_found_where_it_was_written(seed: int, newline: str) -> None:
    writer = Writer(random.Random(seed))
    text = newline.join(writer.lines)
    tomllib.loads(text)  # it is what it should be
    assert {key: line_of(text, key) for key in writer.positions} == writer.positions


def test_enough_is_written_for_that_to_mean_something() -> None:
    keys = [key for seed in range(60) for key in Writer(random.Random(seed)).positions]
    assert sum(len(key) > 3 for key in keys) > 50
    assert sum(any(isinstance(each, int) for each in key) for key in keys) > 50


TEXT = """\
a.b = 1
list = [
    { name = "x", numbers = [
        1,
        2,
    ] },
    "y",
]

[table."two words"]
text = '''
not = "a key"
'''
last = 1
[[many]]
x = 1
[[many]]
x = 2
"""


@pytest.mark.parametrize(
    ("key", "line"),
    [
        (("a",), 1),
        (("a", "b"), 1),
        (("list",), 2),
        (("list", 0), 3),
        (("list", 0, "name"), 3),
        (("list", 0, "numbers", 1), 5),
        (("list", 1), 7),
        (("table",), 10),
        (("table", "two words"), 10),
        (("table", "two words", "text"), 11),
        (("table", "two words", "last"), 14),
        (("many", 0, "x"), 16),
        (("many", 1), 17),
        (("many", 1, "x"), 18),
        (("list", 0, "missing"), 3),
        (("list", 7), 2),
        (("table", "two words", "not"), 10),
        (("table", "two words", "text", "not"), 11),
        (("missing", "x"), None),
        ((), None),
    ],
)
def test_by_hand(key: Key, line: int | None) -> None:
    assert line_of(TEXT, key) == line


def test_files_of_thousands_of_lines_are_read_once() -> None:
    """A way whose time grows with the square of the lines would take minutes here."""
    assert line_of("\n".join(f"a{i} = [{i}, {{b = {i}}}]" for i in range(5000)), ("a4999", 1, "b")) == 5000
    assert line_of("a = [\n" + "1,\n" * 5000 + "]", ("a", 4321)) == 4323
