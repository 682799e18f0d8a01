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

>>> from belated import compare
>>> result = compare.run(compare.read("experts", rounds=200, seeds=2))
>>> result.ranking[0].rank
1
"""

from belated.compare.comparison import Comparison as Comparison
from belated.compare.comparison import run as run
from belated.compare.setting import Setting as Setting
from belated.compare.shipped import names as names
from belated.compare.shipped import read as read
