"""Learners beside each other: a setting in words, run over seeds, ranked with confidence intervals.

==============  ========================================================================================================
``places``      in which line of a TOML file a key stands
``document``    what somebody wrote, as a TOML file or as options, with the place of every word for errors
``makers``      the names that may stand there, and the objects that are made from them
``setting``     a comparison that can be run: problem, domain, delays, learners
``shipped``     the settings that come with the library
``comparison``  running one
``ranking``     who is best, and how sure that is
``figure``      a picture of it
``writing``     tables as TOML
``report``      all of it as files
==============  ========================================================================================================

>>> from belated import comparisons
>>> result = comparisons.run(comparisons.read("experts", rounds=200, seeds=2))
>>> result.ranking[0].rank
1
"""

from belated.comparisons.comparison import Comparison as Comparison
from belated.comparisons.comparison import run as run
from belated.comparisons.setting import Setting as Setting
from belated.comparisons.shipped import names as names
from belated.comparisons.shipped import read as read
