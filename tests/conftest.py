"""Settings for the whole suite: Hypothesis draws the same examples everywhere, so that a failure is everybody's."""

from hypothesis import settings

settings.register_profile("ci", derandomize=True, deadline=None, max_examples=60, database=None)
settings.load_profile("ci")
