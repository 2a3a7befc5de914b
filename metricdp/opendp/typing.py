"""`opendp.typing` of 2021: names of domains, metrics and measures, with their types in brackets.

A domain of that time is the one of today: `AllDomain[float]` is `AtomDomain(T=f64)`,
`BoundedDomain((0., 1.))` the same with bounds, `VectorDomain[AllDomain[int]]` a list of it, and
`SizedDomain(domain, size)` a list of a public size.  `SubstituteDistance` is `ChangeOneDistance`.
"""

from __future__ import annotations

from typing import Any

from metricdp.errors import ParameterError
from metricdp.opendp import domains
from metricdp.opendp.domains import AtomDomain, Domain
from metricdp.opendp.era2021 import atom
from metricdp.opendp.metrics import (
    AbsoluteDistance,
    ChangeOneDistance,
    L1Distance,
    L2Distance,
    MaxDivergence,
    SmoothedMaxDivergence,
    SymmetricDistance,
)
from metricdp.opendp.types import type_name

__all__ = [
    "AbsoluteDistance",
    "AllDomain",
    "BoundedDomain",
    "L1Distance",
    "L2Distance",
    "MaxDivergence",
    "SizedDomain",
    "SmoothedMaxDivergence",
    "SubstituteDistance",
    "SymmetricDistance",
    "VectorDomain",
]

SubstituteDistance = ChangeOneDistance


class _Of(type):
    """`Name[argument]` is `Name(argument)`."""

    def __getitem__(cls, given: Any) -> Any:
        return cls(given)


class AllDomain(metaclass=_Of):
    """The values of a type that are not null."""

    def __new__(cls, T: Any) -> AtomDomain:  # type: ignore[misc]
        return AtomDomain(type_name(T))


class BoundedDomain(metaclass=_Of):
    """The values between two bounds, which are given; a type alone says no bounds."""

    def __new__(cls, bounds: Any) -> AtomDomain:  # type: ignore[misc]
        if isinstance(bounds, tuple):
            return atom(None, bounds)
        return AtomDomain(type_name(bounds))


class VectorDomain(metaclass=_Of):
    """Lists of values of a domain."""

    def __new__(cls, element: Any) -> domains.VectorDomain:  # type: ignore[misc]
        return domains.VectorDomain(_expected(element, AtomDomain))


class SizedDomain(metaclass=_Of):
    """Lists of a public size; in brackets stands the domain alone, which says no size."""

    def __new__(cls, domain: Any, size: int | None = None) -> domains.VectorDomain:  # type: ignore[misc]
        return domains.vector_domain(_expected(domain, domains.VectorDomain).element_domain, size)


def _expected(given: Any, kind: type) -> Any:
    if isinstance(given, kind):
        return given
    what = repr(given) if isinstance(given, Domain) else type(given).__name__
    raise ParameterError(
        f"{what} is no {kind.__name__}", remedy="VectorDomain[AllDomain[float]], for example"
    )
