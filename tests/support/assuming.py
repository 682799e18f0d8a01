"""Steps that assume labels and correct them, written again on dense arrays, and a plain agenda of what is due."""

import math

import numpy as np

from support.models import NaiveTwoSpeeds, sigmoid

ASSUMED = -1.0


class Naive:
    """One margin, logistic loss, labels -1 and 1; subclasses have ``weights``, ``adapt`` and ``correct``."""

    def __init__(self, dim):
        self.remembered, self.dim = {}, dim

    def note(self):
        """What is remembered of the moment of a prediction or of an assumption."""

    def slope(self, m, y):
        return sigmoid(m) - (y + 1) / 2

    def predict(self, key, x):
        margin = float(self.weights() @ x)
        self.remembered[key] = [x, None, self.note()]
        return sigmoid(margin)

    def learn(self, key, y, weight=1.0):
        x, then, note = self.remembered.pop(key)
        if then is None:
            self.adapt(weight * self.slope(float(self.weights() @ x), y) * x, note)
        elif (y, weight) != (ASSUMED, 1.0):
            self.correct(self.slope(then, ASSUMED) * x, weight * self.slope(then, y) * x, note)

    def assume(self, key):
        x, _, note = self.remembered[key]
        then = float(self.weights() @ x)
        self.adapt(self.slope(then, ASSUMED) * x, note)
        self.remembered[key] = [x, then, self.note()]

    def forget(self, key):
        """The deadline has passed, and the label was assumed."""
        self.remembered.pop(key)


class NaiveAdaGrad(Naive):
    def __init__(self, dim, scale=0.5):
        super().__init__(dim)
        self.a, self.S, self.w = scale, np.full(dim, 1e-8), np.zeros(dim)

    def weights(self):
        return self.w

    def adapt(self, g, note):
        self.S = self.S + g * g
        self.w = self.w - self.a * g / np.sqrt(self.S)

    def correct(self, wrong, right, note):
        self.S = self.S + right**2 - wrong**2
        self.w = self.w - self.a * (right - wrong) / np.sqrt(self.S)


class NaiveProximal(Naive):
    def __init__(self, dim, scale=0.5, beta=0.5, l1=0.05, l2=0.1):
        super().__init__(dim)
        self.a, self.b, self.l1, self.l2 = scale, beta, l1, l2
        self.Z, self.S = np.zeros(dim), np.zeros(dim)

    def weights(self):
        eta = self.a / (self.b + self.a * self.l2 + np.sqrt(self.S))
        return -eta * np.sign(self.Z) * np.maximum(np.abs(self.Z) - self.l1, 0.0)

    def add(self, g, squares):
        held, before = self.weights(), np.sqrt(self.S)
        self.S = np.maximum(self.S + squares, 0.0)
        self.Z = self.Z + g - (np.sqrt(self.S) - before) / self.a * held

    def adapt(self, g, note):
        self.add(g, g * g)

    def correct(self, wrong, right, note):
        self.add(right - wrong, right**2 - wrong**2)


class NaiveRevision(Naive):
    def __init__(self, dim, scale=0.4):
        super().__init__(dim)
        self.a, self.w, self.G, self.z, self.largest = scale, np.zeros(dim), np.zeros(dim), np.ones(dim), np.ones(dim)

    def weights(self):
        return self.w

    def note(self):
        return self.G.copy()

    def adapt(self, g, note):
        b, eta = self.G - note, self.a / np.sqrt(self.largest)
        self.z = self.z + g * g + 2 * g * b
        self.largest = np.maximum(self.largest, self.z)
        after = self.a / np.sqrt(self.largest)
        self.w, self.G = self.w - after * g + (eta - after) * b, self.G + g

    def correct(self, wrong, right, note):
        here = wrong != 0
        note = np.where(here, note, self.G)
        self.adapt(right - wrong, note)


class NaiveDescent(Naive):
    def __init__(self, dim, curvature=0.3, radius=0.9):
        super().__init__(dim)
        self.c, self.R, self.N, self.w = curvature, radius, 0, np.zeros(dim)

    def weights(self):
        return self.w

    def project(self, w):
        self.w = w * min(1.0, self.R / max(float(np.linalg.norm(w)), 1e-300))

    def adapt(self, g, note):
        self.N += 1
        h = 0.5 * self.c * self.N
        self.project((h * self.w - g) / (h + self.c))

    def correct(self, wrong, right, note):
        self.project(self.w - (right - wrong) / (0.5 * self.c * self.N + self.c))


