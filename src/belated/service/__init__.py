"""Learners and models that outlive their process: decisions now, outcomes days later, nothing lost in between.

====================  =============================================================================================
``descriptions``      learners and models as plain values
``bodies``            plain values as bytes
``runs``              players and predictors behind the same three verbs
``settings``          how long to wait, and how far a learner may go
``decisions``         what is known of each decision
``seen``              which ids may be in the journal, so that it need not be asked for new ones
``figures``           counts, delays, losses and rates, for an operator
``judging``           feedback as a loss that can be watched
``life``              the state of a learner, as a fold over its events
``desk``              the commands that a learner obeys; what holds becomes an event
``durable``           ``DurablePlayer`` and ``DurablePredictor``
``snapshots``         all of a life as bytes, so that a store opens in less time
``opening``           the desks of a store, from snapshots and events
``engine``            all desks of a store and the writer behind them, safe for threads
``door``              ``open``: durable learners and models in one process, by name
``looking``           what is to be seen of a learner, as plain values
``units``             points and feedback in people's own units
``ranges``            ``Ranges``: what is known of a knob, and the learner that is recommended for it
``making``            learners and models from plain JSON values
``words``             the names that may stand there
``schemas``           JSON Schema of everything that can be made
``given``             descriptions that come from elsewhere, tried before they are taken
``limits``            how large all of that may be
``names``             what people may call things
====================  =============================================================================================

The journal (:mod:`belated.journal`) keeps the events. Names are loaded on first use.
"""

from typing import TYPE_CHECKING

from belated.core.lazy import loader

if TYPE_CHECKING:
    from belated.service.door import DurableStore as DurableStore
    from belated.service.door import open as open  # noqa: A004  # it is called as belated.open
    from belated.service.durable import DurablePlay as DurablePlay
    from belated.service.durable import DurablePlayer as DurablePlayer
    from belated.service.durable import DurablePrediction as DurablePrediction
    from belated.service.durable import DurablePredictor as DurablePredictor
    from belated.service.ranges import Ranges as Ranges
    from belated.service.settings import Settings as Settings

__all__ = [
    "DurablePlay",
    "DurablePlayer",
    "DurablePrediction",
    "DurablePredictor",
    "DurableStore",
    "Ranges",
    "Settings",
    "open",
]

__getattr__ = loader(
    __name__,
    {
        "DurablePlay": "durable",
        "DurablePlayer": "durable",
        "DurablePrediction": "durable",
        "DurablePredictor": "durable",
        "DurableStore": "door",
        "Ranges": "ranges",
        "Settings": "settings",
        "open": "door",
    },
)
