"""Models through logs with true delays: what they would have predicted, and how good that was.

====================  =============================================================================================
``replaying``         ``replay``: each question and each answer in the order of the world; ``run`` is one under way
``tally``             keeps score by time and by model; ``scores`` has the losses, ``blocks`` the time
``weighing``          which weights of a log can be honoured
``result``            ``Replay``: losses by time, differences with intervals
``ranking``           ``compare_models``: settings chosen on the beginning of a log, models ranked on the rest
``ranking_result``    ``ModelRanking``; ``ranking_figure`` and ``calibration_figure`` draw it
``hindsight``         the best fixed and moving weights, which regret is measured against; ``scored_rows`` keeps rows
``delay_cost``        ``cost_of_delay``: the same model under delays that are multiplied
``stretching``        the order of a log whose delays are multiplied
``delay_result``      ``DelayCost``; ``delay_figure`` draws it
``log_figure``        the picture of a log's summary; ``log_tables`` has its tables
``tables``            numbers and lengths of time in words, CSV and Markdown
``page``              a page of HTML that needs nothing beside itself
``report``            the files of each of the three commands
====================  =============================================================================================

Names are loaded on first use.
"""

from typing import TYPE_CHECKING

from belated.core.lazy import loader

if TYPE_CHECKING:
    from belated.replays.delay_cost import cost_of_delay as cost_of_delay
    from belated.replays.delay_result import DelayCost as DelayCost
    from belated.replays.delay_result import DelayPoint as DelayPoint
    from belated.replays.ranking import compare_models as compare_models
    from belated.replays.ranking_result import Choice as Choice
    from belated.replays.ranking_result import Mark as Mark
    from belated.replays.ranking_result import ModelRanking as ModelRanking
    from belated.replays.ranking_result import ModelStanding as ModelStanding
    from belated.replays.replaying import replay as replay
    from belated.replays.result import Difference as Difference
    from belated.replays.result import Quality as Quality
    from belated.replays.result import Replay as Replay

__all__ = [
    "Choice",
    "DelayCost",
    "DelayPoint",
    "Difference",
    "Mark",
    "ModelRanking",
    "ModelStanding",
    "Quality",
    "Replay",
    "compare_models",
    "cost_of_delay",
    "replay",
]

__getattr__ = loader(
    __name__,
    {
        "Choice": "ranking_result",
        "DelayCost": "delay_result",
        "DelayPoint": "delay_result",
        "Difference": "result",
        "Mark": "ranking_result",
        "ModelRanking": "ranking_result",
        "ModelStanding": "ranking_result",
        "Quality": "result",
        "Replay": "result",
        "compare_models": "ranking",
        "cost_of_delay": "delay_cost",
        "replay": "replaying",
    },
)
