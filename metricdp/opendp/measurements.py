"""Measurements by OpenDP's names."""

from __future__ import annotations

from metricdp.opendp.catalogue_noise import debias_randomized_response_bitvec
from metricdp.opendp.names import getter, listed

__getattr__ = getter(__name__, "m")
__all__ = [*listed("m"), debias_randomized_response_bitvec.__name__]


def __dir__() -> list[str]:
    return __all__
