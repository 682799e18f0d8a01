"""What the card of every learner must say, and that no learner is left out of the catalogue."""

import inspect
import re
from dataclasses import asdict, replace
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import belated as bl
from belated import learners
from belated.core.errors import InvalidArgument
from belated.learners import catalogue
from belated.learners.card import Card, Facts
from belated.learners.catalogue import CARDS, EXAMPLES, NAMED, feedback, recommended, typical
from support.players import ask, only_for_some

FOLDER = Path(learners.algorithms.__file__).parent

every_name = pytest.mark.parametrize("name", NAMED)
every_label = pytest.mark.parametrize("label", EXAMPLES)


def files_with_a_card(folder):
    return {path.stem for path in folder.glob("*.py") if re.search(r"^CARD\b", path.read_text(), flags=re.MULTILINE)}


def test_a_learner_that_has_a_card_is_exported():
    assert files_with_a_card(FOLDER) >= set(NAMED)
    forgotten = files_with_a_card(FOLDER) - set(NAMED)
    assert not forgotten, f"no line in learners/__init__.py: {sorted(forgotten)}"


def test_a_learner_without_its_line_is_noticed(tmp_path):
    (tmp_path / "stray.py").write_text("def stray(domain): ...\n\n\nCARD = Card()\n")
    (tmp_path / "helper.py").write_text("def helper(): ...\n")
    assert files_with_a_card(tmp_path) - set(NAMED) == {"stray"}


def test_a_line_is_enough_for_a_learner_to_be_found(monkeypatch):
    module = ModuleType("belated.learners.algorithms.toy")
    source = "from belated.learners.algorithms.ogd import CARD\ndef toy(domain): ...\ndef toy_tuning(): ...\n"
    exec(source, vars(module))
    monkeypatch.setattr(learners, "toy", module.toy, raising=False)
    monkeypatch.setattr(learners, "toy_tuning", module.toy_tuning, raising=False)
    assert {name for name, _, _ in catalogue._found()} - set(NAMED) == {"toy"}
    assert {"toy", "toy_tuning"} <= set(bl._of_learners())


@every_name
def test_every_field_says_something_in_one_line(name):
    card = CARDS[name]
    assert isinstance(card, Card)
    texts = [*card.known, *(text for text in asdict(card).values() if isinstance(text, str))]
    for text in texts:
        assert text.strip() == text != ""
        assert "\n" not in text
        assert not text.endswith("."), "fields are put into tables and sentences"


@every_name
def test_the_adversary_is_one_of_two(name):
    assert re.match(r"(adaptive|oblivious)\b", CARDS[name].adversary)


@every_name
def test_there_is_a_plain_example_and_variants_have_names(name):
    assert "" in CARDS[name].examples
    assert all(variant == "" or re.fullmatch(r"[a-z][a-z0-9 -]*", variant) for variant in CARDS[name].examples)


@every_label
def test_an_example_makes_the_learner_of_that_name(label):
    assert typical(label).name == label.split(",")[0]


@every_label
def test_a_learner_for_some_domains_says_so(label):
    """Only one that is for certain domains may refuse a bounded one."""
    for domain in (family.example(3) for family in bl.domains.EVERY):
        try:
            EXAMPLES[label](domain)
        except InvalidArgument:
            assert not np.isfinite(domain.diameter) or only_for_some(label)


UNBOUNDED = (
    bl.Euclidean(3),
    bl.Box([-np.inf, 0.0, -1.0], [np.inf, np.inf, 1.0]),
    bl.Halfspace(np.ones(3), 1.0),
)


def takes_unbounded(example):
    """Whether an example is made on every unbounded domain and then plays in it; it must be all of them or none."""
    taken = []
    for domain in UNBOUNDED:
        try:
            learner = example(domain)
        except InvalidArgument:
            taken.append(False)
            continue
        player = learner.start()
        for _ in range(3):
            play = ask(player)
            assert all(domain.contains(point) for point in play.points)
            player.tell(np.ones(learner.interface.feedback_size), round=play.round)
        taken.append(True)
    assert len(set(taken)) == 1
    return taken[0]


def untrue(card):
    """What a card says about domains without bounds and should not."""
    plain = takes_unbounded(card.examples[""])
    others = {takes_unbounded(example) for variant, example in card.examples.items() if variant}
    kind, _, exceptions = card.domains.partition("; ")
    complaints = []
    if plain != (kind == "any"):
        complaints.append(f"says {kind}, and takes an unbounded domain: {plain}")
    if bool(others - {plain}) and not exceptions:
        complaints.append("does not say that this depends on the arguments")
    if kind == "any" and not re.search(r"bounded|whole space|\bbase\b|^none\b", f"{card.promise} {card.known}"):
        complaints.append("does not say that the promise is for bounded domains")
    return complaints


