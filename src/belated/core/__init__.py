"""The ground floor: errors, checks, arrays, parts and their verbs, the ledger, and what a play is.

Everything above stands on this room and this room stands on NumPy, numba and the standard library only. It has no
clock, no hidden randomness and no I/O.
"""
