"""div: x / y, for numbers, or entry by entry.

Stability.  x / c with public c != 0: 1/|c|, linear.  On |x| <= A and y of one sign with |y| >= b:
1/b in x and A/b^2 in y, because |x/y - x/y'| = |x| |y - y'| / (|y| |y'|); with public x that is
|x|/b^2 (not 1/b).  Where y may be 0 or change sign: infinite.  Tight: y = b.  On discrete entries:
1 per argument.  At run time x / 0 is 0, so no private divisor raises.
Source: triangle inequality; derivative at b.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import msgspec

from metricdp.expr import INF, ONE, ZERO, Expr, num
from metricdp.primitives import _exact
from metricdp.primitives._common import (
    EVERYTHING,
    Range,
    away_from_zero,
    largest,
    multiply_ranges,
    no_bound,
    numbers_only,
    positive,
    range_of,
    times,
)
from metricdp.primitives._entrywise import EntryRule, arithmetic_kind, common_shape, lifted
from metricdp.primitives._witnesses import step_all
from metricdp.primitives.scalars.mul import scaled
from metricdp.record import Arg, Conclusion, Instance, Requirement, Spelling, Witness
from metricdp.spaces import Scalar, Vector
from metricdp.spaces.norms import NORM_NAMES

example = "x: dp.Real = 10; dp.div(x, 4)"

__all__ = ["nonzero"]

columnar = "div"
spelling = Spelling(("/",), ("numpy.divide", "numpy.true_divide"), ("/",))

_OTHER = "write a divisor that is not 0"


def rule(x: Arg, y: Arg) -> Conclusion:
    """A public divisor, or a private divisor that keeps away from 0."""
    if not x.private and not y.private:
        known = x.value is not None and y.value is not None and not y.value.is_zero
        value = x.value / y.value if known else None  # type: ignore[operator]
        return Conclusion(value=value, requires=nonzero(y) if known else ())
    numbers_only("/", x, y)
    template, requires = common_shape(x, y, "/")
    kind = arithmetic_kind(x, y, False)
    if not y.private and y.value is not None:
        if y.value.is_zero:  # total: x / 0 is 0; the requirement fails and rejects the program
            found = lifted({"x": x}, EntryRule((ZERO, ZERO), {"x": ONE}, kind=kind), template)
            return Conclusion(found.space, linear={"x": ZERO}, requires=nonzero(y))
        found = scaled("x", x, ONE / y.value, template, False, kind)
        return msgspec.structs.replace(found, requires=nonzero(y))
    top, bottom = range_of(x), range_of(y)
    b = away_from_zero(bottom) if y.private else None
    slopes = {
        "x": ONE / b if b is not None else INF,
        "y": times(largest(top), ONE / (b * b)) if b is not None else INF,
    }
    endless = any(slopes[name].is_infinite for name, arg in (("x", x), ("y", y)) if arg.private)
    why = _why(x, y) if endless else None
    entry = EntryRule(
        multiply_ranges(top, _reciprocal(bottom)), slopes, kind=kind, why_infinite=why
    )
    return lifted({"x": x, "y": y}, entry, template, requires)


def nonzero(y: Arg) -> tuple[Requirement, ...]:
    """The requirement that a public divisor is not 0."""
    assert y.value is not None
    return (
        Requirement(
            y.value,
            "!=",
            ZERO,
            remedy=f"choose {y.text} different from 0" if y.value.symbols else _OTHER,
        ),
    )


def _reciprocal(a: Range) -> Range:
    if away_from_zero(a) is None:
        return EVERYTHING
    low = ZERO if positive(a[0]) else ONE / a[1]
    high: Expr = ONE / a[0] if positive(a[0]) else ZERO
    return low if a[1] == INF or not positive(a[0]) else ONE / a[1], high


def _why(x: Arg, y: Arg) -> Any:
    if not y.private and y.released:
        return no_bound(
            "private-divisor",
            f"the released divisor {y.text} may be near zero, and the noise is proved before it is "
            "known",
            "a divisor that is a public number",
            f"divide what is released after the mechanism by {y.text}",
        )
    if not y.private:
        return no_bound(
            "private-divisor",
            f"the size of the public divisor {y.text} is not known when checking",
            "a divisor that is a public number",
            f"annotate {y.text} as float, or divide after the mechanism",
        )
    if away_from_zero(range_of(y)) is None:
        return no_bound(
            "private-divisor",
            f"{y.text} is private and may be near zero, where the quotient jumps",
            f"a positive lower bound of {y.text}",
            f"{x.text} / dp.clamp({y.text}, 1, upper)",
        )
    return no_bound(
        "private-divisor",
        f"{x.text} is as large as one likes, so a small step of {y.text} moves the quotient far",
        f"finite bounds of {x.text}",
        f"dp.clamp({x.text}, lower, upper) / {y.text}",
    )


def run(x: Any, y: Any) -> Any:
    """Exact quotient; x / 0 is 0."""
    return _exact.pairwise(_exact.divide, x, y)


def instances() -> Iterable[Instance]:
    yield Instance({"x": Scalar("Real")}, {"y": Fraction(-7, 2)})
    yield Instance({"x": Scalar("Int")}, {"y": 4})
    far = Scalar("Real", num(1000), num(5000))
    yield Instance({"y": far}, {"x": -3}, tight="approached")
    yield Instance({"y": Scalar("Real", num(-5000), num(-1000))}, {"x": 3}, tight="approached")
    yield Instance({"x": Scalar("Real", num(-2000), num(1000)), "y": far}, tight="approached")
    yield Instance({"x": Scalar("Real", num(1), num(2)), "y": Scalar("Real")}, tight="unknown")
    for norm in NORM_NAMES:
        yield Instance({"x": Vector("Real", norm, num(3))}, {"y": 4})
        yield Instance({"x": Vector("Data", norm, num(4))}, {"y": 4})
    boxed = Vector("Real", "L1", num(2), num(-3), num(3))
    yield Instance({"x": boxed, "y": Scalar("Real", num(2), num(9))}, tight="unknown")


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """A public divisor: move by d.  A private one: leave its smallest size by d."""
    if instance.tight == "unknown":
        return None
    if "y" not in instance.private:
        return step_all(instance.private, d)
    low = 1000 if instance.private["y"].lo.as_fraction() == 1000 else -1000  # type: ignore[attr-defined]
    a, b = {"y": Fraction(low)}, {"y": low + Fraction(d if low > 0 else -d)}
    if "x" in instance.private:
        a["x"], b["x"] = Fraction(-2000), Fraction(-2000 + d)
    return a, b
