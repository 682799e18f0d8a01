"""Simulation: problems, the round loop, and the best fixed decision that regret is measured against.

A call of :func:`simulate` goes through these files, from the outside in:

======================  =========================================================================================
``simulation``          ``simulate`` itself: checks its arguments, and makes jobs of them
``plan``                how many rounds, in which chunks they are handed over, and which of them are recorded
``workers``             runs jobs side by side, on threads
``jobs``                a job: some learners on one seed, in one pass over its losses
``seed_stream``         the losses and delays of one seed, drawn or read chunk by chunk
``run``                 one learner on one seed
``plain_or_compiled``   which loop a run uses: plain Python, or machine code
``round_loop``          the loop over rounds, which both are made of
``calendar``            feedback on its way, by the week and the round in which it arrives
``delivery``            how a learner gets it: one by one, or added up on the way
``failure``             which part failed, when a run had to stop
``feedback``            what the loss of a round tells the learner
``hindsight``           the best fixed decision, with a certificate
``tables``              rows that are read in chunks, again and again
``compensated``         long sums with a bound on their rounding
``result``              the labelled arrays that come out
``store``               a folder that keeps what is finished
``store_keys``          what the numbers of a run depend on, as the names of its files
======================  =========================================================================================

``problems`` has what there is to simulate, ``dynamic`` regret against decisions that move.

Names are loaded on first use: who wants the problems need not wait for xarray.
"""

from typing import TYPE_CHECKING

from belated.core.lazy import loader

if TYPE_CHECKING:
    from belated.sim.dynamic import dynamic_regret as dynamic_regret
    from belated.sim.result import Result as Result
    from belated.sim.simulation import simulate as simulate

__all__ = ["Result", "dynamic_regret", "simulate"]

__getattr__ = loader(__name__, {"Result": "result", "dynamic_regret": "dynamic", "simulate": "simulation"})
