"""`from metricdp.opendp import prelude as dp`: the same names as `import metricdp.opendp as dp`."""

from __future__ import annotations

from typing import Any

from metricdp import opendp as _opendp


def __getattr__(name: str) -> Any:
    return getattr(_opendp, name)


def __dir__() -> list[str]:
    return dir(_opendp)
