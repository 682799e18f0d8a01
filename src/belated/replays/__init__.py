"""Models through logs with true delays: what they would have predicted, and how good that was.

================  =============================================================================
``replaying``     ``replay``: each question and each answer in the order of the world
``tally``         keeps score by time and by model; ``scores`` has the losses, ``blocks`` the time
``result``        ``Replay``: losses by time, differences with intervals
================  =============================================================================

Names are loaded on first use.
"""

from typing import TYPE_CHECKING

from belated.core.lazy import loader

if TYPE_CHECKING:
    from belated.replays.replaying import replay as replay
    from belated.replays.result import Difference as Difference
    from belated.replays.result import Quality as Quality
    from belated.replays.result import Replay as Replay

__all__ = ["Difference", "Quality", "Replay", "replay"]

__getattr__ = loader(
    __name__,
    {"Difference": "result", "Quality": "result", "Replay": "result", "replay": "replaying"},
)
