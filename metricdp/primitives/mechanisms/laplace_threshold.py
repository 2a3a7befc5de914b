"""laplace_threshold: Laplace noise on every value of a dictionary; only large ones are released.

Privacy.  Inputs differ in at most l0 keys, by at most l1 in all and linf in one, an absent key
counting 0.  Keys of both inputs cost epsilon = l1 / b.  A key that only one input has is seen with
chance at most delta1 = P(noise >= T - linf): e^(-(T - linf)/b) / 2 for continuous noise on real
values, e^(-(ceil(T) - linf)/b) / (1 + e^(-1/b)) for discrete noise on whole ones; so
delta = 1 - (1 - delta1)^l0.  Whole values that add up to l1 give no more than
max(l1 delta1(1), delta1(l1)) either, where delta1(c) is the chance for the value c.
With T in place of T - linf, or > in place of >= on whole numbers, delta would be too small.
Tight: one new key of value linf = l1.
Source: Korolova, Kenthapadi, Mishra, Ntoulas (2009); Rogers (2023), for the triple of distances.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

from metricdp.expr import ONE, Expr, num
from metricdp.families.recorded import Recorded
from metricdp.primitives.mechanisms._thresholds import (
    ceiling,
    dictionary,
    kept_counts,
    kept_numbers,
    laplace_tail,
    moved,
    seen,
    thresholded,
    with_laplace,
)
from metricdp.record import Arg, Conclusion, Instance, Spelling
from metricdp.spaces import Keyed, Scalar

example = (
    "towns: dp.Records[str] = ['Rome'] * 40; "
    "dp.laplace_threshold(dp.count_by(towns), scale=2, threshold=20)"
)

spelling = Spelling(opendp=("make_laplace_threshold",))

NAME = "laplace_threshold"


def rule(x: Arg, *, scale: Arg, threshold: Arg) -> Conclusion:
    """A dictionary with private keys; `scale` and `threshold` are public and positive."""
    space = dictionary(x, NAME)
    l0, l1, linf = (moved(space, norm, x, NAME) for norm in ("L0", "L1", "LInf"))

    def cost(b: Expr, level: Expr, whole: bool) -> dict[str, tuple[Expr, ...]]:
        delta = seen(laplace_tail(b, level, whole), l0, l1 if whole else None, linf)
        return {"approx": (l1 / b, delta)}

    return thresholded(NAME, family, space, scale, threshold, cost)


def run(
    x: Mapping[Any, Any],
    scale: Fraction,
    threshold: Any,
    whole: Any = 1,
    source: Any = None,
) -> dict[Any, Any]:
    """Key -> noisy value of at least the threshold, sorted by key."""
    from metricdp.noise.rounded import laplace_ticks
    from metricdp.noise.rounded_scalar import step_exponent

    if whole:
        return kept_counts(x, threshold, lambda v: with_laplace(v, scale, source))
    step = step_exponent(Fraction(scale))
    return kept_numbers(x, threshold, step, lambda v: laplace_ticks(v, scale, step, source))


def law(x: Mapping[Any, Any], scale: Fraction, threshold: Any, whole: Any = 1) -> Any:
    """Exact law of the released keys and values; a value of 0 is no key."""
    from metricdp.laws.thresholded import ThresholdedLaw, ThresholdedNumbersLaw

    if not whole:
        return ThresholdedNumbersLaw(x, Fraction(scale), Fraction(threshold))
    level, counts = ceiling(threshold), {k: int(v) for k, v in x.items() if v}
    return ThresholdedLaw(counts, Fraction(scale), level)


family = Recorded(NAME, run, law)


def instances() -> Iterable[Instance]:
    words, whole = Scalar("Data", kind="str"), Scalar("Int")
    for per in ((ONE, ONE, ONE), (num(2), num(3), num(2))):
        for scale, threshold in ((Fraction(1), 9), (Fraction(2), Fraction(61, 2))):
            public = {"scale": scale, "threshold": threshold}
            tight = "approached" if per[0] == ONE else "unknown"
            yield Instance({"x": Keyed(words, whole, "L01Inf", per)}, public, {}, tight)


def tight(instance: Instance, d: int, tol: Fraction) -> Any:
    """One new key of value d; two new keys of values 2d and d."""
    space: Any = instance.private["x"]
    if space.per[0] == ONE:
        return {"x": {"z": 3}}, {"x": {"z": 3, "a": d}}
    return {"x": {"z": 3}}, {"x": {"z": 3, "a": 2 * d, "b": d}}
