"""`opendp.trans` of 2021."""

from __future__ import annotations

from metricdp.opendp.constructor import CONSTRUCTORS, make_function
from metricdp.opendp.era2021 import TRANSFORMATIONS, functions, make_cast_metric

#: Constructors that are today what they were.
_SAME = ("split_lines", "split_records", "create_dataframe", "split_dataframe", "select_column")
_FOUND = functions(TRANSFORMATIONS)
_FOUND.update({f"make_{name}": make_function(CONSTRUCTORS[name]) for name in _SAME})
_FOUND["make_cast_metric"] = make_cast_metric
globals().update(_FOUND)
__all__ = sorted(_FOUND)  # pyright: ignore[reportUnsupportedDunderAll]
