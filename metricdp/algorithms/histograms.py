"""How often each public category occurs."""

from __future__ import annotations

from typing import Any

import metricdp as dp


@dp.measurement(epsilon="eps")
def histogram(values: dp.Records[str], categories: tuple[str, ...], eps: float) -> Any:
    """The number of rows of every category; rows of other categories are not counted.

    A row is in one category, so all counts together cost what one of them costs.
    Source: Dwork, McSherry, Nissim and Smith (2006), example 1.
    """
    return dp.laplace(dp.histogram(values, categories=categories), epsilon=eps)
