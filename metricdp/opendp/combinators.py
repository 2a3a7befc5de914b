"""Combinators by OpenDP's names."""

from __future__ import annotations

from metricdp.opendp.names import getter, listed

__getattr__ = getter(__name__, "c")
__all__ = listed("c")


def __dir__() -> list[str]:
    return __all__
