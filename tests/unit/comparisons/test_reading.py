"""What a setting holds, and how every kind of wrong word in one is refused: with the file, the line and the key."""

import datetime
import inspect
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import belated as bl
from belated.comparisons.document import Document
from belated.comparisons.makers import named
from belated.comparisons.reading import setting_of
from belated.comparisons.recommending import LOOKED_AT, facts_of
from belated.core import streams
from belated.core.errors import InvalidArgument
from belated.delays import DelayLaw
from belated.domains.base import Domain
from belated.learners import Learner
from belated.sim.problems import Problem
from support.comparisons import BASIC, changed, setting
from support.written import DELAYS, DOMAINS, PROBLEMS, arguments_of


def test_a_setting_has_what_was_written() -> None:
    made = setting(changed(title='" A  title\\n"', about="'About'", measure="'loss'", seeds="[4, 2]"))
    assert (made.name, made.title, made.about, made.rounds, made.seeds) == ("my", "A title", "About", 20, (4, 2))
    assert made.measure.name == "loss"
    assert made.problem == bl.problems.RandomQuadratic(2)
    assert made.domain == bl.Ball(2)
    assert made.delays == bl.delays.Fixed(2)
    assert list(made.entries) == ["dogd-sc", "dda"]
    for entry in made.entries.values():
        assert entry.initial is None
        assert entry.delays == bl.delays.Fixed(2)
    assert made.entries["dogd-sc"].learner == bl.dogd_sc(bl.Ball(2), 2.0)
    assert made.entries["dda"].learner == bl.dda(bl.Ball(2), made.facts.lipschitz)


def test_what_is_not_written_has_its_default() -> None:
    lines = [line for line in BASIC.splitlines() if not line.startswith(("rounds", "seeds"))]
    made = setting("\n".join(lines))
    assert (made.title, made.about, made.rounds, made.seeds) == ("my", "", 1000, tuple(range(20)))
    assert made.measure.name == "regret"


def test_whole_numbers_may_look_like_real_ones() -> None:
    made = setting(changed(rounds="1e1", seeds="2.0"))
    assert (made.rounds, made.seeds) == (10, (0, 1))
    assert type(made.rounds) is int
    assert setting(changed(seeds="[3.0, 1e0]")).seeds == (3, 1)


def test_learners_may_have_a_start_and_delays_of_their_own() -> None:
    own = """
[learners.one]
name = "dogd-sc"
initial = 0.5
delays = { name = "never", probability = 0.5, law = { name = "geometric", mean = 3 } }
"""
    made = setting(changed(initial="[0.1, 0.2]") + own)
    assert np.array(made.entries["dda"].initial).tolist() == [0.1, 0.2]
    assert np.array(made.entries["one"].initial).tolist() == [0.5, 0.5]
    assert made.entries["one"].delays == bl.delays.Never(bl.delays.Geometric(3), 0.5)
    assert made.entries["dda"].delays == bl.delays.Fixed(2)


def test_who_has_delays_of_its_own_is_told_what_these_are() -> None:
    """And not what those of the others are."""
    own = """
[learners.late]
name = "langford"

[learners.early]
name = "langford"
delays = { name = "fixed", delay = 1 }

[learners.both]
name = "bold"
base = "langford"
delays = { name = "periodic", delays = [3, 7] }
"""
    made = setting(changed() + own)
    ball = bl.Ball(2)
    assert made.entries["late"].learner == bl.langford(ball, 2, strong_convexity=2.0)
    assert made.entries["early"].learner == bl.langford(ball, 1, strong_convexity=2.0)
    assert made.entries["both"].learner == bl.bold(bl.langford(ball, 7, strong_convexity=2.0))
    assert made.facts.delay == 2
    assert made.facts.total_delay == 2 * 19 + 1
    assert made.told == {
        ("learners", "dogd-sc"): {"strong_convexity": 2.0},
        ("learners", "dda"): {"lipschitz": made.facts.lipschitz},
        ("learners", "late"): {"delay": 2, "strong_convexity": 2.0},
        ("learners", "early"): {"delay": 1, "strong_convexity": 2.0},
        ("learners", "both", "base"): {"delay": 7, "strong_convexity": 2.0},
        ("learners", "both"): {},
    }


