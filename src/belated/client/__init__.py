"""A client of the service: learners and models behind HTTP, with the names that they have in process.

====================  =============================================================================================
``calls``             what is sent, and how a reply is read
``forms``             what people give, as it is sent
``problems``          what the service refuses, as the errors that are raised in process
``effects``           what a script may ask of the one who runs it: to send, to rest, to work on a file
``retrying``          when a call is repeated, and how long to wait before
``outbox``            what could not be delivered, in a file
``delivering``        delivers it, in order
``courier``           asking and telling, with fallbacks and the outbox
``remote``            ``RemotePlayer`` and ``RemotePredictor``
``verbs``             what both clients share
``blocking``          ``Client``, for threads
``awaiting``          ``AsyncClient``, for event loops
``joining``           joins a ``Client`` and an app in one process
``results``           what comes back
====================  =============================================================================================

Everything that decides is a script: a generator without I/O, which yields what is to be done and is sent what came of
it. The two clients run the same scripts, and have nothing else in them. Names are loaded on first use, and httpx when a
client is made.
"""

from typing import TYPE_CHECKING

from belated.core.lazy import loader

if TYPE_CHECKING:
    from belated.client.awaiting import AsyncClient as AsyncClient
    from belated.client.blocking import Client as Client
    from belated.client.remote import RemotePlayer as RemotePlayer
    from belated.client.remote import RemotePredictor as RemotePredictor
    from belated.client.results import Receipt as Receipt
    from belated.client.results import Refused as Refused
    from belated.client.results import RemotePlay as RemotePlay
    from belated.client.results import RemotePrediction as RemotePrediction
    from belated.client.retrying import Retries as Retries
    from belated.client.retrying import Timing as Timing

__all__ = [
    "AsyncClient",
    "Client",
    "Receipt",
    "Refused",
    "RemotePlay",
    "RemotePlayer",
    "RemotePrediction",
    "RemotePredictor",
    "Retries",
    "Timing",
]

__getattr__ = loader(
    __name__,
    {
        "AsyncClient": "awaiting",
        "Client": "blocking",
        "Receipt": "results",
        "Refused": "results",
        "RemotePlay": "results",
        "RemotePlayer": "remote",
        "RemotePrediction": "results",
        "RemotePredictor": "remote",
        "Retries": "retrying",
        "Timing": "retrying",
    },
)
