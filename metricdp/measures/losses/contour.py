"""The contour engine: delta at epsilon and epsilon at delta of a composition, certified.

delta(eps) is an integral of the moment function on a vertical line through the saddle point
(`contour_sum`).  Moments of a composition multiply, so the cost does not depend on how often a
mechanism is repeated, and the relative accuracy not on how small delta is.  Doubles choose where
and how finely to sum; what is returned was computed in balls: a poor choice widens the bracket.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import log
from typing import Protocol

from metricdp.errors import ParameterError, UncertifiedError
from metricdp.measures.losses.balls import Ball, ball, ends, precision
from metricdp.measures.losses.bracket import Bracket
from metricdp.measures.losses.composed import Bounds, Composed, composed
from metricdp.measures.losses.contour_lattice import LatticeSum, common_lattice
from metricdp.measures.losses.contour_normal import NormalProfile, only_normal
from metricdp.measures.losses.contour_plan import plan
from metricdp.measures.losses.contour_sum import ContourSum
from metricdp.measures.losses.loss import Loss
from metricdp.measures.losses.saddle import Saddle, saddle_for_delta, saddle_for_epsilon

_ATTEMPTS = 4
#: Values of delta below 2 to minus this are not told from 0.
_TINY = 20_000
_NOTHING: Bounds = (Fraction(0), Fraction(0))


class Sum(Protocol):
    """Something that encloses the finite part of delta, made and used at one precision."""

    def enclose(self, epsilon: Fraction) -> tuple[Ball, Ball]:
        """Balls below and above it."""
        ...


def delta(
    parts: Sequence[tuple[Loss, int]], epsilon: Fraction | int | float, width: float = 1e-9
) -> Bracket:
    """delta(epsilon) of a composition.

    Args:
        parts: losses in one direction, each with the number of times that it occurs.
        epsilon: any finite number; a double is the rational it is.
        width: wanted relative width.  A bracket may be wider, where the moments fall slowly.

    Raises:
        ParameterError: a count or epsilon that is no number of its kind.
        MissingExtraError: python-flint is not installed.
    """
    whole, e = composed(parts), _finite(epsilon, "epsilon")
    low, high, bits, nodes, engine = _finite_part(whole, e, width)
    return Bracket(
        min(Fraction(1), whole.leak[0] + low),
        min(Fraction(1), whole.leak[1] + high),
        engine,
        bits,
        nodes,
    )


def _finite_part(
    whole: Composed, e: Fraction, width: float
) -> tuple[Fraction, Fraction, int, int, str]:
    """Bounds of delta without the leak, and how they were found."""
    if not whole.parts:
        with precision(128):
            low, high = ends(1 - ball(e).exp())
            return max(Fraction(0), low), max(Fraction(0), high), 128, 0, "closed form"
    if whole.largest is not None and e >= whole.largest[1]:
        return *_NOTHING, 53, 0, "closed form"
    saddle = saddle_for_epsilon(whole.parts, float(e))
    log_width, extra = saddle.log_delta + log(width), 0
    best = Fraction(0), Fraction(1)
    for _ in range(_ATTEMPTS):
        maker = Maker(whole, saddle, float(e), log_width, extra)
        with precision(maker.bits):
            low, high = bounds(maker.make(), e)
        best = max(best[0], low), min(best[1], high)
        if best[1] - best[0] <= Fraction(width) * best[1] or maker.plan.exhausted:
            break
        log_width = min(log_width - 3, logarithm(best[1]) + log(width))
        extra += 64
    return *best, maker.bits, maker.nodes, maker.engine


def epsilon(
    parts: Sequence[tuple[Loss, int]], delta: Fraction | int | float, width: float = 1e-9
) -> Bracket:
    """The least epsilon >= 0 with delta(epsilon) <= delta.

    Args:
        parts: losses in one direction, each with the number of times that it occurs.
        delta: in [0, 1); a double is the rational it is.
        width: wanted absolute width of the bracket.

    Raises:
        ParameterError: delta outside [0, 1), or no finite epsilon has this delta.
        UncertifiedError: no upper bound could be certified (the moments fall too slowly).
        MissingExtraError: python-flint is not installed.
    """
    whole, target = composed(parts), _finite(delta, "delta")
    if not 0 <= target < 1:
        raise ParameterError(f"delta is {target}", place="delta", remedy="choose 0 <= delta < 1")
    rest = target - whole.leak[1]
    if not whole.parts or (rest == 0 and whole.largest is not None):
        low, high = whole.largest or _NOTHING
        exact = whole.leak[0] == whole.leak[1]
        return Bracket(
            max(Fraction(0), low) if exact else Fraction(0), max(high, Fraction(0)), "closed form"
        )
    if rest <= 0:
        raise ParameterError(
            f"no finite epsilon has delta = {target}: the mechanisms leak with probability up to"
            f" {float(whole.leak[1]):.6g}"
            if whole.leak[1]
            else "no finite epsilon has delta = 0",
            place="delta",
            remedy="choose a larger delta",
        )
    return _Root(whole, target, width).found()


class Maker:
    """Which sum is made for a composition near one saddle, and at which precision."""

    def __init__(
        self, whole: Composed, saddle: Saddle, e: float, log_width: float, extra: int
    ) -> None:
        self.whole = whole
        self.squared = only_normal(whole.parts)
        self.lattice = common_lattice(whole.parts)
        self.plan = plan(whole.parts, saddle, e, log_width, self.lattice)
        if self.lattice is not None and self.plan.exhausted:
            other = plan(whole.parts, saddle, e, log_width)
            if not other.exhausted:
                self.plan, self.lattice = other, None
        self.bits = self.plan.bits + extra
        self.engine, self.nodes = "contour", self.plan.last + 1
        if self.squared is not None:
            self.engine, self.nodes = "closed form", 0

    def make(self) -> Sum:
        """Inside `precision(self.bits)`."""
        if self.squared is not None:
            return NormalProfile(self.squared)
        if self.lattice is not None:
            return LatticeSum(self.whole.parts, self.plan, self.lattice)
        return ContourSum(self.whole.parts, self.plan)


def bounds(total: Sum, e: Fraction) -> Bounds:
    """The bracket of the finite part of delta(e), within [0, 1]."""
    below, above = total.enclose(e)
    # Ends outside (2^-_TINY, 1) are replaced outwards before they become rationals.
    tiny = ball(2) ** -_TINY
    low = ends(below)[0] if below.is_finite() and below > tiny else Fraction(0)
    if not (above.is_finite() and above < 1):
        return low, Fraction(1)
    return low, ends(above)[1] if not above < tiny else Fraction(1, 2**_TINY)


class _Root:
    """The search for the least epsilon, and its certificate."""

    def __init__(self, whole: Composed, target: Fraction, width: float) -> None:
        self.whole, self.target, self.width = whole, target, width
        #: The finite part has to be at most `under`; above `over` it is certainly too large.
        self.under, self.over = target - whole.leak[1], target - whole.leak[0]
        self.log_target = logarithm(self.under)
        self.best: tuple[Fraction, Fraction | None] = (Fraction(0), None)
        if whole.largest is not None:
            self.best = Fraction(0), max(Fraction(0), whole.largest[1])

    def found(self) -> Bracket:
        """The bracket, narrowed in a few attempts."""
        at_zero = False
        saddle = saddle_for_delta(self.whole.parts, self.log_target)
        e, extra, share = saddle.epsilon, 0, 1 / 20
        maker = None
        for _ in range(_ATTEMPTS):
            if self.whole.largest is not None:
                e = min(e, float(self.whole.largest[0]) - self.width / 2)
            if e <= 0 and not at_zero:
                at_zero = True
                _, high, bits, nodes, engine = _finite_part(self.whole, Fraction(0), 1e-3)
                if high <= self.under:
                    return Bracket(Fraction(0), Fraction(0), engine, bits, nodes)
            e = max(e, 0.0)
            if abs(e - saddle.epsilon) * saddle.c > 0.1:
                saddle = saddle_for_epsilon(self.whole.parts, e)
            log_width = self.log_target + log(self.width * saddle.c * share)
            maker = Maker(self.whole, saddle, e, min(log_width, self.log_target - 3), extra)
            with precision(maker.bits):
                e = self._attempt(maker.make(), e, saddle.c)
            top = self.best[1]
            if top is not None and top - self.best[0] <= Fraction(self.width):
                break
            if maker.plan.exhausted:
                break
            extra, share = extra + 64, share / 100
        if self.best[1] is None or maker is None:
            raise UncertifiedError(
                f"no upper bound of epsilon at delta = {float(self.target):.6g} could be certified",
                remedy="use the discretised engine, or a larger delta",
            )
        return Bracket(self.best[0], self.best[1], maker.engine, maker.bits, maker.nodes)

    def _attempt(self, total: Sum, e: float, c: float) -> float:
        """Narrow the bracket with one sum; the estimate of the root."""
        root = self._solved(total, e, c)
        pad = Fraction(self.width) / 3
        centre = Fraction(root)
        for side in (-1, 1):
            step = pad
            for _ in range(12):
                point = centre + side * step
                step *= 4
                if point <= 0 and side < 0:
                    break
                low, high = bounds(total, max(point, Fraction(0)))
                if side < 0 and low > self.over:
                    self.best = max(self.best[0], point), self.best[1]
                    break
                if side > 0 and high <= self.under:
                    known = self.best[1]
                    self.best = self.best[0], point if known is None else min(known, point)
                    break
        return root

    def _solved(self, total: Sum, e: float, c: float) -> float:
        """Secants on ln delta, which falls with a slope near -c."""
        slope = -c
        before = None
        for _ in range(12):
            low, high = bounds(total, Fraction(e))
            middle = (low + high) / 2
            if not middle:
                return e
            gap = logarithm(middle) - self.log_target
            if before is not None and e != before[0]:
                secant = (gap - before[1]) / (e - before[0])
                slope = secant if -100 * c < secant < -c / 100 else slope
            before = (e, gap)
            move = -gap / slope
            e += move
            if abs(move) < self.width / 100:
                break
        return e


def logarithm(x: Fraction) -> float:
    """ln x of a rational of any size, for searches; -1e9 for 0."""
    return log(x.numerator) - log(x.denominator) if x > 0 else -1e9


def _finite(x: Fraction | int | float, place: str) -> Fraction:
    try:
        return Fraction(x)
    except (ValueError, OverflowError, TypeError):
        raise ParameterError(
            f"{x!r} is no finite number", place=place, remedy="write a decimal or a fraction"
        ) from None
