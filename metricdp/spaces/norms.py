"""Norms: how the distances of the entries make the distance of two vectors.

One class per norm, never instantiated: the marker of annotations is the object that answers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cache, lru_cache
from math import floor, isqrt
from typing import TYPE_CHECKING, Any, ClassVar

from metricdp.errors import SpaceError
from metricdp.expr import ONE, ZERO, Expr, maximum, num, power, root
from metricdp.spaces.lengths import Length, quotient_below, rational, root_of, squared, summed
from metricdp.spaces.markers import Marker, is_marker, show

if TYPE_CHECKING:
    from random import Random

Number = int | Fraction
#: Integer vectors with a rational Euclidean norm: (vector, norm).
_PYTHAGOREAN = (((3, 4), 5), ((5, 12), 13), ((1, 2, 2), 3), ((2, 3, 6), 7), ((1, 1, 1, 1), 2))


class Norm(Marker):
    """The p-norm of the entries' distances.

    Attributes:
        inverse: 1/p, 0 for the largest entry.
    """

    inverse: ClassVar[Fraction]

    @classmethod
    def example(cls) -> str:
        return f"Vector[Real, {cls.name}]"

    @classmethod
    def length(cls, distances: Iterable[Fraction]) -> Length:
        """The norm of nonnegative numbers."""
        raise NotImplementedError

    @classmethod
    def combined(cls, parts: Sequence[Expr]) -> Expr:
        """The norm of a vector from the norms of its parts, each at least 0; oo if one is."""
        raise NotImplementedError

    @classmethod
    def of_ones(cls, n: Expr) -> Expr:
        """The norm of n ones, n**(1/p): how far n entries move that move by 1 each."""
        return power(n, num(cls.inverse))

    @classmethod
    def changes(cls, d: Number, n: int) -> int:
        """How many of n entries under the discrete metric may differ at distance d >= 1."""
        raise NotImplementedError

    @classmethod
    def moves(cls, n: int, d: Number, whole: bool, rng: Random) -> list[Number]:
        """Nonnegative moves of n entries of norm `d`, or just below it; integers if `whole`."""
        raise NotImplementedError

    @classmethod
    def widest(cls, d: Number, n: int) -> list[Number]:
        """Nonnegative moves of n entries of norm `d`, or just below it, with the largest sum."""
        return [cls.length([Fraction(1)] * n).share(Fraction(d))] * n

    @classmethod
    def edge(cls, c: Fraction, n: int) -> list[list[Any]]:
        """Points of n > 0 entries on the sphere of radius `c`, or just inside it."""
        zero = Fraction(0)
        return [[c, *[zero] * (n - 1)], [-c, *[zero] * (n - 1)], [*[zero] * (n - 1), c]]


class L1(Norm):
    """Sum of the entries' distances."""

    name = "L1"
    inverse = Fraction(1)

    @classmethod
    def length(cls, distances: Iterable[Fraction]) -> Length:
        return rational(summed(distances))

    @classmethod
    def combined(cls, parts: Sequence[Expr]) -> Expr:
        return sum(parts, ZERO)

    @classmethod
    def changes(cls, d: Number, n: int) -> int:
        return floor(d)

    @classmethod
    def moves(cls, n: int, d: Number, whole: bool, rng: Random) -> list[Number]:
        return split(floor(d) if whole else d, n, rng, whole=whole)

    @classmethod
    def widest(cls, d: Number, n: int) -> list[Number]:
        return [d, *[Fraction(0)] * (n - 1)]

    @classmethod
    def edge(cls, c: Fraction, n: int) -> list[list[Any]]:
        return [*super().edge(c, n), [c / n] * n, [-c / n] * n]


class L2(Norm):
    """Root of the sum of the squared distances of the entries."""

    name = "L2"
    inverse = Fraction(1, 2)

    @classmethod
    def length(cls, distances: Iterable[Fraction]) -> Length:
        return root_of(summed(map(squared, distances)))

    @classmethod
    def combined(cls, parts: Sequence[Expr]) -> Expr:
        return root(sum((part * part for part in parts), ZERO))

    @classmethod
    def changes(cls, d: Number, n: int) -> int:
        return floor(Fraction(d) ** 2)

    @classmethod
    def moves(cls, n: int, d: Number, whole: bool, rng: Random) -> list[Number]:
        return _whole_direction(n, floor(d), rng) if whole else _direction(n, Fraction(d), rng)

    @classmethod
    def edge(cls, c: Fraction, n: int) -> list[list[Any]]:
        points = super().edge(c, n)
        if n >= 2:
            points.append([c * 3 / 5, c * 4 / 5, *[Fraction(0)] * (n - 2)])
            side = quotient_below(c, Fraction(n))
            points += [[side] * n, [-side] * n]
        return points


