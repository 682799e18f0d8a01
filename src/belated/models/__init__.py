"""Online linear models whose labels come late.

A model is a description, made by a function such as :func:`logistic`; ``model.start()`` is a run of it. The run
predicts by ``predict``, and is told labels by ``learn``, whenever they come and in any order.
"""

from belated.models.adagrad import adagrad
from belated.models.adaptive_revision import adaptive_revision
from belated.models.composite import composite
from belated.models.dogd_sc import dogd_sc
from belated.models.dual_averaging import dual_averaging
from belated.models.features import Dense, Named, Sparse
from belated.models.ftrl_proximal import ftrl_proximal
from belated.models.lopsided import Lopsided
from belated.models.mixed import mixed
from belated.models.model import Model
from belated.models.named import logistic, poisson, squared, squared_hinge
from belated.models.predictor import Prediction, Predictor
from belated.models.two_speeds import two_speeds

__all__ = [
    "Dense",
    "Lopsided",
    "Model",
    "Named",
    "Prediction",
    "Predictor",
    "Sparse",
    "adagrad",
    "adaptive_revision",
    "composite",
    "dogd_sc",
    "dual_averaging",
    "ftrl_proximal",
    "logistic",
    "mixed",
    "poisson",
    "squared",
    "squared_hinge",
    "two_speeds",
]
