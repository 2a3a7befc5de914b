"""Between OpenDP's (domain, metric) and the spaces of the rules.

A list of a public size under the symmetric distance is a table under the change-one metric at half
the distance: two tables of one size are 2k additions and removals apart exactly when k rows differ.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import msgspec

from metricdp.errors import SpaceError
from metricdp.expr import INF, D, Expr, floor, minimum, num
from metricdp.opendp import metrics
from metricdp.opendp.domains import (
    AtomDomain,
    BitVectorDomain,
    DataFrameDomain,
    Domain,
    MapDomain,
    OptionDomain,
    UserDomain,
    VectorDomain,
)
from metricdp.opendp.metrics import Metric
from metricdp.opendp.types import KINDS, kind, type_name
from metricdp.spaces import Keyed, Maybe, Records, Scalar, Space, Vector
from metricdp.spaces.metrics import ChangeOne, Hamming, InsertDelete, Symmetric, metric_of
from metricdp.spaces.norms import L1, L2, LInf
from metricdp.spaces.opaque import Opaque
from metricdp.spaces.texts import Cells, Lines, Named
from metricdp.spaces.vectors import Entries

_ROWS: dict[type[Metric], str] = {
    metrics.SymmetricDistance: Symmetric.name,
    metrics.InsertDeleteDistance: InsertDelete.name,
    metrics.ChangeOneDistance: ChangeOne.name,
    metrics.HammingDistance: Hamming.name,
}
_NAMES = {name: metric for metric, name in _ROWS.items()}
_NORMS: dict[type[Metric], str] = {
    metrics.L1Distance: L1.name,
    metrics.L2Distance: L2.name,
    metrics.LInfDistance: LInf.name,
}
_TRIPLES: dict[type[Metric], str] = {
    metrics.L01InfDistance: "L01Inf",
    metrics.L02InfDistance: "L02Inf",
}
_ALL_NORMS = {**_NORMS, **_TRIPLES}
_OF_NORM: dict[str, Any] = {name: metric for metric, name in _ALL_NORMS.items()}


class Placed(msgspec.Struct, frozen=True):
    """A space, and how distances of the OpenDP metric become distances of it, and back."""

    space: Space
    before: Expr = D
    after: Expr = D


#: Chains ask for one pair again and again; a pair that cannot be hashed is placed each time.
_KNOWN: dict[tuple[Domain, Metric], Placed] = {}
_MOST_KNOWN = 4096


def placed(domain: Domain, metric: Metric) -> Placed:
    """The space of a domain under a metric.

    Raises:
        SpaceError: a pair that is no metric space.
    """
    key = (domain, metric)
    try:
        known = _KNOWN.get(key)
    except TypeError:
        known = key = None  # type: ignore[assignment]
    if known is not None:
        return known
    for applies, place in PLACES:
        if applies(domain, metric):
            found = place(domain, metric)
            if key is not None and len(_KNOWN) < _MOST_KNOWN:
                _KNOWN[key] = found
            return found
    raise SpaceError(
        f"{domain!r} has no {metric!r}",
        place="space",
        remedy=_remedy(domain),
    )


def _remedy(domain: Domain) -> str:
    if isinstance(domain, VectorDomain):
        return "rows: symmetric_distance() and its kin; numbers: l1_distance(T), l2_distance(T)"
    if isinstance(domain, AtomDomain):
        return f"absolute_distance({domain.T}) or discrete_distance()"
    return "see the documentation of the domain"


def row(domain: Domain) -> Any:
    """The space of one row: a datum of the domain's type, with its bounds."""
    for applies, place in ROWS:
        if applies(domain):
            return place(domain)
    raise SpaceError(
        f"{domain!r} is no domain of rows",
        place="space",
        remedy="vector_domain(atom_domain(T=float))",
    )


def _atom_row(domain: Any) -> Scalar:
    lo, hi = bounds_of(domain)
    return Scalar("Data", lo, hi, kind(domain.T))


def bounds_of(domain: AtomDomain) -> tuple[Expr, Expr]:
    """Bounds as expressions; infinite if there are none."""
    if domain.bounds is None:
        return -INF, INF
    return num(Fraction(domain.bounds[0])), num(Fraction(domain.bounds[1]))


