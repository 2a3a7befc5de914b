"""Vectors and gradients: lists of entries under a norm of the entries' distances."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from math import floor
from typing import TYPE_CHECKING, Any, Self

import msgspec

from metricdp.errors import SpaceError
from metricdp.expr import INF, ONE, ZERO, Expr
from metricdp.spaces.base import NEG_INF, Space, bound_value, size_value
from metricdp.spaces.lengths import INFINITE, Length
from metricdp.spaces.markers import ELEMENTS, element_name
from metricdp.spaces.norms import Norm, norm_name, norm_of
from metricdp.spaces.scalars import Scalar, canonical
from metricdp.spaces.words import entries_words, pair, radius_words, size_symbol, size_words

if TYPE_CHECKING:
    from random import Random

Number = int | Fraction
#: Pairs (norm, bound): the R norm of the value is at most the bound.
Radius = tuple[tuple[str, Expr], ...]


class Entries(Space, frozen=True):
    """What vectors and gradients share: a list of entries of one element under one norm.

    Attributes:
        element: "Real", "Int", "Bool" or "Data".
        norm: "L1", "L2" or "LInf", over the distances of the entries.
        size: number of entries; None in an annotation that no parameter has named yet.
        lo, hi: bounds of every entry (R values, also under Data); `lo >= 0` is the sign.
        radius: pairs (norm, bound) on the R norm of the whole value.
    """

    element: str
    norm: str
    size: Expr | None = None
    lo: Expr = NEG_INF
    hi: Expr = INF
    radius: Radius = ()

    def __post_init__(self) -> None:
        if self.element == "Bool":
            if self.lo == NEG_INF:
                msgspec.structs.force_setattr(self, "lo", ZERO)
            if self.hi == INF:
                msgspec.structs.force_setattr(self, "hi", ONE)

    def __class_getitem__(cls, item: Any) -> Self:
        element, norm = pair(cls.__name__, item)
        return cls(element_name(element), norm_name(norm))

    def __str__(self) -> str:
        return f"{type(self).__name__}[{self.element}, {self.norm}]"

    @property
    def geometry(self) -> type[Norm]:
        """The norm itself, not its name."""
        return norm_of(self.norm)

    @property
    def entry(self) -> Scalar:
        """The space of one entry."""
        return Scalar(self.element, self.lo, self.hi)

    @property
    def discrete(self) -> bool:
        """Two entries that differ are at distance 1."""
        return ELEMENTS[self.element].discrete

    @property
    def unit(self) -> str:
        if not self.discrete:
            return f"one unit of {self.norm} distance"
        return "one entry replaced" if self.geometry.inverse else "any change"

    def _facts(self) -> list[str]:
        return [
            *size_words(self.size, "entries", "entry"),
            *entries_words(self.element, self.lo, self.hi),
            *radius_words(self.radius),
        ]

    def named(self, parameter: str) -> Self:
        if self.size is not None:
            return self
        return msgspec.structs.replace(self, size=size_symbol("len", parameter))

    def contains(self, value: Any) -> bool:
        """Whether the value is a list of the right size with entries and norms within bounds."""
        if not isinstance(value, (list, tuple)):
            return False
        size = size_value(self.size)
        if size is not None and len(value) != size:
            return False
        cell = self.entry
        if not all(cell.contains(x) for x in value):
            return False
        if self.radius and not all(_finite(x) for x in value):
            return False
        return self._in_ball(value)

    def _in_ball(self, value: Sequence[Any]) -> bool:
        """Whether the R norms respect every radius."""
        for norm, bound in self.radius:
            if (c := bound_value(bound, True)) is None:
                continue
            length = norm_of(norm).length([abs(Fraction(x)) for x in value])
            if not length.at_most(c) and not _same_root(length, bound):
                return False
        return True

    def row_key(self, value: Any) -> Hashable:
        return tuple(canonical(entry) for entry in value)

    def length(self, x: Any, y: Any) -> Length:
        """The norm of the entries' distances; infinite for unequal lengths."""
        if len(x) != len(y):
            return INFINITE
        cell = self.entry
        return self.geometry.length([cell.gap(a, b) for a, b in zip(x, y, strict=True)])

    def sample(self, rng: Random, size_hint: int = 4) -> Any:
        """A list: independent entries, one repeated entry, or a single entry away from zero."""
        size = size_value(self.size)
        n = rng.randint(0, size_hint) if size is None else size
        cell = self.entry
        style = rng.random()
        if style < 0.15:
            x = [cell.sample(rng)] * n
        elif style < 0.3:
            x = [cell.nearest_zero()] * n
            if n:
                x[rng.randrange(n)] = cell.sample(rng)
        elif style < 0.45 and (edge := [e for e in self.extremes() if len(e) == n]):
            x = list(rng.choice(edge))
        else:
            x = [cell.sample(rng) for _ in range(n)]
        return self._pulled_in(x)

    def extremes(self) -> list[Any]:
        """Corners of the box and of the balls, and the empty list where the size is free."""
        return [list(corner) for corner in _corners(self)]

    def shrink(self, x: Any) -> Iterator[list[Any]]:
        """Fewer entries where the size is free; all zero; then one simpler entry at a time."""
        x = list(x)
        candidates: list[list[Any]] = []
        if size_value(self.size) is None:
            candidates += [x[: len(x) // 2], *(x[:i] + x[i + 1 :] for i in range(len(x)))]
        candidates.append([self.entry.zeroed(value) for value in x])
        for i, value in enumerate(x):
            candidates += [[*x[:i], simpler, *x[i + 1 :]] for simpler in self.entry.shrink(value)]
        for y in candidates:
            if y != x and self.contains(y):
                yield y

    def neighbours(self, x: Any, d: Number, rng: Random) -> Any:
        """A list of the domain at distance at most `d`, mostly exactly `d`."""
        x = list(x)
        if not x or d <= 0:
            return x
        if self.discrete:
            return self._replaced(x, d, rng)
        whole = self.element == "Int"
        for _ in range(8):
            y = self._shifted(x, self.geometry.moves(len(x), d, whole, rng), rng)
            if self.contains(y) and y != x:
                return y
        return self._stepped(x, d, rng) if whole else self._toward(x, Fraction(d), rng)

    def _pulled_in(self, x: list[Any]) -> list[Any]:
        """A point of the domain between `x` and the point of the box nearest to zero."""
        if self._in_ball(x):
            return x
        base = [self.entry.nearest_zero()] * len(x)
        if not self._in_ball(base):
            raise SpaceError(
                f"no value of {self.describe()} exists", remedy="widen the bounds or the radius"
            )
        factor = Fraction(1)
        if not any(base):
            for norm, bound in self.radius:
                c = bound_value(bound, True)
                if c is None or not any(x):
                    continue
                length = norm_of(norm).length([abs(Fraction(v)) for v in x])
                factor = min(factor, length.share(c))
        while True:
            y = [self._between(b, v, factor) for b, v in zip(base, x, strict=True)]
            if self._in_ball(y):
                return y
            factor = factor / 2 if factor > Fraction(1, 2**30) else Fraction(0)

    def _between(self, base: Any, value: Any, factor: Fraction) -> Any:
        moved = base + factor * (Fraction(value) - base)
        if self.element == "Bool":
            return bool(int(moved))
        return base + int(moved - base) if self.element == "Int" else moved

    def _shifted(self, x: list[Any], move: list[Number], rng: Random) -> list[Any]:
        """Each entry moved up or down, or to its bound, rather than out of the box."""
        cell = self.entry
        together = rng.choice((1, -1)) if rng.random() < 0.5 else 0
        result = []
        for value, step in zip(x, move, strict=True):
            sign = together or rng.choice((1, -1))
            there = value + sign * step
            if there != value and not cell.contains(there):
                back = value - sign * step
                there = back if cell.contains(back) else value
            result.append(there)
        return result

    def _stepped(self, x: list[Any], d: Number, rng: Random) -> list[Any]:
        """Single steps of 1 in random coordinates, as long as domain and distance allow."""
        y = list(x)
        for _ in range(4 * floor(d)):
            z = list(y)
            z[rng.randrange(len(z))] += rng.choice((1, -1))
            if self.contains(z) and self.length(x, z).at_most(d):
                y = z
        return y

    def _toward(self, x: list[Any], d: Fraction, rng: Random) -> list[Any]:
        """A point on the segment to another point of the domain, which is convex."""
        corners = [e for e in self.extremes() if len(e) == len(x)]
        for _ in range(4):
            if corners and rng.random() < 0.6:
                target = rng.choice(corners)
            else:
                target = self.sample(rng, len(x))
            if len(target) != len(x) or target == x:
                continue
            gaps = [abs(Fraction(b) - Fraction(a)) for a, b in zip(x, target, strict=True)]
            length = self.geometry.length(gaps)
            if length.at_most(d):
                return list(target)
            share = length.share(d)
            return [a + share * (Fraction(b) - a) for a, b in zip(x, target, strict=True)]
        return x

    def _replaced(self, x: list[Any], d: Number, rng: Random) -> list[Any]:
        """As many entries replaced as the discrete norm allows."""
        if d < 1:
            return x
        if not self.geometry.inverse and rng.random() < 0.6:
            corners = [e for e in self.extremes() if len(e) == len(x)]
            if corners and rng.random() < 0.6:
                return list(rng.choice(corners))
            drawn: list[Any] = self.sample(rng, len(x))
            if len(drawn) == len(x):
                return drawn
        changes = self.geometry.changes(d, len(x))
        y = list(x)
        for i in rng.sample(range(len(x)), min(changes, len(x))):
            old = y[i]
            options = [self.entry.other(old, rng), self.entry.nearest_zero()]
            if not isinstance(old, (str, bool)):
                options[1:1] = [-old, old + 1, Fraction(old) / 2]
            for option in options:
                y[i] = option
                if option != old and self.contains(y):
                    break
                y[i] = old
        return y


class Vector(Entries, frozen=True):
    """A vector, `Vector[E, N]`; unequal lengths are at distance oo.  Fields: see `Entries`."""


class Gradient(Entries, frozen=True):
    """A gradient or tensor, `Gradient[E, N]`, under the metric of its flattening.

    Its reference value is the flat list of its entries; the shape is public.

    Attributes:
        shape: numbers of rows and columns of an array with two axes; () where no shape is known.
    """

    shape: tuple[Expr, ...] = ()


def _same_root(length: Length, bound: Expr) -> bool:
    """An irrational bound is rounded down where it is compared; a value may still attain it."""
    return bound.as_fraction() is None and not length.infinite and length.expr() == bound


def _finite(x: Any) -> bool:
    return isinstance(x, (int, Fraction)) or (not isinstance(x, str) and x - x == 0)


@lru_cache(maxsize=256)
def _corners(space: Entries) -> tuple[tuple[Any, ...], ...]:
    size = size_value(space.size)
    n = 2 if size is None else size
    cell = space.entry
    ends = cell.extremes()
    found = [[end] * n for end in ends]
    if n:
        found += [[ends[i % 2 - 2] for i in range(n)], [ends[-1], *[ends[0]] * (n - 1)]]
        for norm, bound in space.radius:
            if (c := bound_value(bound, True)) is not None:
                found += norm_of(norm).edge(c, n)
    if size is None:
        found.append([])
    if space.element == "Int":
        found = [[int(v) for v in x] for x in found]
    elif space.element == "Bool":
        found = [[bool(int(v)) for v in x] for x in found]
    unique: list[list[Any]] = []
    for x in found:
        if x not in unique and space.contains(x):
            unique.append(x)
    return tuple(map(tuple, unique))
