"""The proofs that can be checked on a run, one file for each algorithm."""

from collections.abc import Mapping
from types import MappingProxyType

from belated.audit.chain import Chain
from belated.audit.chains import bdogd_sc, composite_ftrl, dda, dogd, dogd_sc

CHAINS: Mapping[str, Chain] = MappingProxyType(
    {each.CHAIN.algorithm: each.CHAIN for each in (dogd_sc, bdogd_sc, dogd, dda, composite_ftrl)}
)
"""Every chain by the name of its algorithm."""
