"""Models written again, plainly: dense arrays, one formula after the other, nothing shared with the library."""

import math

import numpy as np


def sigmoid(m):
    return 1.0 / (1.0 + math.exp(-m)) if m > -700 else 0.0


def clip4(x):
    return max(-4.0, min(4.0, x))


class NaiveTwoSpeeds:
    """The default step as its docstring has it, on dense rows; ``link`` is the name of the model."""

    def __init__(self, dim, link="logistic", slow=(0.3, 1.0, 3.0), fast=0.2, leak=0.02, share=0.01, offset=10.0):
        self.link, self.a, self.b, self.leak, self.c = link, np.array(slow), fast, leak, share
        self.G = np.full(dim, offset)
        self.s, self.f = np.zeros((len(slow), dim)), np.zeros((len(slow), dim))
        self.w = np.full(len(slow), 1.0 / len(slow))
        self.labels, self.errors = [], []
        self.remembered = {}

    def mean(self, m):
        return {"logistic": sigmoid, "poisson": math.exp}.get(self.link, float)(m)

    def predict(self, key, x):
        margins = self.origin() + (self.s + self.f) @ x
        self.w = (1 - self.c) * self.w + self.c / len(self.w)
        self.remembered[key] = x, margins.astype(np.float32).astype(float), margins
        return float(sum(w * self.mean(m) for w, m in zip(self.w, margins, strict=True)))

    def origin(self):
        if self.link not in ("squared", "poisson") or not self.labels:
            return 0.0
        return float(np.mean(self.labels)) if self.link == "squared" else math.log(max(np.mean(self.labels), 1e-9))

    def spread(self):
        deviation = float(np.std(self.labels))
        return deviation if deviation > 0 else max(abs(self.labels[0]), 1e-9)

    def push(self, m, y):
        if self.link == "logistic":
            return sigmoid(m) - (y + 1) / 2
        if self.link == "squared_hinge":
            return clip4(-y * max(0.0, 1 - y * m)) / 4
        if self.link == "squared":
            return clip4((m - y) / self.spread()) / 10
        return clip4((math.exp(m) - y) / max(float(np.mean(self.labels)), 1e-9)) / 4

    def evidence(self, m, y):
        if self.link == "logistic":
            return math.log1p(math.exp(-y * m))
        if self.link == "squared_hinge":
            return max(0.0, 1 - y * m) ** 2 / 2
        if self.link == "squared":
            return (m - y) ** 2 / 2 / max(float(np.mean(self.errors)), 1e-18)
        return math.exp(m) - y * m

    def learn(self, key, y, weight=1.0):
        x, predicted, _ = self.remembered.pop(key)
        said = sum(w * self.mean(m) for w, m in zip(self.w, predicted, strict=True))
        whole, alone = self.origin() + (self.s + self.f) @ x, self.origin() + self.s @ x
        self.labels.append(y)
        self.errors.append((said - y) ** 2)
        u = self.spread() if self.link == "squared" else 1.0
        X = float(x @ x)
        p = np.array([weight * self.push(m, y) for m in whole])
        q = np.array([weight * self.push(m, y) for m in alone])
        here = x != 0
        self.G = self.G + (float(self.w @ p) * x) ** 2
        self.s = self.s - self.a[:, None] * u * (x / X / np.sqrt(self.G)) * q[:, None]
        self.f = np.where(here, (1 - self.leak) * self.f, self.f) - self.b * u * (x / X) * p[:, None]
        against = np.array([weight * self.evidence(m, y) for m in predicted])
        raised = self.w * np.exp(-(against - against.min()))
        self.w = raised / raised.sum()


def dense(row, dim):
    """A row of the library as a dense vector; slots that occur twice are added up."""
    x = np.zeros(dim)
    np.add.at(x, row.slots.astype(int), row.values if row.values.size else 1.0)
    return x
