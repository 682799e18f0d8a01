"""Online linear models whose labels come late.

A model is a description, made by a function such as :func:`logistic`; ``model.start()`` is a run of it. The run
predicts by ``predict``, and is told labels by ``learn``, whenever they come and in any order.
"""

from belated.models.adagrad import adagrad
from belated.models.features import Dense, Named, Sparse
from belated.models.model import Model
from belated.models.named import logistic, poisson, squared, squared_hinge
from belated.models.predictor import Prediction, Predictor
from belated.models.two_speeds import two_speeds

__all__ = [
    "Dense",
    "Model",
    "Named",
    "Prediction",
    "Predictor",
    "Sparse",
    "adagrad",
    "logistic",
    "poisson",
    "squared",
    "squared_hinge",
    "two_speeds",
]
