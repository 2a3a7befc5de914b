"""Reference arithmetic on plain values: exact, total, entry by entry.

Values are Fraction, int, bool, str, lists and lists of lists, or subclasses of these; results keep
the class of the containers.  Nothing here raises because of a value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

from metricdp.errors import SpaceError
from metricdp.expr import roots
from metricdp.expr.roots import BITS
from metricdp.spaces.moments import TIMES
from metricdp.values.exact import exact


def entrywise(f: Callable[[Any], Any], x: Any) -> Any:
    """f of a number, or of every entry of a list or list of lists."""
    if isinstance(x, list):
        return _like(x, [entrywise(f, v) for v in x])
    return f(x)


def pairwise(f: Callable[[Any, Any], Any], x: Any, y: Any) -> Any:
    """f of two numbers, of the entries of two containers of one shape, or of entries and a number.

    Raises:
        SpaceError: the (public) sizes differ.
    """
    x, y = _listed(x), _listed(y)
    if isinstance(x, list) and isinstance(y, list):
        if len(x) != len(y):
            raise SpaceError(f"{len(x)} and {len(y)} entries do not fit")
        return _like(x, [pairwise(f, v, w) for v, w in zip(x, y, strict=True)])
    if isinstance(x, list):
        return _like(x, [pairwise(f, v, y) for v in x])
    if isinstance(y, list):
        return _like(y, [pairwise(f, x, w) for w in y])
    return f(x, y)


def _listed(x: Any) -> Any:
    """Public arrays and tuples as lists."""
    if isinstance(x, (list, str, int, Fraction, float)):
        return x
    return x.tolist() if hasattr(x, "tolist") else list(x) if isinstance(x, tuple) else x


def _like(x: list[Any], values: list[Any]) -> Any:
    return values if type(x) is list else type(x)(values)


def rational(x: Any) -> Any:
    """A number as a rational: NaN is 0, and infinities are the largest double, as in data.

    Text, which no proved program reaches, counts as 0.
    """
    if isinstance(x, (Fraction, int)):
        return x
    return Fraction(0) if isinstance(x, str) else exact(x)


def add(x: Any, y: Any) -> Any:
    """The sum of two numbers, or two texts joined."""
    if isinstance(x, str) and isinstance(y, str):
        return x + y
    return rational(x) + rational(y)


def divide(x: Any, y: Any) -> Any:
    """x / y as a rational; x / 0 is 0."""
    divisor = rational(y)
    return Fraction(0) if divisor == 0 else Fraction(rational(x)) / divisor


def exact_sum(xs: Iterable[Any]) -> Any:
    """The sum in any order: integers are summed as integers, rationals over one denominator."""
    values = [rational(x) for x in xs]
    if not values:
        return 0
    scale = 1
    for v in values:
        d = v.denominator
        if scale % d:
            scale = scale * d // _gcd(scale, d)
    total = sum(v.numerator * (scale // v.denominator) for v in values)
    if all(isinstance(v, int) for v in values):
        return total
    return Fraction(total, scale)


def _gcd(a: int, b: int) -> int:
    while b:
        a, b = b, a % b
    return a


def root_below(x: Any, bits: int = BITS) -> Fraction:
    """A rational at or below sqrt(x), by less than 2**-bits; exact for squares; else 0."""
    return roots.root_below(Fraction(rational(x)), bits)


def root_above(x: Any, bits: int = BITS) -> Fraction:
    """A rational at or above sqrt(x), by less than 2**-bits."""
    return roots.root_above(Fraction(rational(x)), bits)


def before(x: Any, y: Any) -> bool:
    """x < y; text sorts after numbers, so that any two data compare."""
    if isinstance(x, str) or isinstance(y, str):
        if isinstance(x, str) and isinstance(y, str):
            return x < y
        return isinstance(y, str)
    if type(x) in TIMES:
        return bool(x < y)
    return bool(rational(x) < rational(y))


def same(x: Any, y: Any) -> bool:
    """x == y for two data; None equals nothing but itself."""
    if x is None or y is None:
        return x is y
    if isinstance(x, str) or isinstance(y, str):
        return isinstance(x, str) and isinstance(y, str) and x == y
    if type(x) in TIMES:
        return bool(x == y)
    return bool(rational(x) == rational(y))


def largest(xs: Iterable[Any]) -> Any:
    """The largest of some data in the order of `before`; 0 for none."""
    best: Any = None
    for x in xs:
        if best is None or before(best, x):
            best = x
    return 0 if best is None else best


def smallest(xs: Iterable[Any]) -> Any:
    """The smallest of some data in the order of `before`; 0 for none."""
    best: Any = None
    for x in xs:
        if best is None or before(x, best):
            best = x
    return 0 if best is None else best


def exponential(x: Any) -> Fraction:
    """A rational within 2**-100 of e**x; beyond 2**1000 within 2**-100 of its size."""
    from decimal import ROUND_HALF_EVEN, Context, Decimal

    x = Fraction(rational(x))
    if x < -100:
        return Fraction(0)  # e**-100 < 2**-100
    digits = 45 + max(0, int(min(x, 693)))
    context = Context(prec=digits, rounding=ROUND_HALF_EVEN, Emax=10**9, Emin=-(10**9))
    if x > 10**6:
        x = Fraction(10**6)  # 1.4 million bits are enough for any release
    return Fraction(context.exp(context.divide(Decimal(x.numerator), Decimal(x.denominator))))


#: Bits from which on a rational is too long for decimals, and bits of it that a logarithm needs.
_LONG = 1 << 14
_HEAD = 400


def logarithm(x: Any) -> Fraction:
    """A rational within 2**-100 of ln x; 0 for x <= 0."""
    from decimal import ROUND_HALF_EVEN, Context, Decimal

    x = Fraction(rational(x))
    if x <= 0:
        return Fraction(0)
    digits = 50
    context = Context(prec=digits, rounding=ROUND_HALF_EVEN, Emax=10**9, Emin=-(10**9))
    size, other = x.numerator.bit_length(), x.denominator.bit_length()
    if max(size, other) > _LONG:
        # The leading bits, and a power of two.
        less = size - other - _HEAD
        head = (x.numerator << max(-less, 0)) // (x.denominator << max(less, 0))
        whole = context.multiply(Decimal(less), context.ln(Decimal(2)))
        return Fraction(context.add(context.ln(Decimal(head)), whole))
    # Dividing first keeps the digits near x = 1, which a difference of logarithms would lose.
    return Fraction(context.ln(context.divide(Decimal(x.numerator), Decimal(x.denominator))))
