"""How fast the library is: ``make bench``, or ``python -m benchmarks --quick`` for a glance.

Seconds depend on the machine and on what else it is doing. So everything here is a ratio of two things that were run in
turns, in one process, several times: belated beside a loop in C and one in NumPy that do the same (:mod:`.c_loop`,
:mod:`.numpy_loop`), a long run beside a short one, two cores beside one.

=====================  ===============================================================================================
file                   what it has
=====================  ===============================================================================================
``effort``             how long to measure: thoroughly, or at a glance
``timing``             runs in turns, and the spread of what they took
``setup``              the problem and the learners of the paper, as all contenders meet them
``c_loop``             the same algorithms as a C program would have them, compiled by the run that measures them
``numpy_loop``         the same as a script with NumPy would have them
``loops``              rounds per second of ``simulate`` beside these two
``players``            ``ask`` and ``tell`` beside a round of the NumPy loop
``scaling``            time against rounds, dimension, delay, seeds and cores
``memory``             peak memory of short and long runs
``starts``             commands from a cold and a warm start, and where their time goes (``start_profile``)
``promises``           what the library claims, and whether it held in this run
``report``, ``plots``  tables and figures
=====================  ===============================================================================================
"""
