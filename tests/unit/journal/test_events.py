"""Events: their digests follow the definition and depend on every field; what a store would lose is refused."""

import hashlib
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from belated.core.errors import InvalidArgument
from belated.journal import START, chained
from belated.journal.events import LARGEST_BODY

GOOD = {
    "before": START, "stream": "s", "number": 1, "kind": "told", "decision": "d", "key": "k", "at": 5, "body": b"{}",
}  # fmt: skip


def naive(before, stream, number, kind, decision, key, at, body):
    """The digest, as its definition says it."""
    fields = json.dumps([stream, number, kind, decision, key, at], ensure_ascii=False, separators=(",", ":"))
    return hashlib.blake2b(before + fields.encode() + body, digest_size=16).digest()


TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=20)
FIELDS = st.fixed_dictionaries(
    {
        "before": st.binary(min_size=16, max_size=16),
        "stream": TEXTS,
        "number": st.integers(1, 2**62),
        "kind": TEXTS,
        "decision": st.none() | TEXTS,
        "key": st.none() | TEXTS,
        "at": st.integers(-(2**63), 2**63 - 1),
        "body": st.binary(),
    }
)


@given(FIELDS)
def test_the_digest_is_that_of_its_definition(fields):
    event = chained(**fields)
    assert event.chain == naive(**fields)
    assert {"before": fields["before"], **event._asdict()} == {**fields, "chain": event.chain}


def test_the_digest_is_the_same_in_every_version():
    """These bytes are in stores: they may never change."""
    first = chained(START, "prices", 1, "asked", "d-1", None, 1_700_000_000_000_000, b'{"x":1}')
    second = chained(first.chain, "pr\u00fcf\U0001f600\ufffe", 2, "told", 'd"\\', "k", -1, bytes(range(256)))
    assert (first.chain.hex(), second.chain.hex()) == (
        "de68e9ea6ee7623eae6ab2a886ac3907",
        "cbe0a19f7571a0e0757c4de180f5891b",
    )


@given(FIELDS, FIELDS, st.sampled_from(sorted(GOOD)))
def test_the_digest_depends_on_every_field(fields, others, name):
    changed = {**fields, name: others[name]}
    assert (chained(**fields).chain == chained(**changed).chain) == (fields == changed)


def test_derived_texts_and_numbers_become_plain_ones():
    """Drivers of databases do not know what is derived, such as the members of an Enum or the scalars of NumPy."""

    class Text(str):
        __slots__ = ()

    fields = {**GOOD, "number": np.int64(1), "at": np.int64(5), "body": np.bytes_(b"{}")}
    for name in ("stream", "kind", "decision", "key"):
        fields[name] = Text(GOOD[name])
    event = chained(**fields)
    assert event == chained(**GOOD)
    assert [type(each) for each in event] == [str, int, str, str, str, int, bytes, bytes]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *((name, value) for name in ("stream", "kind", "decision", "key") for value in ("", "a\0b", "\ud800", b"a", 7)),
        *((name, "x" * 201) for name in ("stream", "decision", "key")),
        ("kind", "x" * 41),
        ("stream", None),
        ("kind", None),
        ("number", 0),
        ("number", 1.0),
        ("number", True),
        ("number", 2**63),
        ("at", 2**63),
        ("at", -(2**63) - 1),
        ("at", 0.5),
        ("at", None),
        ("body", "text"),
        ("body", None),
        ("body", bytes(LARGEST_BODY + 1)),
        ("before", b""),
        ("before", "0" * 16),
    ],
)
def test_what_a_store_could_not_keep_is_refused(name, value):
    with pytest.raises(InvalidArgument, match=rf"`chained\({name}=") as caught:
        chained(**{**GOOD, name: value})
    assert caught.value.argument == name
