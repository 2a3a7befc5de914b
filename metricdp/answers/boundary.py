"""Where a cost in one positive parameter meets a limit: in closed form, else by bisection.

A cost c * p**k meets `cost <= limit` exactly up to (k > 0) or from (k < 0) the value
(limit / c)**(1/k).  Any other cost is bisected in rationals; that it is monotone is proved by
comparing it at p and at p + h, for h >= 0.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import isqrt

import msgspec

from metricdp.errors import ExpressionError
from metricdp.expr import Expr, compare, power, sym

#: Powers of two between which a value is looked for; sums are not evaluated beyond 2**16 terms.
_WIDEST = 256
_MOST_TERMS = 16
_BITS = 64


class Boundary(msgspec.Struct, frozen=True):
    """The values that meet one constraint.

    Attributes:
        direction: "most" (values up to `value`), "least" (values from `value`), "none", or
            "any" (all that were tried).
        value: rounded into the set by less than 2**-60 of it where it is not exact.
        closed: found in closed form.
        monotone: the cost is proved monotone, so no value beyond `value` meets the limit.
    """

    direction: str
    value: Fraction = Fraction(0)
    closed: bool = True
    monotone: bool = True


def boundary(cost: Expr, name: str, limit: Fraction, whole: bool) -> Boundary:
    """Where `cost`, whose only symbol is `name`, stays at or below `limit`, for positive values.

    `whole`: the parameter is an integer, at least 1.
    """
    if name not in cost.symbols:
        return Boundary("any" if _at_most(cost, {}, limit) else "none")
    p = sym(name, positive=True, integer=whole)
    cost = cost.subs({name: p})
    exponent = _exponent(cost, name, p)
    if exponent is not None:
        return _closed(cost.subs({name: p / p}), exponent, limit)
    return _searched(cost, name, limit, whole)


def _exponent(cost: Expr, name: str, p: Expr) -> Fraction | None:
    """k when cost = c * p**k."""
    found: set[Fraction] = set()
    for monomial in cost.terms:
        here = [Fraction(e) for atom, e in monomial if atom.kind == "sym" and atom.label == name]
        found.add(here[0] if here else Fraction(0))
    if len(found) != 1:
        return None
    (k,) = found
    rest = cost / power(p, k)
    return k if k and name not in rest.symbols else None


def _closed(factor: Expr, exponent: Fraction, limit: Fraction) -> Boundary:
    c = factor.upper({})
    if not isinstance(c, Fraction) or (limit == 0 and c > 0):
        return Boundary("none")
    if c <= 0:
        return Boundary("any")
    if exponent > 0:
        return Boundary("most", _rational_power(limit / c, 1 / exponent, up=False))
    return Boundary("least", _rational_power(c / limit, -1 / exponent, up=True))


def _rational_power(base: Fraction, exponent: Fraction, *, up: bool) -> Fraction:
    """base**exponent, exponent > 0; exact if rational, else rounded in one direction."""
    raised = base**exponent.numerator
    n = exponent.denominator
    top, bottom = _root(raised.numerator, n), _root(raised.denominator, n)
    if top**n == raised.numerator and bottom**n == raised.denominator:
        return Fraction(top, bottom)
    # Enough bits that the root has 64 significant ones, also of tiny numbers.
    bits = _BITS + max(0, raised.denominator.bit_length() - raised.numerator.bit_length())
    scaled = (raised.numerator << (n * bits)) // raised.denominator
    return Fraction(_root(scaled, n) + up, 1 << bits)


def _root(value: int, n: int) -> int:
    """Floor of the n-th root of a nonnegative integer."""
    if n == 2:
        return isqrt(value)
    if n == 1 or value < 2:
        return value
    low, high = 0, 1 << (value.bit_length() // n + 1)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if middle**n <= value else (low, middle - 1)
    return low


def _searched(cost: Expr, name: str, limit: Fraction, whole: bool) -> Boundary:
    def meets(value: Fraction) -> bool:
        return _at_most(cost, {name: value}, limit)

    rising, proved = _rising(cost, name, whole)
    fits = _transition(meets, rising, whole, _MOST_TERMS if "Sum(" in str(cost) else _WIDEST)
    if fits is None:
        return Boundary("none", closed=False, monotone=proved)
    inside, outside = fits
    if outside is None:
        return Boundary("any", inside, closed=False, monotone=False)
    while abs(outside - inside) > (1 if whole else 0):
        middle = (inside + outside) / 2
        if whole:
            middle = Fraction(middle.__floor__())
        elif abs(outside - inside) * 2**_BITS < inside:
            break
        inside, outside = (middle, outside) if meets(middle) else (inside, middle)
        if whole and abs(outside - inside) <= 1:
            break
    return Boundary("most" if rising else "least", inside, False, proved)


def _transition(
    meets: Callable[[Fraction], bool], rising: bool, whole: bool, widest: int
) -> tuple[Fraction, Fraction | None] | None:
    """Neighbouring powers of two, one that meets the limit and one that does not.

    Looked for from 1 outwards: a sum of n terms costs n to evaluate.
    """
    point = Fraction(1)
    fits = meets(point)
    # Towards larger values if they are what is asked about: 1 fits and more may, or larger ones do.
    factor = Fraction(2) if fits == rising else Fraction(1, 2)
    if whole and factor < 1:
        return (point, None) if fits else None
    for _ in range(widest):
        further = point * factor
        if meets(further) != fits:
            return (point, further) if fits else (further, point)
        point = further
    return (point, None) if fits else None


def _rising(cost: Expr, name: str, whole: bool) -> tuple[bool, bool]:
    """Whether the cost rises with the parameter, and whether that is proved."""
    p = sym(name, positive=True, integer=whole)
    h = sym(f"{name}_more", nonneg=True, integer=whole)
    later = cost.subs({name: p + h})
    for rising, op in ((True, ">="), (False, "<=")):
        if compare(later, op, cost) is True:
            return rising, True
    try:
        return bool(cost.upper({name: 1}) <= cost.upper({name: 2})), False
    except ExpressionError:
        return True, False


def _at_most(cost: Expr, env: dict[str, Fraction], limit: Fraction) -> bool:
    try:
        return bool(cost.upper(env) <= limit)
    except ExpressionError:
        return False