@every_name
def test_what_a_card_says_about_domains_without_bounds_is_true(name):
    """Cards that are for other kinds of domains, such as simplices, are looked at above."""
    if not only_for_some(name):
        assert untrue(CARDS[name]) == []


@pytest.mark.parametrize(
    ("name", "changes", "complaint"),
    [
        ("dda", {"domains": "any"}, "says any, and takes an unbounded domain: False"),
        ("dogd_sc", {"domains": "bounded"}, "says bounded, and takes an unbounded domain: True"),
        ("dogd", {"domains": "any"}, "does not say that this depends on the arguments"),
        ("langford", {"domains": "bounded"}, "does not say that this depends on the arguments"),
        ("bdogd_sc", {"known": ("strong convexity", "rounds")}, "does not say that the promise is for bounded domains"),
    ],
)
def test_a_card_that_is_wrong_about_domains_is_found(name, changes, complaint):
    assert untrue(replace(CARDS[name], **changes)) == [complaint]


def test_an_example_that_takes_no_domain_is_noticed(monkeypatch):
    def refused(domain):
        raise InvalidArgument(f"not {domain}")

    monkeypatch.setattr(catalogue, "EXAMPLES", {"picky": refused})
    with pytest.raises(InvalidArgument, match="not Ball"):
        typical("picky")


@every_name
def test_the_domain_must_be_one(name, monkeypatch):
    """With all the other arguments of its example; or its base must be a learner, its bases some, if it is made so."""
    first, others, options = arguments_of_the_example(name, monkeypatch)
    what = "domain" if isinstance(first, bl.domains.Domain) else "bases?"
    with pytest.raises(InvalidArgument, match=rf"`{name}\({what}='the ball'\)`: must be "):
        NAMED[name]("the ball", *others, **options)


def arguments_of_the_example(name, monkeypatch):
    """The domain, and the other arguments: what its example calls the learner with."""
    calls, function = [], NAMED[name]

    def watched(domain, *others, **options):
        calls.append((domain, others, options))
        return function(domain, *others, **options)

    if CARDS[name].examples[""] is function:  # nothing but a domain is needed
        monkeypatch.setattr(catalogue, "EXAMPLES", {name: watched})
    else:
        monkeypatch.setattr(inspect.getmodule(function), name, watched)
    typical(name)
    return calls[-1]


def test_what_is_told_is_read_from_the_interface():
    assert feedback("dogd_sc") == ("gradient", "1", False, "none", False)
    assert feedback("ftdl") == ("gradient", "1", True, "none", False)
    assert feedback("bdogd_sc") == ("values at n + 1 points", "n + 1", False, "none", False)
    assert feedback("bdogd_sc_two_point") == ("values at 2 points", "2", True, "none", True)
    assert feedback("composite_ftrl").told == "gradient without the regulariser"


@pytest.mark.parametrize(
    ("sizes", "words"),
    [((0, 0), "none"), ((2, 2), "2"), ((3, 5), "n"), ((4, 6), "n + 1"), ((2, 4), "n - 1"), ((7, 11), "2 n + 1")],
)
def test_sizes_that_grow_with_the_dimension_are_told_in_n(sizes, words):
    assert catalogue._size((3, 5), sizes) == words


# --- what a card recommends ---

FACTS = Facts(rounds=1000, lipschitz=2.0, strong_convexity=1.0, bound=3.0, delay=4, total_delay=3000)
FLAT = FACTS._replace(strong_convexity=0.0)
BALL = bl.Ball(3)


def test_facts_are_named_as_arguments_are():
    arguments = {each for function in NAMED.values() for each in inspect.signature(function).parameters}
    assert set(Facts._fields) <= arguments | {"total_delay"}, "the total delay is for rates"


@every_name
@pytest.mark.parametrize("facts", [FACTS, FLAT])
def test_what_is_recommended_is_an_argument_that_makes_the_learner(name, facts):
    domain, parameters = typical(name).domain, inspect.signature(NAMED[name]).parameters
    if np.isfinite(domain.diameter):
        assert set(CARDS[name].tuned(domain, facts)) <= set(parameters)
    advice = recommended(name, domain, FACTS, {})
    assert set(advice) <= set(parameters)
    needed = {each.name for each in parameters.values() if each.default is inspect.Parameter.empty}
    if needed <= set(advice):
        assert NAMED[name](**advice).name == name


