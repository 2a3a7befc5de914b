"""Staircase noise on the integers: the least error for one number of a sensitivity, at an epsilon.

With D the sensitivity, r the width of the first stair, 1 <= r <= D, and b = e^-epsilon,
  P(k) = a b^s(|k|),  s(i) = floor((i + D - r) / D),  a = (1 - b) / (2 (r + b (D - r)) - (1 - b)):
equal masses on stairs of widths r, D - r, r + (D - r), ...: every mass is b times that D further
in.  Two centres at most K D apart have stairs that differ by at most K, so log-ratios are whole
multiples of epsilon, up to K epsilon.  With D = 1 it is discrete Laplace noise of scale 1/epsilon.

Source: Geng, Kairouz, Oh, Viswanath (2015), "The Staircase Mechanism in Differential Privacy",
section VI, for integers; Geng and Viswanath (2014), Theorem 3, for the form and its optimality.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from math import ceil
from typing import TYPE_CHECKING, Any, ClassVar

import msgspec

from metricdp.errors import ParameterError
from metricdp.expr import decimal_up
from metricdp.families.added import Whole
from metricdp.families.family import Draw, Extra, nonnegative

if TYPE_CHECKING:
    from metricdp.laws.finite import EnclosedLaw
    from metricdp.noise import BitSource
    from metricdp.noise.enclose import Bounds

_BITS = 256
#: A pair of laws with more outcomes in a period, and between the centres, is not compared.
_MANY = 20_000


class StaircaseNoise(Whole, frozen=True):
    """Noise around one whole number; its scale is the sensitivity, a whole number.

    Draws have "epsilon" and "stair" in `extra`.
    """

    name: str = "staircase"
    parameter: ClassVar[str] = "sensitivity"
    is_pure: ClassVar[bool] = True

    def check(self, draw: Draw) -> None:
        """ParameterError: no whole sensitivity, no epsilon > 0, no stair from 1 to it."""
        epsilon = nonnegative(draw.extra.get("epsilon", -1), "epsilon", draw.site)
        stair = draw.extra.get("stair", 0)
        if draw.scale and not (
            epsilon and draw.scale.denominator == 1 and stair in range(1, int(draw.scale) + 1)
        ):
            raise ParameterError(
                f"a stair of {stair} at sensitivity {draw.scale} and epsilon {epsilon}",
                place=draw.site,
                remedy="a whole sensitivity, epsilon > 0 and a whole stair from 1 to it",
            )

    def request(
        self, noise: Mapping[str, Fraction], lower: Callable[[str], Fraction]
    ) -> tuple[Fraction, dict[str, Any]]:
        """The sensitivity; the epsilon is never larger than it is."""
        return noise[self.parameter], {"epsilon": lower("epsilon"), "stair": int(noise["stair"])}

    def fixed(
        self, noise: Mapping[str, Fraction], public: Mapping[str, Any]
    ) -> tuple[Fraction, dict[str, Any]]:
        """What the event states."""
        return self.request(noise, noise.__getitem__)

    def noise(self, scale: Fraction, extra: Extra, size: int, source: BitSource) -> Sequence[int]:
        """Independent draws, exactly: see `_draw`."""
        if not scale:
            return [0] * size
        epsilon, stair = Fraction(extra["epsilon"]), int(extra["stair"])
        return [_draw(int(scale), epsilon, stair, source) for _ in range(size)]

    def law_around(self, x: Fraction, scale: Fraction, extra: Extra) -> StaircaseLaw:
        """See there."""
        return StaircaseLaw(int(x), int(scale), Fraction(extra["epsilon"]), int(extra["stair"]))

    def interval(self, scale: Fraction, extra: Extra, alpha: Fraction) -> float:
        """The least whole number beyond which the noise lies with probability at most alpha."""
        from metricdp.noise import double_up
        from metricdp.noise.parameters import rational

        law = self.law_around(Fraction(0), scale, extra)
        error = rational(alpha, "alpha")
        if not Fraction(1, 10**300) <= error < 1:
            raise ParameterError(
                "must lie between 0 and 1, at least 1e-300", place="alpha", remedy="alpha=0.05"
            )
        low: int = -1
        high: int = 1
        while error < 2 * law.tail(high + 1)[1]:
            low, high = high, 2 * high
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if 2 * law.tail(middle + 1)[1] > error else (low, middle)
        return double_up(high)

    def words(self, scale: Fraction, extra: Extra) -> str:
        """ "staircase, sensitivity 3, epsilon 1, first stair of 1"."""
        return (
            f"staircase, sensitivity {decimal_up(scale)}, epsilon {decimal_up(extra['epsilon'])}, "
            f"first stair of {extra['stair']}"
        )

    def log_ratio(
        self, scale: Fraction, extra: Extra, first: Fraction, second: Fraction, output: Fraction
    ) -> Fraction:
        """The difference of the two stairs, in epsilons."""
        width, stair = int(scale), int(extra["stair"])
        near, far = (_stair(output - x, width, stair) for x in (first, second))
        return Fraction(extra["epsilon"]) * (far - near)

    def largest_loss(self, scale: Fraction, extra: Extra, step: Fraction) -> Fraction:
        """One epsilon for every sensitivity that is begun."""
        return Fraction(extra["epsilon"]) * ceil(abs(step) / scale)


STAIRCASE = StaircaseNoise()


def _stair(distance: int | Fraction, width: int, stair: int) -> int:
    """s(|distance|)."""
    far = distance if distance >= 0 else -distance
    return int((far + width - stair) // width)


def _draw(width: int, epsilon: Fraction, stair: int, source: BitSource) -> int:
    """One draw.

    Exact because: a magnitude is k widths and a place in the first one, k geometric with factor b
    (see `invert`); the place lies on the first stair with probability r / (r + b (D - r)), which
    is compared with a lazily drawn uniform by enclosures of b, and is uniform there.  Signs are
    fair, and a zero with a minus is drawn again, so that zero counts once.
    """
    from metricdp.noise.discrete_scalar import invert
    from metricdp.noise.enclose import exp_fixed
    from metricdp.noise.lazy import LazyUniform, is_below

    def on_the_first(bits: int) -> tuple[int, int]:
        low, high = exp_fixed(-epsilon, bits + 8)
        top, rest = stair << (2 * bits + 8), width - stair
        ends = (stair << (bits + 8)) + rest * low, (stair << (bits + 8)) + rest * high
        return top // ends[1], -(-top // ends[0])

    while True:
        cells = invert(LazyUniform(source), 1 / epsilon, two_sided=False)
        near = is_below(LazyUniform(source), on_the_first)
        place = source.below(stair) if near else stair + source.below(width - stair)
        magnitude, minus = cells * width + place, source.randbits(1)
        if magnitude or not minus:
            return -magnitude if minus else magnitude


@lru_cache(maxsize=1024)
def _b_to_the(power: int, epsilon: Fraction) -> Bounds:
    """e**(-power epsilon): every mass of a law asks for a few of them."""
    from metricdp.noise.enclose import exp_bounds

    # 1 - b is about epsilon: its relative precision needs as many bits more.
    size = epsilon.denominator.bit_length() - epsilon.numerator.bit_length()
    return exp_bounds(-epsilon * power, _BITS + max(0, size))


class StaircaseLaw(msgspec.Struct, frozen=True):
    """Law of center + staircase noise on the integers."""

    center: int
    width: int
    epsilon: Fraction
    stair: int

    def support(self) -> None:
        """All integers."""
        return

    def _b(self, power: int = 1) -> Bounds:
        return _b_to_the(power, self.epsilon)

    def _peak(self) -> Bounds:
        """a."""
        from metricdp.laws.interval import ONE, over, subtract

        rest = subtract(ONE, self._b())
        low, high = self._first()
        return over(rest, subtract((2 * low, 2 * high), rest))

    def _first(self, place: int = 0) -> Bounds:
        """The masses from a place of the first width to its end, over a."""
        near, far = max(0, self.stair - place), self.width - max(place, self.stair)
        low, high = self._b()
        return near + far * low, near + far * high

    def pmf(self, outcome: Any) -> Bounds:
        """P(X = outcome); 0 for what is no integer."""
        from metricdp.laws.interval import ZERO, significant, times
        from metricdp.laws.numbers import last_whole

        if last_whole(outcome) != outcome:
            return ZERO
        stair = _stair(last_whole(outcome) - self.center, self.width, self.stair)
        return significant(times(self._peak(), self._b(stair)))

    def tail(self, k: Any) -> Bounds:
        """P(X >= k)."""
        from metricdp.laws.interval import ONE, add, over, significant, subtract, times
        from metricdp.laws.numbers import next_whole

        j = next_whole(k) - self.center
        if j < 1:
            return subtract(ONE, self.tail(self.center - j + 1))
        cells, place = divmod(j, self.width)
        b = self._b()
        further = over(times(b, self._first()), subtract(ONE, b))
        whole = times(self._peak(), add(self._first(place), further))
        return significant(times(whole, self._b(cells)))

    def cdf(self, k: Any) -> Bounds:
        """P(X <= k)."""
        from metricdp.laws.numbers import last_whole

        return self.tail(2 * self.center - last_whole(k))

    def between(self, first: Any, last: Any) -> Bounds:
        """P(first <= X <= last)."""
        from metricdp.laws.law import between
        from metricdp.laws.numbers import last_whole, next_whole

        return between(self, self.center, next_whole(first), last_whole(last))

    def log_ratio(self, other: Any, outcome: int) -> Bounds:
        """ln P(outcome) / Q(outcome); exact (equal ends) between laws of the same noise."""
        from metricdp.laws.interval import log, over

        if not self._alike(other):
            return log(over(self.pmf(outcome), other.pmf(outcome)))
        mine, its = (_stair(outcome - x.center, x.width, x.stair) for x in (self, other))
        return self.epsilon * (its - mine), self.epsilon * (its - mine)

    def _alike(self, other: Any) -> bool:
        return isinstance(other, StaircaseLaw) and (self.width, self.epsilon, self.stair) == (
            other.width, other.epsilon, other.stair,
        )  # fmt: skip

    def lumped_with(self, other: Any) -> tuple[EnclosedLaw, EnclosedLaw] | None:
        """Both laws on the values of their log-ratio, in epsilons; None for other pairs.

        Beyond the centres the log-ratio has the period of the stairs, and masses fall by b.
        """
        from metricdp.laws.finite import EnclosedLaw
        from metricdp.laws.interval import ONE, ZERO, add, over, subtract

        apart = abs(self.center - getattr(other, "center", self.center))
        if not self._alike(other) or self.width + apart > _MANY:
            return None
        rest = subtract(ONE, self._b())
        mine: dict[Hashable, Bounds] = {}
        its: dict[Hashable, Bounds] = {}
        for outcome, repeats in self._outcomes(other.center):
            p, q = self.pmf(outcome), other.pmf(outcome)
            if repeats:
                p, q = over(p, rest), over(q, rest)
            ratio = int(self.log_ratio(other, outcome)[0] / self.epsilon)
            mine[ratio] = add(mine.get(ratio, ZERO), p)
            its[ratio] = add(its.get(ratio, ZERO), q)
        return EnclosedLaw(mine), EnclosedLaw(its)

    def _outcomes(self, other: int) -> Iterator[tuple[int, bool]]:
        """One outcome of every kind, and whether it stands for all that are widths further out."""
        low, high = sorted((self.center, other))
        for place in range(self.width):
            yield high + place, True
        if low == high:  # zero would stand on both sides
            for place in range(1, self.width + 1):
                yield low - place, True
            return
        for place in range(self.width):
            yield low - place, True
        for outcome in range(low + 1, high):
            yield outcome, False
