"""The constructors, each by one line."""

from __future__ import annotations

from inspect import Parameter
from typing import Any

from metricdp.opendp.constructor import Constructor
from metricdp.opendp.domains import checked_bounds
from metricdp.primitives import load

load()
REQUIRED = Parameter.empty


def _limits(bounds: Any) -> dict[str, Any]:
    lower, upper = checked_bounds(bounds, "bounds")
    return {"lower": lower, "upper": upper}


Constructor("clamp", "clamp", {"bounds": REQUIRED}, _limits)
