"""Dictionaries and bit vectors: their spaces, and back."""

from __future__ import annotations

from typing import Any

import msgspec

from metricdp.errors import ParameterError
from metricdp.expr import D, Expr, minimum, num
from metricdp.opendp import metrics
from metricdp.opendp.domains import AtomDomain, Domain, MapDomain
from metricdp.opendp.placing import BACK, PLACES, Placed, row
from metricdp.opendp.types import kind
from metricdp.spaces import Keyed, Scalar, Vector

_TRIPLES: dict[type[metrics.Metric], str] = {
    metrics.L01InfDistance: "L01Inf",
    metrics.L02InfDistance: "L02Inf",
}
_NORMS: dict[type[metrics.Metric], str] = {
    metrics.L1Distance: "L1",
    metrics.L2Distance: "L2",
    metrics.LInfDistance: "LInf",
}
_OF_NORM: dict[str, Any] = {
    **{norm: metric for metric, norm in _NORMS.items()},
    **{norm: metric for metric, norm in _TRIPLES.items()},
}
Triple = tuple[Expr, Expr, Expr]


def keyed(domain: MapDomain, metric: Any, per: Triple | None = None) -> Keyed:
    """The space of a dictionary; `per` is (l0, l1 or l2, linf) at distance 1."""
    norm = {**_TRIPLES, **_NORMS}[type(metric)]
    value = Scalar("Int" if kind(domain.value_domain.T) == "int" else "Real")
    key: Any = row(domain.key_domain)
    space = Keyed(key, value, norm)
    return space if per is None else msgspec.structs.replace(space, per=per)


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


class BitVectorDomain(Domain, frozen=True):
    """Bit vectors, as bytes (the lowest bit of a byte first) or lists of Booleans.

    Attributes:
        max_weight: most ones; further ones are cleared when data enter.
        size: the public number of bits, the same for every vector; None: the caller's promise.
    """

    max_weight: int | None = None
    size: int | None = None

    @property
    def carrier_type(self) -> str:
        return "BitVector"

    def member(self, value: Any) -> bool:
        bits = bits_of(value)
        fits = self.max_weight is None or sum(bits) <= self.max_weight
        return fits and (self.size is None or len(bits) == self.size)

    def __repr__(self) -> str:
        facts = [f"max_weight={self.max_weight}"] if self.max_weight is not None else []
        facts += [f"size={self.size}"] if self.size is not None else []
        return f"BitVectorDomain({', '.join(facts)})"


def bitvector_domain(max_weight: int | None = None, size: int | None = None) -> BitVectorDomain:
    """Bit vectors with at most `max_weight` ones.

    Two vectors of different lengths would be told apart by the length of the answer: all vectors
    have one public length, `size` bits where it is given.

    Raises:
        ParameterError: a weight or size that is no count.
    """
    for name, value in (("max_weight", max_weight), ("size", size)):
        if value is not None and (isinstance(value, bool) or not isinstance(value, int)):
            raise ParameterError(f"{value!r} is no count", place=name, remedy=f"{name}=8")
        if value is not None and value < 0:
            raise ParameterError(f"{value} is negative", place=name, remedy=f"{name}=8")
    return BitVectorDomain(max_weight, size)


def bits_of(value: Any) -> list[bool]:
    """The bits of bytes, the lowest of each byte first; of a list, entry by entry."""
    if isinstance(value, bytes | bytearray):
        return [bool(byte >> i & 1) for byte in value for i in range(8)]
    return [bool(bit) for bit in value]


def bytes_of(bits: list[bool]) -> bytes:
    """The inverse of `bits_of`; the last byte is filled with zeros."""
    bytewise = (bits[i : i + 8] for i in range(0, len(bits), 8))
    return bytes(sum(bit << i for i, bit in enumerate(byte)) for byte in bytewise)


def differing(domain: BitVectorDomain) -> Expr | None:
    """How many bits of two vectors of one length may differ; None if that is not known."""
    bounds = [num(2 * domain.max_weight)] if domain.max_weight is not None else []
    bounds += [num(domain.size)] if domain.size is not None else []
    return minimum(*bounds) if bounds else None


def _bits(domain: Any, metric: Any) -> Placed:
    size = None if domain.size is None else num(domain.size)
    most = differing(domain)
    from metricdp.expr import INF

    return Placed(Vector("Bool", "L1", size), (INF if most is None else most) * D)


PLACES.append(
    (
        lambda d, m: isinstance(d, MapDomain) and type(m) in {**_TRIPLES, **_NORMS},
        lambda d, m: Placed(keyed(d, m)),
    )
)
PLACES.append(
    (
        lambda d, m: isinstance(d, BitVectorDomain) and isinstance(m, metrics.DiscreteDistance),
        _bits,
    )
)
BACK.insert(0, (lambda space: isinstance(space, Keyed) and space.norm != "L0", _keyed_back))