class NaiveLeader(Naive):
    """Dual averaging in a ball."""

    def __init__(self, dim, scale=0.6, radius=0.9):
        super().__init__(dim)
        self.a, self.R, self.Z, self.V, self.missing = scale, radius, np.zeros(dim), 0, 0

    def weights(self):
        w = -self.a / math.sqrt(self.V + 1 + 2 * self.missing) * self.Z
        return w * min(1.0, self.R / max(float(np.linalg.norm(w)), 1e-300))

    def predict(self, key, x):
        value = super().predict(key, x)
        self.V += 1 + 2 * self.missing
        self.missing += 1
        return value

    def adapt(self, g, note):
        self.Z, self.missing = self.Z + g, self.missing - 1

    def correct(self, wrong, right, note):
        self.Z = self.Z + right - wrong


class NaiveAssumingTwoSpeeds(NaiveTwoSpeeds):
    """The default step, which remembers where labels and errors of assumptions are in its lists."""

    def __init__(self, dim, link="logistic", **given):
        super().__init__(dim, link, **given)
        self.offset = float(self.G[0])
        self.assumed, self.no_answer = {}, ASSUMED if link == "logistic" else 0.0

    def assume(self, key):
        x, predicted, margins = self.remembered[key]
        weights = self.s + self.f, self.s
        then = [(self.origin() + w @ x).astype(np.float32).astype(float) for w in weights]
        super().learn(key, self.no_answer)
        self.remembered[key] = x, predicted, margins
        self.assumed[key] = then, len(self.labels) - 1

    def forget(self, key):
        self.remembered.pop(key)
        self.assumed.pop(key)

    def learn(self, key, y, weight=1.0):
        if key not in self.assumed:
            return super().learn(key, y, weight)
        (whole, alone), place = self.assumed.pop(key)
        x, predicted, _ = self.remembered.pop(key)
        if (y, weight) == (self.no_answer, 1.0):
            return None
        a = self.no_answer
        said = sum(w * self.mean(m) for w, m in zip(self.w, predicted, strict=True))
        self.labels[place] = y
        self.errors[place] += (said - y) ** 2 - (said - a) ** 2
        u, X = self.spread() if self.link == "squared" else 1.0, float(x @ x)
        wrong, right = (np.array([self.push(m, label) for m in whole]) for label in (a, y))
        slow_wrong, slow_right = (np.array([self.push(m, label) for m in alone]) for label in (a, y))
        right, slow_right = weight * right, weight * slow_right
        self.G = np.maximum(self.G + (float(self.w @ right) ** 2 - float(self.w @ wrong) ** 2) * x**2, self.offset)
        self.s = self.s - self.a[:, None] * u * (x / X / np.sqrt(self.G)) * (slow_right - slow_wrong)[:, None]
        self.f = self.f - self.b * u * (x / X) * (right - wrong)[:, None]
        against = np.array([weight * self.evidence(m, y) - self.evidence(m, a) for m in predicted])
        raised = self.w * np.exp(-(against - against.min()))
        self.w = raised / raised.sum()
        return None


class Agenda:
    """A naive step with the times of a run: what is due is done in order, searched for in a list."""

    def __init__(self, naive, wait, horizon=math.inf):
        self.naive, self.wait, self.horizon, self.open, self.assumed = naive, wait, horizon, {}, set()

    def go_on(self, moment, at_it):
        while True:
            due = [(made + self.horizon, 0, number, key) for key, (made, number) in self.open.items()]
            due += [
                (made + self.wait, 1, number, key)
                for key, (made, number) in self.open.items()
                if key not in self.assumed and self.wait < self.horizon
            ]
            due = [each for each in due if each[0] < moment or (at_it and each[0] == moment)]
            if not due:
                return
            _, kind, _, key = min(due)
            if kind == 0:
                self.naive.forget(key)
                del self.open[key]
            else:
                self.naive.assume(key)
                self.assumed.add(key)

    def predict(self, key, x, moment):
        self.go_on(moment, at_it=True)
        self.open[key] = moment, key  # keys are numbers that go up
        return self.naive.predict(key, x)

    def learn(self, key, y, weight, moment):
        """Whether the label came in time."""
        if self.open[key][0] + self.horizon < moment:
            return False
        self.go_on(moment, at_it=False)
        self.naive.learn(key, y, weight)
        del self.open[key]
        return True
