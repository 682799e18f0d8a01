"""Learners: named algorithms, each a short file that composes parts, and the players that run them.

A learner is in the library when its line stands here: :mod:`belated.learners.catalogue` finds it, with its card.
"""

from belated.learners.algorithms.adagrad import adagrad as adagrad
from belated.learners.algorithms.adaptive_revision import adaptive_revision as adaptive_revision
from belated.learners.algorithms.agarwal_coordinates import agarwal_coordinates as agarwal_coordinates
from belated.learners.algorithms.agarwal_two_point import agarwal_two_point as agarwal_two_point
from belated.learners.algorithms.bdogd_sc import bdogd_sc as bdogd_sc
from belated.learners.algorithms.bdogd_sc_two_point import bdogd_sc_two_point as bdogd_sc_two_point
from belated.learners.algorithms.bold import bold as bold
from belated.learners.algorithms.composite_ftrl import composite_ftrl as composite_ftrl
from belated.learners.algorithms.curvature_ftrl import curvature_ftrl as curvature_ftrl
from belated.learners.algorithms.dbgd import dbgd as dbgd
from belated.learners.algorithms.dda import dda as dda
from belated.learners.algorithms.delayed_frank_wolfe import delayed_frank_wolfe as delayed_frank_wolfe
from belated.learners.algorithms.delayed_frank_wolfe import frank_wolfe_rate as frank_wolfe_rate
from belated.learners.algorithms.dftbl import dftbl as dftbl
from belated.learners.algorithms.dogd import dogd as dogd
from belated.learners.algorithms.dogd_sc import dogd_sc as dogd_sc
from belated.learners.algorithms.dorm import dorm as dorm
from belated.learners.algorithms.dorm_plus import dorm_plus as dorm_plus
from belated.learners.algorithms.expert_advice import expert_advice as expert_advice
from belated.learners.algorithms.flaxman import flaxman as flaxman
from belated.learners.algorithms.flaxman import flaxman_tuning as flaxman_tuning
from belated.learners.algorithms.ftdl import ftdl as ftdl
from belated.learners.algorithms.ftrl_proximal import ftrl_proximal as ftrl_proximal
from belated.learners.algorithms.gold import gold as gold
from belated.learners.algorithms.hedge import hedge as hedge
from belated.learners.algorithms.khashabi import khashabi as khashabi
from belated.learners.algorithms.langford import langford as langford
from belated.learners.algorithms.mesterharm import mesterharm as mesterharm
from belated.learners.algorithms.mild_ogd import mild_ogd as mild_ogd
from belated.learners.algorithms.odaftrl import odaftrl as odaftrl
from belated.learners.algorithms.ogd import ogd as ogd
from belated.learners.algorithms.ogd_sc import ogd_sc as ogd_sc
from belated.learners.algorithms.one_point_dda import one_point_dda as one_point_dda
from belated.learners.algorithms.one_point_dda import one_point_dda_probe_radius as one_point_dda_probe_radius
from belated.learners.algorithms.ons import ons as ons
from belated.learners.algorithms.perceptron import perceptron as perceptron
from belated.learners.algorithms.restarting import restarting as restarting
from belated.learners.algorithms.shamir_szlak import shamir_szlak as shamir_szlak
from belated.learners.algorithms.skipping import skipping as skipping
from belated.learners.algorithms.solid import solid as solid
from belated.learners.algorithms.vaw import vaw as vaw
from belated.learners.algorithms.weinberger_ordentlich import weinberger_ordentlich as weinberger_ordentlich
from belated.learners.learner import Learner as Learner
from belated.learners.parts.estimators import log_probe_radius as log_probe_radius
from belated.learners.playing.player import Player as Player
