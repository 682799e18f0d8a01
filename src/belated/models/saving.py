"""A predictor as named arrays and plain values, and back.

Of the table, only the slots are saved that differ from those of a model which has learned nothing, so that a state is
as large as what was learned. Of what waits, rows are saved in the order of their predictions. What is saved has a
digest of itself. To resume, a predictor is built from the saved values, asked for its own state, and must come out with
the same names and the same digest: whatever was damaged, added or changed on the way does not get through.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from belated.core import checks
from belated.core.arrays import Matrix
from belated.core.errors import InvalidArgument, NumericalFailure, StateMismatch
from belated.learners.playing.saving import check_restored as check_restored
from belated.learners.playing.state import plain, saved_array, saved_text, state_digest
from belated.models.encoders import DenseEncoder, Encoder, NamedEncoder, new_encoder
from belated.models.keys import ENDS, Closed, Keys, Open, checked_key
from belated.models.lopsided import RECENT, Answers
from belated.models.machine import Machine, new_machine
from belated.models.pending import FULL, MADE, NOTES, enlarged, notes_of, room_of, row_values, row_words, taken
from belated.models.scaling import COLUMNS
from belated.models.times import Times
from belated.models.verbs import lanes, prepare

if TYPE_CHECKING:
    from belated.models.model import Model

SCHEMA = 1


class RunContents(NamedTuple):
    """Everything that a predictor keeps."""

    encoder: Encoder
    machine: Machine
    times: Times
    keys: Keys
    answers: Answers


def fresh_machine(model: Model) -> Machine:
    """The machine of a run that has seen nothing."""
    return new_machine(model.step, model.features, model.slopes == "arrival", model.waiting.way == "assume")


def saved_state(model: Model, contents: RunContents) -> dict[str, Any]:
    """The state of a run, with its digest; NumericalFailure if it has a number that is not finite."""
    times, answers, keys = contents.times, contents.answers, contents.keys
    closed = {key: ended for key, ended in keys.closed.items() if key not in keys.open}  # an interrupt may leave both
    state = {
        "schema": SCHEMA,
        "model": model.name,
        "fingerprint": model.fingerprint,
        "time.now": times.now if math.isfinite(times.now) else 0.0,
        "time.told": -1 if times.told is None else int(times.told),
        "time.predictions": times.predictions,
        **_learned(model, contents.machine),
        **_scales(contents.encoder),
        **_waiting(contents.machine, contents.keys),
        "closed.keys": json.dumps(list(closed)),
        "closed.how": np.array([ENDS.index(each.how) for each in closed.values()], dtype=np.int64),
        "closed.label": np.array([each.label for each in closed.values()], dtype=np.float64),
        "answers.total": answers.total,
        "answers.age": np.array([age for age, _ in answers.recent], dtype=np.float64),
        "answers.label": np.array([label for _, label in answers.recent], dtype=np.float64),
    }
    for name, value in state.items():
        if isinstance(value, np.ndarray) and not np.isfinite(value).all():  # as after labels that made weights overflow
            raise NumericalFailure(f"`{model.name}.state()`: {name!r} is not finite, so nobody could go on from it")
    return state | {"digest": state_digest(state)}


def _untouched(model: Model, memory_size: int) -> Matrix:
    """The lanes of a slot that nothing was learned of."""
    fresh = np.zeros((1, lanes(model.step)))
    prepare(model.step, fresh, np.zeros(memory_size))
    return fresh


def _learned(model: Model, machine: Machine) -> dict[str, Any]:
    """The memory, and the slots that are not as they were at first."""
    changed = np.flatnonzero((machine.table != _untouched(model, machine.memory.size)).any(axis=1))
    return {"memory": machine.memory.copy(), "table.slots": changed, "table.lanes": machine.table[changed]}


def _scales(encoder: Encoder) -> dict[str, Any]:
    """What is known of numeric features."""
    if not isinstance(encoder, NamedEncoder | DenseEncoder):
        return {}
    names = encoder.names if isinstance(encoder, NamedEncoder) else None
    number = encoder.recipe.dim if names is None else len(names)
    return {
        **({} if names is None else {"scales.names": json.dumps(names)}),
        "scales.rows": encoder.scales[:number].copy(),
    }


def _waiting(machine: Machine, keys: Keys) -> dict[str, Any]:
    """The predictions that wait, with their rows."""
    pending, opened = machine.pending, list(keys.open.values())
    entries = np.array([each.entry for each in opened], dtype=np.int64)
    deadlines = [each.deadline if each.deadline < math.inf else -math.inf for each in opened]
    return {
        "open.keys": json.dumps(list(keys.open)),
        "open.number": np.array([each.number for each in opened], dtype=np.int64),
        "open.made": np.array([each.made for each in opened], dtype=np.float64),
        "open.has_deadline": np.array([each > -math.inf for each in deadlines], dtype=np.int64),
        "open.deadline": np.array([max(each, 0.0) if each == -math.inf else each for each in deadlines]),
        "open.weight": np.array([each.weight for each in opened], dtype=np.float64),
        "open.outcome_count": np.array([len(each.outcomes) for each in opened], dtype=np.int64),
        "open.outcomes": np.array([label for each in opened for label in each.outcomes], dtype=np.float64),
        "open.margins": pending.margins[entries].astype(np.float64),
        "open.size": pending.size[entries].astype(np.int64),
        "open.slots": _joined([row_words(pending, entry) for entry in entries], np.int64),
        "open.values": _joined([row_values(pending, entry) for entry in entries], np.float64),
        "open.notes": _joined([notes_of(pending, entry) for entry in entries], np.float64),
    }


def _joined(arrays: list[Any], dtype: type) -> Any:
    return np.concatenate([np.empty(0, dtype=dtype), *arrays]).astype(dtype)


def restored_contents(model: Model, saved: Mapping[str, Any]) -> RunContents:
    """The contents that :func:`saved_state` was given. Whether it was so is for ``check_restored`` to say.

    Args:
        model: The model that the state must belong to.
        saved: What ``Predictor.state`` returned, or what somebody takes for it.

    Returns:
        The contents.

    Raises:
        StateMismatch: It is something else, or belongs to another model.
    """
    if not isinstance(saved, Mapping):
        raise StateMismatch(f"`{model.name}.resume({checks.shown(saved)})`: must be what predictor.state() returned")
    try:
        values = plain(saved)
        owner = values["schema"], saved_text(values, "model"), saved_text(values, "fingerprint")
        if owner != (SCHEMA, model.name, model.fingerprint):
            raise StateMismatch(
                f"the state belongs to another model than this {model.name}, or was saved by another version of it"
            )
        saved_text(values, "digest")
        machine = _restored_machine(model, values)
        waiting = _restored_waiting(model, machine, _restored_times(values), values)
        return RunContents(_restored_encoder(model, values), *waiting, _restored_answers(values))
    except KeyError as missing:
        raise StateMismatch(f"state has no {missing.args[0]!r}") from None
    except (InvalidArgument, ValueError, ArithmeticError, IndexError, TypeError) as problem:
        raise StateMismatch(str(problem)) from None


def _restored_machine(model: Model, saved: Mapping[str, Any]) -> Machine:
    machine = fresh_machine(model)
    slots = saved_array(saved, "table.slots", np.int64, (None,))
    _check_within("table.slots", slots, len(machine.table))
    machine.table[slots] = saved_array(saved, "table.lanes", np.float64, (len(slots), machine.table.shape[1]))
    machine.memory[:] = saved_array(saved, "memory", np.float64, machine.memory.shape)
    return machine


def _restored_encoder(model: Model, saved: Mapping[str, Any]) -> Encoder:
    encoder = new_encoder(model.features)
    if not isinstance(encoder, NamedEncoder | DenseEncoder):
        return encoder
    names = _keys_of(saved, "scales.names") if isinstance(encoder, NamedEncoder) else range(encoder.recipe.dim)
    number = len(names)
    scales = saved_array(saved, "scales.rows", np.float64, (number, COLUMNS))
    if isinstance(encoder, NamedEncoder):
        return NamedEncoder(encoder.recipe, [str(name) for name in names], scales)
    return DenseEncoder(encoder.recipe, scales)


def _restored_times(saved: Mapping[str, Any]) -> Times:
    told = {-1: None, 0: False, 1: True}[int(saved["time.told"])]
    now = -math.inf if told is None else checks.number("resume", "time.now", saved["time.now"])
    return Times(now, checks.count("resume", "time.predictions", saved["time.predictions"], least=0), told)


def _restored_answers(saved: Mapping[str, Any]) -> Answers:
    total = checks.count("resume", "answers.total", saved["answers.total"], least=0)
    ages = saved_array(saved, "answers.age", np.float64, (min(total, RECENT),))
    labels = saved_array(saved, "answers.label", np.float64, ages.shape)
    return Answers(total, zip(ages.tolist(), labels.tolist(), strict=True))


def _restored_waiting(
    model: Model, machine: Machine, times: Times, saved: Mapping[str, Any]
) -> tuple[Machine, Times, Keys]:
    keys, names = Keys(), _keys_of(saved, "open.keys")
    count = len(names)
    wholes = [saved_array(saved, f"open.{name}", np.int64, (count,)) for name in _WHOLES]
    reals = [saved_array(saved, f"open.{name}", np.float64, (count,)) for name in ("deadline", "weight", "made")]
    margins = saved_array(saved, "open.margins", np.float64, (count, machine.pending.margins.shape[1]))
    outcomes = saved_array(saved, "open.outcomes", np.float64, (None,))
    slots = saved_array(saved, "open.slots", np.int64, (None,))
    values = saved_array(saved, "open.values", np.float64, (None,))
    notes = saved_array(saved, "open.notes", np.float64, (int(machine.pending.counts[NOTES]) * slots.size,))
    _check_within("open.slots", slots, len(machine.table))
    pause = model.waiting.wait if model.waiting.way == "assume" else math.inf
    at_slot = at_value = at_outcome = at_note = 0
    for place, name in enumerate(names):
        number, dated, told, size = (int(each[place]) for each in wholes)
        length, valued = abs(size), max(-size, 0)
        row = slots[at_slot : at_slot + length].astype(np.uint32), values[at_value : at_value + valued]
        if length == 0 or row[0].size < length or row[1].size < valued or dated not in (0, 1):
            raise StateMismatch("state['open.size'] or state['open.has_deadline'] is damaged")
        if not 0 < number <= times.predictions:
            raise StateMismatch("state['open.number'] is damaged")
        entry = taken(machine.pending, number, *row)
        if entry == FULL:
            machine = machine._replace(pending=enlarged(machine.pending, room_of(machine.pending, length, valued > 0)))
            entry = taken(machine.pending, number, *row)
        machine.pending.margins[entry] = margins[place]
        written = notes_of(machine.pending, entry)
        written[:] = notes[at_note : at_note + written.size]
        deadline = float(reals[0][place]) if dated else math.inf
        held = tuple(outcomes[at_outcome : at_outcome + told].tolist())
        weight, made = float(reals[1][place]), float(reals[2][place])
        keys.enter(checked_key("resume", name), Open(number, entry, made, deadline, held, weight), made + pause)
        at_slot, at_value, at_outcome = at_slot + length, at_value + valued, at_outcome + told
        at_note += written.size
    ended = _keys_of(saved, "closed.keys")
    how = saved_array(saved, "closed.how", np.int64, (len(ended),))
    labels = saved_array(saved, "closed.label", np.float64, (len(ended),))
    for name, way, label in zip(ended, how.tolist(), labels.tolist(), strict=True):
        keys.closed[checked_key("resume", name)] = Closed(ENDS[way], label)
    machine.pending.counts[MADE] = times.predictions
    return machine, times, keys


_WHOLES = ("number", "has_deadline", "outcome_count", "size")


def _keys_of(saved: Mapping[str, Any], name: str) -> list[Any]:
    found = json.loads(saved_text(saved, name))
    if not isinstance(found, list):
        raise StateMismatch(f"state[{name!r}]: must be a list, got {checks.shown(found)}")
    return found


def _check_within(name: str, numbers: Any, size: int) -> None:
    if numbers.size and not (numbers.min() >= 0 and numbers.max() < size):
        raise StateMismatch(f"state[{name!r}]: must lie in 0, ..., {size - 1}")
