"""A store: the same bits as without one, whatever stopped the run or happened to the files, and keys that tell settings
apart.
"""

import io
import os
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pytest

import belated as bl
from belated.core.errors import InvalidArgument, NotKept
from belated.core.parts import Part
from belated.delays.base import DelayLaw
from belated.domains.base import contains, minimise, project
from belated.learners import Learner
from belated.learners.verbs import (
    Interface,
    begin,
    decision,
    enlarged,
    full,
    interface,
    inverse_rate,
    play,
    receive,
    settle,
)
from belated.losses.base import Constants, gradient, value
from belated.sim import jobs, simulation, store
from belated.sim import store_keys as keys_module
from belated.sim.jobs import Contender, Simulation
from belated.sim.plan import chosen_rounds, plan_of
from belated.sim.store import DAY, UNFINISHED, Folder
from belated.sim.store_keys import Keys
from belated.sim.workers import Tick
from support.own_parts import (
    Bowl,
    Cube,
    DeclaredBowl,
    DeclaredCube,
    bowl_gradient,
    bowl_value,
    minimise_on_cube,
    project_cube,
)

DIM, ROUNDS, SEEDS = 2, 30, [0, 3, 8]
BALL = bl.Ball(DIM)
PROBLEM = bl.problems.RandomQuadratic(DIM)
LAW = bl.delays.Never(bl.delays.Geometric(4.0), 0.2)
LEARNERS = {"exact": bl.dogd_sc(BALL, 2.0), "two points": bl.bdogd_sc_two_point(BALL, 2.0, 0.1)}
FILES = len(SEEDS) * (len(LEARNERS) + 1)


def run(folder=None, learners=LEARNERS, problem=PROBLEM, seeds=SEEDS, **settings):
    settings = {"regret_at": [10, ROUNDS], **settings}
    return bl.simulate(learners, problem, LAW, ROUNDS, seeds, store=folder, **settings)


def same(one, other):
    return one.to_dataset().identical(other.to_dataset()) and one.delays.identical(other.delays)


@pytest.fixture
def ran(monkeypatch):
    """The jobs that are really run."""
    found, original = [], Simulation.run

    def noted(self, job, loops, tick, *others):
        found.append((job.seed, list(job.learners), job.first))
        return original(self, job, loops, tick, *others)

    monkeypatch.setattr(jobs.Simulation, "run", noted)
    return found


# The same bits


@pytest.mark.parametrize("workers", [1, 9])
def test_a_store_changes_no_bit_and_nothing_is_run_twice(workers, tmp_path, ran):
    expected = run(workers=workers)
    ran.clear()
    assert same(run(tmp_path, workers=workers), expected)
    assert len(ran) == len(SEEDS) * (1 if workers == 1 else 2)
    assert len(list(tmp_path.iterdir())) == FILES
    ran.clear()
    assert same(run(tmp_path, workers=10 - workers), expected), "also with another number of workers"
    assert ran == []


@pytest.mark.parametrize("workers", [1, 9])
@pytest.mark.parametrize("done", range(5))
def test_after_an_interrupt_the_same_call_goes_on(workers, done, tmp_path, monkeypatch, ran):
    def interrupted(jobs, threads, progress):
        return [job(Tick()) if place < done else None for place, job in enumerate(jobs)]

    with monkeypatch.context() as patched:
        patched.setattr(simulation, "run_jobs", interrupted)
        try:
            assert run(tmp_path, workers=workers).interrupted == (workers == 9 or done < len(SEEDS))
        except KeyboardInterrupt:
            assert done < (1 if workers == 1 else len(LEARNERS))
    before = list(ran)
    ran.clear()
    whole = run(tmp_path, workers=workers)
    assert not [job for job in ran if job in before], "what was finished is not run again"
    assert len(ran) + len(before) == len(SEEDS) * (1 if workers == 1 else 2)
    assert same(whole, run())
    assert not whole.interrupted


def test_only_what_is_missing_is_run(tmp_path, ran):
    expected = run()
    run(tmp_path, {"exact": LEARNERS["exact"]}, seeds=[0, 3])
    ran.clear()
    assert same(run(tmp_path, workers=1), expected)
    assert ran == [(0, ["two points"], False), (3, ["two points"], False), (8, list(LEARNERS), True)]


