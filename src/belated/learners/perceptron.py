r"""The perceptron, for several classes: weights that change when a mistake is told, and only then.

Features z_t are known when round t is played, ``ask(context=z_t)``, and classes are told, perhaps late:

.. math::

    \hat y_t = \arg\max_c \langle w_c, z_t \rangle, \qquad x_t = \text{the corner of } \hat y_t, \qquad
    w_{y_k} \leftarrow w_{y_k} + z_k, \quad w_{\hat y_k} \leftarrow w_{\hat y_k} - z_k

======  ======================  ====================================================================
symbol  code                    meaning
======  ======================  ====================================================================
z_t     ``ask(context)``        the ``features`` numbers of round t
y_k     ``tell([class])``       the true class of round k, one of 0, ..., n - 1
w_c     ``weights``             what has been learned of class c; zero at first
======  ======================  ====================================================================

Ties go to the lowest class. Where all classes tie, as before anything is learned, the first decision is played, and
counts in the step for what it is: w_c changes by (1 if c = y, else 0, minus x_c) z. Started at a corner, it is the
classifier of the textbooks.

Source: Rosenblatt 1958; for several classes Duda and Hart 1973; remembered. Let l_k = 1 - x_k[y_k], which is 1 for a
mistake and 0 for none: :class:`~belated.losses.Misclassification`. If \|z_k\| <= R and some u has
<u_y - u_c, z_k> >= gamma for all rounds and classes c other than y = y_k, mistakes (the sum of the l_k) are at most
M = 2 (R \|u\| / gamma)^2 without delay, and (1 + 2 sigma) M if at most sigma others are missing whenever a round is
played. In short: step k is U_k = (e_y - x_k) z_k', so <u, U_k> >= gamma l_k and \|U_k\| <= sqrt(2) R l_k. When k was
played <w, U_k> <= 0, as only best classes have a share. Until U_k is taken, w changes by steps U_i, each of which adds
2 <U_i, U_k> <= 4 R^2 l_i l_k to \|w\|^2. Of i and k, one was missing when the other was played, so that there are at
most sigma such pairs a round, and \|w\|^2 <= 2 R^2 (1 + 2 sigma) sum l, while gamma sum l <= \|u\| \|w\|.

Must be known: the features beforehand, and which round a class belongs to. Nothing of R, gamma, T or the delays.

Pitfalls: on a simplex other than that of total 1 and floor 0 it plays the corners of that, and losses are no count of
mistakes. If no u separates the classes it never comes to rest.

>>> from belated.domains import Simplex
>>> player = perceptron(Simplex(3), features=2).start([1.0, 0.0, 0.0])
>>> play = player.ask(context=[1.0, 0.0])           # all tie: class 0, where it was started
>>> player.tell([2.0], round=play.round)            # a mistake: class 2 gets z, class 0 loses it
>>> player.ask(context=[0.5, 1.0]).point
array([0., 0., 1.])
"""

from belated.core import checks
from belated.domains.base import Domain
from belated.learners.card import Card
from belated.learners.learner import Learner, checked_domain
from belated.learners.parts.classifier import Classifier
from belated.learners.parts.entropy import checked_simplex


def perceptron(domain: Domain, features: int) -> Learner:
    """The perceptron with a class for every corner of a simplex."""
    classes = checked_simplex("perceptron", checked_domain("perceptron", domain))
    policy = Classifier(classes, checks.count("perceptron", "features", features, most=10**6))
    return Learner("perceptron", classes, classes, policy)


CARD = Card(
    title="Perceptron",
    losses="mistakes of classification",
    adversary="adaptive",
    known=("features of the round",),
    promise="(1 + 2 sigma) 2 (R |u| / gamma)^2 mistakes, sigma the most in flight, if u separates the classes by gamma",
    source="Rosenblatt 1958, Duda and Hart 1973",
    certainty="remembered, and well known; with delays derived here",
    time="O(n m), m the number of features",
    memory="O(n m), and O(m) a round in flight",
    domains="simplex",
    examples={"": lambda domain: perceptron(domain, features=domain.dim)},
)
