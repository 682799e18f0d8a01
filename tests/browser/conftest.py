"""One browser and one service for the tests of this folder, and a page of its own for each of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from support.browsing import Served, Watched


# Of a module, and no longer: while the browser is open, no test of this process could run an event loop of its own.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    from support import browsing

    path = browsing.installed()
    if path is None:
        pytest.skip(browsing.MISSING)
    with browsing.started(path) as found:
        yield found


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    from support.browsing import Served

    found = Served()
    yield found
    found.close()


@pytest.fixture
def watch(browser: Browser, served: Served) -> Iterator[Callable[..., Watched]]:
    """Pages that are watched; at the end nothing may have gone wrong on any of them."""
    from support.browsing import Watched

    pages: list[Watched] = []

    def opened(**given: Any) -> Watched:
        pages.append(Watched(browser, served.address, **given))
        return pages[-1]

    yield opened
    for each in pages:
        each.close()
    assert [wrong for each in pages for wrong in each.wrong] == []