def _rows(domain: Any, metric: Metric) -> Placed:
    name = _ROWS[type(metric)]
    if metric_of(name).public_size():
        size = None if domain.size is None else num(domain.size)
        capped = D if size is None else minimum(D, size)
        return Placed(Records(row(domain.element_domain), name, size), capped)
    if domain.size is None or metric_of(name).ordered:
        return Placed(Records(row(domain.element_domain), name))
    space = Records(row(domain.element_domain), ChangeOne.name, num(domain.size))
    # No more rows than there are can be replaced.
    return Placed(space, minimum(floor(D / 2), num(domain.size)), 2 * D)


def _numbers(domain: Any, metric: Metric) -> Placed:
    atom = domain.element_domain
    lo, hi = bounds_of(atom)
    size = None if domain.size is None else num(domain.size)
    return Placed(Vector(_element(atom), _NORMS[type(metric)], size, lo, hi))


def _number(domain: Any, metric: Metric) -> Placed:
    lo, hi = bounds_of(domain)
    return Placed(Scalar(_element(domain), lo, hi))


def _datum(domain: Any, metric: Metric) -> Placed:
    return Placed(_atom_row(domain))


def is_number(domain: Domain) -> bool:
    """Whether the domain holds numbers, none of them NaN."""
    return isinstance(domain, AtomDomain) and kind(domain.T) in ("int", "float") and not domain.nan


def keyed(domain: MapDomain, metric: Any, per: tuple[Expr, Expr, Expr] | None = None) -> Keyed:
    """The space of a dictionary; `per` is (l0, l1 or l2, linf) at distance 1."""
    value = domain.value_domain
    known = is_number(value) and not domain.key_domain.nan
    lo, hi = bounds_of(value) if known else (-INF, INF)
    norm = _ALL_NORMS[type(metric)]
    space = Keyed(row(domain.key_domain), Scalar(_element(value), lo, hi), norm)
    return space if per is None else msgspec.structs.replace(space, per=per)


def _element(domain: AtomDomain) -> str:
    return "Int" if kind(domain.T) == "int" else "Real"


def differing(domain: BitVectorDomain) -> Expr | None:
    """How many bits of two vectors of one length may differ; None if that is not known."""
    bounds = [num(2 * domain.max_weight)] if domain.max_weight is not None else []
    bounds += [num(domain.size)] if domain.size is not None else []
    return minimum(*bounds) if bounds else None


def _bits(domain: Any, metric: Any) -> Placed:
    size = None if domain.size is None else num(domain.size)
    most = differing(domain)
    return Placed(Vector("Bool", "L1", size), (INF if most is None else most) * D)


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
    return isinstance(inner, UserDomain) or isinstance(metric, metrics.UserDistance)


_TEXT: Domain = AtomDomain("String")
#: The cells of one line of a text.
_CELLS = VectorDomain(_TEXT)
#: (applies to domain and metric, the placed space); the first that applies counts.
PLACES: list[tuple[Callable[[Any, Any], bool], Callable[[Any, Any], Placed]]] = [
    (
        lambda d, m: d == _TEXT and type(m) is metrics.SymmetricDistance,
        lambda d, m: Placed(Lines()),
    ),
    (
        lambda d, m: isinstance(d, DataFrameDomain) and type(m) is metrics.SymmetricDistance,
        lambda d, m: Placed(Records(Named())),
    ),
    (_is_user, _opaque),
    (
        lambda d, m: isinstance(d, OptionDomain) and isinstance(m, metrics.DiscreteDistance),
        lambda d, m: Placed(_option(d)),
    ),
    (
        lambda d, m: isinstance(d, MapDomain) and type(m) in _ALL_NORMS,
        lambda d, m: Placed(keyed(d, m)),
    ),
    (lambda d, m: isinstance(d, VectorDomain) and type(m) in _ROWS, _rows),
    (
        lambda d, m: (
            isinstance(d, VectorDomain) and type(m) in _NORMS and is_number(d.element_domain)
        ),
        _numbers,
    ),
    (lambda d, m: isinstance(m, metrics.AbsoluteDistance) and is_number(d), _number),
    (
        lambda d, m: isinstance(m, metrics.DiscreteDistance) and isinstance(d, AtomDomain),
        _datum,
    ),
    (
        lambda d, m: isinstance(m, metrics.DiscreteDistance) and isinstance(d, BitVectorDomain),
        _bits,
    ),
]
#: (applies to the domain of elements, the space of a row).
ROWS: list[tuple[Callable[[Any], bool], Callable[[Any], Any]]] = [
    (lambda d: d == _CELLS, lambda d: Cells()),
    (lambda d: isinstance(d, OptionDomain), _option),
    (lambda d: isinstance(d, AtomDomain) and d.nan, lambda d: Maybe(row(with_nan(d, False)))),
    (lambda d: isinstance(d, AtomDomain) and not d.nan, _atom_row),
]


