"""How good and how fast models with late labels are, beside river and Vowpal Wabbit: ``make bench-labels``.

``python -m benchmarks.labels --quick`` is a glance of about a minute, with rough numbers. The peers are needed for
nothing else, and are installed by this target only. All contenders meet the same events with the same features in the
same order, and speeds are ratios of runs that took turns.

==================================  ==================================================================================
file                                what it has
==================================  ==================================================================================
``effort``                          how long to measure: thoroughly, or at a glance
``stream``                          the flights as a stream, and the losses of predictions
``contenders``, ``settings``        our default and the peers, and the settings among which January chooses
``quality``                         losses on the flights under true delays
``purchases``                       a stream whose early labels mislead
``speed``                           rows per second through the calls that people make
``live``                            one event at a time
``large``                           a log of ten million events, in a process of its own
``intervals``                       is a difference more than chance?
``promises``, ``report``            what we aim at and whether it was reached; tables
==================================  ==================================================================================
"""
