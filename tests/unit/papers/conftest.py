"""A reproduction that is small enough to be made once for all tests of this directory."""

import pytest

from belated.papers.wan2021 import Reproduction, reproduce


@pytest.fixture(scope="session")
def small() -> Reproduction:
    return reproduce(seeds=range(3), rounds=60)
