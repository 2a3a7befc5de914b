"""`opendp.comb` of 2021."""

from __future__ import annotations

from typing import Any

from metricdp.opendp.names import getter, listed

_get = getter(__name__, "c")
__all__ = [name for name in listed("c") if name.startswith("make_")]


def __getattr__(name: str) -> Any:
    return _get(name)
