"""A store as lines of JSON: readable, and back without a changed byte."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from belated.core.errors import Conflict, StoreDamaged
from belated.journal import START, chained, export_lines, import_lines, lines, open_store
from support.journals import BEGIN, after

BODIES = [
    b'{"x":1}', b'{"x": 1e16, "y": [1E400, 0.10]}', b'"\xc3\xbc"', b"null", b'{"body":{"base64":",\\"body\\":"}}',  # JSON
    b"", b"{", b"\xff", b"NaN", b'{"a":Infinity}', b"[1,\n2]", b"[1,\r2]", b"[" * 100_000, b"\xef\xbb\xbf{}",  # others
]  # fmt: skip
JSON_BODIES = 5


def stored(bodies, stream="a"):
    store, chain = open_store("memory://"), START
    for number, body in enumerate(bodies, start=1):
        store.append([chained(chain, stream, number, "told", f'd,"body":{number}', None, number, body)])
        chain = store.end(stream).chain
    return store


def test_bodies_that_are_json_are_shown_as_json_and_others_as_base64():
    found = [json.loads(line) for line in export_lines(stored(BODIES))]
    assert ["body" in each for each in found] == [i < JSON_BODIES for i in range(len(BODIES))]
    assert ["base64" in each for each in found] == [i >= JSON_BODIES for i in range(len(BODIES))]
    assert found[0]["body"] == {"x": 1}
    assert not any("\n" in line for line in export_lines(stored(BODIES)))


@given(st.lists(st.binary() | st.sampled_from(BODIES), max_size=5), st.sampled_from(["a", "ü", '",\\', "\u2028"]))
def test_what_was_exported_comes_back(bodies, stream):
    store, copy = stored(bodies, stream), open_store("memory://")
    text = [line + "\n" for line in export_lines(store)]
    assert import_lines(copy, text) == len(bodies)
    assert copy.streams() == store.streams()
    assert list(copy.read(stream)) == list(store.read(stream))


def test_stores_of_all_kinds_are_exported_and_imported(new_address, monkeypatch):
    monkeypatch.setattr(lines, "BATCH", 7)
    store, copy = open_store("memory://"), open_store(new_address())
    store.append(after(BEGIN, "a", 20) + after(BEGIN, "b", 3))
    text = list(export_lines(store))
    assert import_lines(copy, text) == 23
    assert list(export_lines(copy)) == text
    with pytest.raises(Conflict):
        import_lines(copy, text)
    copy.close()


@pytest.mark.parametrize(
    "change",
    [
        lambda line: line.replace('"at":1002', '"at":1003'),
        lambda line: line.replace('"body":{}', '"body":{ }'),
        lambda line: line.replace('"body":{}', '"base64":"e30"'),
        lambda line: line.replace('"number":2', '"number":"2"'),
        lambda line: line.replace('"key":"k",', ""),
        lambda line: line.replace('"chain":"', '"chain":"x'),
        lambda line: line[:-1],
        lambda line: "",
        lambda line: "[]",
        lambda line: "7",
    ],
)
def test_a_line_that_was_changed_is_refused_and_named(change):
    store = open_store("memory://")
    store.append(after(BEGIN, "a", 3))
    text = list(export_lines(store))
    assert change(text[1]) != text[1]
    text[1] = change(text[1])
    copy = open_store("memory://")
    with pytest.raises(StoreDamaged, match=r"line 2 cannot be imported: it.*import them into a new store"):
        import_lines(copy, text)
    assert copy.streams() == []
