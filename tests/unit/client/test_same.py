"""The same program with a store in process and with a service: equal decisions, bit for bit, and equal errors."""

import asyncio
import inspect

import httpx
import numpy as np
import pytest

import belated as bl
from belated.client import AsyncClient, Client, Receipt, calls
from belated.core.errors import AlreadyAnswered, InvalidArgument, NotAllowed, SomeRefused, UnknownDecision
from belated.learners.catalogue import EXAMPLES, typical
from belated.service.desk import ONLY
from contracts.test_models import MODELS, example_for, label_for, model_of
from support.remote import URL, Network, Served, Times, refusal


@pytest.fixture
def network():
    service = Served()
    yield Network(service)
    service.store.close()


@pytest.fixture
def client(network):
    with Client(URL, "bl_key", transport=network, timing=Times().timing()) as client:
        yield client


def live(store, label):
    """A program that does not know where its learner is."""
    learner, rng, seen = typical(label), np.random.default_rng(3), []
    interface = learner.interface
    knob, waiting = store.create("it", learner, seed=5), []
    for number in range(20):
        context = rng.normal(size=interface.context_size) if interface.context_size else None
        play = knob.ask(context, key=f"k{number}")
        seen += [play.key, play.points.tobytes(), play.point.tobytes(), play.repeated]
        waiting.append(play.key)
        while waiting and rng.random() < 0.45:
            key, feedback = (
                waiting.pop(int(rng.integers(len(waiting)))),
                rng.choice([0.0, 1.0], interface.feedback_size),
            )
            seen += [knob.tell(feedback, key=key) == True, knob.tell(feedback, key=key) == False]  # noqa: E712
    for key in waiting[:1]:
        knob.give_up(key)
    knob = store["it"]
    seen += [knob.ask(context, key="k19").repeated, list(store), len(store)]
    return seen


@pytest.mark.parametrize("label", EXAMPLES)
def test_a_program_moves_to_a_service_by_one_line(label, client):
    with bl.open("memory://") as store:
        assert live(client, label) == live(store, label)


@pytest.mark.parametrize("name", [name for name in MODELS if isinstance(model_of(name).features, bl.models.Named)])
def test_predictions_are_the_same(name, client):
    def predicted(store):
        model, rng, seen = model_of(name), np.random.default_rng(1), []
        it = store.create("it", model)
        for number in range(12):
            seen.append(it.predict(example_for(model, rng), f"k{number}")[:3])
            if number % 3:
                seen.append(bool(it.learn(f"k{number - 1}", float(label_for(model, rng)))))
        return seen

    with bl.open("memory://", clock=lambda: 10**12) as store:
        assert predicted(client) == predicted(store)


def test_the_order_of_features_is_kept_to_the_last_bit(client):
    """A sum over features depends on their order, so none of the doors may change it."""

    def predicted(predict, learn):
        rng, seen = np.random.default_rng(2), []
        for number in range(60):
            names = [f"f{place}" for place in rng.permutation(25)]
            seen.append(predict(dict(zip(names, rng.normal(size=25).tolist(), strict=True)), f"k{number}").value)
            learn(f"k{number}", float(rng.integers(2)))
        return seen

    model = bl.models.logistic(bits=10)
    alone, remote = model.start(), client.create("it", model)
    with bl.open("memory://") as store:
        durable = store.create("it", model)
        wanted = predicted(alone.predict, alone.learn)
        assert predicted(durable.predict, durable.learn) == wanted
    assert predicted(remote.predict, remote.learn) == wanted
    other = client.create("other", model)
    assert predicted(lambda features, key: other.predict_many([features], keys=[key])[0], other.learn) == wanted


def refused(store):
    """What a careless program meets."""
    knob = store.create("it", bl.dogd_sc(bl.Ball(2), 2.0))
    knob.ask(key="a")
    knob.ask(key="b")
    knob.tell([1.0, 1.0], key="b")
    found = []
    for call in [
        lambda: knob.tell([1.0], key="a"),
        lambda: knob.tell([1.0, float("nan")], key="a"),
        lambda: knob.tell(["x", "y"], key="a"),
        lambda: knob.tell([9.0, 9.0], key="b"),
        lambda: knob.tell([1.0, 1.0], key="c"),
        lambda: knob.tell([1.0, 1.0], key=""),
        lambda: knob.give_up("c"),
        lambda: knob.give_up("b"),
        lambda: knob.ask([1.0], key="c"),
        lambda: knob.ask([1.0], key="a"),
        lambda: knob.ask(key="#7"),
        lambda: knob.ask(key="a\n"),
        lambda: store["nobody"],
        lambda: store.create("it", bl.dogd_sc(bl.Ball(2), 3.0)),
        lambda: store.create("new", bl.dogd_sc(bl.Ball(2), 3.0), timeout=-1.0),
        lambda: store.create("new", 7),
    ]:
        with pytest.raises(Exception) as info:  # noqa: PT011
            call()
        kinds = (InvalidArgument, UnknownDecision, AlreadyAnswered, KeyError)
        found.append(next(kind for kind in kinds if isinstance(info.value, kind)))
    return found


