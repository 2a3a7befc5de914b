"""Where a monotone predicate turns: closed form first, bisection to the last double otherwise."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import inf, isfinite, log2, nextafter
from typing import Any

from metricdp.errors import MetricdpError, ParameterError

Number = int | float
Bounds = tuple[Any, Any] | None
#: Farther than this no bound is looked for: doubles end at 2**1024, counts are 64 bits.
_FLOATS = [2.0**k for k in (0, 4, 8, 16, 32, 64, 128, 256, 512, 1000)]
_INTEGERS = [1 << k for k in (0, 2, 4, 8, 16, 24, 32, 40, 48, 62)]


def exponential_bounds(predicate: Callable[[Any], bool], kind: type) -> tuple[Any, Any] | None:
    """Two numbers between which the predicate turns, or None if it never does.

    Zero is asked first, then growing magnitudes of either sign; a predicate that raises for a
    number (no scale is negative) counts as undecided there.
    """
    grid: list[Any] = [*_FLOATS] if kind is float else [*_INTEGERS]
    small = [2.0**-k for k in (1000, 300, 100, 30, 10, 4)] if kind is float else []
    points = [-x for x in reversed(grid)] + [kind(0)] + small + grid
    last: tuple[Any, bool] | None = None
    for point in points:
        answer = _asked(predicate, point)
        if answer is None:
            continue
        if last is not None and last[1] is not answer:
            return last[0], point
        last = (point, answer)
    return None


def _asked(predicate: Callable[[Any], bool], point: Any) -> bool | None:
    try:
        return bool(predicate(point))
    except (MetricdpError, OverflowError, ZeroDivisionError):
        return None


def binary_search(
    predicate: Callable[[Any], bool], bounds: Bounds = None, kind: type | None = None
) -> tuple[Any, int]:
    """The number nearest to the turn at which the predicate holds, and the side where it holds.

    Args:
        predicate: of a number; it turns at most once.
        bounds: (lower, upper), either may be None.
        kind: float or int; of the bounds if None, else float.

    Returns:
        (number, sign): sign is 1 if the predicate holds above the turn, -1 below.

    Raises:
        ParameterError: the predicate does not turn between the bounds.
    """
    lower, upper = bounds if bounds is not None else (None, None)
    given = next((b for b in (lower, upper) if b is not None), None)
    kind = kind or (int if isinstance(given, int) and not isinstance(given, bool) else float)
    if lower is None or upper is None:
        asked = _within(predicate, lower, upper)
        found = exponential_bounds(asked, kind)
        if found is None:
            raise ParameterError(
                "the predicate gives one answer everywhere",
                place="binary_search",
                remedy="give bounds between which it turns, or check d_in and d_out",
            )
        lower, upper = found
    low, high = kind(lower), kind(upper)
    at_low, at_high = bool(predicate(low)), bool(predicate(high))
    if at_low is at_high:
        raise ParameterError(
            f"the predicate is {at_low} at both {low} and {high}",
            place="binary_search",
            remedy="widen the bounds",
        )
    while True:
        middle = _middle(low, high, kind)
        if middle in (low, high):
            break
        if bool(predicate(middle)) is at_low:
            low = middle
        else:
            high = middle
    return (high, 1) if at_high else (low, -1)


def _within(predicate: Callable[[Any], bool], lower: Any, upper: Any) -> Callable[[Any], bool]:
    def asked(point: Any) -> bool:
        if (lower is not None and point < lower) or (upper is not None and point > upper):
            raise ParameterError("outside the bounds")
        return predicate(point)

    return asked


def _middle(low: Any, high: Any, kind: type) -> Any:
    """Halfway; for doubles of one sign halfway in magnitude, so that 60 steps always do."""
    if kind is int:
        return (low + high) // 2
    if low > 0 and high / low > 4:
        return 2.0 ** ((log2(low) + log2(high)) / 2)
    if low == 0 and high > 2.0**-1000:
        return min(high / 2.0**32, high / 2)
    return low + (high - low) / 2


def closed_form(value: Callable[[float], Any], target: Any) -> float | None:
    """The double p nearest to the turn of value(p) <= target, when value is c * p**k; else None.

    The guess comes from two evaluations and is confirmed by evaluating on both sides of it.

    Args:
        value: exact distance at a parameter, a rational; None or an exception where there is none.
        target: a rational.
    """
    try:
        one, two = value(1.0), value(2.0)
        if not one or not two or one == two or not target:
            return None
        power = Fraction(round(4 * (log2(two) - log2(one))), 4)
        if power not in (-2, -1, 1, 2):
            return None
        guess = float(float(Fraction(target) / one) ** (1 / float(power)))
    except (MetricdpError, OverflowError, ZeroDivisionError, TypeError, ValueError):
        return None
    if not isfinite(guess) or guess <= 0:
        return None
    better = inf if power < 0 else 0.0
    for _ in range(8):
        if value(guess) <= target:
            closer = nextafter(guess, 0.0 if power < 0 else inf)
            if value(closer) > target:
                return guess
            guess = closer
        else:
            guess = nextafter(guess, better)
    return None
