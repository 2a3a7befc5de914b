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
Where l2 is less than l0 keys of linf each would make it, as with weights, delta is less (`_among`).
Rounding is post-processing, so the normal law's rho holds for what is released.
Tight: one new key of value linf for delta; one key of both inputs that moves by l2 for rho.
Source: Bun and Steinke (2016), Definition 8.1 and Lemma 2.5; Korolova, Kenthapadi, Mishra, Ntoulas
(2009) for the threshold; Rogers (2023), for the triple of distances.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

from metricdp.expr import (
    ONE,
    Expr,
    ceil,
    compare,
    maximum,
    minimum,
    normal_tail,
    num,
    power,
    root,
)
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
from metricdp.record import MOVED, Arg, Conclusion, Instance, Spelling
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
    unit = {str(MOVED): ONE}
    alike = compare((l0 * linf**2).subs(unit), "<=", (l2**2).subs(unit)) is True

    def cost(sigma: Expr, level: Expr, whole: bool) -> dict[str, tuple[Expr, ...]]:
        if alike:
            delta = 1 - power(1 - _seen_once(sigma, level, linf, whole), l0)
        else:
            delta = minimum(ONE, *_among(sigma, level, (l0, l2, linf), whole))
        return {APPROX_ZCDP: (l2**2 / (2 * sigma**2), delta)}

    return thresholded(NAME, family, space, scale, threshold, cost)


def _seen_once(sigma: Expr, threshold: Expr, value: Expr, whole: bool) -> Expr:
    """P(value + noise >= threshold), exactly."""
    reach = ceil(threshold) - num(Fraction(1, 2)) if whole else threshold
    return normal_tail((reach - value) / sigma)


def _among(
    sigma: Expr, threshold: Expr, moved: tuple[Expr, Expr, Expr], whole: bool
) -> tuple[Expr, Expr]:
    """Two bounds on delta that know how little l0 keys of linf may be together.

    The keys that only one input has are at most l0, their values v at most linf, the sum of v^2 at
    most l2^2.  E fails with at most the sum of t(v) = P(v + noise >= T).  As a function of v^2, t
    has the derivative phi((T - v) / sigma) / (2 sigma v), which falls where v (T - v) is at most
    sigma^2 and rises where it is at least that.
    1.  For a = sigma^2 / (T - linf), where that is at most linf, it rises from a to linf: at a, and
    at linf, v (T - v) is at least sigma^2, and so between.  So t(v) is at most t(a) below a, and
    below its chord above it: t(v) <= t(a) + (v / linf)^2 (t(linf) - t(a)) in both cases, and the
    sum is at most l0 t(a) + (l2 / linf)^2 (t(linf) - t(a)).  With a = linf, which is taken
    otherwise, that is l0 t(linf).
    2.  For a = min(sigma^2 / T, linf) it falls up to a.  So c(v^2) = t(min(v, a)) is concave in
    v^2, and so is c(v^2) + (v / a)^2 (t(linf) - t(a)), which is at least t(v), also above a.  The
    sum is largest where all are alike (Jensen), and grows with their number: it is at most
    l0 t(min(l2 / sqrt(l0), a)) + (l2 / a)^2 (t(linf) - t(a)).
    Persons who weigh 1 / sqrt(j) in each of j keys come near the first where the noise is small,
    one key of 1 beside others of almost nothing, and near the second, keys that are alike, where it
    is large.  Bounds, 0.2 above the true threshold of one person at worst (ten keys, delta 1e-6).
    Source: Gopi et al. (2020), "Differentially Private Set Union", Theorem 5.1, for one person.
    """
    l0, l2, linf = moved
    level = ceil(threshold) - num(Fraction(1, 2)) if whole else threshold

    def seen(value: Expr) -> Expr:
        return _seen_once(sigma, threshold, value, whole)

    rises = linf * sigma**2 / maximum(linf * (level - linf), sigma**2)
    falls = minimum(sigma**2 / level, linf)
    first = l0 * seen(rises) + l2**2 / linf**2 * (seen(linf) - seen(rises))
    alike = minimum(l2 / root(l0), falls)
    second = l0 * seen(alike) + l2**2 / falls**2 * (seen(linf) - seen(falls))
    return first, second


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
    for per in ((ONE, ONE, ONE), (num(2), num(3), num(2)), (num(4), ONE, ONE)):
        for scale, threshold in ((Fraction(1), 6), (Fraction(4), Fraction(41, 2))):
            public = {"scale": scale, "threshold": threshold}
            tight = "approached" if per[0] == ONE else "unknown"
            yield Instance({"x": Keyed(words, whole, "L02Inf", per)}, public, {}, tight)


def tight(instance: Instance, d: int, tol: Fraction) -> Any:
    """One new key of value d; two new keys of value 2d."""
    space: Any = instance.private["x"]
    if space.per[1] == ONE:
        return {"x": {"z": 3}}, {"x": {"z": 3, "a": d}}
    return {"x": {"z": 3}}, {"x": {"z": 3, "a": 2 * d, "b": 2 * d}}
