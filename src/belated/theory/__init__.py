"""Theory: regret bounds, computed from the delays of a run and the constants of its problem."""
