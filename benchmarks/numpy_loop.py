"""DOGD-SC as a script with NumPy has it, a round at a time: plainly, and with every trick.

The plain loop is what a careful person writes first: arrays are made once, gradients on their way lie in a ring as long
as the longest delay, and nothing is checked. The tuned one knows this problem: it adds up in advance what arrives
together, gets the gradient from half of the loss, and looks up as little as it can. What is left there is the price of
a dozen calls of NumPy a round, below which no such loop gets.
"""

import math

import numpy as np

from benchmarks.setup import BETA, DELAYS, chunks, first_decision


def plain_loop(dim: int, rounds: int, seed: int = 0) -> float:
    """The cumulative loss of a run of DOGD-SC; the drawing of its losses included."""
    ring = max(DELAYS)
    decision, total, gradients = first_decision("dogd-sc", dim), np.empty(dim), np.empty((ring, dim))
    due: list[list[int]] = [[] for _ in range(ring)]
    loss, received, t, sums_of_rows = 0.0, 0, 0, np.zeros(dim)
    for rows in chunks(dim, rounds, seed):
        sums_of_rows += rows.sum(axis=0)  # of which the best fixed decision is a function
        for row in rows:
            gradient = gradients[t % ring]
            np.multiply(decision, 2.0, out=gradient)
            gradient += row
            loss += float(decision @ decision + row @ decision)
            due[(t + DELAYS[t % len(DELAYS)] - 1) % ring].append(t % ring)
            arrived = due[t % ring]
            if arrived:
                received += len(arrived)
                total[:] = 0.0
                for place in arrived:
                    total += gradients[place]
                arrived.clear()
                total *= 2.0 / (BETA * received)
                decision -= total
                length = np.linalg.norm(decision)
                if length > 1.0:
                    decision /= length
            t += 1
    return loss


def tuned_loop(dim: int, rounds: int, seed: int = 0) -> float:
    """The same, as fast as NumPy can be made to do it."""
    ring, period = max(DELAYS), len(DELAYS)
    decision, half, step = first_decision("dogd-sc", dim), np.empty(dim), np.empty(dim)
    sums, counts = list(np.zeros((ring, dim))), [0] * ring
    add, multiply, subtract, dot = np.add, np.multiply, np.subtract, np.dot
    loss, received, t, sums_of_rows = 0.0, 0, 0, np.zeros(dim)
    for rows in chunks(dim, rounds, seed):
        sums_of_rows += rows.sum(axis=0)  # of which the best fixed decision is a function
        for row in rows:
            place = (t + DELAYS[t % period] - 1) % ring
            add(decision, row, out=half)  # x + b: the loss is x.(x + b), the gradient x + (x + b)
            loss += float(dot(decision, half))
            add(half, decision, out=half)
            add(sums[place], half, out=sums[place])
            counts[place] += 1
            here = t % ring
            if counts[here]:
                received += counts[here]
                counts[here] = 0
                multiply(sums[here], 2.0 / (BETA * received), out=step)
                subtract(decision, step, out=decision)
                sums[here].fill(0.0)
                squares = float(dot(decision, decision))
                if squares > 1.0:
                    multiply(decision, 1.0 / math.sqrt(squares), out=decision)
            t += 1
    return loss