def unplaced(space: Space, like: tuple[Domain, Metric], T: str | None = None) -> Any:
    """The (domain, metric) of a rule's result.

    Args:
        like: the input's domain and metric: types and the way of counting rows are kept.
        T: atomic type of the numbers in the result, where the constructor names one.

    Raises:
        SpaceError: a space that OpenDP has no name for.
    """
    for applies, back in BACK:
        if applies(space):
            return back(space, like, T)
    raise SpaceError(f"{space} has no name in OpenDP", remedy="use metricdp.maps")


def _rows_back(space: Any, like: tuple[Domain, Metric], T: str | None) -> Any:
    element = row_domain(space.row, like, T)
    size = None if space.size is None or space.size.symbols else int(str(space.size))
    metric = _NAMES[space.metric]()
    was = like[1]
    counts_added = isinstance(was, metrics.SymmetricDistance | metrics.InsertDeleteDistance)
    if counts_added and space.sized and not space.row_metric.ordered:
        metric = metrics.SymmetricDistance()
    return VectorDomain(element, size), metric


def row_domain(space: Any, like: tuple[Domain, Metric], T: str | None) -> Domain:
    """The domain of one row."""
    if not isinstance(space, Scalar):
        raise SpaceError(f"{space} has no name in OpenDP", remedy="use metricdp.maps")
    return AtomDomain(_type(space.kind, like[0], T), _plain(space.lo, space.hi, space.kind))


def _scalar_back(space: Any, like: tuple[Domain, Metric], T: str | None) -> Any:
    if space.element == "Data":
        return row_domain(space, like, T), metrics.DiscreteDistance()
    name = _type("int" if space.element in ("Int", "Bool") else "float", like[0], T)
    return AtomDomain(name), metrics.AbsoluteDistance(name)


def _vector_back(space: Any, like: tuple[Domain, Metric], T: str | None) -> Any:
    name = _type("int" if space.element in ("Int", "Bool") else "float", like[0], T)
    size = None if space.size is None or space.size.symbols else int(str(space.size))
    return VectorDomain(AtomDomain(name), size), _OF_NORM[space.norm](name)


def _keyed_back(space: Any, like: Any, T: str | None) -> Any:
    name = T if T is not None else ("i32" if space.value.element == "Int" else "f64")
    key_name = {"str": "String", "int": "i32", "float": "f64", "bool": "bool"}[space.key.kind]
    atom = like[0]
    while not isinstance(atom, AtomDomain) and hasattr(atom, "element_domain"):
        atom = atom.element_domain
    if isinstance(atom, AtomDomain) and kind(atom.T) == space.key.kind:
        key_name = atom.T
    domain = MapDomain(AtomDomain(key_name), AtomDomain(name))
    metric = _OF_NORM[space.norm]
    inner = metrics.AbsoluteDistance(name)
    return domain, metric(inner if space.norm in _TRIPLES.values() else name)


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


#: (applies to a space, its domain and metric); the first that applies counts.
BACK: list[tuple[Callable[[Any], bool], Callable[..., Any]]] = [
    (lambda s: isinstance(s, Records) and isinstance(s.row, Maybe), _maybe_rows_back),
    (lambda s: isinstance(s, Keyed) and s.norm in _OF_NORM, _keyed_back),
    (lambda s: isinstance(s, Records), _rows_back),
    (lambda s: isinstance(s, Scalar), _scalar_back),
    (lambda s: isinstance(s, Entries), _vector_back),
]


def _type(wanted: str, like: Domain, T: str | None) -> str:
    """The type named by the caller, else the input's if it is of the wanted kind."""
    if T is not None and KINDS[T] == wanted:
        return T
    atom: Any = like
    while not isinstance(atom, AtomDomain) and hasattr(atom, "element_domain"):
        atom = atom.element_domain
    if isinstance(atom, AtomDomain) and kind(atom.T) == wanted:
        return atom.T
    return type_name(wanted)


def _plain(lo: Expr, hi: Expr, name: str) -> tuple[Any, Any] | None:
    if name not in ("int", "float") or lo.is_infinite or hi.is_infinite:
        return None
    low, high = lo.as_fraction(), hi.as_fraction()
    if low is None or high is None:
        return None
    return (int(low), int(high)) if name == "int" else (float(low), float(high))
