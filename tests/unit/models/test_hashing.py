"""Tokens: the same on every machine, apart from each other, and spread evenly over the slots."""

import numpy as np

from belated.models.hashing import MISSING, NUMBER, WORD, crossed, token


def test_tokens_do_not_change_from_version_to_version():
    """A saved model would take every feature for another one."""
    assert token("carrier", WORD, "UA") == 11536791953364138504
    assert token("hour", NUMBER) == 10496865046437306968
    assert token("hour", MISSING) == 16372206155109751732
    assert crossed(token("a", WORD, "x"), token("b", WORD, "y")) == 11861757055404267740


def test_names_and_words_do_not_run_into_each_other():
    pairs = [("ab", "c"), ("a", "bc"), ("", "abc"), ("abc", ""), ("1:a", "b"), ("a", "word:bc"), ("aword:", "bc")]
    assert len({token(name, WORD, word) for name, word in pairs}) == len(pairs)
    assert len({token("a", WORD, ""), token("a", NUMBER), token("a", MISSING)}) == 3


def test_the_order_of_a_cross_counts_and_a_cross_is_none_of_its_features():
    one, two = token("a", WORD, "x"), token("b", WORD, "x")
    assert len({one, two, crossed(one, two), crossed(two, one), crossed(one, one)}) == 5


def test_slots_are_used_evenly():
    """Chi-squared over 1024 slots: mean 1023, standard deviation 45."""
    words = [token("name", WORD, str(number)) for number in range(40_000)]
    crosses = [crossed(token("a", WORD, str(i)), token("b", WORD, str(j))) for i in range(200) for j in range(200)]
    for tokens in (words, crosses):
        found = np.bincount([each >> 54 for each in tokens], minlength=1024)
        expected = len(tokens) / 1024
        assert 800 < ((found - expected) ** 2 / expected).sum() < 1250
