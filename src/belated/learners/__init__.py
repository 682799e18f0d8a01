"""Learners: named algorithms, each a short file that composes parts, and the players that run them.

A learner is in the library when its line stands here: :mod:`belated.learners.catalogue` finds it, with its card.
"""

from belated.learners.adagrad import adagrad as adagrad
from belated.learners.adaptive_revision import adaptive_revision as adaptive_revision
from belated.learners.agarwal_coordinates import agarwal_coordinates as agarwal_coordinates
from belated.learners.agarwal_two_point import agarwal_two_point as agarwal_two_point
from belated.learners.bdogd_sc import bdogd_sc as bdogd_sc
from belated.learners.bdogd_sc_two_point import bdogd_sc_two_point as bdogd_sc_two_point
from belated.learners.bold import bold as bold
from belated.learners.composite_ftrl import composite_ftrl as composite_ftrl
from belated.learners.curvature_ftrl import curvature_ftrl as curvature_ftrl
from belated.learners.dbgd import dbgd as dbgd
from belated.learners.dda import dda as dda
from belated.learners.delayed_frank_wolfe import delayed_frank_wolfe as delayed_frank_wolfe
from belated.learners.dftbl import dftbl as dftbl
from belated.learners.dogd import dogd as dogd
from belated.learners.dogd_sc import dogd_sc as dogd_sc
from belated.learners.dorm_plus import dorm_plus as dorm_plus
from belated.learners.expert_advice import expert_advice as expert_advice
from belated.learners.flaxman import flaxman as flaxman
from belated.learners.flaxman import flaxman_tuning as flaxman_tuning
from belated.learners.ftdl import ftdl as ftdl
from belated.learners.ftrl_proximal import ftrl_proximal as ftrl_proximal
from belated.learners.gold import gold as gold
from belated.learners.hedge import hedge as hedge
from belated.learners.khashabi import khashabi as khashabi
from belated.learners.langford import langford as langford
from belated.learners.learner import Learner as Learner
from belated.learners.mesterharm import mesterharm as mesterharm
from belated.learners.mild_ogd import mild_ogd as mild_ogd
from belated.learners.odaftrl import odaftrl as odaftrl
from belated.learners.ogd import ogd as ogd
from belated.learners.ogd_sc import ogd_sc as ogd_sc
from belated.learners.one_point_dda import one_point_dda as one_point_dda
from belated.learners.one_point_dda import one_point_dda_probe_radius as one_point_dda_probe_radius
from belated.learners.ons import ons as ons
from belated.learners.parts.estimators import log_probe_radius as log_probe_radius
from belated.learners.parts.frank_wolfe import frank_wolfe_rate as frank_wolfe_rate
from belated.learners.perceptron import perceptron as perceptron
from belated.learners.player import Player as Player
from belated.learners.restarting import restarting as restarting
from belated.learners.shamir_szlak import shamir_szlak as shamir_szlak
from belated.learners.skipping import skipping as skipping
from belated.learners.solid import solid as solid
from belated.learners.vaw import vaw as vaw
from belated.learners.weinberger_ordentlich import weinberger_ordentlich as weinberger_ordentlich
