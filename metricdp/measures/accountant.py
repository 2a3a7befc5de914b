"""The best certified epsilon at delta of a list of steps with numbers, and the rule that gives it.

Every rule below is valid for adaptive composition; all that apply are tried and the least wins.
A step is a Renyi curve and a probability `leak` of an open failure; leaks add and leave delta - sum
of leaks to the rules (an (epsilon, delta) mechanism is `Pure(epsilon)` with leak delta: Kairouz,
Oh, Viswanath 2015, Theorem 3.4).  Where every step has a loss law, the engines compose these too:
the law of a step is that of its curve, and of a sampled step that of its scheme.  Real-valued noise
is continuous and rounded after it was added (ADR 8): post-processing, answer by answer, so the
continuous laws hold for what is released, also on samples and between other answers.

Sources of the rules are in the modules they come from.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from importlib.util import find_spec

import msgspec

from metricdp.accounting.gaussian import composed_profile, gaussian_epsilon
from metricdp.accounting.losses.loss import Loss, Parts
from metricdp.accounting.orders import delta_at, epsilon_at
from metricdp.accounting.pure_composition import optimal_epsilon, optimal_epsilon_of, states
from metricdp.accounting.renyi import (
    DiscreteGaussianCurve,
    LaplaceCurve,
    LinearCurve,
    RangeCurve,
    ResponseCurve,
    response_rho,
)
from metricdp.accounting.rounded import exp_down, exp_up, ln_up, root_up, short_up
from metricdp.errors import ParameterError
from metricdp.measures.accounted import AccountedStep
from metricdp.measures.paid import paid, whole
from metricdp.spaces.metrics import Adjacency

BASIC = "basic composition"
ADVANCED = "advanced composition"
OPTIMAL = "optimal composition of pure steps"
ZCDP = "zCDP"
RENYI = "Renyi composition"
GAUSSIAN = "Gaussian composition"
LOSSES = "privacy loss laws"
#: Optimal composition is summed term by term up to this many rounds.
_MOST_ROUNDS = 20_000
#: And of unequal epsilons up to this many terms.
_MOST_STATES = 2_000
#: Shares of delta that sampled steps without pure or Renyi amplification may give away; without a
#: share, the sample is read as if it amplified nothing.
_SHARES = (Fraction(1, 2), Fraction(1, 10))


class Certified(msgspec.Struct, frozen=True):
    """(epsilon, delta) that is proved, rounded up, and how.

    Attributes:
        rule: name of the rule that gave it.
        order: the Renyi order, where there is one.
        tried: epsilon by every rule that applied.
        requires: what has to hold for it and was not decided, for lack of a number.
    """

    epsilon: Fraction
    delta: Fraction
    rule: str
    order: Fraction | None = None
    tried: Mapping[str, Fraction] = {}
    requires: tuple[str, ...] = ()


Answer = tuple[str, Fraction, Fraction | None]


def certified(
    steps: Sequence[AccountedStep], delta: Fraction, adjacency: Adjacency | None = None
) -> Certified:
    """The least epsilon at delta over all rules.

    Args:
        steps: in any order: adaptive composition.
        delta: in [0, 1).
        adjacency: what one unit of distance is; needed when a step samples.

    Raises:
        ParameterError: no rule reaches delta (below the steps' own, or 0 with Gaussian noise).
        SpaceError: a sampling scheme that has no theorem under the adjacency.
    """
    delta = Fraction(delta)
    if not 0 <= delta < 1:
        raise ParameterError(f"delta is {delta}", place="delta", remedy="choose 0 <= delta < 1")
    steps = [step for step in steps if step.count]
    answers = list(_pairs(steps, delta))
    if all(step.whole for step in steps):
        answers += _answers(steps, delta)
        if not (OPTIMAL in {rule for rule, _, _ in answers} and _only_answers(steps)):
            answers += _of_losses(steps, delta, adjacency)
    else:
        answers += _of_losses(steps, delta, adjacency)
        try:
            answers += _of_samples(steps, delta, adjacency)
        except ParameterError:
            if not answers:
                raise
    if not answers:
        raise ParameterError(
            f"no finite epsilon is proved at delta = {delta}",
            place="delta",
            remedy="choose a larger delta, below 1",
        )
    rule, epsilon, order = min(answers, key=lambda answer: answer[1])
    tried: dict[str, Fraction] = {}
    for name, value, _ in answers:
        tried[name] = min(value, tried.get(name, value))
    return Certified(epsilon, delta, rule, order, tried)


def _only_answers(steps: Sequence[AccountedStep]) -> bool:
    """Whether optimal composition of pure steps is the exact profile of the steps."""
    return all(isinstance(s.curve, ResponseCurve) and s.curve.choices == 2 for s in steps)


def _of_losses(
    steps: Sequence[AccountedStep], delta: Fraction, adjacency: Adjacency | None
) -> Iterator[Answer]:
    """The composed laws of privacy losses, where every step has one and python-flint is there."""
    if find_spec("flint") is None:
        return
    found = epsilon_of_steps(steps, delta, adjacency)
    if found is not None:
        yield LOSSES, found, None


def _of_samples(
    steps: Sequence[AccountedStep], delta: Fraction, adjacency: Adjacency | None
) -> Iterator[Answer]:
    """Answers with sampling paid in several ways; the error of the last way, if none works."""
    failure: ParameterError | None = None
    found = False
    for share in (*_SHARES, None):
        allowed = None if share is None else share * delta
        try:
            plain = paid(steps, adjacency, allowed)
        except ParameterError as error:
            failure = failure or error
            continue
        found = True
        yield from _answers(plain, delta)
    if not found and failure is not None:
        raise failure


def unsampled(steps: Sequence[AccountedStep], adjacency: Adjacency) -> list[AccountedStep]:
    """Steps with sampling paid by curves alone, nothing given away.

    Raises:
        ParameterError, SpaceError: see `paid.paid`.
    """
    return paid([step for step in steps if step.count], adjacency, Fraction(0))


def profile(
    steps: Sequence[AccountedStep], epsilon: Fraction, adjacency: Adjacency | None = None
) -> Fraction:
    """The least certified delta at epsilon >= 0, rounded up.

    Args:
        adjacency: as for `certified`.

    Raises:
        ParameterError, SpaceError: sampled steps of which neither a loss law nor a curve is known.
    """
    found = [Fraction(1), *_loss_delta(steps, epsilon, adjacency)]
    try:
        plain = paid([step for step in steps if step.count], adjacency, Fraction(0))
    except ParameterError:
        if len(found) == 1:
            raise
        return found[1]
    leak = sum((step.count * step.leak for step in plain), Fraction(0))
    known = [(step.curve.pure_epsilon, step.count) for step in plain]
    if all(e is not None for e, _ in known):
        total = Fraction(sum(k * (e or 0) for e, k in known))
        found.append(worst_delta(total, leak, epsilon))
    if plain:
        found.append(leak + delta_at(whole(plain), epsilon).value)
    rhos = [step.curve.gaussian_rho for step in plain]
    if plain and all(rho is not None for rho in rhos):
        rho_of_all = sum(s.count * (rho or 0) for s, rho in zip(plain, rhos, strict=True))
        found.append(leak + composed_profile(epsilon, Fraction(rho_of_all)))
    return min(found)


def _loss_delta(
    steps: Sequence[AccountedStep], epsilon: Fraction, adjacency: Adjacency | None
) -> Iterator[Fraction]:
    if steps and find_spec("flint") is not None:
        found = delta_of_steps(steps, epsilon, adjacency)
        if found is not None:
            yield found


def worst_delta(total: Fraction, leak: Fraction, epsilon: Fraction) -> Fraction:
    """delta at epsilon >= 0 of the worst mechanism with this (total, leak), rounded up.

    Randomized response behind a leak: leak + (1 - leak) (e^total - e^epsilon) / (1 + e^total)
    (Kairouz, Oh, Viswanath 2015, Theorem 3.4).
    """
    leak = min(leak, Fraction(1))
    if epsilon >= total:
        return leak
    rest = (exp_up(total) - exp_down(epsilon)) / (1 + exp_up(total))
    return short_up(min(Fraction(1), leak + (1 - leak) * rest))


def _pairs(steps: Sequence[AccountedStep], delta: Fraction) -> Iterator[Answer]:
    """Basic composition of the (epsilon, delta) that every step carries."""
    epsilon = spent = Fraction(0)
    for step in steps:
        pure = step.curve.pure_epsilon
        pair = step.pair or (None if pure is None else (pure, step.leak))
        if pair is None or not step.whole:
            return
        epsilon, spent = epsilon + step.count * pair[0], spent + step.count * pair[1]
    if spent <= delta:
        yield BASIC, epsilon, None


def _answers(steps: Sequence[AccountedStep], delta: Fraction) -> Iterator[Answer]:
    rest = delta - sum((step.count * step.leak for step in steps), Fraction(0))
    if rest < 0:
        return
    pure = [(step.curve.pure_epsilon, step.count) for step in steps]
    known = [(e, k) for e, k in pure if e is not None]
    if len(known) == len(pure):
        yield BASIC, sum((k * e for e, k in known), Fraction(0)), None
        if rest:
            yield from _of_pure(known, rest)
    if rest:
        yield from _of_curves(steps, rest)
        others = [step for step, (e, _) in zip(steps, pure, strict=True) if e is None]
        if known and others:
            base = sum((k * e for e, k in known), Fraction(0))
            for rule, epsilon, order in _of_curves(others, rest):
                yield f"{BASIC} of pure steps and {rule}", base + epsilon, order


def _of_pure(parts: Sequence[tuple[Fraction, int]], delta: Fraction) -> Iterator[Answer]:
    rounds = sum(k for _, k in parts)
    drift = squares = Fraction(0)
    for e, k in parts:
        drift, squares = drift + k * response_rho(e), squares + k * e * e
    yield ADVANCED, short_up(drift + root_up(2 * ln_up(1 / delta) * squares)), None
    counts: dict[Fraction, int] = {}
    for e, k in parts:
        counts[e] = counts.get(e, 0) + k
    together = list(counts.items())
    if len(together) > 1 and states(together) <= _MOST_STATES:
        yield OPTIMAL, optimal_epsilon_of(together, delta), None
    elif 0 < rounds <= _MOST_ROUNDS:
        yield OPTIMAL, optimal_epsilon(max(counts), rounds, delta), None


def _of_curves(steps: Sequence[AccountedStep], delta: Fraction) -> Iterator[Answer]:
    """The rules that read Renyi curves."""
    rhos = [step.curve.zcdp_rho for step in steps]
    if all(rho is not None for rho in rhos):
        total = sum((step.count * (rho or 0) for step, rho in zip(steps, rhos, strict=True)), 0)
        found = epsilon_at(LinearCurve(Fraction(total)), delta)
        yield ZCDP, found.value, found.order
    if not all(isinstance(step.curve, LinearCurve) for step in steps):
        found = epsilon_at(whole(steps), delta)
        yield RENYI, found.value, found.order
    normal = [step.curve.gaussian_rho for step in steps]
    if all(rho is not None for rho in normal):
        total = sum((step.count * (rho or 0) for step, rho in zip(steps, normal, strict=True)), 0)
        yield GAUSSIAN, gaussian_epsilon(Fraction(total), delta), None


def epsilon_of_steps(
    steps: Sequence[AccountedStep], delta: Fraction, adjacency: Adjacency | None
) -> Fraction | None:
    """The least certified epsilon at delta, rounded up; None where no law of some step is known.

    Raises:
        EnginesDisagree: the two engines contradict each other.
    """
    if not _worthwhile(steps):
        return None
    rest = delta - _leaks(steps)
    if rest <= 0:
        return None
    from metricdp.accounting.adaptive_range import worst_epsilon
    from metricdp.accounting.engines import consistent, epsilon_of

    sides = _sides(steps, adjacency)
    if sides is None:
        return None
    found = max(epsilon_of(parts, rest).upper for parts in sides)
    equal = _equal_ranges(steps)
    if equal is not None:
        worst = worst_epsilon(*equal, True, rest)
        found = consistent("epsilon", worst.lower, min(found, worst.upper), worst.engines).upper
    return short_up(found)


def delta_of_steps(
    steps: Sequence[AccountedStep], epsilon: Fraction, adjacency: Adjacency | None
) -> Fraction | None:
    """The least certified delta at epsilon >= 0, rounded up; None where no law is known.

    Raises:
        EnginesDisagree: the two engines contradict each other.
    """
    if all(step.scheme is None and step.curve.gaussian_rho is not None for step in steps):
        return None
    from metricdp.accounting.adaptive_range import worst_delta
    from metricdp.accounting.engines import consistent, delta_of

    sides = _sides(steps, adjacency)
    if sides is None:
        return None
    found = max(delta_of(parts, epsilon).upper for parts in sides)
    equal = _equal_ranges(steps)
    if equal is not None:
        worst = worst_delta(*equal, True, epsilon)
        found = consistent("delta", worst.lower, min(found, worst.upper), worst.engines).upper
    return min(Fraction(1), short_up(_leaks(steps) + found))


def _equal_ranges(steps: Sequence[AccountedStep]) -> tuple[Fraction, int] | None:
    """(r, k) of steps that are k mechanisms of one bounded range r, or None."""
    from metricdp.accounting.bounded_range import MOST_ROUNDS

    rounds, ranges = 0, set()
    for step in steps:
        if step.scheme is not None or not isinstance(step.curve, RangeCurve):
            return None
        rounds += step.count
        ranges.add(step.curve.epsilon)
    if len(ranges) != 1 or not 1 < rounds <= MOST_ROUNDS or not all(ranges):
        return None
    return ranges.pop(), rounds


def _leaks(steps: Sequence[AccountedStep]) -> Fraction:
    return sum((s.count * s.leak for s in steps if s.scheme is None), Fraction(0))


def _sides(steps: Sequence[AccountedStep], adjacency: Adjacency | None) -> list[Parts] | None:
    """Loss laws of all steps, in each direction in which they differ."""
    found = []
    for forward in (True, False):
        parts = parts_of(steps, adjacency, forward)
        if parts is None:
            return None
        found.append(parts)
        if all(step.scheme is None for step in steps):
            break  # the laws of unsampled noise are symmetric
    return found


def parts_of(
    steps: Sequence[AccountedStep], adjacency: Adjacency | None, forward: bool
) -> Parts | None:
    """Loss laws of all steps in one direction; leaks of unsampled steps are left out.

    Args:
        adjacency: what one unit of distance is, for sampled steps that do not say it.
        forward: whether the first data set has the row that the second one lacks.
    """
    found: list[tuple[Loss, int]] = []
    for step in steps:
        laws = step.losses(adjacency, forward)
        if laws is None:
            return None
        found += laws
    return tuple(found)


def _worthwhile(steps: Sequence[AccountedStep]) -> bool:
    """Whether a rule in closed form may be beaten: not for Gaussians alone, nor a single answer."""
    if any(step.scheme is not None for step in steps):
        return True
    if all(step.curve.gaussian_rho is not None for step in steps):
        return False
    if any(
        isinstance(step.curve, DiscreteGaussianCurve | LaplaceCurve | RangeCurve) for step in steps
    ):
        return True  # the closed forms are bounds of their profiles only
    return sum(step.count for step in steps) > 1
