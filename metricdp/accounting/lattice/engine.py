"""delta and epsilon of compositions by discretised privacy loss distributions, in two-sided bounds.

The second engine: doubles, lattices and transforms of NumPy, for every loss that can tell the
masses of cells.  It shares no step with the contour engine, and is its check.  Brackets narrow to
second order: halving the step quarters them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import exp, expm1, inf, log, log1p

from msgspec.structs import replace

from metricdp.accounting.lattice.laws import Atoms, above, below
from metricdp.accounting.lattice.plan import (
    ROUGH,
    LatticePlan,
    LossPart,
    aimed,
    plan,
)
from metricdp.accounting.lattice.sketch import sketch
from metricdp.accounting.lattice.sums import ComposedOnLattice, composed, window
from metricdp.accounting.losses.gaussian import GaussianLoss, ManyGaussiansLoss
from metricdp.accounting.losses.loss import Bracket, Loss, counted
from metricdp.errors import ParameterError, UncertifiedError

ENGINE = "discretised"
#: Masses are doubles: no smaller delta can be asked for.
LEAST_DELTA = Fraction(1, 10**270)
#: Chernoff bounds are taken with at most this slope per point: enough where a support ends.
_STEEPEST = 20.0
#: An upper bound so much above the estimate is tried again with this tilt.
_POOR, _GENTLE = 8.0, 10.0
#: A bracket so many times wider than wanted is met with that of a lattice so much coarser, where
#: roundings count less.
_MISSED, _COARSER = 3.0, 4.0
#: Gaussians are made one up to this variance of their loss.
_MOST_JOINED = 100
#: Copies up to which failures are multiplied exactly.
_FEW = 64
#: No epsilon above this is searched.
_FARTHEST = 1e11


def delta(
    parts: Sequence[tuple[Loss, int]],
    epsilon: Fraction,
    *,
    width: float = 1e-4,
    step: float | None = None,
) -> Bracket:
    """A bracket of the hockey-stick profile of a composition.

    Args:
        parts: (loss, copies), copies >= 0; all in the direction that is asked about.
        epsilon: any real number.
        width: the wanted width, as a shift of epsilon; not promised.
        step: of the lattice, instead of one that fits `width`.

    Raises:
        ParameterError: copies that are no count, a width or step that is not positive, a step that
            needs too many points, or losses beyond the range of doubles.
    """
    used = _checked(parts, width, step)
    if not used:
        return _empty(epsilon)
    if any(loss.infinite[0] == 1 for loss, _ in used):
        return Bracket(Fraction(1), Fraction(1), ENGINE)
    tops = [loss.largest for loss, _ in used]
    top = sum((n * most[1] for most, (_, n) in zip(tops, used, strict=True) if most), Fraction(0))
    if None not in tops and epsilon >= top:
        return _leak(used)
    seen, goal, share = aimed(_seen(used), float(epsilon), None, width)
    chosen = plan(seen, goal, width, step, share)
    found = _delta_at(seen, chosen, float(epsilon))
    poor = found.upper > _POOR * exp(min(goal.log_delta, 0.0)) and width <= ROUGH
    if poor and goal.tilt > _GENTLE:
        # Rare samples, very many rounds: roundings of all rounds count times a steep tilt.
        gentle = plan(seen, replace(goal, tilt=_GENTLE), width, step, share)
        upper = _from_above(seen, gentle)
        high = Fraction(upper.delta(float(epsilon))[1]) if upper else found.upper
        found = replace(found, upper=min(found.upper, high))
    if (
        step is None
        and width <= ROUGH
        and float(found.upper) > float(found.lower) * exp(min(_MISSED * width * goal.tilt, 700.0))
    ):
        coarse = plan(seen, goal, width, _COARSER * float(chosen.spans[0].step), share)
        found = _meet(found, _delta_at(seen, coarse, float(epsilon)))
    return found


def _delta_at(seen: Sequence[LossPart], chosen: LatticePlan, epsilon: float) -> Bracket:
    """The bracket of one plan."""
    # A double of epsilon is within one rounding, which `ComposedOnLattice.delta` charges.
    upper = _from_above(seen, chosen)
    high, nodes = (upper.delta(epsilon)[1], len(upper.y)) if upper else (1.0, 0)
    del upper
    lower = _from_below(seen, chosen)
    low = lower.delta(epsilon)[0] if lower else 0.0
    return Bracket(Fraction(low), Fraction(high), ENGINE, nodes=nodes)


def _meet(first: Bracket, second: Bracket) -> Bracket:
    """What both say."""
    lower, upper = max(first.lower, second.lower), min(first.upper, second.upper)
    return Bracket(lower, upper, ENGINE, nodes=max(first.nodes, second.nodes))


def epsilon(
    parts: Sequence[tuple[Loss, int]],
    delta: Fraction,
    *,
    width: float = 1e-4,
    step: float | None = None,
) -> Bracket:
    """A bracket of the least epsilon >= 0 with profile <= delta.

    Args:
        parts: (loss, copies), copies >= 0; all in the direction that is asked about.
        delta: in [0, 1).
        width: the wanted width; not promised.
        step: of the lattice, instead of one that fits `width`.

    Raises:
        ParameterError: as for `delta`; a delta outside its range; or no epsilon is large enough,
            because the probability that L = +oo is above delta.
        UncertifiedError: delta is below 1e-270, or so small for these losses that no bound is.
    """
    used = _checked(parts, width, step)
    if not 0 <= delta < 1:
        raise ParameterError(f"is {delta}", place="delta", remedy="choose 0 <= delta < 1")
    if delta < LEAST_DELTA:
        raise UncertifiedError(
            "delta is below 1e-270, beyond the range of doubles",
            place="delta",
            remedy="choose a larger delta; those below need python-flint (metricdp[accounting])",
        )
    if not used:
        return Bracket(Fraction(0), Fraction(0), ENGINE)
    if any(loss.infinite[0] == 1 for loss, _ in used):
        raise _too_leaky()
    log_delta = log(delta.numerator) - log(delta.denominator)
    seen, goal, leak = aimed(_seen(used), None, log_delta, width)
    chosen = plan(seen, goal, width, step, leak)
    guess = max(0.0, goal.epsilon)
    share = 1e-2 if width > ROUGH else 1e-5
    tolerance = max(share * width, 1e-12 * (1 + guess))

    def cross(law: ComposedOnLattice, side: int) -> float:
        found = crossing(lambda x: law.delta(x)[side], delta, guess, goal.tilt, tolerance)
        return found[side]

    def at(chosen: LatticePlan) -> Bracket:
        law = _from_above(seen, chosen)
        if law is None or law.failure[1] > delta:
            high, nodes = _at_the_top(used, delta), 0
        else:
            high, nodes = Fraction(cross(law, 1)), len(law.y)
        del law
        law = _from_below(seen, chosen)
        low = cross(law, 0) if law is not None else 0.0
        return Bracket(Fraction(low), high, ENGINE, nodes=nodes)

    if step is not None or width > ROUGH:
        return at(chosen)

    def coarser() -> Bracket:
        return at(plan(seen, goal, width, _COARSER * chosen.spans[0].step, leak))

    try:
        found = at(chosen)
    except UncertifiedError:
        return coarser()
    try:
        return found if found.width <= _MISSED * width else _meet(found, coarser())
    except UncertifiedError:
        return found


def _at_the_top(parts: Sequence[tuple[Loss, int]], delta: Fraction) -> Fraction:
    """The largest sum of finite losses: an upper bound if what fails is at most delta exactly,
    though not within roundings.

    Raises:
        ParameterError: more fails.
        UncertifiedError: more may fail, or losses have no largest value.
    """
    if _leak(parts).lower > delta:
        raise _too_leaky()
    tops = [(loss.largest, n) for loss, n in parts]
    kept = Fraction(1)
    for loss, n in parts:
        # Bernoulli's inequality for many copies.
        some = loss.infinite[1]
        kept *= (1 - some) ** n if n <= _FEW else max(Fraction(0), 1 - n * some)
    if 1 - kept > delta or any(top is None for top, _ in tops):
        raise UncertifiedError(
            "delta is within roundings of the probability that losses are infinite",
            place="delta",
            remedy="choose a larger delta",
        )
    return max(Fraction(0), sum((n * top[1] for top, n in tops if top), Fraction(0)))


def _too_leaky() -> ParameterError:
    return ParameterError(
        "no epsilon is large enough: the losses are infinite with a probability above delta",
        place="delta",
        remedy="choose a larger delta",
    )


def crossing(
    f: Callable[[float], float], target: Fraction, guess: float, slope: float, tolerance: float
) -> tuple[float, float]:
    """(left, right) with f(left) > target >= f(right), right - left <= tolerance; (0, 0) if f(0)
    is at most the target.  f falls, about like e^(-slope x) near the guess.

    Bounds of a tilted sum are good near the point of the tilt only, so the search goes outwards
    from the guess in growing steps until it has both sides.

    Raises:
        UncertifiedError: f stays above the target.
    """
    left: float | None = None
    right: float | None = None
    goal = log(target.numerator) - log(target.denominator)
    x, rate, pace = guess, -slope, max(16 * tolerance, 0.1 / slope)
    last: tuple[float, float] | None = None
    for attempt in range(300):
        value = f(x)
        if value > target:
            left = x
        elif x == 0:
            return 0.0, 0.0
        else:
            right = x
        if left is not None and right is not None and right - left <= tolerance:
            return left, right
        if left is None:
            low, high, following = max(0.0, x - 4 * pace), x, max(0.0, x - pace)
        elif right is None:
            low, high, following = x, x + 4 * pace, x + pace
        else:
            low, high, following = left, right, (left + right) / 2
        pace *= 2 if left is None or right is None else 1
        if value > 0:
            here = log(value)
            if last is not None and x != last[0] and here != last[1]:
                rate = (here - last[1]) / (x - last[0])
            last = x, here
            # A little beyond the root, to have it on the other side.  Every third point halves:
            # what is left of f may be all rounding.
            side = tolerance / 3 if value > target else -tolerance / 3
            root = x + (goal - here) / rate + side if rate < 0 else x
            if attempt % 3 < 2 and low < root < high:
                following = root
        x = following
        if x > _FARTHEST:
            break
    raise UncertifiedError(
        "no epsilon could be certified at this delta",
        place="delta",
        remedy="choose a larger delta, or fewer rounds",
    )


def _seen(parts: Sequence[tuple[Loss, int]]) -> list[LossPart]:
    import numpy as np

    seen = [LossPart(loss, sketch(loss), n) for loss, n in parts]
    if not all(np.isfinite(part.picture.logs).any() for part in seen):
        raise ParameterError(
            "are beyond the range of doubles",
            place="privacy losses",
            remedy="choose a larger noise scale; such a release protects nothing",
        )
    return seen


def _from_above(parts: Sequence[LossPart], chosen: LatticePlan) -> ComposedOnLattice | None:
    """The composition rounded from above; None if all of it fails."""
    places = zip(parts, chosen.spans, chosen.thin, strict=True)
    return _composed([(above(x.loss, span, thin), x.copies) for x, span, thin in places], chosen)


def _from_below(parts: Sequence[LossPart], chosen: LatticePlan) -> ComposedOnLattice | None:
    """The composition rounded from below; None where nothing is known."""
    places = zip(parts, chosen.spans, strict=True)
    laws = [(below(x.loss, span, chosen.tilt, chosen.far), x.copies) for x, span in places]
    return _composed(laws, chosen)


def _composed(parts: Sequence[tuple[Atoms, int]], chosen: LatticePlan) -> ComposedOnLattice | None:
    if not all(atoms.masses.any() for atoms, _ in parts):
        return None
    step = parts[0][0].step
    shift = float(sum((n * atoms.shift for atoms, n in parts), Fraction(0)))
    start, size = window(chosen.low, chosen.high, float(step), shift)
    h = float(step)
    slopes = tuple(max(-_STEEPEST, min(_STEEPEST, slope * h)) for slope in chosen.slopes)
    return composed(parts, chosen.tilt * h, start, size, (slopes[0], slopes[1]))


def _checked(
    parts: Sequence[tuple[Loss, int]], width: float, step: float | None
) -> tuple[tuple[Loss, int], ...]:
    for name, value in (("width", width), ("step", 1.0 if step is None else step)):
        if not 0 < value < inf:
            raise ParameterError(f"is {value}, must be positive", place=name)
    return _joined(counted(parts))


def _joined(parts: tuple[tuple[Loss, int], ...]) -> tuple[tuple[Loss, int], ...]:
    """Different Gaussians as one: their losses add to that of a Gaussian with the sum of u^2."""
    normal = [(loss, n) for loss, n in parts if isinstance(loss, GaussianLoss)]
    if len(normal) < 2:
        return parts
    whole = ManyGaussiansLoss(sum((n * loss.ratio**2 for loss, n in normal), Fraction(0)))
    if whole.total > _MOST_JOINED:
        # Its Q-masses would be below every double, and nothing known from below.
        return parts
    return (*(part for part in parts if not isinstance(part[0], GaussianLoss)), (whole, 1))


def _leak(parts: Sequence[tuple[Loss, int]]) -> Bracket:
    """The probability that some loss is infinite: all that is above the largest finite loss."""
    low, high = (
        -expm1(sum(n * log1p(-min(float(loss.infinite[side]), 1 - 1e-16)) for loss, n in parts))
        for side in (0, 1)
    )
    wide = Fraction(1, 2**48)
    return Bracket(
        Fraction(low) * (1 - wide), min(Fraction(1), Fraction(high) * (1 + wide)), ENGINE
    )


def _empty(epsilon: Fraction) -> Bracket:
    """(1 - e^eps)_+, enclosed."""
    if epsilon >= 0:
        return Bracket(Fraction(0), Fraction(0), ENGINE)
    value = Fraction(-expm1(float(epsilon)))
    wide = Fraction(1, 2**50)
    return Bracket(max(Fraction(0), value * (1 - wide)), value * (1 + wide), ENGINE)
