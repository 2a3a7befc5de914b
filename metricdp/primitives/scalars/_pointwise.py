"""What `maximum` and `minimum` share: the larger (smaller) of two values, entry by entry."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

from metricdp.expr import ONE, Expr, maximum, minimum, num
from metricdp.primitives import _exact
from metricdp.primitives._common import Range, numbers_only, range_of, whole
from metricdp.primitives._entrywise import EntryRule, arithmetic_kind, common_shape, lifted
from metricdp.primitives._witnesses import step_all
from metricdp.record import Arg, Conclusion, Instance, Parts, Witness, refuse
from metricdp.spaces import Scalar, Vector
from metricdp.spaces.norms import NORM_NAMES


def pointwise(name: str) -> Parts:
    """Rule, reference function, instances and tight pairs of `maximum` or `minimum`."""
    pick: Callable[..., Expr] = maximum if name == "maximum" else minimum
    choose = _exact.largest if name == "maximum" else _exact.smallest

    def rule(x: Arg, y: Arg) -> Conclusion:
        if not x.private and not y.private:
            known = x.value is not None and y.value is not None
            return Conclusion(value=pick(x.value, y.value) if known else None)
        numbers_only(name, x, y)
        for arg in (x, y):
            if not arg.private and arg.value is None:
                raise _unknown(name, arg)
        bounds, integral = _range(pick, range_of(x), range_of(y)), whole(x) and whole(y)
        kind = arithmetic_kind(x, y, integral)
        entry = EntryRule(bounds, {"x": ONE, "y": ONE}, integral, kind, together="max")
        return lifted({"x": x, "y": y}, entry, *common_shape(x, y, name))

    def run(x: Any, y: Any) -> Any:
        return _exact.pairwise(lambda a, b: choose((a, b)), x, y)

    def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
        """The arguments move by d, both upwards, or downwards for the minimum."""
        if instance.tight == "unknown":
            return None
        a, b = step_all(instance.private, d)
        return (a, b) if name == "maximum" else (b, a)

    return rule, run, _instances, tight


def _unknown(name: str, x: Arg) -> Exception:
    """An array would turn one private number into several, which all move."""
    return refuse(
        "unsupported-call",
        f"`{name}` compares private values with {x.text}, which is not known to be one number",
        need="a public number",
        help="annotate it as float, or compare with one number",
    )


def _range(pick: Callable[..., Expr], a: Range, b: Range) -> Range:
    return pick(a[0], b[0]), pick(a[1], b[1])


def _instances() -> Iterable[Instance]:
    real = Scalar("Real")
    yield Instance({"x": real, "y": real})
    yield Instance({"x": Scalar("Int")}, {"y": 2}, tight="unknown")
    for norm in NORM_NAMES:
        pair = Vector("Real", norm, num(3))
        yield Instance({"x": pair, "y": pair}, tight="unknown")
        yield Instance({"x": pair}, {"y": 0}, tight="unknown")
        yield Instance({"x": Vector("Data", norm, num(3))}, {"y": 0}, tight="unknown")
        yield Instance({"x": real, "y": pair}, tight="unknown")