def test_regret_alone_can_be_asked_for_later(tmp_path, ran):
    run(tmp_path, record=[10])
    ran.clear()
    later = run(tmp_path, record=[10], regret_at=[ROUNDS], workers=1)
    assert ran == [(seed, [], True) for seed in SEEDS]
    assert same(later, run(record=[10], regret_at=[ROUNDS]))


@pytest.mark.parametrize("regret_at", [[ROUNDS], [10, ROUNDS]])
def test_runs_are_kept_though_there_is_no_best_decision_to_compare_with(regret_at, tmp_path, ran):
    """The sum of linear losses falls without end on a half-space, which shows only when all of them are known."""
    domain, problem = bl.Halfspace([1.0, 0.0], 1.0), bl.problems.SignFlips(DIM, period=7)
    learners = {"slow": bl.dogd(domain, 0.1), "fast": bl.dogd(domain, 0.5)}
    wanted = r"^`simulate\(domain=Halfspace.*has no minimum.*; `regret_at=\[\]` runs without this comparison$"
    with pytest.raises(InvalidArgument, match=wanted):
        run(tmp_path, learners, problem, [3], regret_at=regret_at, workers=1)
    assert len(list(tmp_path.iterdir())) == len(learners)
    ran.clear()
    found = run(tmp_path, learners, problem, [3], regret_at=[], workers=1)
    assert ran == [(3, [], True)], "nobody plays again"
    assert same(found, run(None, learners, problem, [3], regret_at=[]))


def test_names_and_company_do_not_matter(tmp_path, ran):
    other = {"b": LEARNERS["two points"], "a": LEARNERS["exact"]}
    expected = run(None, other, seeds=[8, 0])
    run(tmp_path)
    ran.clear()
    assert same(run(tmp_path, other, seeds=[8, 0]), expected)
    assert ran == []


def test_a_store_serves_several_settings(tmp_path):
    problems = bl.problems.SignFlips(DIM, period=3), bl.problems.Regression(DIM, noise=0.1)
    for settings in [{"problem": problem, "seeds": [1]} for problem in problems] + [{"regret_at": []}]:
        expected = run(**settings)
        assert same(run(tmp_path, **settings), expected)
        assert same(run(tmp_path, **settings), expected)


def test_several_at_once_do_not_harm_each_other(tmp_path):
    expected = run()
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda _: run(tmp_path, workers=2), range(4)))
    assert all(same(each, expected) for each in results)
    assert len(list(tmp_path.iterdir())) == FILES
    assert same(run(tmp_path), expected)


