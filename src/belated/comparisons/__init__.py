"""Learners beside each other, run over seeds on the same losses and delays, and ranked with confidence intervals.

The core is a setting made of objects: a problem, learners, laws of delay. There are two ways to make one.

=================  =====================================================================================================
file               what is in it
=================  =====================================================================================================
``setting``        a comparison that can be run
``comparing``      the first way: objects that somebody has in Python, ``belated.compare``
``recommending``   what theory recommends to a learner for a problem under delay, ``belated.recommended``
``measures``       what learners may be ranked by
``running``        running a setting
``ranking``        who is best, and how sure that is
``comparison``     what comes out
``wording``        a setting in a line of words
``tables``         the ranking as text, CSV, Markdown and LaTeX
``figure``         the picture
``page``           the page of a report
``report``         all of it as files
=================  =====================================================================================================

The second way is words, in a TOML file or as options of the command line:

=================  =====================================================================================================
file               what is in it
=================  =====================================================================================================
``document``       what somebody wrote, with the position of every word for errors
``positions``      in which line of a TOML file a key stands
``makers``         the names that may stand there, and the objects that are made from them
``reading``        a document made into a setting
``shipped``        the settings that come with the library
``writing``        tables as TOML
``words``          which names there are, without the things that they name: unknown ones are told at once
=================  =====================================================================================================

Names are loaded on first use, because a command line that is wrong should be told so at once.

>>> from belated import comparisons
>>> result = comparisons.run(comparisons.read("experts", rounds=50, seeds=2))
>>> result.ranking[0].rank
1
"""

from typing import TYPE_CHECKING

from belated.core.lazy import loader

if TYPE_CHECKING:
    from belated.comparisons.comparing import compare as compare
    from belated.comparisons.comparison import Comparison as Comparison
    from belated.comparisons.recommending import recommended as recommended
    from belated.comparisons.running import run as run
    from belated.comparisons.setting import Setting as Setting
    from belated.comparisons.shipped import names as names
    from belated.comparisons.shipped import read as read

__all__ = ["Comparison", "Setting", "compare", "names", "read", "recommended", "run"]

__getattr__ = loader(
    __name__,
    {
        "Comparison": "comparison",
        "Setting": "setting",
        "compare": "comparing",
        "names": "shipped",
        "read": "shipped",
        "recommended": "recommending",
        "run": "running",
    },
)