class LInf(Norm):
    """Largest distance of an entry."""

    name = "LInf"
    inverse = Fraction(0)

    @classmethod
    def length(cls, distances: Iterable[Fraction]) -> Length:
        return rational(max(distances, default=Fraction(0)))

    @classmethod
    def combined(cls, parts: Sequence[Expr]) -> Expr:
        return maximum(*parts) if parts else ZERO

    @classmethod
    def changes(cls, d: Number, n: int) -> int:
        return n

    @classmethod
    def moves(cls, n: int, d: Number, whole: bool, rng: Random) -> list[Number]:
        if whole:
            d = floor(d)
        if rng.random() < 0.5:
            return [d] * n
        parts = [rng.choice((0, d, d if whole else Fraction(d) / 2)) for _ in range(n)]
        parts[rng.randrange(n)] = d
        return parts

    @classmethod
    def edge(cls, c: Fraction, n: int) -> list[list[Any]]:
        turns = [c if i % 2 else -c for i in range(n)]
        return [*super().edge(c, n), [c] * n, [-c] * n, turns]


NORMS: dict[str, type[Norm]] = {norm.name: norm for norm in (L1, L2, LInf)}
#: Their names, the order in which each bounds those behind it.
NORM_NAMES = tuple(NORMS)


def norm_of(name: str) -> type[Norm]:
    """The norm of a name.

    Raises:
        SpaceError: no norm is called that.
    """
    found = NORMS.get(name)
    if found is None:
        raise SpaceError(f"{show(name)} is no norm", remedy=f"write {_known()}")
    return found


def norm_name(item: object) -> str:
    """The name of the norm that a marker or a string means.

    Raises:
        SpaceError: `item` names no norm.
    """
    name = item.name if is_marker(item) else item
    if not isinstance(name, str) or name not in NORMS:
        raise SpaceError(f"{show(item)} is no norm", remedy=f"write {_known()}")
    return name


@cache
def dual(name: str) -> str:
    """The norm q with |<w, x>| <= |w|_q |x|_p (Hoelder): 1/q = 1 - 1/p, or the nearest above it."""
    least = 1 - norm_of(name).inverse
    above = [norm for norm in NORMS.values() if norm.inverse >= least]
    return min(above, key=lambda norm: norm.inverse).name


def _known() -> str:
    return f"{', '.join(NORM_NAMES[:-1])} or {NORM_NAMES[-1]}"


@lru_cache(maxsize=2048)
def conversion(p: str, q: str, n: Expr) -> Expr:
    """n**max(0, 1/q - 1/p): the constant of the identity from L_p to L_q on n entries.

    Tight over the reals and over discrete entries; for matrices n is the number of columns.
    """
    exponent = max(Fraction(0), norm_of(q).inverse - norm_of(p).inverse)
    return ONE if exponent == 0 else power(n, num(exponent))


def split(d: Number, n: int, rng: Random, *, whole: bool = False) -> list[Number]:
    """Random nonnegative shares with sum `d`; integers if `whole` or in some draws."""
    shares: list[Number] = [0] * n
    style = rng.random()
    if n == 0 or d <= 0:
        return shares
    if style < 0.4:
        shares[rng.randrange(n)] = d
    elif style < 0.7 or whole:
        for _ in range(floor(d)):
            shares[rng.randrange(n)] += 1
        if not whole:
            shares[rng.randrange(n)] += d - floor(d)
    elif style < 0.85:
        shares = [Fraction(d) / n] * n
    else:
        weights = [rng.randint(0, 8) for _ in range(n)]
        weights[rng.randrange(n)] += 1
        shares = [Fraction(d) * weight / sum(weights) for weight in weights]
    return shares


def _direction(n: int, d: Fraction, rng: Random) -> list[Number]:
    """A rational vector of Euclidean norm `d`, or just below it when it is spread evenly."""
    style = rng.random()
    if n == 1 or style < 0.3:
        return _placed([d], n, rng)
    if style < 0.55:
        vector, norm = rng.choice([p for p in _PYTHAGOREAN if len(p[0]) <= n])
        return _placed([d * v / norm for v in vector], n, rng)
    if style < 0.75:
        square = isqrt(n) ** 2 == n
        return [d / isqrt(n) if square else quotient_below(d, Fraction(n))] * n
    # The inverse stereographic projection of a rational point is a rational unit vector.
    point = [Fraction(rng.randint(0, 4), rng.choice((1, 2, 4))) for _ in range(n - 1)]
    square_sum = sum((t * t for t in point), Fraction(0))
    last = abs(square_sum - 1) / (square_sum + 1)
    return [d * v for v in (*(2 * t / (square_sum + 1) for t in point), last)]


def _whole_direction(n: int, d: int, rng: Random) -> list[Number]:
    """An integer vector of Euclidean norm at most `d`: one entry, or a random filling."""
    if rng.random() < 0.4:
        return _placed([d], n, rng)
    vector: list[int] = [0] * n
    budget = d * d
    for i in rng.sample(range(n), n):
        vector[i] = rng.randint(0, min(2, isqrt(budget)))
        budget -= vector[i] ** 2
    i = rng.randrange(n)
    vector[i] = isqrt(budget + vector[i] ** 2)
    return list(vector)


def _placed(values: list[Any], n: int, rng: Random) -> list[Number]:
    result: list[Number] = [0] * n
    for i, value in zip(rng.sample(range(n), len(values)), values, strict=True):
        result[i] = value
    return result
