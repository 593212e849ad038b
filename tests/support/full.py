# SPDX-License-Identifier: MIT
"""How much a test does: a sample, or with UMBRA_FULL=1 all that is promised. As full.h has it."""
import os

FULL = os.environ.get("UMBRA_FULL", "") not in ("", "0")
