"""Spaces of rows that may be missing, of texts and tables, and of domains that only have names."""

from __future__ import annotations

from typing import Any

import msgspec

from metricdp.opendp.domains import AtomDomain, Domain, OptionDomain, VectorDomain
from metricdp.opendp.metrics import DiscreteDistance, Metric, UserDistance
from metricdp.opendp.placing import BACK, PLACES, ROWS, Placed, row, row_domain, unplaced
from metricdp.opendp.user_domains import UserDomain
from metricdp.spaces import Maybe, Records, Scalar, Space
from metricdp.spaces.opaque import Opaque


def _option(domain: Any) -> Maybe:
    return Maybe(row(with_nan(domain.element_domain, False)))


def with_nan(domain: AtomDomain, nan: bool) -> AtomDomain:
    """The atoms with or without NaN."""
    return msgspec.structs.replace(domain, nan=nan)


def _opaque(domain: Any, metric: Any) -> Placed:
    return Placed(Opaque(repr(domain), repr(metric)))


def _is_user(domain: Any, metric: Any) -> bool:
    inner = domain
    while hasattr(inner, "element_domain"):
        inner = inner.element_domain
    return isinstance(inner, UserDomain) or isinstance(metric, UserDistance)


def _maybe_rows_back(space: Any, like: tuple[Domain, Metric], T: str | None) -> Any:
    inner = row_domain(space.row.inner, like, T)
    assert isinstance(inner, AtomDomain)
    atom = getattr(like[0], "element_domain", None)
    nan = isinstance(atom, AtomDomain) and atom.nan and atom.T == inner.T
    element = with_nan(inner, True) if nan else OptionDomain(inner)
    domain, metric = unplaced(
        msgspec.structs.replace(space, row=Scalar("Data", kind="bool")), like, None
    )
    return VectorDomain(element, domain.size), metric


def _is_maybe_rows(space: Space) -> bool:
    return isinstance(space, Records) and isinstance(space.row, Maybe)


ROWS[:0] = [
    (lambda d: isinstance(d, OptionDomain), _option),
    (lambda d: isinstance(d, AtomDomain) and d.nan, lambda d: Maybe(row(with_nan(d, False)))),
]
PLACES[:0] = [
    (_is_user, _opaque),
    (
        lambda d, m: isinstance(m, DiscreteDistance) and isinstance(d, OptionDomain),
        lambda d, m: Placed(_option(d)),
    ),
]
BACK[:0] = [(_is_maybe_rows, _maybe_rows_back)]
