"""For tests that need machine code: they are skipped where the compiler is switched off."""

import pytest

from belated.core.numba_door import switched_off

needs_compiler = pytest.mark.skipif(switched_off(), reason="the compiler is switched off by NUMBA_DISABLE_JIT")
"""Mark tests with it, or set a module's ``pytestmark`` to it."""
