"""Which evaluator of the columnar language runs: arrays, or the plain one that they agree with."""

from __future__ import annotations

import os
from typing import Final

from metricdp.errors import ParameterError

#: Environment variable that names the evaluator; unset, it is that of arrays.
VARIABLE: Final = "METRICDP_COLUMNS"


def by_reference() -> bool:
    """Whether rows are evaluated one at a time, in plain Python.

    Raises:
        ParameterError: the variable names no evaluator.
    """
    name = os.environ.get(VARIABLE, "arrays")
    if name not in ("arrays", "reference"):
        raise ParameterError(
            f"{VARIABLE} names no evaluator of columns",
            remedy=f"set {VARIABLE} to `arrays` or to `reference`, or to nothing at all",
        )
    return name == "reference"
