"""Cheap upper bounds beside the engines: Renyi composition, rho, basic composition.

They need no engine and are what other accountants report; the distance to the certified interval
is what the cheaper rule gives away.

Paying for a gap in total variation: mechanisms that are close to the ones that were analysed.

Let the two output laws differ from P and Q by at most g in total variation.  For every event E,
P'(E) <= P(E) + g <= e^eps Q(E) + delta(eps) + g <= e^eps Q'(E) + delta(eps) + g (1 + e^eps), and
with signs exchanged this bounds the profile from below.  Over rounds the gaps add (hybrids).
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from metricdp.accounting.engines import NoAnswerError
from metricdp.accounting.orders import delta_at, epsilon_at
from metricdp.accounting.rounded import exp_up, short_up
from metricdp.errors import ParameterError
from metricdp.expr.decimals import decimal_up
from metricdp.measures.accounted import AccountedEvent, AccountedStep, Relation, cases
from metricdp.measures.answer import Answer
from metricdp.measures.paid import paid, whole
from metricdp.measures.reading import curves, read
from metricdp.spaces.metrics import Adjacency

ENGINE = "Renyi orders"
_ZERO = Fraction(0)


def delta_bound(event: AccountedEvent, which: Relation, epsilon: Fraction) -> Fraction | None:
    """delta at epsilon from Renyi curves, without the gap of cut samples; None: there are none."""
    steps = _steps(event, which)
    if steps is None:
        return None
    leak = sum((step.count * step.leak for step in steps), _ZERO)
    found = delta_at(whole(steps), epsilon).value if steps else _ZERO
    return min(Fraction(1), leak + found)


def epsilon_bound(event: AccountedEvent, which: Relation, delta: Fraction) -> Fraction | None:
    """epsilon at delta from Renyi curves, without the gap; None: there are none, or none is finite.

    A leak is an open failure: it is taken from delta.
    """
    steps = _steps(event, which)
    if steps is None:
        return None
    rest = delta - sum((step.count * step.leak for step in steps), _ZERO)
    if not steps:
        return _ZERO
    return epsilon_at(whole(steps), rest).value if rest > 0 else None


def renyi(event: AccountedEvent, which: Relation, delta: Fraction) -> Answer:
    """epsilon at delta by the best Renyi order (Canonne, Kamath, Steinke 2020, Proposition 12)."""
    gap = read(event, which).gap
    if gap:
        return _upper(with_gap(lambda d: _needed(event, which, d), delta, gap), which, delta)
    return _upper(_needed(event, which, delta), which, delta)


def _needed(event: AccountedEvent, which: Relation, delta: Fraction) -> Fraction:
    found = epsilon_bound(event, which, delta)
    if found is None:
        raise NoAnswerError(
            f"no Renyi bound reaches delta = {decimal_up(delta, 6)}",
            place="rdp",
            remedy="ask for epsilon(delta), which has no such limits, or for a larger delta",
        )
    return found


def rho(event: AccountedEvent, which: Relation) -> Answer:
    """The sum of the rhos."""
    steps = curves(event, which)
    total = _ZERO
    for step in steps or ():
        each = step.curve.zcdp_rho if step.whole and not step.leak else None
        if each is None:
            steps = None
            break
        total += step.count * each
    if steps is None or read(event, which).gap:
        raise NoAnswerError(
            "no finite rho is known: sampled, approximate and finite events have none here",
            place="zcdp",
            remedy="ask for epsilon(delta) or rdp(delta)",
        )
    return Answer("rho", _ZERO, short_up(total), "", which, (ENGINE,))


def basic(event: AccountedEvent, which: Relation, delta: Fraction) -> Answer:
    """Epsilons of the single rounds added, each at an equal share of delta.

    Raises:
        NoAnswerError: a round has no finite epsilon at its share, or is known by a curve only.
    """
    from metricdp.accounting.engines import epsilon_of

    reading = read(event, which)
    if not reading.known or reading.gap:
        raise NoAnswerError(
            "basic composition is kept for events with a loss law and no cut of the sample",
            place="basic", remedy="ask for epsilon(delta)",
        )  # fmt: skip
    worst = _ZERO
    for side in reading.sides:
        rounds = sum(count for _, count in side.upper or ())
        total = _ZERO
        for loss, count in side.upper or ():
            total += count * epsilon_of(((loss, 1),), delta / rounds, False).upper
        worst = max(worst, total)
    return Answer(
        "epsilon", _ZERO, short_up(worst), f"delta = {decimal_up(delta, 8)}", which,
        ("basic composition",),
    )  # fmt: skip


def _upper(value: Fraction, which: Relation, delta: Fraction) -> Answer:
    return Answer("epsilon", _ZERO, value, f"delta = {decimal_up(delta, 8)}", which, (ENGINE,))


def _steps(event: AccountedEvent, which: Relation) -> list[AccountedStep] | None:
    """Steps with their sampling paid; None where a curve is missing."""
    steps = curves(event, which)
    if steps is None:
        return None
    kind: Adjacency = "replace" if cases(which)[0].kind == "replace" else "add or remove"
    try:
        return paid([step for step in steps if step.count], kind, Fraction(0))
    except ParameterError:
        return None


#: Rounds of the iteration.
_MOST = 60


def cost(gap: Fraction, epsilon: Fraction) -> Fraction:
    """g (1 + e^eps), rounded up."""
    return gap * (1 + exp_up(epsilon)) if gap else Fraction(0)


def with_gap(plain: Callable[[Fraction], Fraction], delta: Fraction, gap: Fraction) -> Fraction:
    """An epsilon with profile(epsilon) + g (1 + e^epsilon) <= delta, near the least one.

    Args:
        plain: delta -> an upper bound of the least epsilon without the gap.

    Raises:
        NoAnswerError: there is none.
    """
    epsilon = Fraction(0)
    for _ in range(_MOST):
        allowed = delta - cost(gap, epsilon)
        if allowed <= 0:
            break
        found = plain(allowed)
        if found <= epsilon:
            return epsilon
        # A little further than needed, so that the next round confirms it.
        epsilon = short_up(found * (1 + Fraction(1, 10**10)), 60)
    raise NoAnswerError(
        f"the cut of the samples alone costs {decimal_up(gap, 3)} (1 + e^epsilon) in delta, which"
        f" leaves nothing of {decimal_up(delta, 3)}",
        place="delta",
        remedy="keep more rows of a sample, or choose a larger delta",
    )
