"""Many runs, each done once: settings, or models on a log, in words that are varied, on one machine or a cluster.

=================  =====================================================================================================
file               what is in it
=================  =====================================================================================================
``sweeping``       ``belated.sweep``, and reading a sweep back
``kinds``          what a sweep may be about, a setting or a log, in words
``axes``           what is varied: paths into a document, and their values
``drawing``        the values of a random search
``cells``          one learner in one setting, or one model on one log, as plain words
``setting_cells``  what makes cells of settings
``log_cells``      what makes cells of models on logs
``subjects``       these two, for those who plan and run
``words``          plain values as one text each
``planning``       from what somebody wrote to a plan; all errors are found here
``plan``           what is run, as plain values that every worker can read
``plan_reading``   a plan that was written down, checked
``stages``         cells of settings that run together, and the keys of their runs
``log_stages``     models that go through a log together, and the keys of their runs
``scores``         what is kept of a run
``work``           what a worker does
``engines``        where it does so: local, Dask, Ray
``running``        handing over what is left, until nothing is
``folder``         where plans, runs and failures lie
``parquet``        the file of a run
``failures``       why a run has failed
``collecting``     all runs as one labelled data set
``responses``      mean scores with their intervals, and the best settings
``outcome``        what comes out
``tables``         the best settings and all responses as tables
``figure``         the picture
``report``         all of it as files
=================  =====================================================================================================

Names are loaded on first use, because a command line that is wrong should be told so at once.
"""

from typing import TYPE_CHECKING

from belated.core.lazy import loader

if TYPE_CHECKING:
    from belated.sweeps.failures import Failure as Failure
    from belated.sweeps.outcome import Sweep as Sweep
    from belated.sweeps.responses import Response as Response
    from belated.sweeps.sweeping import read as read
    from belated.sweeps.sweeping import sweep as sweep

__all__ = ["Failure", "Response", "Sweep", "read", "sweep"]

__getattr__ = loader(
    __name__,
    {"Failure": "failures", "Response": "responses", "Sweep": "outcome", "read": "sweeping", "sweep": "sweeping"},
)