def test_own_delays_count_in_totals_too() -> None:
    own = "[learners.dbgd]\ndelays = { name = 'fixed', delay = 5 }\n"
    made = setting(changed() + own)
    late = 20 + sum(min(5, 20 - t) for t in range(20))
    assert made.told["learners", "dbgd"] == pytest.approx(
        {"rate": 1.0 / (made.facts.lipschitz * late**0.5), "probe_radius": 1.0 / (1 + late)}
    )


def test_dotted_keys_and_names_alone_mean_the_same() -> None:
    text = """\
rounds = 20
seeds = 3
problem.name = "random-quadratic"
problem.dim = 2
delays.name = "fixed"
delays.delay = 2
learners.dogd-sc = "dogd-sc"
learners.dda.name = "DDA"
"""
    assert setting(text).entries == setting().entries


def test_whoever_looks_around_starts_where_there_is_room() -> None:
    made = setting(changed(initial="[0.6, 0.8]") + "[learners.bdogd-sc]\nprobe_radius = 0.25\n")
    assert np.array(made.entries["dda"].initial).tolist() == [0.6, 0.8]
    assert np.array(made.entries["bdogd-sc"].initial) == pytest.approx([0.45, 0.6])


@pytest.mark.parametrize(
    "law",
    [bl.delays.Geometric(9.0), bl.delays.Pareto(0.5), bl.delays.Never(bl.delays.Fixed(3), 0.2), bl.delays.Burst(7)],
)
def test_the_facts_are_those_of_the_first_seed(law: DelayLaw, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("belated.comparisons.recommending.LOOKED_AT", 37)  # delays are drawn in pieces
    problem, domain, rounds = bl.problems.RandomQuadratic(3), bl.Ball(3, radius=2.0), 100
    facts = facts_of(problem, domain, law, rounds, seed=5)
    late = [min(int(d), rounds - t) for t, d in enumerate(law.draw(streams.delays(5), rounds))]
    assert (facts.delay, facts.total_delay) == (max(late), sum(late))
    assert facts[:3] == (rounds, problem.constants(domain).lipschitz, 2.0)
    assert facts.bound == 0.0 + 2.0 * facts.lipschitz  # losses are 0 at the centre


def test_the_size_of_losses_counts_at_the_centre(tmp_path: Path) -> None:
    rows = [[1.0, 2.0], [3.0, -5.0], [1.0, 1.0]]
    text = changed(
        problem='{ name = "recorded", loss = { name = "linear", dim = 2 }, rows = [[1.0, 2.0], [3, -5], [1, 1]] }',
        domain='{ name = "box", lower = [1, 1], upper = [3, 5] }',
        rounds="3",
    ).replace("[learners.dogd-sc]", "")
    facts = setting(text).facts
    centre, reach = np.array([2.0, 3.0]), bl.Box([1, 1], [3, 5]).outer_radius
    assert facts.bound == pytest.approx(np.abs(np.array(rows) @ centre).max() + facts.lipschitz * reach)
    assert LOOKED_AT >= 1000


PROBLEM = '{ name = "random-quadratic", dim = 2 }'
RECORDED = '{ name = "recorded", loss = { name = "quadratic", dim = 2 }, rows = %s }'

WRONG: list[tuple[str, str]] = [
    # keys
    (changed(round="5"), "line 1, round: a setting has no such key; did you mean rounds?"),
    (changed(zebra="5"), "line 1, zebra: a setting has no such key; there are title, about, rounds,"),
    ("rounds = 5", "my.toml: `problem` is missing"),
    ("problem = 'pricing'", "my.toml: `delays` is missing"),
    ("problem = 'pricing'\ndelays = 'fixed'", "my.toml: `learners` is missing"),
    # numbers of rounds and seeds
    *(
        (changed(rounds=given), f"line 1, rounds: must be a whole number from 1 to 2147483647, not {shown}")
        for given, shown in [
            ("0", "0"),
            ("-3", "-3"),
            ("1.5", "1.5"),
            ("0.0", "0.0"),
            ("nan", "nan"),
            ("1e10", "10000000000.0"),
            ("true", "True"),
            ("inf", "inf"),
            ("'5'", "'5'"),
            ("[5]", "[5]"),
            ("2024-01-01", "datetime.date(2024, 1, 1)"),
            ("3000000000", "3000000000"),
            (f"0x{'f' * 5000}", "<int>"),
        ]
    ),
    (changed(seeds="0"), "line 1, seeds: must be a whole number from 1 to 100000, or a list of seeds, not 0"),
    (changed(seeds="100001"), "line 1, seeds: must be a whole number from 1 to 100000, or"),
    (changed(seeds="{}"), "line 1, seeds: must be a whole number from 1 to 100000, or"),
    (changed(seeds="[1, 2, 1]"), "line 1, seeds: must be one or more different seeds"),
    (changed(seeds="[]"), "line 1, seeds: must be one or more different seeds"),
    (changed(seeds="[\n1,\n-2,\n]"), "line 3, seeds.1: must be a whole number from 0 to 2147483647, not -2"),
    (changed(seeds="[true]"), "line 1, seeds.0: must be a whole number from 0"),
    # texts
    (changed(title="5"), "line 1, title: must be a text, not 5"),
    (changed(about="['x']"), "line 1, about: must be a text, not ['x']"),
    (changed(title='"\\u001b[31m"'), "line 1, title: must be a text that can be printed, not '\\x1b[31m'"),
    # the measure
    (changed(measure="'regrets'"), "line 1, measure: must be one of regret, dynamic-regret, loss, not 'regrets'"),
    (changed(measure="5"), "line 1, measure: must be one of regret, dynamic-regret, loss, not 5"),
    (changed(measure="'dynamic-regret'"), "line 1, measure: dynamic regret needs a problem whose optimum moves"),
    # problem, domain, delays
    (changed(problem="5"), "line 1, problem: must be a name or a table with a name, not 5"),
    (changed(problem="{ dim = 2 }"), "line 1, problem: must have a name"),
    (changed(problem="{ name = 2 }"), "line 1, problem: must have a name"),
    (
        changed(problem="'quadratics'"),
        "line 1, problem: there is no 'quadratics' here; did you mean random-quadratic or",
    ),
    (changed(problem="{ name = 'x' }"), "line 1, problem.name: there is no 'x' here; there are "),
    (changed(problem="'random-quadratic'"), "line 1, problem: `dim` is missing"),
    (
        changed(problem="{ name = 'random-quadratic', dims = 2 }"),
        "line 1, problem.dims: random-quadratic has no such key; did you mean dim?",
    ),
    (
        changed(problem="{ name = 'random-quadratic', dim = 2.5 }"),
        "line 1, problem.dim: `RandomQuadratic(dim=2.5)`: must be a whole number",
    ),
    (
        changed(domain="{ name = 'ball', dim = 3 }"),
        "line 1, domain: must have the dimension of the problem, 2, and has 3",
    ),
    (
        changed(domain="{ name = 'product', first = { name = 'ball', dim = 1 }, others = { name = 'ball', dim = 1 } }"),
        "line 1, domain.others: must be a list, not {'name': 'ball', 'dim': 1}",
    ),
    (
        changed(domain="{ name = 'product', first = { name = 'ball', dim = 1 }, others = [\n1] }"),
        "line 2, domain.others.0: must be a name or a table with a name, not 1",
    ),
    (changed(delays="{ name = 'fixed', delay = 0 }"), "line 1, delays.delay: `Fixed(delay=0)`: must be >= 1"),
    (
        changed(delays="{ name = 'never', probability = 0.5, law = { name = 'geometric', mean = 0.5 } }"),
        "line 1, delays.law.mean: `Geometric(mean=0.5)`: must lie in [1, ",
    ),
    (
        changed(delays="{ name = 'mixture', weights = [1, 2], laws = [\n'x',\n{ name = 'fixed' }] }"),
        "line 2, delays.laws.0: there is no 'x' here; there are burst,",
    ),
    (
        changed(delays="{ name = 'trace', delays = [1, 2, 3] }"),
        "line 1, delays: must have delays for 20 rounds, and has 3",
    ),
    (
        changed(problem=RECORDED % "[[1, 2], [3, 4]]", domain="{ name = 'ball', dim = 2 }"),
        "line 3, rounds: must be <= 2, the rounds that the problem has",
    ),
    (changed(problem=RECORDED % "[[1, 2], [3, 4]]"), "my.toml: `domain` is missing: recorded losses have none"),
    (changed(problem=RECORDED % "'nowhere.npy'"), "line 1, problem.rows: `Recorded(rows='nowhere.npy')`: must be a r"),
    (changed(problem=RECORDED % "[[1, 2, 3]]"), "line 1, problem.rows: `Recorded(rows=[[1, 2, 3]])`: must have shape"),
    # the first decision
    (changed(initial="2"), "line 1, initial: `setting(initial=2)`: must lie in Ball("),
    (changed(initial="[0.1]"), "line 1, initial: `setting(initial=[0.1])`: must have shape (2,), got shape (1,)"),
    *(
        (changed(initial=given), "line 1, initial: `setting(initial=")
        for given in ("true", "'x'", "inf", "nan", "{}", "[]", "[[0.1, 0.2]]", "10", f"1{'0' * 400}", "2024-01-01")
    ),
    (
        f"{BASIC}\n\ninitial = [0.5,\n2]",
        "line 11, learners.dda.initial: `setting(initial=[0.5, 2])`: must lie in Ball(",
    ),
    # learners
    (changed().split("[learners")[0] + "learners = []", "line 6, learners: must be tables, one or more, such as"),
    (changed().split("[learners")[0] + "[learners]", "line 6, learners: must be tables, one or more, such as"),
    (f'{BASIC}[learners." "]', "line 9, learners.\" \": must have a name that can be printed, not ' '"),
    (
        f'{BASIC}[learners."a\\u0007"]',
        "line 9, learners.\"a\\u0007\": must have a name that can be printed, not 'a\\x07'",
    ),
    (f"{BASIC}[learners.dda]", "my.toml: is not valid TOML: Cannot declare ('learners', 'dda') twice (at line 9, colu"),
    (f"{BASIC}[learners.dogs]", "line 9, learners.dogs: there is no 'dogs' here; did you mean dogd"),
    (f"{BASIC}[learners.x]\n\nname = 'dogs'", "line 11, learners.x.name: there is no 'dogs' here; did you mean dogd"),
    (f"{BASIC}[learners.dogd]\n\nrate = 0", "line 11, learners.dogd.rate: `dogd(rate=0)`: must be > 0"),
    (f"{BASIC}[learners.dogd]\n\nrates = 0", "line 11, learners.dogd.rates: dogd has no such key; did you mean rate?"),
    (
        f"{BASIC}[learners.dogd]\ninital = 0",
        "line 10, learners.dogd.inital: dogd has no such key; did you mean initial?",
    ),
    (
        f"{BASIC}[learners.dogd]\nrate = {{ name = 'doubling',  scale = -1 }}",
        "line 10, learners.dogd.rate: `dogd(rate=Doubling(scale=-1))`: must give a finite inverse rate > 0",
    ),
    (f"{BASIC}[learners.bold]", "line 9, learners.bold: `base` is missing"),
    (
        f"{BASIC}[learners.bold]\nbase = {{ name = 'skipping',\tbase = {{ name = 'dogd', rate = -1 }} }}",
        "line 10, learners.bold.base.base.rate: `dogd(rate=-1)`: must be > 0",
    ),
    (
        f"{BASIC}[learners.expert-advice]\nbases = [\n'dda',\n{{ name = 'dogd', rate = -1 }},\n]",
        "line 12, learners.expert-advice.bases.1.rate: `dogd(rate=-1)`: must be > 0",
    ),
    (
        f"{BASIC}[learners.dogd]\ndomain = {{ name = 'ball', dim = 2, radius = 2 }}",
        "line 10, learners.dogd.domain: must be the setting's, Ball(",
    ),
    (
        f"{BASIC}[learners.dogd]\n\ndelays = {{ name = 'trace', delays = [1] }}",
        "line 11, learners.dogd.delays: must have delays for 20 rounds, and has 1",
    ),
    (
        f"{BASIC}[learners.dogd]\n\ndelays = 'fix'",
        "line 11, learners.dogd.delays: there is no 'fix' here; did you mean fixed?",
    ),
    (f"{BASIC}[learners.hedge]", "line 9, learners.hedge: `hedge(domain=Ball("),
    (
        f"{BASIC.replace('dogd-sc', 'vaw')}".replace("[learners.dda]", "") + "[domain]\nname = 'euclidean'\ndim = 2",
        "line 6, learners.vaw: `simulate(problem=RandomQuadratic(dim=2))`: must have 2 features and labels",
    ),
    (
        changed(problem="{ name = 'sign-flips', dim = 2, period = 5 }"),
        "line 6, learners.dogd-sc: `dogd_sc(strong_convexity=0.0)`: must be > 0",
    ),
    (
        changed(domain="{ name = 'euclidean', dim = 2 }").replace("[learners.dogd-sc]", ""),
        "line 9, learners.dda: `dda(lipschitz=inf)`: must be finite",
    ),
    (
        f"{changed(rounds='1').replace('dim = 2', 'dim = 20')}[learners.flaxman]",
        "line 9, learners.flaxman: nothing can be recommended for what is not given: ",
    ),
]


@pytest.mark.parametrize(("text", "message"), WRONG)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_what_is_wrong_is_told_with_its_file_line_and_key(text: str, message: str, newline: str) -> None:
    with pytest.raises(InvalidArgument) as error:
        setting(text.replace("\n", newline))
    expected = message if message.startswith("my.toml") else f"my.toml, {message}"
    assert str(error.value).startswith(expected)
    assert "\n" not in str(error.value)


def test_a_file_that_is_too_short_for_the_rounds_or_broken_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "rows.npy"
    domain = "{ name = 'ball', dim = 2 }"
    np.save(path, np.ones((19, 2)))
    with pytest.raises(InvalidArgument, match=r"my\.toml, line 3, rounds: must be <= 19, the rounds that the problem"):
        setting(changed(problem=RECORDED % repr(str(path)), domain=domain))
    np.save(path, np.full((20, 2), np.nan))
    with pytest.raises(InvalidArgument, match=r"my\.toml, line 1, problem: .*rows.*must be finite"):
        setting(changed(domain=domain, problem=RECORDED % repr(str(path))))
    np.save(path, np.ones((20, 2)))
    assert setting(changed(problem=RECORDED % repr(str(path)), domain=domain)).problem.loss.dim == 2


WEIRD: list[Any] = [
    *(True, False, 0, -1, 10**30, 1 << 20_000, 0.0, -0.5, 1e300, 1e-300, np.inf, np.nan),
    *("", "text", "ball", "dogd-sc", "\x1b", [], [1], ["a"], [[1, 2], [3]], [True], {}, {"name": 5}, {"x": 1}),
    *([{"name": "dogd"}], [None], datetime.date(2020, 1, 1), datetime.time(1, 2), [datetime.datetime(2020, 1, 1)]),
    *({"name": "constant"}, {"name": "constant", "inverse": "x"}, {"name": "per-round", "strong_convexity": []}),
]


def kinds() -> list[tuple[str, str, dict[str, Any]]]:
    """The key and the name of everything that can be written, with arguments that are right."""
    return [
        *(("problem", name, table) for name, table in PROBLEMS.items()),
        *(("domain", name, table) for name, table in DOMAINS.items()),
        *(("delays", name, table) for name, table in DELAYS.items()),
        *(("learner", name, arguments_of(name)) for name in named(Learner)),
    ]


@pytest.mark.parametrize(("kind", "name", "table"), kinds())
def test_nothing_but_a_refusal_comes_of_values_that_make_no_sense(kind: str, name: str, table: dict[str, Any]) -> None:
    form = inspect.signature(
        named({"problem": Problem, "domain": Domain, "delays": DelayLaw, "learner": Learner}[kind])[name]
    )
    whole = {"problem": {"name": "random-quadratic", "dim": 2}, "delays": "x", "learners": {"ogd": {}}, "rounds": 5}
    for each in form.parameters:
        for value in WEIRD:
            odd = {"name": name, **table, each: value}
            tables = whole | ({"learners": {"it": odd}} if kind == "learner" else {kind: odd})
            if kind != "delays":
                tables["delays"] = {"name": "fixed", "delay": 1}
            with suppress(InvalidArgument):
                setting_of(Document("my.toml", "", tables), "my")
