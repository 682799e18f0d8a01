"""``python -m belated.cli``: the command line without its script."""

import sys

from belated.cli import main

sys.exit(main())
