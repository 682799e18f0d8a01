"""Settings for the whole suite: Hypothesis draws the same examples on every machine, so failures can be repeated."""

import gc
from collections.abc import Callable, Generator, Iterator
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from support.soak import sampled

if TYPE_CHECKING:
    from support.postgres import Databases

settings.register_profile("ci", derandomize=True, deadline=None, max_examples=40, database=None)
settings.load_profile("ci")

gc.set_threshold(50_000, 20, 50)  # a compiler makes many objects and hardly any cycles: a tenth less time for its tests


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("soak", "a sample of the soak, with -m soak")
    group.addoption("--soak-sample", type=int, metavar="N", help="only N tests of the soak (default: all)")
    group.addoption("--soak-seed", default="", metavar="TEXT", help="what they are chosen by, such as a commit's id")


@pytest.hookimpl(optionalhook=True)  # of pytest-xdist
def pytest_xdist_auto_num_workers() -> int:
    """One more than cores: some tests wait for a browser or a server, and meanwhile another one can work."""
    from belated.sim.workers import cores

    return cores() + 1


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """What collecting makes lives as long as the suite, so the garbage collector need not look at it again and again.

    That would take more than a tenth of the time of the tests. Garbage of the tests is collected as ever.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()  # no garbage is kept: what it holds open is told now
        gc.freeze()
        gc.enable()


@pytest.hookimpl(trylast=True)  # when -m has chosen
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    number = config.getoption("soak_sample")
    if number is not None:
        names = sampled((item.nodeid for item in items if _is_short(item)), number, config.getoption("soak_seed"))
        config.hook.pytest_deselected(items=[item for item in items if item.nodeid not in names])
        items[:] = [item for item in items if item.nodeid in names]


def _is_short(item: pytest.Item) -> bool:
    """Whether a test of the soak may be in a sample; one of many minutes says ``soak(sampled=False)``."""
    mark = item.get_closest_marker("soak")
    return mark is None or bool(mark.kwargs.get("sampled", True))


@pytest.fixture(scope="session")
def databases() -> Iterator["Databases"]:
    """Stores on a PostgreSQL server, which is started by the first test that asks for it."""
    from support.postgres import Databases, hurried, shared_folder, started, stopped

    server = started(shared_folder())
    hurried(server)
    found = Databases(server)
    yield found
    found.close()
    stopped(server)


@pytest.fixture(params=["memory", "sqlite", "postgresql"])
def new_address(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], str]:
    """Addresses of new stores, of each kind in turn."""
    if request.param == "postgresql":
        return request.getfixturevalue("databases").new_address  # type: ignore[no-any-return]
    numbers = count(1)
    return lambda: "memory://" if request.param == "memory" else f"sqlite:///{tmp_path}/{next(numbers)}.db"
