"""The number of rows of a table."""

from __future__ import annotations

from typing import Any

import metricdp as dp


@dp.measurement(epsilon="eps")
def count(values: dp.Records[float], eps: float) -> Any:
    """The number of rows, with Laplace noise of scale 1/eps.

    Source: Dwork, McSherry, Nissim and Smith (2006), "Calibrating Noise to Sensitivity".
    """
    return dp.laplace(dp.count(values), epsilon=eps)
