"""Every step that a model may be given, in the order of the alphabet; who makes models from words looks here."""

from __future__ import annotations

from belated.models.adagrad import adagrad
from belated.models.adaptive_revision import adaptive_revision
from belated.models.composite import composite
from belated.models.dogd_sc import dogd_sc
from belated.models.dual_averaging import dual_averaging
from belated.models.ftrl_proximal import ftrl_proximal
from belated.models.mixed import mixed
from belated.models.two_speeds import two_speeds

EVERY = (adagrad, adaptive_revision, composite, dogd_sc, dual_averaging, ftrl_proximal, mixed, two_speeds)
