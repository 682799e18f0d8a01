"""Learners: named algorithms, each a short file that composes parts, and the players that run them."""

from belated.learners.bdogd_sc import bdogd_sc
from belated.learners.bdogd_sc_two_point import bdogd_sc_two_point
from belated.learners.dbgd import dbgd
from belated.learners.dogd import dogd
from belated.learners.dogd_sc import dogd_sc
from belated.learners.khashabi import khashabi
from belated.learners.learner import Learner
from belated.learners.ogd import ogd
from belated.learners.ogd_sc import ogd_sc
from belated.learners.parts.estimators import log_probe_radius
from belated.learners.player import Player

__all__ = [
    "Learner",
    "Player",
    "bdogd_sc",
    "bdogd_sc_two_point",
    "dbgd",
    "dogd",
    "dogd_sc",
    "khashabi",
    "log_probe_radius",
    "ogd",
    "ogd_sc",
]
