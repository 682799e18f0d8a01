"""JSON that is nearly right: a random place of a good value holds something else, is missing, or is there twice."""

import copy

from hypothesis import strategies as st

from belated.learners.learner import Learner
from belated.models.model import Model
from belated.service.descriptions import LEARNER, MODEL, read_field

NUMBERS = (
    0,
    -1,
    1,
    2,
    7,
    0.0,
    -0.0,
    0.5,
    1e308,
    -1e308,
    1e-320,
    10**5,
    10**9,
    2**62,
    2**63,
    10**30,
    float("inf"),
    float("nan"),
)
TEXTS = (
    "",
    "x",
    "Ball",
    "inf",
    "belated:Ball",
    "belated:Direct",
    "<f8",
    "|O",
    "<U99999999",
    "0/1",
    "assume",
    "é" * 300,
    "\x00",
)

scalars = st.sampled_from([None, True, False, *NUMBERS, *TEXTS])
anything = st.recursive(
    scalars | st.floats() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8) | st.sampled_from(TEXTS), inner, max_size=3)
    ),
    max_leaves=12,
)
names = st.sampled_from(
    ["domain", "rate", "base", "part", "fields", "tuple", "array", "number", "name", "dim", "arguments"]
)


def places(value, way=()):
    """The ways to everything in a value, itself last."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, each in inner:
        yield from places(each, (*way, name))
    yield way


def at(value, way):
    for name in way:
        value = value[name]
    return value


@st.composite
def spoilt(draw, value):
    """The value after one to three changes at random places."""
    found = {"all": copy.deepcopy(value)}
    for _ in range(draw(st.integers(1, 3))):
        every = [way for way in places(found) if way]
        way = draw(st.sampled_from(every))
        inside, last = at(found, way[:-1]), way[-1]
        change = draw(st.integers(0, 9))
        if change == 0:
            del inside[last]
            found.setdefault("all", None)
        elif change == 1 and isinstance(inside[last], dict):
            inside[last][draw(names)] = draw(anything)
        elif change == 2 and isinstance(inside[last], list):
            inside[last] = inside[last] * draw(st.sampled_from([0, 2, 300]))
        elif change == 3:
            inside[last] = copy.deepcopy(at(found, draw(st.sampled_from(every))))
        else:
            inside[last] = draw(anything) if change == 4 else draw(scalars)
    return found["all"]


def resigned(values):
    """A description with the fingerprint of what it says, as somebody can compute it who means harm."""
    kind, names = (Learner, LEARNER) if values["kind"] == "learner" else (Model, MODEL)
    made = object.__new__(kind)  # which does not begin, however large it may be
    for name in names:
        object.__setattr__(made, name, read_field(values[name]))
    return {**values, "fingerprint": made.fingerprint}


def with_fields(value, part, **changes):
    """A description in which every part of that name has other fields."""
    if isinstance(value, list):
        return [with_fields(each, part, **changes) for each in value]
    if not isinstance(value, dict):
        return value
    found = {name: with_fields(each, part, **changes) for name, each in value.items()}
    if found.get("part") == f"belated:{part}":
        found["fields"] = {**found["fields"], **changes}
    return found
