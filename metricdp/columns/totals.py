"""Sums over rows of what each adds within its bound, a piece at a time: integers all the way.

Ticks are whole doubles below 2**53 where they fit: a sum of few enough of them is exact in any
order, and so is a product of two halves of them, so what adds and multiplies them may be anything
that NumPy has.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache
from math import inf
from typing import Any, Final, NamedTuple

import numpy as np

from metricdp.columns.arrays import finite_numbers, range_ticks
from metricdp.columns.grids import Ball, BallBeside, Bound, GridRange, Squares, into_ball, scaled
from metricdp.columns.language import Node, nearest
from metricdp.columns.reference import added
from metricdp.columns.sums import total

#: Ticks of a ball are smaller, unless it holds integers.
_TICK: Final = 1 << 40
#: Places of a grid that doubles are scaled to.
_DEEP: Final = 900
#: Results of a product are finite.
_LARGE: Final = 1e300
#: A double is no tick unless its product with a smaller number is of one whose square is normal.
_SMALL: Final = 2.0**500
#: Norm -> what no row of some vectors is larger than, before rounding; see `Returning.largest`.
Size = Callable[[str], float]
#: Rows of which ticks are made at one time: as many as add up within 53 bits.
_ROWS: Final = 1 << 13
#: Rows whose products of half ticks do.
_PRODUCTS: Final = 1 << 12
#: Products of numbers that the linear algebra makes in one thread, and slices too short for it.
_ALONE: Final = 1 << 18
_NARROW: Final = 1 << 9
_HALF: Final = 20
_SHIFT: Final = 1.5 * 2.0 ** (52 + _HALF)
#: Rows after which sums in 64 bits, of 40 bits per row, are added to Python's integers.
_MANY: Final = 1 << 20


def total_of(bound: Bound, width: int | None, whole: bool) -> Any:
    """A sum over rows, with nothing in it yet.

    Args:
        width: numbers of a vector.
        whole: the reference adds it up.
    """
    if whole:
        return ReferenceTotal(bound, width)
    kinds = {GridRange: RangeTotal, Ball: BallTotal, Squares: SquaresTotal}
    return kinds[type(bound)](bound, width)


def finished(bound: Bound, ticks: Any, width: int | None) -> Any:
    """A sum in ticks, None of no rows, as a rational; of vectors as `Numbers`."""
    if isinstance(bound, GridRange):
        return scaled(ticks or 0, bound.exponent)
    squares = isinstance(bound, Squares)
    ball = bound.ball if isinstance(bound, Squares) else bound
    listed = [0] * ((width or 0) ** (2 if squares else 1)) if ticks is None else ticks
    most = max(map(abs, listed), default=0)
    array = np.empty(len(listed), np.int64 if most < 1 << 62 else object)
    array[:] = listed
    from metricdp.values import Numbers

    return Numbers(array, _unit(ball.entries.exponent * (2 if squares else 1)), most=most)


@lru_cache(maxsize=64)
def _unit(exponent: int) -> Fraction:
    """2**exponent."""
    return scaled(Fraction(1), exponent)


def add_all(
    sums: Sequence[Any],
    bounds: Sequence[Bound],
    values: Sequence[Any],
    sizes: Sequence[Size | None],
) -> None:
    """Add a piece of rows to every sum; vectors that two of them add are moved once.

    Args:
        sizes: for every sum what is known of the vectors that it adds, or of those whose products
            it adds.
    """
    if len(sums) == 1 and type(sums[0]) is BallTotal:
        each_ticks(values[0], bounds[0], sizes[0], sums[0].add_ticks)  # type: ignore[arg-type]
        return
    balls: list[tuple[Any, Any, Ball | BallBeside, Size | None]] = []
    for held, bound, x, size in zip(sums, bounds, values, sizes, strict=True):
        if isinstance(bound, GridRange) or isinstance(held, ReferenceTotal):
            held.add(x)
        else:
            balls.append((held, x, bound.ball if isinstance(bound, Squares) else bound, size))
    if len(balls) == 1:
        ((held, x, ball, size),) = balls
        each_ticks(x, ball, size, held.add_ticks)
        return
    known: dict[tuple[int, int], Any] = {}
    for held, x, ball, size in balls:
        key = id(x), id(ball)
        if key not in known:
            known[key] = ball_ticks(x, ball, size)
        held.add_ticks(known[key])


class ReferenceTotal:
    """The sum as the reference adds it up, row by row.

    Attributes:
        sum: in ticks.
    """

    def __init__(self, bound: Bound, width: int | None) -> None:
        self._bound = bound
        self._width = (width or 0) ** (2 if isinstance(bound, Squares) else 1)
        self.sum: Any = 0

    def add(self, x: Any) -> None:
        """Add the values of all rows: they come in one piece."""
        rows = x.T.tolist() if x.ndim == 2 else x.tolist()
        self.sum = added(rows, self._bound, self._width)


class RangeTotal:
    """The sum of numbers in a range.

    Attributes:
        sum: in ticks.
    """

    def __init__(self, bound: GridRange, width: int | None) -> None:
        self._bound, self.sum = bound, 0

    def add(self, x: Any) -> None:
        """Add the numbers of some rows."""
        self.sum += total(x, self._bound)


class BallTotal:
    """The sum of vectors in a ball."""

    def __init__(self, bound: Ball, width: int | None) -> None:
        self._bound = bound
        #: Rows whose ticks add up within 53 bits, where these are doubles.
        self._step = (1 << 53) // max(-bound.entries.first, bound.entries.last, 1)
        #: What was added up before the rows of `part`.
        self._sum: Any = None
        self._part, self._rows = np.zeros(width or 0, np.int64), 0

    @property
    def sum(self) -> list[int]:
        """In ticks."""
        found: list[int] = (self._part if self._sum is None else self._sum + self._part).tolist()
        return found

    def _more(self, sums: Any) -> None:
        self._sum = sums if self._sum is None else self._sum + sums

    def add(self, x: Any) -> None:
        """Add the vectors of some rows, an array of shape (width, rows)."""
        self.add_ticks(ball_ticks(x, self._bound))

    def add_ticks(self, ticks: Any) -> None:
        """Add what `ball_ticks` gave."""
        if ticks.dtype == object:
            self._more(ticks.sum(axis=1))
            return
        for start in range(0, ticks.shape[1], self._step):
            # Whole numbers add up in any order, and so in the quickest.
            part = np.einsum("ij->i", ticks[:, start : start + self._step])
            self._part += part.astype(np.int64)
        self._rows += ticks.shape[1]
        if self._rows > _MANY:
            self._more(self._part.astype(object))
            self._part[:], self._rows = 0, 0


class SquaresTotal:
    """The sum of x x^T, row by row in one vector, for vectors x in a ball."""

    def __init__(self, bound: Squares, width: int | None) -> None:
        width = width or 0
        self._bound, self._sum = bound, np.zeros((width, width), object)
        # Products of halves: of 2**20 with 2**20, of 2**20 with 1, of 1 with 1.
        units = np.repeat([2.0**-_HALF, 1.0], width)
        self._scale = np.outer(units, units)
        self._part, self._rows = np.zeros(self._scale.shape, np.int64), 0

    @property
    def sum(self) -> list[int]:
        """In squares of ticks."""
        self._flush()
        return list(self._sum.ravel())

    def _flush(self) -> None:
        width, part = len(self._sum), self._part.astype(object)
        mixed = part[:width, width:]
        self._sum += part[:width, :width] << 2 * _HALF
        self._sum += (mixed + mixed.T) << _HALF
        self._sum += part[width:, width:]
        self._part[:], self._rows = 0, 0

    def add(self, x: Any) -> None:
        """Add the products of some rows, an array of shape (width, rows)."""
        self.add_ticks(ball_ticks(x, self._bound.ball))

    def add_ticks(self, ticks: Any) -> None:
        """Add what `ball_ticks` gave."""
        if ticks.dtype == object:
            self._sum += ticks @ ticks.T
            return
        width = len(ticks)
        for start in range(0, ticks.shape[1], _PRODUCTS):
            part = ticks[:, start : start + _PRODUCTS]
            halves = np.empty((2 * width, part.shape[1]))
            high, low = halves[:width], halves[width:]
            # Adding rounds to multiples of 2**20: then both halves are of 20 bits.
            np.add(part, _SHIFT, out=high)
            np.subtract(high, _SHIFT, out=high)
            np.subtract(part, high, out=low)
            products = _gram(halves)
            np.multiply(products, self._scale, out=products)
            self._part += products.astype(np.int64)
        self._rows += ticks.shape[1]
        if self._rows > _MANY:
            self._flush()


def _gram(x: Any) -> Any:
    """x x^T of whole numbers, exact in any order.

    Few numbers are multiplied in slices that keep to one thread: several wait for each other longer
    than they work, and on a busy machine for a thousand times as long.  Some lines are multiplied
    with all, and then the others: of x with itself the linear algebra of few lines makes half of
    the products, in twice the time of all of them.
    """
    some = len(x) // 2
    step = _ALONE // max(1, len(x) * (len(x) - some))
    if step < _NARROW:
        return x @ x.T
    found = np.zeros((len(x), len(x)))
    for start in range(0, x.shape[1], step):
        part = x[:, start : start + step]
        found[:some] += part[:some] @ part.T
        found[some:] += part[some:] @ part.T
    return found


def factors(node: Node, bound: Bound) -> tuple[Node, ...]:
    """What is read of a vector that is added up in a ball: itself, or a number and a vector that it
    is the product of.

    The number may be scaled to ticks in place of the product where neither is too large, nor
    scaled down: then the product rounds to the same digits, or both are less than one tick.
    A clamp into the range of the ball's entries, or a wider one, is left to the ball.
    """
    if not isinstance(bound, Ball) or node.base != "double":
        return (node,)
    if node.operator == "clamp" and _clamps_anyway(bound, node):
        return factors(node.arguments[0], bound)
    if node.operator != "mul":
        return (node,)
    number, vector = sorted(node.arguments, key=lambda each: each.width or 0)
    unit = -bound.entries.exponent
    near = _in_doubles(bound) and unit >= 0 and number.most < _LARGE * 2.0**-unit
    by_row = number.width is None and vector.width and number.operator != "constant"
    return (number, vector) if near and node.most < _LARGE and by_row else (node,)


def _clamps_anyway(ball: Ball, node: Node) -> bool:
    """Whether entries that a node moves to one of its ends, the ball moves as far, or further."""
    low, high = node.public
    first, last = (
        scaled(t, ball.entries.exponent) for t in (ball.entries.first, ball.entries.last)
    )
    within = (low is None or low <= first) and (high is None or last <= high)
    return within and node.arguments[0].base == "double"


def _in_doubles(ball: Ball) -> bool:
    """Whether ticks are whole doubles that products of doubles are scaled to."""
    entries = ball.entries
    return max(-entries.first, entries.last) <= _TICK and abs(entries.exponent) <= _DEEP


def ball_ticks(x: Any, ball: Ball | BallBeside, size: Size | None = None) -> Any:
    """`Ball.ticks` of the columns of an array of doubles of shape (width, rows).

    Args:
        x: or a pair of one number per row and the vectors that they are to be multiplied with, as
            `factors` says.
        size: of the vectors, or of those of a pair.

    Returns:
        Whole doubles, or Python's integers where they do not suffice.
    """
    if isinstance(ball, BallBeside):
        last = range_ticks(x[-1], ball.last)
        return np.concatenate([ball_ticks(x[:-1], ball.ball), last[None]])
    known = _known_of(ball, len(x[1] if isinstance(x, tuple) else x))
    if known is None:
        rows = [ball.ticks(row) for row in finite_numbers(x).T.tolist()]
        found = np.empty((len(rows), len(x)), object)
        for line, row in zip(found, rows, strict=True):
            line[:] = row
        return found.T
    with np.errstate(all="ignore"):
        step, vector = _steps(x, known)
        ticks = np.multiply(step, vector)
        np.trunc(ticks, out=ticks)
        if size is not None and _surely_all(step, known, size):
            return ticks
        sure = _surely_inside(ticks, known)
    if sure is not None and sure.all():
        return ticks
    np.clip(ticks, known.first, known.last, out=ticks)
    # What is no number passes `clip`, and shows in the sum of its line.
    if np.isnan(np.einsum("ij->i", ticks)).any():
        ticks[np.isnan(ticks)] = 0.0
    if not ball.radii:
        return ticks
    unsure = np.arange(ticks.shape[1]) if sure is None else np.flatnonzero(~sure)
    left = ticks[:, unsure]
    outside = np.zeros(len(unsure), bool)
    for norm, radius in ball.radii:
        outside |= ~_inside(left, norm, radius)
    for place in unsure[outside].tolist():
        row = list(map(int, ticks[:, place].tolist()))
        for norm, radius in ball.radii:
            row = into_ball(row, norm, radius)
        ticks[:, place] = row
    return ticks


def each_ticks(
    x: Any, ball: Ball | BallBeside, size: Size | None, use: Callable[[Any], None]
) -> None:
    """Call a function with `ball_ticks`: of some rows after the other, in the same memory, where
    all are surely inside of the ball."""
    known = None
    if size is not None and not isinstance(ball, BallBeside):
        known = _known_of(ball, len(x[1] if isinstance(x, tuple) else x))
    if known is None:
        use(ball_ticks(x, ball))
        return
    with np.errstate(all="ignore"):
        step, vector = _steps(x, known)
        if not _surely_all(step, known, size):  # type: ignore[arg-type]
            use(ball_ticks(x, ball))
            return
        width, rows = vector.shape
        held = np.empty((width, min(rows, _ROWS)))
        for start in range(0, rows, _ROWS):
            stop = min(start + _ROWS, rows)
            ticks = held[:, : stop - start]
            some = step[start:stop] if isinstance(step, np.ndarray) else step
            np.multiply(some, vector[:, start:stop], out=ticks)
            use(np.trunc(ticks, out=ticks))


def _steps(x: Any, ball: _Known) -> tuple[Any, Any]:
    """What vectors are multiplied with to be in ticks, and the vectors."""
    number, vector = x if isinstance(x, tuple) else (1.0, x)
    return number * ball.unit, vector


class _Known(NamedTuple):
    """What is asked of a ball whose ticks are doubles, for vectors of one width.

    Attributes:
        unit: ticks to a whole.
        first, last: the range of the entries.
        reach: entries of this size lie in that range.
        keeps: whether the radii keep entries in their range: a norm below a radius keeps every
            entry below it.
        radii: norm, what a computed norm, times a number, may be where the rows are inside of the
            radius, and what a computed norm, or the square of one, may be there.
    """

    unit: float
    first: float
    last: float
    reach: float
    keeps: bool
    radii: tuple[tuple[str, float, float], ...]


@lru_cache(maxsize=64)
def _known_of(ball: Ball, width: int) -> _Known | None:
    """None where doubles do not suffice."""
    if not _in_doubles(ball):
        return None
    bound = ball.entries
    reach = min(-bound.first, bound.last)
    # A sum of n numbers, each of relative error 2**-53, in any order, and one more product; of a
    # norm the root halves the error, and two more products have one each.
    less = 1 - (width + 8) * 2.0**-52
    radii = tuple(
        (norm, _below(r) * less, _below(r if norm == "L1" else r * r) * less)
        for norm, r in ball.radii
    )
    keeps = any(radius < reach + 1 for _, radius in ball.radii)
    unit, first, last = 2.0**-bound.exponent, float(bound.first), float(bound.last)
    return _Known(unit, first, last, float(reach), keeps, radii)


def _surely_all(step: Any, ball: _Known, size: Size) -> bool:
    """Whether every product of a number and a vector is inside, by the largest of both alone.

    A product of doubles is no larger than that of two that are no smaller, rounding included.
    What is no number is inside of nothing.
    """
    least = np.minimum.reduce(step, axis=None, initial=0.0)
    most = float(np.maximum.reduce(step, axis=None, initial=-least))
    if not ball.radii:
        return most * size("") <= ball.reach
    # Where a square of an entry loses digits, its product with so small a number is no tick.
    if not (most < _SMALL and ball.keeps):
        return False
    return all(most * size(norm) <= sure for norm, sure, _ in ball.radii)


def _surely_inside(ticks: Any, ball: _Known) -> Any:
    """Rows inside of all radii whose entries these radii keep in their range; None if none do."""
    # Without such a radius the range says more.
    if not ball.keeps:
        return None
    found: Any = True
    for norm, _, sure in ball.radii:
        if norm == "L1":
            size = np.abs(ticks).sum(axis=0)
        else:
            size = np.einsum("ij,ij->j", ticks, ticks)
        found = found & (size <= sure)
    return found


def _inside(ticks: Any, norm: str, radius: Fraction) -> Any:
    """Rows whose norm is at most a radius, exactly."""
    whole = np.abs(ticks).astype(np.int64)
    if norm == "L1":
        return whole.sum(axis=0) <= radius.numerator // radius.denominator
    # The square of high * 2**20 + low, as a number of 2**40s and what is left.
    high, low = whole >> _HALF, whole & ((1 << _HALF) - 1)
    mixed = 2 * (high * low).sum(axis=0)
    rest = (low * low).sum(axis=0) + ((mixed & ((1 << _HALF) - 1)) << _HALF)
    top = (high * high).sum(axis=0) + (mixed >> _HALF) + (rest >> 2 * _HALF)
    rest &= (1 << 2 * _HALF) - 1
    square = radius * radius
    most = min(square.numerator // square.denominator, 1 << 100)
    first, second = most >> 2 * _HALF, most & ((1 << 2 * _HALF) - 1)
    return (top < first) | ((top == first) & (rest <= second))


def _below(x: Fraction) -> float:
    """The largest double that is not above a number >= 0."""
    near = nearest(x)
    return near if Fraction(near) <= x else float(np.nextafter(near, -inf))
