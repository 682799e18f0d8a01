"""A sample of the soak can be had again, and in the long run leaves nothing out."""

from support.soak import sampled

NAMES = [f"test_it[{i}]" for i in range(50)]


def test_a_sample_depends_on_its_seed_alone() -> None:
    sample = sampled(NAMES, 5, "3f2a")
    assert len(sample) == 5
    assert sample <= set(NAMES)
    assert sampled(reversed(NAMES), 5, "3f2a") == sample
    assert sampled(NAMES, 5, "3f2b") != sample


def test_more_of_the_same_seed_holds_less_of_it() -> None:
    assert sampled(NAMES, 5, "a") < sampled(NAMES, 9, "a")
    assert sampled(NAMES, 99, "a") == set(NAMES)
    assert sampled(NAMES, 0, "a") == set()


def test_every_test_is_in_some_sample() -> None:
    assert set().union(*(sampled(NAMES, 5, str(seed)) for seed in range(100))) == set(NAMES)
