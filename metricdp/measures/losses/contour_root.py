"""The least epsilon at a delta: a search whose every step is also a certificate."""

from __future__ import annotations

from fractions import Fraction
from math import log

from metricdp.errors import UncertifiedError
from metricdp.measures.losses.balls import precision
from metricdp.measures.losses.bracket import Bracket
from metricdp.measures.losses.composed import Composed
from metricdp.measures.losses.contour_maker import Maker, Sum, bounds
from metricdp.measures.losses.saddle import saddle_for_delta, saddle_for_epsilon

ATTEMPTS = 4
_PROBES = 60


class Root:
    """The bracket [lower, upper] of the least epsilon >= 0 with delta(epsilon) <= target.

    delta(e) is the leak plus the finite part, and falls with e.  So a point where the finite part
    is certainly above target - leak is a lower bound, and one where it is certainly not above it
    is an upper bound.
    """

    def __init__(self, whole: Composed, target: Fraction, width: float) -> None:
        self.whole, self.target, self.width = whole, target, width
        self.under, self.over = target - whole.leak[1], target - whole.leak[0]
        self.log_target = logarithm(self.under)
        self.lower, self.upper = Fraction(0), None if whole.largest is None else whole.largest[1]
        if self.upper is not None:
            self.upper = max(self.upper, Fraction(0))
        self.maker: Maker | None = None
        self.at_zero = False

    def found(self) -> Bracket:
        """The bracket, narrowed in a few attempts.

        Raises:
            UncertifiedError: no upper bound was certified.
        """
        saddle = saddle_for_delta(self.whole.parts, self.log_target)
        e = saddle.epsilon
        for attempt in range(ATTEMPTS):
            e = self._inside(e)
            if abs(e - saddle.epsilon) * saddle.c > 0.1:
                saddle = saddle_for_epsilon(self.whole.parts, e)
            share = 20 * 100.0**attempt
            # The slope of ln delta is near -c.
            log_width = self.log_target + min(log(self.width * saddle.c / share), -3.0)
            try:
                self.maker = Maker(self.whole, saddle, e, log_width, attempt)
                with precision(self.maker.bits):
                    e = self._search(self.maker.make(), e, saddle.c)
            except UncertifiedError:
                # What a first attempt has certified stands.
                if not attempt:
                    raise
                break
            if self._done() or self.maker.final:
                break
        if self.upper is None or self.maker is None:
            raise UncertifiedError(
                f"no upper bound of epsilon at delta = {float(self.target):.6g} could be certified",
                remedy="use the discretised engine, or a larger delta",
            )
        return Bracket(self.lower, self.upper, self.maker.engine, self.maker.bits, self.maker.nodes)

    def _done(self) -> bool:
        return self.upper is not None and self.upper - self.lower <= Fraction(self.width)

    def _inside(self, e: float) -> float:
        """The point, moved into the bracket."""
        e = max(e, float(self.lower))
        if self.upper is not None and e >= self.upper:
            e = max(float(self.upper) - self.width / 2, (float(self.lower) + float(self.upper)) / 2)
        return e

    def _search(self, total: Sum, e: float, c: float) -> float:
        """Narrow the bracket with one sum; the best estimate of the root."""
        slope, before = -c, None
        pad = Fraction(self.width) / 3
        for _ in range(_PROBES):
            middle = self._probe(total, Fraction(e))
            if self._done() or not middle:
                return e
            gap = logarithm(middle) - self.log_target
            if before is not None and e != before[0]:
                secant = (gap - before[1]) / (e - before[0])
                slope = secant if secant < 0 else slope
            before = (e, gap)
            move = -gap / slope
            if abs(move) < self.width / 100:
                self._sides(total, Fraction(e + move), pad)
                return e + move
            e = self._next(e + move)
        return e

    def _next(self, e: float) -> float:
        """The point if it is inside the certified bracket, else the middle or a point beyond."""
        low = float(self.lower)
        if e <= 0 and not self.at_zero:
            self.at_zero = True
            return 0.0
        if self.upper is None:
            return e if e > low else 2 * low + self.width
        high = float(self.upper)
        return e if low < e < high else (low + high) / 2

    def _sides(self, total: Sum, centre: Fraction, pad: Fraction) -> None:
        """Points on either side of the root, farther and farther, until they certify."""
        for side in (-1, 1):
            step = pad
            for _ in range(20):
                point = max(centre + side * step, Fraction(0))
                lower, upper = self.lower, self.upper
                if point <= lower if side < 0 else upper is not None and point >= upper:
                    break
                self._probe(total, point)
                if (self.lower, self.upper) != (lower, upper):
                    break
                step *= 4

    def _probe(self, total: Sum, e: Fraction) -> Fraction:
        """Evaluate at e, move an end of the bracket there if that is proved; the value, about."""
        low, high = bounds(total, e)
        if low > self.over:
            self.lower = max(self.lower, e)
        if high <= self.under and (self.upper is None or e < self.upper):
            self.upper = e
        return (low + high) / 2


def logarithm(x: Fraction) -> float:
    """ln x of a rational of any size, for searches; -1e9 for 0."""
    return log(x.numerator) - log(x.denominator) if x > 0 else -1e9