def test_errors_are_the_same(client):
    with bl.open("memory://") as store:
        assert refused(client) == refused(store)


def several(client):
    """Every verb once; where an ``AsyncClient`` gives something to await, ``yield`` waits for it."""
    knob = yield client.create("price", bl.dogd_sc(bl.Ball(2), 2.0), timeout=60.0)
    seen = [(yield knob.ask(key="a")).points.tolist(), (yield knob.ask()).key]
    plays = yield knob.ask_many(3, keys=["x", "y", "z"])
    seen += [[play.key for play in plays], (yield knob.ask_many([None, None]))[1].repeated]
    seen += [(yield knob.tell([1.0, 2.0], key="a")), (yield knob.tell([1.0, 2.0], key="a"))]
    seen.append((yield knob.tell_many([("x", [0.5, 0.5]), ("y", np.array([1, 2]))])))
    seen += [(yield knob.give_up("z")), (yield knob.summary())["pending"]]
    seen += [(yield knob.configure(timeout=5.0))["paused"], (yield knob.summary())["settings"]["timeout"]]
    seen += [(yield knob.pause([0.5, 0.0]))["paused"]]
    seen += [(yield knob.ask()).point.tolist(), (yield knob.resume())["paused"]]
    clicks = yield client.create("clicks", bl.models.logistic(bits=8))
    seen += [(yield clicks.predict({"page": "shoes"}, "v1")), (yield clicks.learn("v1", 1, weight=2.0))]
    seen += [(yield clicks.predict_many([{"page": "a"}, {"page": "b"}], ["v2", "v3"]))]
    seen += [(yield clicks.learn_many([("v2", 0), ("v3", 1)])), (yield client.names())]
    seen += [type((yield client["clicks"])).__name__, type((yield client["price"])).__name__]
    seen += [(yield knob.archive())["archived"], client.spooled, (yield client.flush()), (yield client.refused())]
    for call in (lambda: knob.ask(), lambda: client["nobody"], lambda: knob.tell_many([("a", [9.0, 9.0])])):
        try:
            yield call()
        except Exception as problem:
            seen += [type(problem), str(problem)]
    return seen


def run_blocking(transport):
    """Calls are done when they are yielded; their errors are raised in the script anyway."""
    with Client(URL, transport=transport, timing=Times().timing()) as client:
        script, came = several(client), None
        while True:
            try:
                came = script.send(came)
            except StopIteration as end:
                assert list(iter(client)) == ["clicks", "price"]  # list(client) would ask for the length, too
                return end.value


async def run_awaiting(transport):
    async with AsyncClient(URL, transport=transport, timing=Times().timing(in_loop=True)) as client:
        script, came = several(client), None
        go_on = script.send
        while True:
            try:
                found = go_on(came)
            except StopIteration as end:
                assert [name async for name in client] == ["clicks", "price"]
                return end.value
            try:
                came, go_on = (await found if inspect.isawaitable(found) else found), script.send
            except Exception as problem:
                came, go_on = problem, script.throw


FAULTS = [None, "down", None, "lost", "503", None, "busy", None, None, "502", "twice"]


@pytest.mark.parametrize("faults", [[], FAULTS], ids=["well", "faulty"])
def test_both_clients_do_the_same(faults):
    first, second = Network(Served(), faults), Network(Served(), faults)
    seen = run_blocking(first)
    assert seen == asyncio.run(run_awaiting(second))
    assert first.sent == second.sent
    assert len(seen) == 31
    assert seen[4:6] == ([Receipt.NEW, Receipt.REPEATED] if not faults else seen[4:6])
    for network in (first, second):
        network.service.store.close()


def test_both_clients_have_the_same_verbs_and_arguments():
    names = [name for name in vars(Client) if not name.startswith("_")]
    assert names == [name for name in vars(AsyncClient) if not name.startswith("_")] == ["close"]
    assert inspect.signature(Client) == inspect.signature(AsyncClient)


