"""The sum of one column."""

from __future__ import annotations

from typing import Any

import metricdp as dp


@dp.measurement(epsilon="eps")
def total(values: dp.Records[float], lower: float, upper: float, eps: float) -> Any:
    """The sum of values in [lower, upper]; values outside count as the nearer end.

    Source: Dwork, McSherry, Nissim and Smith (2006), "Calibrating Noise to Sensitivity".
    """
    return dp.laplace(dp.sum(dp.clamp(values, lower, upper)), epsilon=eps)
