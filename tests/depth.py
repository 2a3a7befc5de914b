"""How often tests repeat: what planted defects need in `make test`, more in `make thorough`.

Both run every test: every law, rule, page, attack and planted defect.  Only repetitions differ:
draws, examples of hypothesis, random programs, pairs of inputs.  A test names both numbers where
it repeats, `depth(quick, thorough)`; what defect the smaller number still shows stands beside it
(docs/adr/0021-two-depths-of-one-suite.md).
"""

from __future__ import annotations

import os
from typing import TypeVar

T = TypeVar("T")

#: `make thorough` sets this variable to 1.
THOROUGH = os.environ.get("METRICDP_THOROUGH", "0") == "1"


def depth(quick: T, thorough: T) -> T:
    """The number of repetitions of this run."""
    return thorough if THOROUGH else quick
