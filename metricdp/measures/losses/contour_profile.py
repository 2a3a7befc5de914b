"""The profile of a composition at one epsilon, and at many that share their sums.

A sum over a contour encloses delta at every epsilon, narrowly near the one that it was planned for.
`Profile` plans at the points of a grid, whichever epsilons are asked first, so that an answer does
not depend on those before it.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import isfinite, log, sqrt

from msgspec.structs import replace

from metricdp.errors import UncertifiedError
from metricdp.measures.losses.balls import ball, ends, precision
from metricdp.measures.losses.bracket import Bracket
from metricdp.measures.losses.composed import Composed, composed
from metricdp.measures.losses.contour_maker import Maker, Sum, bounds
from metricdp.measures.losses.contour_normal import joined
from metricdp.measures.losses.contour_root import ATTEMPTS, logarithm
from metricdp.measures.losses.log_moments import log_moments
from metricdp.measures.losses.loss import Loss
from metricdp.measures.losses.saddle import saddle_for_epsilon

#: The grid, in standard deviations of the tilted loss; sums aim at widths smaller by this factor.
_SPACING, _AHEAD = 0.25, 100.0
#: Sums that are kept.
_MOST = 64


class Profile:
    """delta(epsilon) of one composition.

    Args:
        parts: losses in one direction, each with the number of times that it occurs.

    Raises:
        UncertifiedError: a part whose moments are not known.
    """

    def __init__(self, parts: Sequence[tuple[Loss, int]]) -> None:
        self.whole = known(parts)
        self.spacing = Fraction(_SPACING * _spread(self.whole))
        self._sums: dict[tuple[int, float], tuple[Maker, Sum] | None] = {}

    def delta(self, epsilon: Fraction, width: float = 1e-9) -> Bracket:
        """As `contour.delta`, at a fraction of its cost where neighbours were asked before.

        Raises:
            UncertifiedError, MissingExtraError: as `contour.delta`.
        """
        made = self._near(epsilon, width)
        if made is not None:
            maker, total = made
            with precision(maker.bits):
                low, high = bounds(total, epsilon)
            if high - low <= Fraction(width) * high:
                found = Bracket(low, high, maker.engine, maker.bits, maker.nodes)
                return with_leak(self.whole, found)
        return with_leak(self.whole, finite_part(self.whole, epsilon, width))

    def _near(self, epsilon: Fraction, width: float) -> tuple[Maker, Sum] | None:
        """The sum of the grid point next to epsilon; None where there is no good one."""
        top = self.whole.largest
        if not self.whole.parts or (top is not None and epsilon >= top[1]):
            return None
        key = round(epsilon / self.spacing), width
        if key not in self._sums:
            while len(self._sums) >= _MOST:
                self._sums.pop(next(iter(self._sums)))
            self._sums[key] = self._made(key[0] * self.spacing, width)
        return self._sums[key]

    def _made(self, e: Fraction, width: float) -> tuple[Maker, Sum] | None:
        saddle = saddle_for_epsilon(self.whole.parts, float(e))
        log_width = min(saddle.log_delta, 0.0) + log(width / _AHEAD)
        try:
            maker = Maker(self.whole, saddle, float(e), log_width, 0)
            with precision(maker.bits):
                return maker, maker.make()
        except UncertifiedError:
            return None


def _spread(whole: Composed) -> float:
    """The standard deviation of the loss, about, tilted by 1/2; 1 where it is not known."""
    psi = log_moments(whole.parts)
    try:
        square = (psi(0.75) - 2 * psi(0.5) + psi(0.25)) * 16
    except (ArithmeticError, ValueError):
        return 1.0
    return sqrt(square) if isfinite(square) and square > 0 else 1.0


def with_leak(whole: Composed, found: Bracket) -> Bracket:
    """The bracket of delta from that of its finite part."""
    low, high = (
        min(Fraction(1), leak + end)
        for leak, end in zip(whole.leak, (found.lower, found.upper), strict=True)
    )
    return Bracket(low, high, found.engine, found.bits, found.nodes)


def finite_part(whole: Composed, e: Fraction, width: float) -> Bracket:
    """delta without the leak."""
    if not whole.parts:
        with precision(128):
            low, high = ends(1 - ball(e).exp())
        return Bracket(max(Fraction(0), low), max(Fraction(0), high), "closed form", 128)
    if whole.largest is not None and e >= whole.largest[1]:
        return Bracket(Fraction(0), Fraction(0), "closed form")
    saddle = saddle_for_epsilon(whole.parts, float(e))
    log_width = min(saddle.log_delta, 0.0) + log(width)
    low, high = Fraction(0), Fraction(1)
    for attempt in range(ATTEMPTS):
        try:
            maker = Maker(whole, saddle, float(e), log_width, attempt)
            with precision(maker.bits):
                below, above = bounds(maker.make(), e)
        except UncertifiedError:
            # What a first attempt has certified stands.
            if not attempt:
                raise
            break
        low, high = max(low, below), min(high, above)
        if high - low <= Fraction(width) * high or maker.final:
            break
        log_width = min(log_width - 3, logarithm(high) + log(width))
    return Bracket(low, high, maker.engine, maker.bits, maker.nodes)


def known(parts: Sequence[tuple[Loss, int]]) -> Composed:
    """The composition, if every part has moments to the right of 0."""
    whole = composed(parts)
    for loss, _ in whole.parts:
        if not loss.span[1] > 0:
            raise UncertifiedError(
                "the moments of this law are not known",
                place=type(loss).__name__,
                remedy="ask the discretised engine",
            )
    return replace(whole, parts=joined(whole.parts))
