"""OpenDP's domains, as data.  `metricdp.opendp.placing` makes spaces of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import isfinite
from typing import Any

import msgspec

from metricdp.errors import MetricdpError, ParameterError
from metricdp.opendp.types import kind, type_name, type_of


class Domain(msgspec.Struct, frozen=True):
    """A set of values."""

    @property
    def carrier_type(self) -> str:
        """OpenDP's name of the type of the values."""
        raise NotImplementedError

    @property
    def type(self) -> str:
        """Name of the kind of domain."""
        return type(self).__name__

    def member(self, value: Any) -> bool:
        """Whether a value belongs to the domain."""
        raise NotImplementedError


class AtomDomain(Domain, frozen=True):
    """Single values of one type; `bounds` inclusive; `nan` only of floats."""

    T: str
    bounds: tuple[Any, Any] | None = None
    nan: bool = False

    @property
    def carrier_type(self) -> str:
        return self.T

    def member(self, value: Any) -> bool:
        name = kind(self.T)
        if name == "float" and isinstance(value, float) and value != value:
            return self.nan
        fits = {
            "float": isinstance(value, int | float) and not isinstance(value, bool),
            "int": isinstance(value, int) and not isinstance(value, bool),
            "bool": isinstance(value, bool),
            "str": isinstance(value, str),
        }
        if not fits[name]:
            return False
        return self.bounds is None or self.bounds[0] <= value <= self.bounds[1]

    def __repr__(self) -> str:
        facts = [f"bounds=[{self.bounds[0]}, {self.bounds[1]}]"] if self.bounds else []
        facts += ["nan=true"] if self.nan else []
        return f"AtomDomain({', '.join([*facts, f'T={self.T}'])})"


class OptionDomain(Domain, frozen=True):
    """Values of a domain, or None."""

    element_domain: AtomDomain

    @property
    def carrier_type(self) -> str:
        return f"Option<{self.element_domain.carrier_type}>"

    def member(self, value: Any) -> bool:
        return value is None or self.element_domain.member(value)

    def __repr__(self) -> str:
        return f"OptionDomain({self.element_domain!r})"


class VectorDomain(Domain, frozen=True):
    """Lists of values of a domain; `size` is their public length."""

    element_domain: Domain
    size: int | None = None

    @property
    def carrier_type(self) -> str:
        return f"Vec<{self.element_domain.carrier_type}>"

    def member(self, value: Any) -> bool:
        items = list(value)
        sized = self.size is None or len(items) == self.size
        return sized and all(self.element_domain.member(item) for item in items)

    def __repr__(self) -> str:
        size = f", size={self.size}" if self.size is not None else ""
        return f"VectorDomain({self.element_domain!r}{size})"


class MapDomain(Domain, frozen=True):
    """Dictionaries from keys of one domain to values of another."""

    key_domain: AtomDomain
    value_domain: AtomDomain

    @property
    def carrier_type(self) -> str:
        return f"HashMap<{self.key_domain.carrier_type}, {self.value_domain.carrier_type}>"

    def member(self, value: Any) -> bool:
        return isinstance(value, dict) and all(
            self.key_domain.member(k) and self.value_domain.member(v) for k, v in value.items()
        )

    def __repr__(self) -> str:
        return (
            f"MapDomain {{ key_domain: {self.key_domain!r}, value_domain: {self.value_domain!r} }}"
        )


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


class DataFrameDomain(Domain, frozen=True):
    """Tables whose columns are found by name; names are texts."""

    K: str = "String"

    @property
    def carrier_type(self) -> str:
        return f"DataFrame<{self.K}>"

    def member(self, value: Any) -> bool:
        return isinstance(value, Mapping) or hasattr(value, "columns")

    def __repr__(self) -> str:
        return f'DataFrameDomain("{self.K}")'


class UserDomain(Domain, frozen=True, eq=False):
    """Values that pass a test of the user; two are equal by name and description."""

    identifier: str
    test: Callable[[Any], bool]
    descriptor: Any = None

    @property
    def carrier_type(self) -> str:
        return "ExtrinsicObject"

    def member(self, value: Any) -> bool:
        return bool(self.test(value))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, UserDomain):
            return NotImplemented
        return (self.identifier, self.descriptor) == (other.identifier, other.descriptor)

    def __hash__(self) -> int:
        return hash(self.identifier)

    def __repr__(self) -> str:
        return f"UserDomain({self.identifier})"


