"""The contour engine: delta at epsilon and epsilon at delta of a composition, certified.

delta(eps) is an integral of the moment function on a vertical line through the saddle point
(`contour.sums`).  Moments of a composition multiply, so the cost does not depend on how often a
mechanism is repeated, and the relative accuracy not on how small delta is.  Doubles choose where
and how finely to sum; what is returned was computed in balls: a poor choice widens the bracket.
Gaussian noise alone has a closed form, and a few rounds of atoms and Laplace noise an exact sum.

The least epsilon at a delta is a search whose every step is also a certificate (`Root`).

A profile is asked at one epsilon, or at many that share their sums (`ContourProfile`).  A sum over
a contour encloses delta at every epsilon, narrowly near the one that it was planned for. It plans
at the points of a grid, whichever epsilons are asked first, so that an answer does not depend on
those before it.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import isfinite, log, sqrt

from msgspec.structs import replace

from metricdp.accounting.contour.closed import joined
from metricdp.accounting.contour.maker import Maker, Sum, bounds
from metricdp.accounting.contour.saddle import log_moments, saddle_for_delta, saddle_for_epsilon
from metricdp.accounting.losses.balls import ball, ends, precision
from metricdp.accounting.losses.loss import Bracket, ComposedLosses, Loss, composed
from metricdp.errors import ParameterError, UncertifiedError


def delta(
    parts: Sequence[tuple[Loss, int]], epsilon: Fraction | int | float, width: float = 1e-9
) -> Bracket:
    """delta(epsilon) of a composition.

    Args:
        parts: losses in one direction, each with the number of times that it occurs.
        epsilon: any finite number; a double is the rational it is.
        width: wanted relative width, > 0.  A bracket may be wider, where the moments fall slowly.

    Raises:
        ParameterError: a count, epsilon or width that is no number of its kind.
        UncertifiedError: a part whose moments are not known.
        MissingExtraError: python-flint is not installed.
    """
    whole, e = known(parts), _finite(epsilon, "epsilon")
    return with_leak(whole, finite_part(whole, e, _width(width)))


def epsilon(
    parts: Sequence[tuple[Loss, int]], delta: Fraction | int | float, width: float = 1e-9
) -> Bracket:
    """The least epsilon >= 0 with delta(epsilon) <= delta.

    Args:
        parts: losses in one direction, each with the number of times that it occurs.
        delta: in [0, 1); a double is the rational it is.
        width: wanted absolute width of the bracket, > 0.

    Raises:
        ParameterError: delta outside [0, 1), or no finite epsilon has this delta.
        UncertifiedError: no upper bound could be certified (the moments fall too slowly), or a
            part whose moments are not known.
        MissingExtraError: python-flint is not installed.
    """
    whole, target = known(parts), _finite(delta, "delta")
    if not 0 <= target < 1:
        raise ParameterError(f"delta is {target}", place="delta", remedy="choose 0 <= delta < 1")
    rest = target - whole.leak[1]
    if rest == 0 and whole.largest is not None:
        low, high = whole.largest
        exact = whole.leak[0] == whole.leak[1]
        low, high = max(Fraction(0), low if exact else low * 0), max(Fraction(0), high)
        return Bracket(low, high, "closed form")
    if rest <= 0:
        leak = f": the mechanisms leak with probability {float(whole.leak[1]):.6g}"
        raise ParameterError(
            f"no finite epsilon has delta = {float(target):.6g}{leak if whole.leak[1] else ''}",
            place="delta",
            remedy="choose a larger delta",
        )
    if not whole.parts:
        return Bracket(Fraction(0), Fraction(0), "closed form")
    return Root(whole, target, _width(width)).found()


def _width(width: float) -> float:
    if not 0 < width < 1:
        raise ParameterError(f"is {width}", place="width", remedy="choose 0 < width < 1")
    return width


def _finite(x: Fraction | int | float, place: str) -> Fraction:
    try:
        return Fraction(x)
    except (ValueError, OverflowError, TypeError):
        raise ParameterError(
            f"{x!r} is no finite number", place=place, remedy="write a decimal or a fraction"
        ) from None


ATTEMPTS = 4
_PROBES = 60


class Root:
    """The bracket [lower, upper] of the least epsilon >= 0 with delta(epsilon) <= target.

    delta(e) is the leak plus the finite part, and falls with e.  So a point where the finite part
    is certainly above target - leak is a lower bound, and one where it is certainly not above it
    is an upper bound.
    """

    def __init__(self, whole: ComposedLosses, target: Fraction, width: float) -> None:
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


#: The grid, in standard deviations of the tilted loss; sums aim at widths smaller by this factor.
_SPACING, _AHEAD = 0.25, 100.0
#: Sums that are kept.
_MOST = 64


class ContourProfile:
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


def _spread(whole: ComposedLosses) -> float:
    """The standard deviation of the loss, about, tilted by 1/2; 1 where it is not known."""
    psi = log_moments(whole.parts)
    try:
        square = (psi(0.75) - 2 * psi(0.5) + psi(0.25)) * 16
    except (ArithmeticError, ValueError):
        return 1.0
    return sqrt(square) if isfinite(square) and square > 0 else 1.0


def with_leak(whole: ComposedLosses, found: Bracket) -> Bracket:
    """The bracket of delta from that of its finite part."""
    low, high = (
        min(Fraction(1), leak + end)
        for leak, end in zip(whole.leak, (found.lower, found.upper), strict=True)
    )
    return Bracket(low, high, found.engine, found.bits, found.nodes)


def finite_part(whole: ComposedLosses, e: Fraction, width: float) -> Bracket:
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


def known(parts: Sequence[tuple[Loss, int]]) -> ComposedLosses:
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
