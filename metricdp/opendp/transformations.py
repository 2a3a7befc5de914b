"""Transformations by OpenDP's names."""

from __future__ import annotations

from metricdp.opendp import catalogue as _catalogue
from metricdp.opendp.names import getter, listed

__getattr__ = getter(__name__, "t")
__all__ = listed("t")
assert _catalogue


def __dir__() -> list[str]:
    return __all__
