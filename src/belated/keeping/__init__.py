"""Predictors in files: :func:`save` writes a run with everything that waits, and :func:`load` goes on from it."""

from belated.keeping.predictors import load, save

__all__ = ["load", "save"]
