"""The noise, or the number of rounds, that meets a target: the safe side and the other one."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import exp, log
from typing import Any

import msgspec

from metricdp.accounting.engines import NoAnswerError
from metricdp.accounting.rounded import double_up
from metricdp.errors import ParameterError
from metricdp.measures.accounted import UNIT, AccountedEvent, Relation, relation
from metricdp.measures.answer import Answer
from metricdp.measures.cheap import cost
from metricdp.measures.combined import Repeated
from metricdp.measures.guarantee import Guarantee, account
from metricdp.measures.parameters import target_delta, target_epsilon, typed
from metricdp.measures.queries import side_delta
from metricdp.measures.reading import Reading, one_event, read

#: Noise outside these powers of 2 is not searched, nor more rounds than this.
_FARTHEST = 60
_MOST_ROUNDS = 1 << 40
_BITS = 44
#: Nearer than this the ends of a search are not told apart.
_FINEST = Fraction(1, 10**12)


class Calibration(msgspec.Struct, frozen=True):
    """The least noise that meets (epsilon, delta), between two certified ends.

    `float(calibration)` is the noise to use, rounded up.

    Attributes:
        noise: meets the target, proved.
        too_little: does not meet it, proved: no mechanism of the description can use less.
        guarantee: with `noise`.
    """

    noise: Fraction
    too_little: Fraction
    epsilon: Fraction
    delta: Fraction
    guarantee: Guarantee

    def __float__(self) -> float:
        return double_up(self.noise)

    def __str__(self) -> str:
        found = Answer("noise", self.too_little, self.noise, "", self.guarantee.relation)
        unit = UNIT[self.guarantee.relation]
        target = f"epsilon = {float(self.epsilon):.6g}, delta = {float(self.delta):.6g}"
        return f"noise {found.interval}  ({target}, {unit})"


def calibrate(
    event_of: Callable[[Fraction], AccountedEvent],
    *,
    epsilon: Any,
    delta: Any,
    relation: Any,
    tolerance: float = 1e-7,
) -> Calibration:
    """The least noise whose events meet (epsilon, delta).

    Args:
        event_of: noise > 0 -> event or list of events; more noise must cost less.
        epsilon: >= 0.
        delta: in [0, 1).
        relation: which data sets are neighbours.
        tolerance: relative width at which the search stops, in [1e-12, 1].

    Raises:
        NoAnswerError: no noise meets the target.
        ParameterError, RelationError: as `account`; no function, or a tolerance outside its range.
    """
    if not callable(event_of):
        raise ParameterError(
            f"{type(event_of).__name__} is no function of the noise", place="calibrate",
            remedy="calibrate(Gaussian, ...), or calibrate(lambda noise: Gaussian(noise), ...)",
        )  # fmt: skip
    which, e, d = _relation(relation), target_epsilon(epsilon), target_delta(delta)
    width = typed(tolerance, "tolerance", "calibrate")
    if not _FINEST <= width <= 1:
        raise ParameterError(
            f"tolerance is {tolerance}", place="calibrate", remedy="choose 1e-12 <= tolerance <= 1"
        )

    def verdict(noise: Fraction) -> tuple[bool | None, float]:
        return _verdict(one_event(event_of(noise)), which, e, d)

    low, high = _bracket(verdict)
    low, high = _narrowed(verdict, low, high, float(width))
    # The end that is promised is checked by both engines.
    found = account(event_of(high), which)
    if found.delta(e).upper > d:
        raise NoAnswerError(
            "the engines cannot certify the noise that was found", place="calibrate"
        )
    return Calibration(high, low, e, d, found)


Verdict = Callable[[Fraction], tuple[bool | None, float]]


def _verdict(
    event: AccountedEvent, which: Relation, epsilon: Fraction, delta: Fraction
) -> tuple[bool | None, float]:
    """Whether delta(epsilon) <= delta (None: between the ends), and ln of their quotient."""
    reading = read(event, which)
    if not delta and reading.known and not reading.gap:
        return _pure_verdict(reading, epsilon), 0.0
    if reading.exact:
        found = [side_delta(side, epsilon, checked=False) for side in reading.sides]
        low, high = max(f.lower for f in found), max(f.upper for f in found)
        slack = cost(reading.gap, epsilon)
        low, high = low - slack, high + slack
    else:
        answer = Guarantee(event, which).delta(epsilon)
        low, high = answer.lower, answer.upper
    met = True if high <= delta else False if low > delta else None
    return met, _log(high) - _log(delta)


def _pure_verdict(reading: Reading, epsilon: Fraction) -> bool | None:
    """Whether all losses are at most epsilon."""
    from metricdp.accounting.losses.loss import composed

    met = True
    for side in reading.sides:
        high, low = composed(side.upper or ()), composed(side.lower)
        if low.leak[0] or low.largest is None or low.largest[0] > epsilon:
            return False
        met &= not high.leak[1] and high.largest is not None and high.largest[1] <= epsilon
    return met or None


def _bracket(verdict: Verdict) -> tuple[Fraction, Fraction]:
    """(noise that is not known to meet the target, noise that meets it), a factor 2 apart."""
    noise = Fraction(1)
    met = verdict(noise)[0]
    for _ in range(_FARTHEST):
        other = noise / 2 if met else noise * 2
        there = verdict(other)[0]
        if bool(there) != bool(met):
            return (other, noise) if met else (noise, other)
        noise = other
    if met:
        raise NoAnswerError(
            "every noise meets the target", place="calibrate",
            remedy="the events do not depend on the noise, or the target says nothing",
        )  # fmt: skip
    raise NoAnswerError(
        "no noise meets the target", place="calibrate",
        remedy="choose a larger delta or epsilon, or fewer rounds",
    )  # fmt: skip


def _narrowed(
    verdict: Verdict, low: Fraction, high: Fraction, tolerance: float
) -> tuple[Fraction, Fraction]:
    """(noise that is proved to fail, noise that is proved to meet the target)."""
    f_low, f_high = verdict(low)[1], verdict(high)[1]
    kept = 0
    for _ in range(100):
        if high / low - 1 <= tolerance:
            break
        a, b = log(low), log(high)
        share = f_low / (f_low - f_high) if f_low > 0 > f_high > -1e8 else 0.5
        # A secant lands beside the root; a little further makes the other end close in as well.
        edge = tolerance / 4 / (b - a)
        share = min(max(share + (edge if kept >= 0 else -edge), edge), 1 - edge)
        noise = _short(exp(a + share * (b - a)))
        if not low < noise < high:
            noise = (low + high) / 2
        met, value = verdict(noise)
        if met:
            high, f_high, kept = noise, value, min(kept, 0) - 1
            f_low = f_low / 2 if kept < -1 else f_low
        elif met is False:
            low, f_low, kept = noise, value, max(kept, 0) + 1
            f_high = f_high / 2 if kept > 1 else f_high
        else:
            break
    return _fails(verdict, low, high), high


def _fails(verdict: Verdict, low: Fraction, high: Fraction) -> Fraction:
    """A noise below `high` that is proved to fail, as near to `low` as there is one; or 0."""
    step = Fraction(1, 1 << 30)
    for _ in range(16):
        if low <= 0:
            break
        if verdict(low)[0] is False:
            return low
        low, step = low * (1 - step), step * 4
    return Fraction(0)


class Rounds(msgspec.Struct, frozen=True):
    """How many rounds fit into a target; `int(rounds)` is what is proved.

    Attributes:
        count: this many meet the target, proved.
        too_many: this many do not, proved; None: no number is known not to.
        guarantee: with `count` rounds.
    """

    count: int
    too_many: int | None
    epsilon: Fraction
    delta: Fraction
    guarantee: Guarantee

    def __int__(self) -> int:
        return self.count

    def __str__(self) -> str:
        unit = UNIT[self.guarantee.relation]
        target = f"epsilon = {float(self.epsilon):.6g}, delta = {float(self.delta):.6g}"
        more = "no number is known to be too many" if self.too_many is None else ""
        more = more or f"{self.too_many} are too many"
        return f"{self.count} rounds, {more}  ({target}, {unit})"


def max_rounds(event: Any, *, epsilon: Any, delta: Any, relation: Any) -> Rounds:
    """How often the events may be repeated within (epsilon, delta).

    Raises:
        NoAnswerError: any number of rounds is allowed: they cost nothing.
        ParameterError, RelationError: as `account`.
    """
    which, e, d = _relation(relation), target_epsilon(epsilon), target_delta(delta)
    one = one_event(event)

    def met(rounds: int) -> bool | None:
        return _verdict(Repeated(one, rounds), which, e, d)[0]

    most = 1
    while met(most):
        most *= 2
        if most > _MOST_ROUNDS:
            raise NoAnswerError(
                f"{most} rounds are allowed", place="max_rounds",
                remedy="the event costs (nearly) nothing: there is no limit to find",
            )  # fmt: skip
    count = _last(lambda k: met(k) is True, most // 2, most)
    too_many: int | None = count + 1
    if met(count + 1) is None:
        while most <= _MOST_ROUNDS and met(most) is None:
            most *= 2
        fails = most <= _MOST_ROUNDS and met(most) is False
        too_many = _last(lambda k: met(k) is not False, count, most) + 1 if fails else None
    found = account(Repeated(one, count), which)
    if found.delta(e).upper > d:
        raise NoAnswerError("the engines cannot certify the number found", place="max_rounds")
    return Rounds(count, too_many, e, d, found)


def _last(holds: Callable[[int], bool], low: int, high: int) -> int:
    """The last k in [low, high) that holds, for a property that holds up to some k."""
    while high - low > 1:
        middle = (low + high) // 2
        if holds(middle):
            low = middle
        else:
            high = middle
    return low


def _relation(value: Any) -> Relation:
    return relation(value)


def _log(x: Fraction) -> float:
    return log(x.numerator) - log(x.denominator) if x > 0 else -1e9


def _short(x: float) -> Fraction:
    """A rational of few digits near x."""
    found = Fraction(x)
    shift = _BITS + found.denominator.bit_length() - found.numerator.bit_length()
    return Fraction(round(found * Fraction(2) ** shift)) / Fraction(2) ** shift
