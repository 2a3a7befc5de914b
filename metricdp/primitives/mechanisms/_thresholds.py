"""What the releases of unknown keys share: noise on every value that is there, large ones kept.

A key that only one of two inputs has must not be seen: the chance that its noisy value reaches the
threshold is delta.  Its value is at most linf, so the noise has to be at least T - linf; a delta
that takes T in its place is too small by a factor of e^(linf / b).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from metricdp.expr import ONE, Expr, ceil, exp, maximum, minimum, num, power
from metricdp.families.family import Family
from metricdp.measures.events import Event
from metricdp.primitives.mechanisms._noise import positive, public_argument, public_number
from metricdp.record import MOVED, Arg, Conclusion, refuse
from metricdp.spaces import Keyed

#: Values that are kept are released as whole numbers ("Int") or as doubles.
WHOLE = "Int"


def thresholded(
    name: str,
    family: Family,
    space: Keyed,
    scale: Arg,
    threshold: Arg,
    cost: Callable[[Expr, Expr, bool], Mapping[str, tuple[Expr, ...]]],
) -> Conclusion:
    """Noise of a scale on every value, and a threshold; both are public and positive.

    Args:
        cost: (scale, threshold, whether the values are whole) -> cost per measure.
    """
    width, level = public_number(scale, name, "scale"), public_number(threshold, name, "threshold")
    whole = space.value.element in ("Int", "Bool")
    requires = (
        *positive(width, "bad-noise", scale.chosen),
        *positive(level, "bad-noise", threshold.chosen),
    )
    noise = {"scale": width, "threshold": level, "whole": num(int(whole))}
    event = Event(name, family, space.norm, noise, cost(width, level, whole))
    return Conclusion(None, requires=requires, events=(event,))


def laplace_tail(scale: Expr, threshold: Expr, whole: bool) -> Callable[[Expr], Expr]:
    """At least P(c + Laplace noise >= threshold), exactly that for c <= threshold.

    Discrete noise: e^(-(ceil(T) - c)/b) / (1 + e^(-1/b)); continuous: e^(-(T - c)/b) / 2.
    """
    if whole:
        return lambda c: exp((c - ceil(threshold)) / scale) / (1 + exp(-1 / scale))
    return lambda c: exp((c - threshold) / scale) / 2


def seen(tail: Callable[[Expr], Expr], l0: Expr, l1: Expr | None, linf: Expr) -> Expr:
    """delta: the chance that one of the keys that only one input has is released.

    Args:
        tail: chance for a value; convex and increasing.
        l0: how many keys differ, each by at most linf.
        l1: the sum of the differences, of whole numbers; None if that is not known.
    """
    keys = l0 if l1 is None else minimum(l0, l1)
    each = 1 - power(1 - minimum(ONE, tail(linf)), keys)
    if l1 is None:
        return each
    # Values of at least 1 that add up to l1: the sum of a convex chance is largest when they are
    # all 1, or all in one key.
    return minimum(ONE, each, maximum(l1 * tail(ONE), tail(l1)))


def dictionary(x: Arg, mechanism: str) -> Keyed:
    """The space of the dictionary.

    Raises:
        Refusal: public data, or no dictionary with private keys.
    """
    space = x.space
    if not x.private or space is None:
        raise public_argument(x, mechanism)
    if isinstance(space, Keyed):
        return space
    raise refuse(
        "unsupported-call",
        f"`{mechanism}` adds noise to the values of a dictionary, and {x.text} lies in {space}",
        need="a dictionary whose keys are private, such as the result of `count_by`",
        help=f"dp.{mechanism}(dp.count_by({x.text}), scale=10, threshold=100)",
    )


def moved(space: Keyed, norm: str, x: Arg, mechanism: str) -> Expr:
    """How far the dictionary moves in a norm.

    Raises:
        Refusal: the space's metric does not bound it.
    """
    share = space.share(norm)
    if share is None:
        raise refuse(
            "wrong-metric",
            f"`{mechanism}` needs the distance of {x.text} in {norm}, and {space} has none",
            need="distances in L0, in L1 or L2, and in LInf",
            help="count_by of a table, whose counts are bounded in all three",
        )
    return share * MOVED


#: Noise around each of some numbers, in their order: a list of them, or an array of integers.
Draws = Callable[[Any], Any]


def kept_counts(x: Mapping[Any, Any], threshold: Any, draw: Draws) -> dict[Any, int]:
    """Noisy whole numbers of at least the threshold, in an order that the data do not show."""
    there = {key: int(value) for key, value in x.items() if value}
    return large(list(there), list(there.values()), ceiling(threshold), draw)


def ceiling(threshold: Any) -> int:
    """The least whole number at or above a threshold."""
    return int(-(-Fraction(threshold) // 1))


def large(keys: list[Any], values: Any, least: Any, draw: Draws) -> dict[Any, int]:
    """Noisy values of at least a bound, sorted by key."""
    if not keys:
        return {}
    noisy = draw(values)
    if hasattr(noisy, "dtype") and isinstance(least, int):
        places = (noisy >= least).nonzero()[0].tolist()
        pairs = [(keys[i], int(noisy[i])) for i in places]
    else:
        pairs = [(k, int(v)) for k, v in zip(keys, noisy, strict=True) if v >= least]
    return dict(sorted_pairs(pairs))


def sorted_pairs(pairs: list[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    """Pairs with different keys, sorted by key; texts as Python compares them."""
    if {type(key) for key, _ in pairs} <= {str}:
        return sorted(pairs)
    return sorted(pairs, key=lambda pair: order(pair[0]))


def with_laplace(values: Any, scale: Fraction, source: Any) -> Any:
    """Whole numbers, a list or an array, with discrete Laplace noise of a scale >= 0 each."""
    from metricdp.noise import discrete_laplace
    from metricdp.noise.vector_discrete import pack, plus

    centres = values if hasattr(values, "dtype") else pack(values, Fraction(0))
    return plus(centres, discrete_laplace(scale, len(values), source))


def kept_numbers(
    x: Mapping[Any, Any], threshold: Any, exponent: int, draw: Draws
) -> dict[Any, float]:
    """As `kept_counts`, for real values and draws in steps of 2**exponent.

    A rounded value half a step above the threshold was at least the threshold before rounding.
    """
    from metricdp.noise.rounded_scalar import to_double

    least = Fraction(threshold) / Fraction(2) ** exponent + Fraction(1, 2)
    there = {key: Fraction(value) for key, value in x.items() if value}
    found = large(list(there), list(there.values()), least, draw)
    return {key: to_double(ticks, exponent) for key, ticks in found.items()}


def order(key: Any) -> Any:
    """Keys sort by type, then by value; rows field by field."""
    if isinstance(key, tuple):
        return tuple(map(order, key))
    if isinstance(key, bool):
        return "bool", key
    return (type(key).__name__, key) if isinstance(key, str) else ("number", key)


def number(value: Any) -> Expr:
    """A public number as an expression."""
    return num(Fraction(value))
