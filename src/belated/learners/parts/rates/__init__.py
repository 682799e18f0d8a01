"""Rates, and the weights and tunings of leaders: how far one move goes, mostly as a function of the ledger's counts."""

from belated.learners.parts.rates.counted import ConstantRate as ConstantRate
from belated.learners.parts.rates.counted import CountAdaptive as CountAdaptive
from belated.learners.parts.rates.counted import Doubling as Doubling
from belated.learners.parts.rates.counted import PerFeedback as PerFeedback
from belated.learners.parts.rates.counted import PerRound as PerRound
from belated.learners.parts.rates.counted import Rate as Rate
from belated.learners.parts.rates.counted import SquareRoot as SquareRoot
from belated.learners.parts.rates.counted import checked_rate as checked_rate
from belated.learners.parts.rates.counted import constant as constant
from belated.learners.parts.rates.counted import count_adaptive as count_adaptive
from belated.learners.parts.rates.counted import doubling as doubling
from belated.learners.parts.rates.counted import either as either
from belated.learners.parts.rates.counted import scale as scale
from belated.learners.parts.rates.given import Listed as Listed
from belated.learners.parts.rates.given import OfRound as OfRound
from belated.learners.parts.rates.given import listed as listed
from belated.learners.parts.rates.given import of_round as of_round

__all__ = [
    "ConstantRate",
    "CountAdaptive",
    "Doubling",
    "Listed",
    "OfRound",
    "PerFeedback",
    "PerRound",
    "SquareRoot",
    "constant",
    "count_adaptive",
    "doubling",
    "listed",
    "of_round",
]
"""What people use; the others are for learners that take a rate."""
