"""Sums of many costs: exact while a common denominator stays short, rounded up beyond that."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import inf, lcm

from metricdp.expr import INF, D, Expr, num
from metricdp.expr.core import Monomial
from metricdp.maps.distances import DistanceMap, Number, typed

#: Longest common denominator that is kept, in bits; what does not fit is rounded up ...
_LONGEST = 1024
#: ... to this many binary digits after the point.
_DIGITS = 256
_UNIT = 1 << _DIGITS

#: The monomial d_in.
(_LINEAR,) = D.terms


class ExactSum:
    """A running sum of rationals: adding is O(1), reading folds what was added since.

    Args:
        rounds: whether the sum may be rounded up at all.
    """

    __slots__ = ("_denominator", "_longest", "_numerator", "_pending", "_rough", "infinite")

    def __init__(self, rounds: bool = True) -> None:
        self._longest = _LONGEST if rounds else inf
        self._numerator, self._denominator = 0, 1
        self._pending: dict[int, int] = {}
        self._rough = 0
        self.infinite = False

    def add(self, value: Number | int) -> None:
        """Add a rational or infinity."""
        if isinstance(value, float):
            if value != inf:
                value = Fraction(value)
            else:
                self.infinite = True
                return
        pending, below = self._pending, value.denominator
        pending[below] = pending.get(below, 0) + value.numerator

    def add_all(self, values: Iterable[Fraction]) -> None:
        """Add rationals."""
        pending = self._pending
        for value in values:
            below = value.denominator
            pending[below] = pending.get(below, 0) + value.numerator

    @property
    def value(self) -> Number:
        """The sum: exact, or a multiple of a power of two above it, where the denominators have no
        short common multiple."""
        if self.infinite:
            return inf
        self._fold()
        if not self._rough:
            return Fraction(self._numerator, self._denominator)
        return Fraction(self._rough - (-self._numerator << _DIGITS) // self._denominator, _UNIT)

    def _fold(self) -> None:
        above, below, rough = self._numerator, self._denominator, self._rough
        parts = iter(self._pending.items())
        if not rough:
            for bottom, top in parts:
                factor, rest = divmod(below, bottom)
                if rest:
                    common = lcm(below, bottom)
                    if common.bit_length() > self._longest:
                        rough = -((-top << _DIGITS) // bottom)
                        break
                    above, below = above * (common // below), common
                    factor = common // bottom
                above += top * factor
        # Once a part is rounded up, the sum is not exact: no multiple is looked for.
        for bottom, top in parts:
            rough -= (-top << _DIGITS) // bottom
        self._numerator, self._denominator, self._rough = above, below, rough
        self._pending = {}


class ExprSum:
    """A running sum of expressions, monomial by monomial."""

    __slots__ = ("_others", "_terms", "infinite")

    def __init__(self) -> None:
        self._terms: dict[Monomial, ExactSum] = {}
        self._others: list[Expr] = []
        self.infinite = False

    def add(self, cost: Expr) -> None:
        """Add an expression."""
        if cost.inf:
            self.infinite = True
        elif cost.mixed:
            # Powers of sums may cancel with each other; `Expr.__add__` looks for that.
            self._others.append(cost)
        else:
            for monomial, coefficient in cost.terms.items():
                found = self._terms.get(monomial)
                if found is None:
                    found = self._terms[monomial] = ExactSum(_nonnegative(monomial))
                found.add(coefficient)

    def add_linear(self, slopes: Iterable[Fraction]) -> None:
        """Add slope * d_in for each of the slopes."""
        found = self._terms.get(_LINEAR)
        if found is None:
            found = self._terms[_LINEAR] = ExactSum()
        found.add_all(slopes)

    def expr(self) -> Expr:
        """The sum."""
        if self.infinite:
            return INF
        total = Expr({})
        for monomial, amount in self._terms.items():
            coefficient = num(amount.value)
            if not coefficient.is_zero:
                total.terms[monomial] = next(iter(coefficient.terms.values()))
        parts = [total, *self._others]
        while len(parts) > 1:
            # In pairs: a long sum is copied a few times, not once per part.
            halves = [a + b for a, b in zip(parts[::2], parts[1::2], strict=False)]
            parts = halves + parts[2 * len(halves) :]
        return parts[0]


def _nonnegative(monomial: Monomial) -> bool:
    """Whether a larger coefficient is a larger cost for certain: powers of a distance alone."""
    return all(atom.symbols == {"d_in"} and atom.kind == "sym" for atom, _ in monomial)


class SumMap(DistanceMap):
    """The sum of maps of distances; its formula is put together when it is first asked for."""

    __slots__ = ("_functions", "_known", "_made", "_sum")

    def __init__(self, parts: Iterable[DistanceMap]) -> None:
        self._sum, self._functions = ExprSum(), list[DistanceMap]()
        slopes: list[Fraction] = []
        for part in parts:
            slope = part._slope
            if slope is not None:
                slopes.append(slope)
            elif part.expr is None:
                self._functions.append(part)
            else:
                self._sum.add(part.expr)
        self._sum.add_linear(slopes)
        self._made: DistanceMap | None = None
        self._known: dict[Number, Number] = {}
        self.function = self if self._functions else None

    @property
    def expr(self) -> Expr | None:  # type: ignore[override]
        """The formula; None if a part has none."""
        return None if self._functions else self._formula().expr

    @property
    def _slope(self) -> Fraction | None:  # type: ignore[override]
        return None if self._functions else self._formula()._slope

    def _formula(self) -> DistanceMap:
        if self._made is None:
            object.__setattr__(self, "_made", DistanceMap(self._sum.expr()))
        assert self._made is not None
        return self._made

    def __call__(self, d_in: int | float | Fraction) -> Number:
        """The value at a distance; see `DistanceMap.__call__`."""
        distance = typed(d_in, "d_in")
        found = self._known.get(distance)
        if found is None:
            total = ExactSum()
            total.add(self._formula()(distance))
            for part in self._functions:
                total.add(part(distance))
            if len(self._known) > 64:
                self._known.clear()
            found = self._known[distance] = total.value
        return found

    def __eq__(self, other: object) -> bool:
        if isinstance(other, SumMap):
            mine, theirs = self._functions, other._functions
            return self._formula() == other._formula() and mine == theirs
        return not self._functions and self._formula() == other

    def __hash__(self) -> int:
        return hash(self._formula())

    def __str__(self) -> str:
        shown = [] if self._functions and not self._sum.expr().terms else [str(self._formula())]
        return " + ".join([*shown, *map(str, self._functions)])

    def __reduce__(self) -> tuple[object, ...]:
        return SumMap, ((self._formula(), *self._functions),)