def atom_domain(bounds: Any = None, nan: bool | None = None, T: Any = None) -> AtomDomain:
    """Single values.

    Args:
        bounds: inclusive (lower, upper), both finite numbers.
        nan: whether NaN belongs to the domain; of floats, True if left out.
        T: type of the values; read from the bounds if left out.

    Raises:
        ParameterError: neither bounds nor T, reversed or non-finite bounds, NaN of no float.
    """
    if bounds is None and T is None:
        raise ParameterError(
            "a domain of what?", place="atom_domain", remedy="atom_domain(T=float)"
        )
    name = type_name(T) if T is not None else type_of(bounds)
    if bounds is not None:
        bounds = checked_bounds(bounds, "atom_domain")
        if kind(name) == "str":
            raise ParameterError("strings have no bounds", place="atom_domain")
    if kind(name) != "float" and nan:
        raise ParameterError(f"{name} has no NaN", place="atom_domain", remedy="leave `nan` out")
    return AtomDomain(name, bounds, kind(name) == "float" and nan is not False)


def checked_bounds(bounds: Any, place: str) -> tuple[Any, Any]:
    """A pair of finite numbers in order.

    Raises:
        ParameterError: anything else.
    """
    if not isinstance(bounds, list | tuple) or len(bounds) != 2:
        raise ParameterError("bounds are a pair", place=place, remedy="bounds=(lower, upper)")
    lower, upper = bounds
    for value in bounds:
        if isinstance(value, bool | str) or not hasattr(value, "__float__"):
            raise ParameterError("a bound is a number", place=place, remedy="bounds=(0.0, 100.0)")
        if not isfinite(value):
            raise ParameterError(
                f"the bound {value} is not finite", place=place, remedy="give finite bounds"
            )
    if lower > upper:
        raise ParameterError(
            f"the lower bound {lower} is above the upper bound {upper}",
            place=place,
            remedy=f"bounds=({upper}, {lower})",
        )
    return lower, upper


def option_domain(element_domain: Domain, D: Any = None) -> OptionDomain:
    """Values of `element_domain`, or None."""
    return OptionDomain(_expect(element_domain, AtomDomain, "option_domain", "atom_domain(T=...)"))


def vector_domain(atom_domain: Domain, size: int | None = None) -> VectorDomain:
    """Lists of values of a domain, of a public length if `size` is given.

    Raises:
        ParameterError: no domain of elements, or a size that is no count.
    """
    element = _expect(atom_domain, Domain, "vector_domain", "vector_domain(atom_domain(T=float))")
    if size is not None and (isinstance(size, bool) or not isinstance(size, int) or size < 0):
        raise ParameterError(f"{size!r} is no size", place="vector_domain", remedy="size=100")
    return VectorDomain(element, size)


def map_domain(key_domain: Domain, value_domain: Domain) -> MapDomain:
    """Dictionaries."""
    key = _expect(key_domain, AtomDomain, "map_domain", "map_domain(atom_domain(T=str), ...)")
    value = _expect(value_domain, AtomDomain, "map_domain", "map_domain(..., atom_domain(T=int))")
    return MapDomain(key, value)


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


def user_domain(
    identifier: str, member: Callable[[Any], bool], descriptor: Any = None
) -> UserDomain:
    """Values that pass a test of the user.

    Args:
        identifier: name; domains of one name and descriptor are equal.
        member: tells whether a value belongs to the domain.
        descriptor: anything more that is to be known of it.

    Raises:
        ParameterError: an empty name, or a test that is no function.
    """
    if not isinstance(identifier, str) or not identifier:
        raise ParameterError("a domain needs a name", place="user_domain", remedy='"ages"')
    if not callable(member):
        raise ParameterError("`member` is a function of a value", place="user_domain")
    return UserDomain(identifier, member, descriptor)


def _expect(given: Any, wanted: Any, place: str, remedy: str) -> Any:
    if isinstance(given, wanted):
        return given
    fact = f"{getattr(given, '__name__', type(given).__name__)} is no {wanted.__name__}"
    raise WrongElementError(fact, place=place, remedy=remedy)


class WrongElementError(MetricdpError, TypeError):
    """A domain, metric or measure was expected, and something else was given."""
