"""Scalars: reals, integers, Booleans, and any scalar under the discrete metric."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from fractions import Fraction
from math import ceil, floor, isfinite
from typing import TYPE_CHECKING, Any

import msgspec

from metricdp.expr import INF, ONE, ZERO, Expr
from metricdp.spaces.base import NEG_INF, Space, bound_value
from metricdp.spaces.lengths import Length, apart, rational
from metricdp.spaces.markers import ELEMENTS
from metricdp.spaces.words import range_words

if TYPE_CHECKING:
    from random import Random

#: Python type of the values -> element.
KINDS = {"float": "Real", "int": "Int", "bool": "Bool", "str": "Data"}
_KIND_OF = {element: kind for kind, element in KINDS.items() if element != "Data"}

TEXTS = ("", "a", "b", "ab", "A", " a", "0", "1", "é", "x" * 40)
_TINY, _HUGE = Fraction(1, 2**40), 2**40
_REALS = (0, 0, 1, -1, Fraction(1, 2), Fraction(3, 2), Fraction(-1, 2), 2, -3, _TINY, -_TINY)
_NAN = ("NaN",)
#: Distances under the discrete metric.
_EQUAL, _FAR = Fraction(0), Fraction(1)


def canonical(value: Any) -> Any:
    """The form under which equality is at least as fine as anything a program can observe.

    One NaN, one zero; True is not 1 and "1" is not 1, but 1, 1.0 and Fraction(1) are one value.
    """
    if isinstance(value, bool):
        return (bool, value)
    if isinstance(value, float):
        if value != value:
            return _NAN
        return Fraction(value) if isfinite(value) else ("float", value)
    return value


def _rational(value: Any) -> Fraction | int:
    return value if isinstance(value, (int, Fraction)) else Fraction(value)


def _between(lo: Fraction | None, value: Fraction | int, hi: Fraction | None) -> bool:
    """lo <= value <= hi, in whole numbers: attacks ask it of every entry."""
    top, bottom = value.numerator, value.denominator
    return (lo is None or lo.numerator * bottom <= top * lo.denominator) and (
        hi is None or top * hi.denominator <= hi.numerator * bottom
    )


class Scalar(Space, frozen=True):
    """One number, Boolean or datum.

    Attributes:
        element: "Real", "Int", "Bool" or "Data".
        lo, hi: bounds of the value (of its R value, also under Data); -oo and oo if none.
        kind: Python type of the value, "float", "int", "bool" or "str"; "" if the element says
            it, or any.  Fields of records are Data with a kind.  An Int of kind "float" is a whole
            number that Python holds in a float (`x // 10` of one): no position of a list.
    """

    element: str
    lo: Expr = NEG_INF
    hi: Expr = INF
    kind: str = ""

    def __post_init__(self) -> None:
        if self.element == "Bool" or self.kind == "bool":
            if self.lo == NEG_INF:
                msgspec.structs.force_setattr(self, "lo", ZERO)
            if self.hi == INF:
                msgspec.structs.force_setattr(self, "hi", ONE)

    def __str__(self) -> str:
        return self.element

    @property
    def unit(self) -> str:
        return "one value replaced" if self.discrete else "distance 1"

    @property
    def discrete(self) -> bool:
        """Two values that differ are at distance 1."""
        return ELEMENTS[self.element].discrete

    @property
    def python_kind(self) -> str:
        """Python type of the values: "float", "int", "bool", "str", or "" for any scalar."""
        return _KIND_OF["Int"] if self.in_float else self.kind or _KIND_OF.get(self.element, "")

    @property
    def in_float(self) -> bool:
        """Whether the value is a whole number that Python holds in a float."""
        return self.element == "Int" and self.kind == "float"

    def _facts(self) -> list[str]:
        return range_words(self.lo, self.hi) if self.element != "Bool" else []

    def contains(self, value: Any) -> bool:
        """Whether a value has the kind of the space, is finite, and lies within its bounds."""
        kind = self.python_kind
        lo, hi = bound_value(self.lo, False), bound_value(self.hi, True)
        if kind == "str":
            return isinstance(value, str)
        if kind == "bool":
            if not (isinstance(value, bool) or value in (0, 1)):
                return False
        elif kind in ("int", "float"):
            if type(value) is not Fraction:
                if isinstance(value, bool) or not isinstance(value, (int, float, Fraction)):
                    return False
                if isinstance(value, float) and not isfinite(value):
                    return False
            if kind == "int" and _rational(value).denominator != 1:
                return False
        elif not isinstance(value, (int, float, Fraction, str)):
            return False
        if lo is None and hi is None:
            return True
        if isinstance(value, str):
            return False
        if isinstance(value, (int, Fraction)):
            return _between(lo, value, hi)
        # A NaN fails both comparisons, so a bounded cell never contains it.
        return bool((lo is None or value >= lo) and (hi is None or value <= hi) and value == value)

    def gap(self, x: Any, y: Any) -> Fraction:
        """abs(x - y), or 0 and 1 under the discrete metric."""
        if self.discrete:
            if self.element == "Bool":
                return _FAR if bool(x) != bool(y) else _EQUAL
            return _FAR if canonical(x) != canonical(y) else _EQUAL
        return apart(_rational(x), _rational(y))

    def row_key(self, value: Any) -> Hashable:
        return (canonical(value),)

    def length(self, x: Any, y: Any) -> Length:
        return rational(self.gap(x, y))

    def _fit(self, value: Fraction | int) -> Any:
        """The value nearest to `value` in the space, in the type of the space."""
        lo, hi = bound_value(self.lo, False), bound_value(self.hi, True)
        kind = self.python_kind
        if kind == "bool":
            return bool(min(max(value, lo or 0), 1 if hi is None else hi))
        if kind == "int":
            value = floor(value)
            value = value if lo is None else max(value, ceil(lo))
            return value if hi is None else min(value, floor(hi))
        value = value if lo is None else max(value, lo)
        value = value if hi is None else min(value, hi)
        return value if type(value) is Fraction else Fraction(value)

    def nearest_zero(self) -> Any:
        """The value of the space that is nearest to zero."""
        return "" if self.python_kind == "str" else self._fit(0)

    def sample(self, rng: Random, size_hint: int = 4) -> Any:
        """A value: special ones, ends of the range, grid points inside it, and large ones."""
        kind = self.python_kind
        if kind == "str":
            return rng.choice(TEXTS)
        if kind == "bool":
            return self._fit(rng.randrange(2))
        lo, hi = bound_value(self.lo, False), bound_value(self.hi, True)
        draw = rng.random()
        if lo is not None and hi is not None and draw < 0.7:
            return self._fit(
                rng.choice((lo, hi, (lo + hi) / 2, lo + (hi - lo) * rng.randint(0, 64) / 64))
            )
        if draw < 0.85 or lo is not None or hi is not None:
            near = lo if lo is not None else hi if hi is not None else 0
            shift = rng.choice((Fraction(rng.randint(-24, 24), rng.choice((1, 2, 4, 8))), near))
            return self._fit(rng.choice((rng.choice(_REALS), shift, near + shift)))
        return self._fit(rng.choice((1, -1)) * (_HUGE + rng.randint(0, 3)))

    def extremes(self) -> list[Any]:
        """The ends of the range and zero; large values where the range has no end."""
        kind = self.python_kind
        if kind == "str":
            return ["", "a", TEXTS[-1]]
        if kind == "bool":
            return list(dict.fromkeys((self._fit(0), self._fit(1))))
        lo, hi = bound_value(self.lo, False), bound_value(self.hi, True)
        ends = (0, -_HUGE if lo is None else lo, _HUGE if hi is None else hi)
        return list(dict.fromkeys(self._fit(end) for end in ends))

    def other(self, x: Any, rng: Random) -> Any:
        """Another value of the space, whatever the distance; `x` itself if none was found."""
        for _ in range(6):
            y = rng.choice(self.extremes()) if rng.random() < 0.5 else self.sample(rng)
            if canonical(y) != canonical(x):
                return y
        return x

    def neighbours(self, x: Any, d: int | Fraction, rng: Random) -> Any:
        """A value at distance at most `d`; exactly `d` when the range and the draw permit."""
        if self.discrete:
            return self.other(x, rng) if d >= 1 else x
        step = Fraction(d) if rng.random() < 0.85 else Fraction(d) * rng.randint(1, 7) / 8
        if self.python_kind == "int":
            step = Fraction(floor(step))
        x = Fraction(x)
        there, back = (x + step, x - step) if rng.random() < 0.5 else (x - step, x + step)
        for y in (there, back):
            if self.contains(y):
                return int(y) if self.python_kind == "int" else y
        return self._fit(there)

    def shrink(self, x: Any) -> Iterator[Any]:
        """Simpler values: the one nearest zero, then rounder and smaller ones."""
        seen = {canonical(x)}
        if isinstance(x, str):
            candidates: list[Any] = ["", "a", x[: len(x) // 2], x[:-1]]
        elif isinstance(x, bool):
            candidates = [False]
        elif isinstance(x, float) and not isfinite(x):
            candidates = [0]
        else:
            number = Fraction(x)
            candidates = [
                0,
                1,
                abs(number),
                floor(number),
                floor(number / 2),
                number.limit_denominator(8),
            ]
        for y in candidates:
            y = y if isinstance(y, (str, bool)) else self._fit(y)
            if canonical(y) not in seen and _weight(y) < _weight(x) and self.contains(y):
                seen.add(canonical(y))
                yield y

    def zeroed(self, x: Any) -> Any:
        """The value nearest to zero, if it is simpler than `x`; else `x`."""
        zero = self.nearest_zero()
        return zero if _weight(zero) < _weight(x) else x


def _weight(x: Any) -> tuple[Any, ...]:
    """How complicated a value is: every simplification lowers it, so shrinking ends."""
    if isinstance(x, str):
        return (2, len(x), x)
    if isinstance(x, float) and not isfinite(x):
        return (3,)
    number = Fraction(x)
    return (1, number.denominator, abs(number), number < 0)
