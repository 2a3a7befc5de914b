"""power: x ** k with a public exponent k = 0, 1, 2, ...

Stability.  The derivative is k x^(k-1), so on |x| <= M the power is k M^(k-1)-stable (2M for the
square), entry by entry in every norm; without bounds infinite.  Tight: near x = M, for small steps.
On discrete entries 1.  Other exponents: use sqrt, exp or log.
Source: mean value theorem.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from metricdp.expr import INF, ONE, ZERO, Expr, maximum, minimum, num
from metricdp.primitives import _exact
from metricdp.primitives._common import (
    EVERYTHING,
    Range,
    in_floats,
    kind_of,
    largest,
    no_bound,
    nonnegative,
    numbers_only,
    range_of,
    times,
    whole,
)
from metricdp.primitives._entrywise import EntryRule, lifted
from metricdp.record import Arg, Conclusion, Instance, Spelling, Witness, refuse
from metricdp.spaces import Matrix, Scalar, Vector
from metricdp.spaces.norms import NORM_NAMES
from metricdp.spaces.vectors import Entries

example = "x: dp.Real = 7; dp.power(dp.clamp(x, 0, 5), 2)"

columnar = "power"
spelling = Spelling(("**",), ("numpy.power",))


def rule(x: Arg, k: Arg) -> Conclusion:
    """A private base; the exponent is a public whole number >= 0."""
    if not x.private and not k.private:
        known = x.value is not None and k.value is not None
        return Conclusion(value=x.value**k.value if known else None)  # type: ignore[operator]
    exponent = k.value.as_fraction() if k.value is not None and not k.private else None
    if not x.private or exponent is None or exponent < 0 or exponent.denominator != 1:
        raise refuse(
            "unsupported-call",
            f"a private power needs a whole exponent that is written out, and {k.text} is none",
            need="an exponent 0, 1, 2, ...",
            help=f"{x.text} ** 2, or dp.sqrt({x.text}), dp.exp({x.text})",
        )
    numbers_only("**", x)
    n = int(exponent)
    assert isinstance(x.space, (Scalar, Entries, Matrix))
    bounds = _range(range_of(x), n)
    kind = "int" if kind_of(x) == "bool" else kind_of(x)
    held = in_floats(x, k)
    if n == 1:
        return lifted(
            {"x": x}, EntryRule(bounds, {"x": ONE}, whole(x), kind, held, linear=True), x.space
        )
    factor = times(num(n), largest(range_of(x)) ** num(n - 1)) if n else ZERO
    why = None
    if factor.is_infinite:
        why = no_bound(
            "unbounded-product",
            f"a small step of {x.text} is multiplied by its own size, which has no bound",
            f"finite bounds on {x.text}",
            f"dp.clamp({x.text}, lower, upper) ** {n}",
        )
    entry = EntryRule(bounds, {"x": factor}, whole(x), kind, held, why_infinite=why)
    return lifted({"x": x}, entry, x.space)


def _range(a: Range, n: int) -> Range:
    if n == 0:
        return ONE, ONE
    if n % 2 and not (a[0].is_infinite or a[1].is_infinite):
        return a[0] ** num(n), a[1] ** num(n)
    if n % 2:
        return EVERYTHING
    high = largest(a)
    low: Expr = a[0] ** num(n) if nonnegative(a[0]) else ZERO
    return minimum(low, high ** num(n)), INF if high == INF else maximum(low, high ** num(n))


def run(x: Any, k: Any) -> Any:
    """Exact power; Python's own for other exponents, which only public numbers have."""
    exponent = int(k) if k == int(k) and k >= 0 else k
    return _exact.entrywise(lambda v: _exact.rational(v) ** exponent, x)


def instances() -> Iterable[Instance]:
    wide = Scalar("Real", num(-900), num(1000))
    for k in (2, 3):
        yield Instance({"x": wide}, {"k": k}, tight="approached")
    yield Instance({"x": Scalar("Int", num(-3000), num(0))}, {"k": 2}, tight="approached")
    yield Instance({"x": Scalar("Real")}, {"k": 1})
    yield Instance({"x": Scalar("Real")}, {"k": 0})
    yield Instance({"x": Scalar("Real")}, {"k": 2}, tight="unknown")
    for norm in NORM_NAMES:
        entries = Vector("Real", norm, num(3), num(0), num(1000))
        yield Instance({"x": entries}, {"k": 2}, tight="approached")


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """One entry leaves its largest size by d."""
    if instance.tight == "unknown":
        return None
    space = instance.private["x"]
    if isinstance(space, Vector):
        rest = [Fraction(0)] * 2
        return {"x": [Fraction(1000), *rest]}, {"x": [Fraction(1000 - d), *rest]}
    assert isinstance(space, Scalar)
    if space.element == "Int":
        return {"x": -3000}, {"x": -3000 + d}
    return {"x": Fraction(1000)}, {"x": Fraction(1000 - d)}