def test_the_bar_counts_what_is_found(tmp_path, monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    run(tmp_path, seeds=[0])
    monkeypatch.setattr("sys.stderr", terminal := Terminal())
    run(tmp_path, seeds=[0, 3])
    before_running = terminal.getvalue().partition("running")[0]
    assert " 50%" in before_running
    assert "100%" not in before_running
    assert "100%" in terminal.getvalue()


# Files


def kinds(folder):
    """The files of learners, and those of searches."""
    found = {True: [], False: []}
    for path in sorted(folder.iterdir()):
        with np.load(path) as file:
            found["losses" in file].append(path)
    return found[True], found[False]


def damaged(how, path, other):
    content = path.read_bytes()
    changed = {
        "empty": b"",
        "truncated": content[: len(content) // 2],
        "another file": other.read_bytes(),
        "no archive": b"seed 3 is fine",
        "one bit": content[:200] + bytes([content[200] ^ 1]) + content[201:],
    }
    path.write_bytes(changed[how])


DAMAGES = ["empty", "truncated", "another file", "no archive", "one bit"]


@pytest.mark.parametrize("how", DAMAGES)
def test_a_damaged_file_counts_as_missing_and_is_mended(how, tmp_path, ran):
    expected = run(tmp_path)
    records, searches = kinds(tmp_path)
    for path, other in ((records[0], records[1]), (searches[0], records[0])):
        whole = path.read_bytes()
        damaged(how, path, other)
        ran.clear()
        assert same(run(tmp_path), expected)
        assert len(ran) == 1
        with np.load(path) as mended, np.load(io.BytesIO(whole)) as before:
            assert {name: mended[name].tobytes() for name in mended} == {
                name: before[name].tobytes() for name in before
            }


def test_without_the_digest_a_changed_file_would_go_unnoticed(tmp_path, monkeypatch):
    """The mutant: whatever can be read is believed."""
    monkeypatch.setattr(store, "_digest", lambda key, arrays: "fine")
    expected = run(tmp_path)
    records, _ = kinds(tmp_path)
    damaged("another file", records[0], records[1])
    assert not same(run(tmp_path), expected)


def test_every_changed_byte_is_noticed_or_does_not_matter(tmp_path):
    folder = Folder("simulate", tmp_path)
    arrays = {"losses": np.arange(6.0).reshape(3, 2), "arrived": np.arange(3)}
    folder.write("key", arrays)
    path = tmp_path / "key.npz"
    content, wrong = path.read_bytes(), 0
    for place in range(0, len(content), 7):
        path.write_bytes(content[:place] + bytes([content[place] ^ 0x10]) + content[place + 1 :])
        found = folder.read("key", ["losses", "arrived"])
        wrong += found is None
        assert found is None or {name: found[name].tobytes() for name in found} == {
            name: arrays[name].tobytes() for name in arrays
        }
    assert wrong > 20


def test_files_are_plain_arrays(tmp_path):
    run(tmp_path)
    for path in tmp_path.iterdir():
        with np.load(path, allow_pickle=False) as file:
            assert {file[name].dtype.kind for name in file} <= set("fiU")


def test_a_write_that_fails_leaves_nothing_behind_and_costs_nothing_that_was_computed(tmp_path, monkeypatch):
    def full(file, **arrays):
        file.write(b"half")
        raise OSError("no space left")

    run(tmp_path, seeds=[0])
    before = sorted(tmp_path.iterdir())
    monkeypatch.setattr(np, "savez", full)
    with pytest.warns(NotKept, match=r"^`simulate\(store=.*some finished runs could not be written: no space left"):
        result = run(tmp_path)
    assert sorted(tmp_path.iterdir()) == before
    assert same(result, run())


def test_a_directory_in_the_place_of_a_file_is_told(tmp_path):
    run(tmp_path, seeds=[0])
    taken = next(tmp_path.iterdir())
    taken.unlink()
    taken.mkdir()
    with pytest.warns(NotKept, match="s a directory"):
        assert same(run(tmp_path, seeds=[0]), run(seeds=[0]))


def test_what_killed_processes_left_is_removed_after_a_day(tmp_path):
    old, young, foreign = (tmp_path / name for name in (f"{UNFINISHED}old", f"{UNFINISHED}young", "notes.txt"))
    for path in (old, young, foreign):
        path.write_text("half")
        os.utime(path, (path.stat().st_atime, path.stat().st_mtime - (DAY + 60) * (path is not young)))
    Folder("simulate", tmp_path)
    assert sorted(tmp_path.iterdir()) == sorted([young, foreign])


class Bytes:
    """A path as the system has it, which pathlib does not take."""

    def __fspath__(self):
        return b"folder"


@pytest.mark.parametrize(
    ("folder", "message"),
    [
        (3, r"^`simulate\(store=3\)`: must be the path of a folder$"),
        (True, r"must be the path of a folder$"),
        ("", r"^`simulate\(store=''\)`: must be the path of a folder$"),
        (__file__, r"^`simulate\(store=.*must be a folder that can be written to: "),
        (f"{__file__}/deeper", r"must be a folder that can be written to: "),
        ("a\0b", r"^`simulate\(store='a\\x00b'\)`: must be a folder that can be written to: embedded null"),
        ("\ud800", r"^`simulate\(store='\\ud800'\)`: must be a folder that can be written to: .*surrogates"),
        (Bytes(), r"^`simulate\(store=.*must be a folder that can be written to: .*bytes"),
    ],
)
def test_what_is_no_folder_is_refused_before_anything_is_run(folder, message, ran):
    with pytest.raises(InvalidArgument, match=message):
        run(folder)
    assert ran == []


def test_a_folder_is_made_and_only_for_a_call_that_is_valid(tmp_path):
    with pytest.raises(InvalidArgument):
        run(tmp_path / "a", seeds=[])
    assert not (tmp_path / "a").exists()
    run(str(tmp_path / "a" / "b"))
    assert len(list((tmp_path / "a" / "b").iterdir())) == FILES


# Keys


def keys(
    learner=LEARNERS["exact"], problem=PROBLEM, law=LAW, rounds=ROUNDS, record="all", at=(ROUNDS,), initial=None, seed=0
):
    at = np.array(at, dtype=np.int64)
    plan = plan_of(rounds, problem.loss.row_size, chosen_rounds("test", record, rounds, at, 1))
    contenders = {"it": Contender(learner, initial)}
    return Keys(Simulation(problem, problem.loss, law, learner.domain, plan, at, contenders)).of_seed(seed)


ROWS = np.random.default_rng(5).uniform(-1, 1, (200, DIM))
LAST_ROW_DIFFERS = np.concatenate([ROWS[:-1], -ROWS[-1:]])

OTHER_RUNS = {
    "nothing": {},
    "an argument of the learner": {"learner": bl.dogd_sc(BALL, 2.5)},
    "the learner": {"learner": bl.ogd_sc(BALL, 2.0)},
    "the domain": {"learner": bl.dogd_sc(bl.Ball(DIM, radius=2.0), 2.0)},
    "the problem": {"problem": bl.problems.DriftingQuadratic(DIM, speed=0.0, noise=1.0)},
    "a number of the problem": {"problem": bl.problems.DriftingQuadratic(DIM, speed=0.1, noise=1.0)},
    "the law": {"law": bl.delays.Fixed(1)},
    "a number of the law": {"law": bl.delays.Fixed(2)},
    "a late delay": {"law": bl.delays.Trace([2] * (ROUNDS - 1) + [1])},
    "the rounds": {"rounds": ROUNDS + 1},
    "the rounds recorded": {"record": [7]},
    "the first decision": {"initial": [0.1, 0.0]},
    "the seed": {"seed": 1},
    "recorded losses": {"problem": bl.problems.Recorded(PROBLEM.loss, ROWS)},
    "the last row of recorded losses": {"problem": bl.problems.Recorded(PROBLEM.loss, LAST_ROW_DIFFERS)},
    "the loss": {"problem": bl.problems.Recorded(bl.losses.Quadratic(DIM, 1.0), ROWS)},
    "the order of rows": {"problem": bl.problems.LocallyPermuted(PROBLEM, 5)},
    "the window": {"problem": bl.problems.LocallyPermuted(PROBLEM, 6)},
    "a window within the last rounds": {
        "problem": bl.problems.LocallyPermuted(PROBLEM, 5, lambda rng, size: range(size))
    },
}


def test_every_setting_has_keys_of_its_own():
    found = {name: keys(**change) for name, change in OTHER_RUNS.items()}
    for place in ("learners", "search"):
        texts = {name: str(getattr(key, place)) for name, key in found.items()}
        shared = {"an argument of the learner", "the learner", "the first decision"} if place == "search" else set()
        apart = [text for name, text in texts.items() if name not in shared]
        assert len(set(apart)) == len(apart)
        assert all(texts[name] == texts["nothing"] for name in shared), "best decisions do not depend on learners"


def test_a_search_knows_its_rounds_and_a_record_does_not():
    one, other = keys(at=[10, ROUNDS]), keys(at=[ROUNDS])
    assert one.learners == other.learners
    assert one.search != other.search


def test_the_first_decision_is_known_by_what_it_is():
    assert keys(initial=None) == keys(initial=[0.0, 0.0]) == keys(initial=np.zeros(2))


def test_known_by_their_repr_two_recordings_would_be_one(monkeypatch):
    """The mutant, and why problems have a digest."""
    names = "recorded losses", "the last row of recorded losses"
    monkeypatch.setattr(bl.problems.Recorded, "digest", lambda self: repr(self))
    one, other = (keys(**OTHER_RUNS[name]) for name in names)
    assert one == other


def test_a_recording_is_the_same_in_memory_and_in_a_file(tmp_path):
    np.save(tmp_path / "rows.npy", ROWS)
    one, other = (bl.problems.Recorded(PROBLEM.loss, rows) for rows in (ROWS, tmp_path / "rows.npy"))
    assert keys(problem=one) == keys(problem=other)


class Own:
    """A problem of somebody's own, which is asked for all of its rows."""

    loss = PROBLEM.loss

    def __init__(self, rows, text=None):
        self.given, self.text, self.drawn = rows, text, 0

    def digest(self):
        return self.text

    def rows(self, seed, rounds):
        self.drawn += rounds
        return self.given[:rounds]


def test_a_problem_without_a_digest_is_known_by_all_of_its_rows():
    own, bare = Own(ROWS), SimpleNamespace(loss=PROBLEM.loss, rows=lambda seed, rounds: ROWS[:rounds])
    assert keys(problem=own, rounds=200) == keys(problem=bare, rounds=200) == keys(problem=Own(ROWS), rounds=200)
    assert own.drawn == 200
    assert keys(problem=own, rounds=200) != keys(problem=Own(LAST_ROW_DIFFERS), rounds=200)


def test_a_problem_with_a_digest_is_known_by_it_and_by_its_first_rows():
    own = Own(ROWS, "mine/1")
    assert keys(problem=own, rounds=200) == keys(problem=Own(LAST_ROW_DIFFERS, "mine/1"), rounds=200)
    assert own.drawn == 64
    assert keys(problem=own, rounds=200) != keys(problem=Own(ROWS, "mine/2"), rounds=200)
    assert keys(problem=own, rounds=200) != keys(problem=Own(-ROWS, "mine/1"), rounds=200), "whatever it says"


def test_a_digest_must_be_a_text():
    with pytest.raises(
        InvalidArgument,
        match=r"^`simulate\(problem=.*must have a `digest\(\)` that returns a text or None, returned 7$",
    ):
        keys(problem=Own(ROWS, 7))


def own_loss(factor, steepest=1.0):
    """A loss of somebody's own, as it is written anew in every version of a program."""

    class Own(Bowl):
        __slots__ = ()

        def _constants(self, rows, domain):
            return super()._constants(rows, domain)._replace(smoothness=steepest)

    @value.on(Own)
    def own_value(loss, row, point):
        return factor * float(point[0])

    @gradient.on(Own)
    def own_gradient(loss, row, point, out):
        out[:] = 0.0

    return Own(DIM)


def test_a_change_of_code_is_another_run():
    first, same_again, other = (
        keys(problem=bl.problems.Recorded(own_loss(factor), ROWS)) for factor in (2.0, 2.0, 3.0)
    )
    assert first == same_again
    assert first.learners != other.learners
    assert first.search != other.search
    steeper = keys(problem=bl.problems.Recorded(own_loss(2.0, steepest=9.0), ROWS))
    assert steeper.learners == first.learners
    assert steeper.search != first.search, "certificates rest on it"


def test_code_that_cannot_be_looked_into_is_refused(tmp_path, ran):
    problem = bl.problems.Recorded(DeclaredBowl(DIM), ROWS)
    message = (
        r"^`simulate\(learners='exact'\)`: cannot be kept with `store`, since .*: `[a-z]+` of DeclaredBowl is plain"
    )
    with pytest.raises(InvalidArgument, match=message):
        run(tmp_path, problem=problem)
    with pytest.raises(InvalidArgument, match=r"^`simulate\(learners='a'\)`: .*DeclaredCube is plain Python"):
        run(tmp_path, {"a": bl.dogd_sc(DeclaredCube(DIM, 0.3), 2.0)})
    assert ran == []


class OwnFields(NamedTuple):
    domain: Any


class OwnState(NamedTuple):
    decision: np.ndarray
    speed: np.ndarray


def own_learner(speed=0.0, memo=0, growth=2, room=8):
    """A learner of somebody's own: what it does outside of the loop is written anew in every version of a program."""

    class Own(OwnFields):
        __slots__ = ()

    @interface.on(Own)
    def own_interface(policy):
        return Interface(1, "gradient", policy.domain.dim, memo, 0)

    @begin.on(Own)
    def begin_own(policy, initial):
        return OwnState(initial.copy(), np.full(room, speed))

    @decision.on(Own)
    def own_decision(policy, state, out):
        for i in range(out.size):
            out[i] = state.decision[i]

    @play.on(Own)
    def play_own(policy, state, ledger, desk):
        decision(policy, state, desk.points[0])

    @receive.on(Own)
    def receive_own(policy, state, ledger, feedback, memo, scratch):
        for i in range(feedback.size):
            state.decision[i] -= 0.1 * feedback[i] - state.speed[0]
        project(policy.domain, state.decision, state.decision)

    @settle.on(Own)
    def settle_own(policy, state, ledger):
        pass

    @full.on(Own)
    def own_full(policy, state, ledger):
        return state.speed.size <= ledger.round

    @enlarged.on(Own)
    def enlarged_own(policy, state):
        return state._replace(speed=np.concatenate([state.speed] * growth))

    return Learner("own", BALL, BALL, Own(BALL))


@pytest.mark.parametrize("change", [{"speed": 0.25}, {"memo": 1}, {"growth": 3}, {"room": 9}], ids=str)
def test_what_a_learner_does_outside_of_the_loop_counts(change):
    assert keys(own_learner()) == keys(own_learner())
    assert keys(own_learner(**change)).learners != keys(own_learner()).learners
    assert keys(own_learner(**change)).search == keys(own_learner()).search


def test_after_a_change_of_begin_nothing_old_is_found(tmp_path, ran):
    def at(folder, learner):
        return run(folder, {"own": learner}, seeds=[0])

    before = at(tmp_path, own_learner())
    expected = at(None, own_learner(speed=0.25))
    ran.clear()
    assert same(at(tmp_path, own_learner(speed=0.25)), expected)
    assert ran == [(0, ["own"], False)]
    assert not same(before, expected)


@pytest.mark.parametrize(
    ("name", "blind", "change"),
    [
        ("leaves", lambda state: (), {"speed": 0.25}),
        ("enlarged", full, {"growth": 3}),
    ],
)
def test_without_looking_there_a_change_would_go_unseen(name, blind, change, monkeypatch):
    monkeypatch.setattr(keys_module, name, blind)
    assert keys(own_learner()) == keys(own_learner(**change))


class OwnLawFields(NamedTuple):
    size: int


def own_law(later):
    class OwnLaw(DelayLaw, OwnLawFields):
        __slots__ = ()

        def _begin(self, rng):
            return lambda first, rounds: np.where(np.arange(first, first + rounds) <= 100, self.size, later)

        @classmethod
        def example(cls):
            return cls(1)

    return OwnLaw(2)


@pytest.mark.parametrize("around", [lambda law: law, lambda law: bl.delays.Never(law, 0.1)], ids=["bare", "within"])
def test_a_law_of_ones_own_is_known_by_all_of_its_delays(around, monkeypatch):
    one, same_again, other = (keys(law=around(own_law(later)), rounds=200) for later in (3, 3, 4))
    assert one == same_again
    assert one.learners != other.learners
    assert one.search != other.search
    monkeypatch.setattr(keys_module, "_is_ours", lambda law: True)
    assert keys(law=around(own_law(3)), rounds=200) == keys(law=around(own_law(4)), rounds=200), "by the first alone"


def test_a_class_derived_from_a_problem_of_the_library_is_known_by_all_of_its_rows():
    def derived(factor):
        class Derived(bl.problems.RandomQuadratic):
            def sampler(self, seed):
                taken = factor * ROWS
                taken[:100] = ROWS[:100]
                return SimpleNamespace(take=lambda rounds: taken[:rounds])

        return Derived(DIM)

    assert derived(2.0).digest() == derived(3.0).digest()
    assert keys(problem=derived(2.0), rounds=200) == keys(problem=derived(2.0), rounds=200)
    assert keys(problem=derived(2.0), rounds=200) != keys(problem=derived(3.0), rounds=200)


def checking_loss(most, bent=2.0):
    """A loss whose ordinary methods matter, and call others."""

    class Own(Bowl):
        __slots__ = ()
        MOST = most

        def check_rows(self, where, rows):
            return self._clipped(super().check_rows(where, rows))

        def _clipped(self, rows):
            return np.clip(rows, -self.MOST, self.MOST)

        def _constants(self, rows, domain):
            return Constants(np.inf, 2.0, 2.0 + bent * float(np.abs(rows).max() > 0.999))

    value.on(Own)(bowl_value)
    gradient.on(Own)(bowl_gradient)
    return Own(DIM)


def test_methods_of_a_loss_count_whatever_the_first_rows_are():
    def recorded(loss):
        return bl.problems.Recorded(loss, np.concatenate([0.1 * ROWS[:100], ROWS[100:]]))

    one, same_again, other, bent = (
        keys(problem=recorded(loss), rounds=200)
        for loss in (checking_loss(0.9), checking_loss(0.9), checking_loss(0.8), checking_loss(0.9, bent=3.0))
    )
    assert one == same_again
    assert one.learners != other.learners
    assert one.learners == bent.learners
    assert one.search != bent.search


class OwnRateFields(NamedTuple):
    held: Any


def operating(factor):
    """A rate that is used through an operator of its own, in plain Python."""

    class OwnRate(OwnRateFields):
        __slots__ = ()

        def __mul__(self, t):
            return self.held * factor * t

    return OwnRate(1.0), lambda rate, ledger: rate * ledger.round


def listing(number):
    """A rate with a table in a list, of which NumPy shows the ends only."""

    class OwnRate(Part, OwnRateFields):
        __slots__ = ()

    table = np.ones(3000)
    table[1000:1100] = number
    return OwnRate([table]), lambda rate, ledger: rate.held[0][1000 + ledger.round]


def calling(factor):
    """A rate that calls a function which it holds."""

    class OwnRate(OwnRateFields):
        __slots__ = ()

    return OwnRate(lambda t: factor * t), lambda rate, ledger: rate.held(ledger.round)


def asking(factor):
    """A rate that asks an object which it holds."""

    class Schedule:
        def at(self, t):
            return factor * t

    class OwnRate(OwnRateFields):
        __slots__ = ()

    return OwnRate(Schedule()), lambda rate, ledger: rate.held.at(ledger.round)


def carrying(factor):
    """A rate whose function carries a number."""

    class OwnRate(OwnRateFields):
        __slots__ = ()

    def inverse(rate, ledger):
        return inverse.factor * ledger.round

    inverse.factor = factor
    return OwnRate(1.0), inverse


@pytest.mark.parametrize("make", [operating, listing, calling, asking, carrying])
def test_after_a_change_that_no_name_shows_nothing_old_is_found(make, tmp_path, ran):
    def at(folder, number):
        rate, inverse = make(number)
        inverse_rate.on(type(rate))(inverse)
        return run(folder, {"own": bl.dogd(BALL, rate)}, seeds=[0])

    before, expected = at(tmp_path, 1002), at(None, 1003)
    assert not same(before, expected)
    ran.clear()
    assert same(at(tmp_path, 1003), expected)
    assert ran == [(0, ["own"], False)]
    ran.clear()
    assert same(at(tmp_path, 1002), before)
    assert ran == [], "and what has not changed is found"


def own_domain(slack=0.0, half=0.5, reach=1.0):
    class Own(Cube):
        __slots__ = ()
        outer_radius = property(lambda self: reach * self.half * self.dim**0.5)

        def minimise(self, direction):
            return -np.sign(direction) * half

    project.on(Own)(project_cube)
    minimise.on(Own)(minimise_on_cube)
    contains.on(Own)(lambda cube, point, more: np.abs(point).max() <= cube.half + slack)
    return Own(DIM, 0.5)


@pytest.mark.parametrize("change", [{"slack": 1.0}, {"half": 0.25}, {"reach": 2.0}], ids=str)
def test_what_the_search_uses_of_a_domain_counts(change):
    one, same_again, other = (keys(bl.dogd(own_domain(**each), 0.1)) for each in ({}, {}, change))
    assert one == same_again
    assert one.search != other.search


def test_another_version_of_numpy_has_other_keys(monkeypatch):
    before = keys()
    with monkeypatch.context() as patched:
        patched.setattr("numpy.__version__", "0.0.0")
        keys_module.environment.cache_clear()
        assert keys() != before
    keys_module.environment.cache_clear()
    assert keys() == before
