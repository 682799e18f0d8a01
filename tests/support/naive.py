"""The paper's pseudo-code, line by line, in the plainest NumPy: the independent witness for the players.

Nothing is shared with ``belated`` but ``domain.project`` (which has its own witness) and, for sets without interior,
the basis of directions. Each function returns x_1, ..., x_{T+1}.
"""

import numpy as np


def rounds_arriving(delays, t):
    """F_t = {k | k + d_k - 1 = t}."""
    return [k for k in range(1, t + 1) if k + delays[k - 1] - 1 == t]


def dogd_sc(gradient, delays, project, start, beta):
    """Algorithm 1, with h_t accumulated as it is written there."""
    x, h, xs, g = np.array(start), 0.0, [np.array(start)], {}
    for t in range(1, len(delays) + 1):
        g[t] = gradient(t, x)
        arrived = rounds_arriving(delays, t)
        h = h + len(arrived) * beta / 2
        if arrived:
            x = project(x - (1 / h) * np.sum([g[k] for k in arrived], axis=0))
        xs.append(x)
    return xs


def dogd(gradient, delays, project, start, eta):
    """Quanrud and Khashabi: eta is a number or a function of the delays seen so far, eta(t)."""
    x, xs, g = np.array(start), [np.array(start)], {}
    for t in range(1, len(delays) + 1):
        g[t] = gradient(t, x)
        arrived = rounds_arriving(delays, t)
        if arrived:
            rate = eta(t) if callable(eta) else eta
            x = project(x - rate * np.sum([g[k] for k in arrived], axis=0))
        xs.append(x)
    return xs


def coordinate_gradient(f, x, delta, basis):
    """(1/delta) sum_i (f(x + delta e_i) - f(x)) e_i."""
    return np.sum([(f(x + delta * e) - f(x)) / delta * e for e in basis], axis=0)


def bdogd_sc(f, delays, project_inside, start, beta, delta, basis):
    """Algorithm 2: Algorithm 1 on the shrunk set with estimated gradients."""
    return dogd_sc(
        lambda t, x: coordinate_gradient(lambda y: f(t, y), x, delta, basis), delays, project_inside, start, beta
    )


def two_point(f, delays, project_inside, start, beta, delta, directions, hull_dim):
    """Algorithm 3, given the directions u_1, u_2, ... that were drawn."""

    def estimate(t, x):
        u = directions[t - 1]
        return hull_dim / (2 * delta) * (f(t, x + delta * u) - f(t, x - delta * u)) * u

    return dogd_sc(estimate, delays, project_inside, start, beta)


def dbgd(f, delays, project_inside, start, eta, delta, basis):
    """Li, Chen and Giannakis: a projected step for each arrival, in order of play."""
    x, xs, g = np.array(start), [np.array(start)], {}
    for t in range(1, len(delays) + 1):
        g[t] = coordinate_gradient(lambda y, t=t: f(t, y), x, delta, basis)
        for k in rounds_arriving(delays, t):
            x = project_inside(x - eta * g[k])
        xs.append(x)
    return xs


def counts(delays, t):
    """|F_t|, N_t, o_t and sigma_t from their definitions."""
    arrived = len(rounds_arriving(delays, t))
    received = sum(len(rounds_arriving(delays, i)) for i in range(1, t + 1))
    missing = len(delays[:t]) - received
    outstanding = (t - 1) - sum(len(rounds_arriving(delays, i)) for i in range(1, t))
    return arrived, received, missing, outstanding
