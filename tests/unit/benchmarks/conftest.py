"""``benchmarks`` lies beside ``tests`` and is installed nowhere, so that it is looked for there."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[3]))
