"""Privacy profiles: the whole curve delta(epsilon) of a measurement at a distance.

From a composition tree the curve is read by the accountant (exact for Gaussian noise: Balle and
Wang 2018, Theorem 8); from a rho alone by the best Renyi order (Canonne, Kamath, Steinke 2020);
from (epsilon, delta) it is the curve of the worst mechanism with that guarantee (Kairouz, Oh,
Viswanath 2015).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import inf, isnan, nextafter
from typing import Any

from metricdp.accounting.renyi import LinearCurve, PureCurve
from metricdp.accounting.rounded import short_up
from metricdp.errors import ParameterError
from metricdp.maps.distances import Number, typed
from metricdp.measures.accountant import certified, profile, unsampled, worst_delta
from metricdp.measures.accounted import AccountedStep

_FARTHEST = Fraction(2) ** 20


class PrivacyProfile:
    """delta as a function of epsilon: never rising, from `delta(0)` down to `delta(oo)`.

    Args:
        curve: epsilon >= 0 -> delta in [0, 1], not rising; believed as it is.
        steps: in place of a curve: what was spent, as steps of the accountant.
        adjacency: what one unit of distance is, where steps sample rows.
    """

    __slots__ = ("_adjacency", "_curve", "_steps")

    def __init__(
        self,
        curve: Callable[[float], float] | None = None,
        *,
        steps: Sequence[AccountedStep] | None = None,
        adjacency: Any = None,
    ) -> None:
        if (curve is None) == (steps is None):
            raise ParameterError(
                "a profile is a curve", place="profile",
                remedy="PrivacyProfile(lambda epsilon: ...)",
            )  # fmt: skip
        self._curve, self._adjacency = curve, adjacency
        self._steps = None if steps is None else tuple(steps)

    @classmethod
    def of_rho(cls, rho: Number, delta: Number = 0) -> PrivacyProfile:
        """The profile of any mechanism with this rho, or (rho, delta); no bound if infinite."""
        if isinstance(rho, float) or isinstance(delta, float) or delta >= 1:
            return cls(lambda _: 1.0)
        return cls(steps=(AccountedStep(LinearCurve(rho), 1, Fraction(delta)),))

    @classmethod
    def of_pair(cls, epsilon: Number, delta: Number = 0) -> PrivacyProfile:
        """The profile of any mechanism with this (epsilon, delta)."""
        if isinstance(epsilon, float) or isinstance(delta, float) or delta >= 1:
            return cls(lambda _: 1.0)
        return cls(steps=(AccountedStep(PureCurve(Fraction(epsilon)), 1, Fraction(delta)),))

    def exact_delta(self, epsilon: int | float | Fraction) -> Fraction:
        """The least delta that is proved at epsilon, a rational rounded up.

        Raises:
            ParameterError: an epsilon that is negative or NaN, or a curve that leaves [0, 1].
        """
        at = typed(epsilon, "epsilon")
        if isinstance(at, float):
            at = _FARTHEST
        if self._curve is not None:
            value = self._curve(float(at))
            if isnan(value) or not 0 <= value <= 1:
                raise ParameterError(
                    f"the curve is {value} at epsilon = {float(at)}", place="profile",
                    remedy="return a probability",
                )  # fmt: skip
            return Fraction(value)
        assert self._steps is not None
        return profile(self._steps, at, self._adjacency) if self._steps else Fraction(0)

    def exact_epsilon(self, delta: int | float | Fraction) -> Number:
        """The least epsilon that is proved at delta, rounded up; infinity if there is none.

        Raises:
            ParameterError: delta outside [0, 1].
        """
        share = typed(delta, "delta")
        if share > 1:
            raise ParameterError(f"delta is {delta}", place="delta", remedy="choose delta <= 1")
        if share == 1:
            return Fraction(0)
        if self._curve is not None:
            return _turn(lambda e: self.exact_delta(e) <= share)
        try:
            steps, at = self._steps or (), self._adjacency
            best: Number = certified(steps, Fraction(share), at).epsilon
        except ParameterError:
            return inf
        try:
            plain = unsampled(self._steps or (), self._adjacency)
        except ParameterError:
            return best  # samples without a curve have no pure epsilon
        if _pure_delta(plain, Fraction(0)) < 1:
            best = min(best, _turn(lambda e: _pure_delta(plain, e) <= share))
        return best

    def delta(self, epsilon: int | float | Fraction) -> float:
        """As `exact_delta`, rounded up to a double."""
        return _up(self.exact_delta(epsilon))

    def epsilon(self, delta: int | float | Fraction) -> float:
        """As `exact_epsilon`, rounded up to a double."""
        return _up(self.exact_epsilon(delta))

    def __add__(self, other: PrivacyProfile) -> PrivacyProfile:
        """The profile of two mechanisms on the same data, chosen adaptively.

        Steps of the accountant compose as such.  Of a curve that is only believed, one point is
        enough: (e1 + e2, d1 + d2), at the best of some splits of epsilon.
        """
        if self._steps is not None and other._steps is not None:
            adjacency = self._adjacency or other._adjacency
            return PrivacyProfile(steps=self._steps + other._steps, adjacency=adjacency)

        def curve(epsilon: float) -> float:
            at = Fraction(epsilon)
            shares = [at * k / 64 for k in range(65)]
            found = min(self.exact_delta(s) + other.exact_delta(at - s) for s in shares)
            return _up(min(Fraction(1), found))

        return PrivacyProfile(curve)

    def __repr__(self) -> str:
        return "PrivacyProfile()"


def _pure_delta(steps: Sequence[AccountedStep], epsilon: Fraction) -> Fraction:
    """delta of the worst mechanism with the sums of epsilon and delta; 1 if there is no epsilon."""
    total, leak = Fraction(0), Fraction(0)
    for step in steps:
        own = step.curve.pure_epsilon
        if own is None:
            return Fraction(1)
        total, leak = total + step.count * own, leak + step.count * step.leak
    return worst_delta(total, leak, epsilon)


def _turn(holds: Callable[[Fraction], bool]) -> Number:
    """The least epsilon at which a rising predicate holds, rounded up."""
    low, high = Fraction(0), Fraction(1, 2**30)
    if holds(low):
        return low
    while not holds(high):
        low, high = high, 2 * high
        if high > _FARTHEST:
            return inf
    while high - low > high / 2**40:
        middle = short_up((low + high) / 2, 60)
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def _up(value: Number) -> float:
    nearest = float(value)
    if isinstance(value, float) or Fraction(nearest) >= value:
        return nearest
    return nextafter(nearest, inf)