@every_name
def test_nothing_is_recommended_for_what_is_given(name):
    domain, parameters = typical(name).domain, inspect.signature(NAMED[name]).parameters
    for each in parameters:
        assert each not in recommended(name, domain, FACTS, {each: object()})
    assert recommended(name, domain, FACTS, dict.fromkeys(parameters)) == {}


@pytest.mark.parametrize(
    ("name", "given", "facts", "advice"),
    [
        ("dogd_sc", {}, FACTS, {"domain", "strong_convexity"}),
        ("dogd_sc", {"strong_convexity": 3.0}, FACTS, {"domain"}),
        ("langford", {}, FACTS, {"domain", "delay", "strong_convexity"}),
        ("langford", {}, FLAT, {"domain", "delay", "lipschitz"}),
        ("langford", {"delay": 5}, FACTS, {"domain", "strong_convexity"}),
        ("langford", {"lipschitz": 5.0}, FACTS, {"domain", "delay"}),
        ("langford", {"strong_convexity": 5.0}, FLAT, {"domain", "delay"}),
        ("delayed_frank_wolfe", {}, FACTS, {"domain", "strong_convexity"}),
        ("delayed_frank_wolfe", {}, FLAT, {"domain", "rate"}),
        ("delayed_frank_wolfe", {"rate": 0.1}, FACTS, {"domain"}),
        ("delayed_frank_wolfe", {"strong_convexity": 0.1}, FLAT, {"domain"}),
        ("composite_ftrl", {}, FACTS, {"domain", "regulariser", "lipschitz"}),
        ("composite_ftrl", {"caution": 0.0}, FACTS, {"domain", "regulariser", "lipschitz"}),
        ("composite_ftrl", {"regulariser": 0.5}, FACTS, {"domain", "lipschitz"}),
        ("composite_ftrl", {"lipschitz": None}, FACTS, {"domain", "regulariser"}),
        ("composite_ftrl", {"lipschitz": 0.5}, FACTS, {"domain", "regulariser"}),
        ("dbgd", {"rate": 0.5}, FACTS, {"domain", "probe_radius"}),
        ("ons", {"weight": 1.0}, FACTS, {"domain", "lipschitz", "exp_concavity"}),
        ("ons", {}, FLAT, {"domain", "lipschitz"}),
        ("mild_ogd", {"rounds": 5}, FACTS, {"domain", "lipschitz"}),
        ("bold", {"base": None}, FACTS, set()),
        ("expert_advice", {"bases": None}, FACTS, {"lipschitz"}),
    ],
)
def test_an_option_is_recommended_only_to_those_who_have_not_decided(name, given, facts, advice):
    found = recommended(name, BALL, facts, given)
    assert set(found) == advice
    known = {**facts._asdict(), "domain": BALL, **CARDS[name].tuned(BALL, facts)}
    assert all(value == known[key] for key, value in found.items())


@pytest.mark.parametrize("error", [InvalidArgument("no theory covers this"), ZeroDivisionError(), OverflowError()])
def test_where_what_is_optional_cannot_be_recommended_there_is_no_advice_on_it(error, monkeypatch):
    def fails(domain, facts):
        raise error

    cards = {name: replace(CARDS[name], tuned=fails) for name in ("langford", "dbgd")}
    monkeypatch.setattr(catalogue, "CARDS", {**CARDS, **cards})
    assert recommended("langford", BALL, FACTS, {}) == {"domain": BALL, "delay": 4}
    assert recommended("langford", BALL, FACTS, {"delay": 3}) == {"domain": BALL}
    with pytest.raises(type(error)):
        recommended("dbgd", BALL, FACTS, {})


def test_who_has_decided_on_everything_needs_no_advice(monkeypatch):
    def fails(domain, facts):
        raise InvalidArgument("no theory covers this")

    monkeypatch.setattr(catalogue, "CARDS", {**CARDS, "dbgd": replace(CARDS["dbgd"], tuned=fails)})
    assert recommended("dbgd", BALL, FACTS, {"rate": 0.1, "probe_radius": 0.1}) == {"domain": BALL}
    with pytest.raises(InvalidArgument, match="no theory"):
        recommended("dbgd", BALL, FACTS, {"rate": 0.1})