def test_many_are_cut_into_thousands(client, network):
    knob = client.create("it", bl.dogd_sc(bl.Ball(2), 2.0))
    keys = [f"k{number}" for number in range(2500)]
    plays = knob.ask_many(2500, keys=keys)
    assert [play.key for play in plays] == keys
    receipts = knob.tell_many((key, [0.5, 0.5]) for key in keys)
    assert receipts == [Receipt.NEW] * 2500
    assert [path.rpartition("/")[2] for _, path, _ in network.sent] == ["learners"] + ["ask-many"] * 3 + [
        "tell-many"
    ] * 3


@pytest.mark.parametrize("sizes", [[], [10], [calls.MOST_BYTES + 1] * 3, [1] * 1001, [200_000] * 5])
def test_pieces_have_everything_in_order(sizes):
    contents = [bytes([place % 256]) * size for place, size in enumerate(sizes)]
    pieces = list(calls.cut(contents))
    assert [each for piece in pieces for each in piece] == contents
    for piece in pieces:
        assert len(piece) == 1 or (len(piece) <= 1000 and sum(map(len, piece)) <= calls.MOST_BYTES)


def test_what_is_refused_of_many_is_named_and_the_others_are_done(client):
    knob = client.create("it", bl.dogd_sc(bl.Ball(2), 2.0))
    knob.ask_many(2, keys=["a", "b"])
    with pytest.raises(SomeRefused, match=r"1 of 3 calls were refused, the first one: .*no such decision") as info:
        knob.tell_many([("a", [1.0, 1.0]), ("nobody", [1.0, 1.0]), ("b", [1.0, 1.0])])
    assert info.value.replies[::2] == [Receipt.NEW, Receipt.NEW]
    assert isinstance(info.value.replies[1], UnknownDecision)
    with pytest.raises(InvalidArgument, match="there must be 3, one for each decision"):
        knob.ask_many(3, keys=["a", "b"])


@pytest.mark.parametrize("name", ["summer sale", "50%", "a?b#c", "ä€😀", "a+b&c", "%2e%2e", "x" * 200])
def test_odd_names_arrive_as_they_are(client, name):
    assert client.create(name, bl.dogd_sc(bl.Ball(2), 2.0)).ask(key=name).key == name
    assert list(client) == [name]
    assert client[name].tell([1.0, 1.0], key=name)


def test_keys_are_sent_and_what_is_not_allowed_is_said():
    seen = []

    class Closed(Network):
        def _answer(self, request):
            seen.append(request.headers.get("Authorization"))
            return refusal(403, "forbidden", "the key is not for this")

    with Client(URL, "bl_secret", transport=Closed(None)) as client:
        with pytest.raises(NotAllowed, match="the key is not for this") as info:
            client.player("it").ask()
        assert isinstance(info.value, PermissionError)
    with Client(URL, transport=Closed(None)) as client, pytest.raises(NotAllowed):
        client.names()
    assert seen == ["Bearer bl_secret", None]


@pytest.mark.parametrize(
    "wrong",
    [
        {"url": "belated.test"},
        {"url": None},
        {"key": ""},
        {"key": "a\nb"},
        {"key": "schlüssel"},
        {"timeout": 0},
        {"retries": bl.client.Retries(tries=0)},
        {"retries": bl.client.Retries(budget=-1.0)},
    ],
)
def test_wrong_arguments_are_refused_at_once_and_keys_are_not_shown(wrong):
    with pytest.raises(InvalidArgument) as info:
        Client(**{"url": URL, **wrong})
    assert "schl" not in str(info.value)


@pytest.mark.parametrize("mapping", [{}, {"name": "dogd"}])
def test_a_mapping_that_describes_nothing_is_refused(client, mapping):
    with pytest.raises(InvalidArgument, match="must be a learner, a model, or have one of"):
        client.create("it", mapping)


def test_mappings_are_sent_as_what_they_are():
    bodies = []

    class Noting(Network):
        def _answer(self, request):
            bodies.append(bl.service.bodies.unpacked(request.content))
            shown = {"name": "it", "kind": "learner", "algorithm": "dogd", "paused": False, "archived": False}
            return httpx.Response(201, json=shown)

    make, ranges = {"algorithm": "dogd", "arguments": {}}, {"price": [1, 2]}
    with Client(URL, transport=Noting(None)) as client:
        client.create("it", make, initial=[1.0], seed=3)
        client.create("it", {"ranges": ranges}, timeout=5.0)
        client.create("it", bl.models.logistic(bits=4))
    assert bodies[0] == {"name": "it", "make": make, "initial": [1.0], "seed": 3}
    assert bodies[1] == {"name": "it", "ranges": ranges, "settings": {"timeout": 5.0}}
    assert {*bodies[2]} == {"name", "description"}


def test_the_id_of_an_only_report_is_that_of_the_desk():
    assert calls.FIRST_REPORT == ONLY
