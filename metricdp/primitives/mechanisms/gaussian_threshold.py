"""gaussian_threshold: normal noise on every value of a dictionary; only large ones are released.

Privacy.  Inputs differ in at most l0 keys, by at most l2 in Euclidean distance and linf in one, an
absent key counting 0.  Let E be the event that no key which only this input has is released.  Given
E on both sides, what is released follows from normal noise of standard deviation sigma on the keys
that both have, which move by at most l2: rho = l2^2 / (2 sigma^2).  A key that only one input has
is seen with chance at most delta1 = P(N(0, sigma) >= T - linf) for real values, and at most
P(N(0, sigma) >= ceil(T) - 1/2 - linf) for whole ones, whose noise is rounded to whole numbers; so E
fails with chance at most delta = 1 - (1 - delta1)^l0.  That is delta-approximate rho-zCDP, stated
as (rho, delta); an (epsilon, delta) follows from the normal profile at rho, with the deltas added.
With T in place of T - linf delta would be too small.
Rounding is post-processing, so the normal law's rho holds for what is released.
Tight: one new key of value linf for delta; one key of both inputs that moves by l2 for rho.
Source: Bun and Steinke (2016), Definition 8.1 and Lemma 2.5; Korolova, Kenthapadi, Mishra, Ntoulas
(2009) for the threshold; Rogers (2023), for the triple of distances.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

from metricdp.expr import ONE, Expr, ceil, normal_tail, num, power
from metricdp.families.recorded import Recorded
from metricdp.measures.readings import APPROX_ZCDP
from metricdp.primitives.mechanisms._thresholds import (
    ceiling,
    dictionary,
    kept_counts,
    kept_numbers,
    moved,
    thresholded,
)
from metricdp.record import Arg, Conclusion, Instance, Spelling
from metricdp.spaces import Keyed, Scalar

example = (
    "towns: dp.Records[str] = ['Rome'] * 40; "
    "dp.gaussian_threshold(dp.count_by(towns), scale=2, threshold=20)"
)

spelling = Spelling(opendp=("make_gaussian_threshold",))

NAME = "gaussian_threshold"


def rule(x: Arg, *, scale: Arg, threshold: Arg) -> Conclusion:
    """A dictionary with private keys; `scale` (sigma) and `threshold` are public and positive."""
    space = dictionary(x, NAME)
    l0, l2, linf = (moved(space, norm, x, NAME) for norm in ("L0", "L2", "LInf"))

    def cost(sigma: Expr, level: Expr, whole: bool) -> dict[str, tuple[Expr, ...]]:
        delta = 1 - power(1 - _seen_once(sigma, level, linf, whole), l0)
        return {APPROX_ZCDP: (l2**2 / (2 * sigma**2), delta)}

    return thresholded(NAME, family, space, scale, threshold, cost)


def _seen_once(sigma: Expr, threshold: Expr, value: Expr, whole: bool) -> Expr:
    """P(value + noise >= threshold), exactly."""
    reach = ceil(threshold) - num(Fraction(1, 2)) if whole else threshold
    return normal_tail((reach - value) / sigma)


def run(
    x: Mapping[Any, Any],
    scale: Fraction,
    threshold: Any,
    whole: Any = 1,
    source: Any = None,
) -> dict[Any, Any]:
    """Key -> noisy value of at least the threshold, sorted by key."""
    from metricdp.noise.rounded import gaussian_ticks
    from metricdp.noise.rounded_scalar import step_exponent

    if whole:
        return kept_counts(x, threshold, lambda v: gaussian_ticks(v, scale, 0, source))
    step = step_exponent(Fraction(scale))
    return kept_numbers(x, threshold, step, lambda v: gaussian_ticks(v, scale, step, source))


def law(x: Mapping[Any, Any], scale: Fraction, threshold: Any, whole: Any = 1) -> Any:
    """Exact law of the released keys and values; a value of 0 is no key."""
    from metricdp.laws.thresholded import ThresholdedLaw, ThresholdedNumbersLaw

    if not whole:
        return ThresholdedNumbersLaw(x, Fraction(scale), Fraction(threshold), normal=True)
    level, counts = ceiling(threshold), {k: int(v) for k, v in x.items() if v}
    return ThresholdedLaw(counts, Fraction(scale), level, normal=True)


class _Gaussian(Recorded, frozen=True):
    def rho_curve(self, rho: Fraction, spent: Any) -> Any:
        """Beside its delta, the noise on every value is Gaussian."""
        from metricdp.accounting.renyi import GaussianCurve

        return GaussianCurve(rho)


family = _Gaussian(NAME, run, law)


def instances() -> Iterable[Instance]:
    words, whole = Scalar("Data", kind="str"), Scalar("Int")
    for per in ((ONE, ONE, ONE), (num(2), num(3), num(2))):
        for scale, threshold in ((Fraction(1), 6), (Fraction(4), Fraction(41, 2))):
            public = {"scale": scale, "threshold": threshold}
            tight = "approached" if per[0] == ONE else "unknown"
            yield Instance({"x": Keyed(words, whole, "L02Inf", per)}, public, {}, tight)


def tight(instance: Instance, d: int, tol: Fraction) -> Any:
    """One new key of value d; two new keys of value 2d."""
    space: Any = instance.private["x"]
    if space.per[0] == ONE:
        return {"x": {"z": 3}}, {"x": {"z": 3, "a": d}}
    return {"x": {"z": 3}}, {"x": {"z": 3, "a": 2 * d, "b": 2 * d}}
