"""Functions of one number with a Lipschitz constant on all reals, entry by entry; sines exactly."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import lru_cache
from typing import Any

from metricdp.expr import Expr, num
from metricdp.primitives import _exact
from metricdp.primitives._common import Range, range_of
from metricdp.primitives._entrywise import EntryRule, entrywise
from metricdp.record import Arg, Instance, Parts, Witness
from metricdp.spaces import Matrix, Scalar, Vector
from metricdp.spaces.norms import NORM_NAMES
from metricdp.spaces.vectors import Entries

#: Absolute error of the reference functions.
ROUNDING = num(Fraction(1, 2**98))


def smooth(
    name: str,
    constant: Expr,
    reference: Callable[[Any], Fraction],
    image: Callable[[Range], Range],
    start: int = 0,
) -> Parts:
    """Rule, reference function, instances and tight pairs of an irrational function.

    Args:
        constant: its Lipschitz constant on the reals.
        reference: rational within 2**-98 of it, inside `image`.
        image: range of the function on a range.
        start: a whole number near which the constant is approached by small steps.
    """
    trust = f"`{name}` of private numbers is a real number (computed to 2**-98)"

    def entry(x: Arg) -> EntryRule:
        bounds = image(range_of(x))
        return EntryRule(bounds, {"x": constant}, rounding=_total(x), rests_on=(trust,))

    rule, run = entrywise(name, entry, lambda v: reference(_exact.rational(v)))

    def instances() -> Iterable[Instance]:
        near = Scalar("Real", num(start) - Fraction(1, 100), num(start) + Fraction(1, 100))
        yield Instance({"x": near}, tight="approached")
        yield Instance({"x": Scalar("Real")}, tight="unknown")
        yield Instance({"x": Scalar("Data", kind="float")}, tight="unknown")
        for norm in NORM_NAMES:
            yield Instance({"x": Vector("Real", norm, num(3))}, tight="unknown")
            yield Instance({"x": Vector("Data", norm, num(3))}, tight="unknown")

    def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
        if instance.tight == "unknown":
            return None
        step = Fraction(1, 100)
        return {"x": start - step}, {"x": start + step}

    return rule, run, instances, tight


def _total(x: Arg) -> Expr:
    """Error of a whole container in L1, which bounds the other norms."""
    if isinstance(x.space, Matrix):
        assert x.space.rows is not None and x.space.cols is not None
        return x.space.rows * x.space.cols * ROUNDING
    if isinstance(x.space, Entries):
        assert x.space.size is not None
        return x.space.size * ROUNDING
    return ROUNDING


def rising(f: Callable[[Expr], Expr], lowest: Expr, highest: Expr) -> Callable[[Range], Range]:
    """Image of a range under an increasing function, widened by the error of the reference."""

    def image(a: Range) -> Range:
        lo = lowest if a[0].is_infinite else f(a[0]) - ROUNDING
        hi = highest if a[1].is_infinite else f(a[1]) + ROUNDING
        return lo, hi

    return image


def decreasing_exponential(x: Any) -> Fraction:
    """e**-|x|, in [0, 1], within 2**-100: by way of e**|x|, whose digits are all significant."""
    size = abs(Fraction(_exact.rational(x)))
    if size > 100:
        return Fraction(0)  # e**-100 < 2**-100
    return min(1 / _exact.exponential(size), Fraction(1))


_BITS = 140
#: Half turns after which the zero that is reached there is the answer.
_LAST = 1 << 2048


def sine(x: Any) -> Fraction:
    """A rational within 2**-98 of sin(x), in [-1, 1]; 0 beyond 2**2048 pi.

    More turns would cost more digits of pi than there is time for.  What stops at a zero of the
    sine is as stable as the sine.
    """
    return _series(Fraction(x), 1)


def cosine(x: Any) -> Fraction:
    """A rational within 2**-98 of cos(x), in [-1, 1]; 0 beyond (2**2048 + 1/2) pi."""
    return _series(Fraction(x), 0)


def _series(x: Fraction, first: int) -> Fraction:
    """x^first/first! - x^(first+2)/(first+2)! + ... in fixed point, after removing whole turns."""
    size = max(0, x.numerator.bit_length() - x.denominator.bit_length()) + 2
    furthest = _LAST.bit_length() + 4
    turn = 2 * _pi(_BITS + 2 * min(size, furthest))
    if size >= furthest - 4 and abs(x) > (_LAST + Fraction(1 - first, 2)) * turn / 2:
        return Fraction(0)
    # The turns are at most 2**size, so their error stays below 2**-_BITS.
    rest = x - turn * round(x / turn)
    fixed = round(rest * 2**_BITS)
    term = fixed if first else 1 << _BITS
    total, k = term, first
    while term:
        k += 2
        # Toward zero: a shift would leave a negative term at -1 for ever.
        square = (fixed * fixed) >> _BITS
        term = -_toward_zero(term * square, (k * (k - 1)) << _BITS)
        total += term
    value = Fraction(total, 1 << _BITS)
    return max(Fraction(-1), min(Fraction(1), value))


def _toward_zero(n: int, m: int) -> int:
    return n // m if n >= 0 else -(-n // m)


@lru_cache(maxsize=64)
def _pi(bits: int) -> Fraction:
    """pi within 2**-bits: 16 arctan(1/5) - 4 arctan(1/239) (Machin)."""
    one = 1 << (bits + 16)
    return Fraction(16 * _arctan(5, one) - 4 * _arctan(239, one), one)


def _arctan(n: int, one: int) -> int:
    term = one // n
    total, k = term, 1
    while term:
        term = _toward_zero(-term, n * n)
        k += 2
        total += _toward_zero(term, k)
    return total
