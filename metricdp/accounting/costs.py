"""Costs as expressions: what a pure one implies, what k of them compose to, what a group pays.

Adaptive composition of k mechanisms in (epsilon, delta):

Basic: epsilons and deltas add (Dwork and Roth 2014, Theorem 3.16).
Advanced, for every slack in (0, 1) and without any other condition:
  epsilon = sum e_i tanh(e_i / 2) + sqrt(2 ln(1 / slack) sum e_i^2),  delta = slack + sum d_i.
Source: Kairouz, Oh, Viswanath (2015), Theorem 3.5 (heterogeneous), whose delta
1 - (1 - slack) prod (1 - d_i) is at most the sum; Dwork, Rothblum, Vadhan (2010).

The form 2 epsilon sqrt(2 k ln(1 / slack)) that circulates is at least the advanced one, hence true,
exactly when k epsilon^2 / 2 <= epsilon sqrt(2 k ln(1/slack)), that is k epsilon^2 <= 8 ln(1/slack)
(with tanh(x) <= x).  Without it the form is false: at epsilon = 0.99, k = 1000, slack = 1e-6 it
claims 329.1, and randomized response then has delta above 0.9999.

The best of a secret random number of rounds (`selected`): proof in `measures.readings`.

Group privacy: the cost at k units of distance, from the cost at one.

For a distance whose every k-step pair is joined by k unit steps inside the domain.  A mechanism's
own map at distance k is at least as good and is used where it exists.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

import msgspec

from metricdp.errors import ParameterError
from metricdp.expr import (
    ONE,
    ZERO,
    Expr,
    Relation,
    exp,
    log,
    minimum,
    num,
    root,
    sum_over,
    sym,
    tanh,
)

Number = Expr | int | Fraction


def pure_to_zcdp(epsilon: Number) -> Expr:
    """rho = epsilon tanh(epsilon / 2), the least that holds for every epsilon-DP mechanism.

    Source: the KL divergence of randomized response; Bun and Steinke (2016), Proposition 3.3 show
    epsilon^2 / 2, which is above it.
    """
    e = num(epsilon)
    return e * tanh(e / 2)


#: (epsilon, delta) of one step.
Step = tuple[Number, Number]


class Approx(msgspec.Struct, frozen=True):
    """(epsilon, delta) of a composition.

    Attributes:
        requires: what the public parameters must satisfy for it to hold.
        rule: name of the rule, for people.
    """

    epsilon: Expr
    delta: Expr
    requires: tuple[Relation, ...] = ()
    rule: str = "basic composition"


def basic(steps: Iterable[Step]) -> Approx:
    """Sum of the epsilons and of the deltas."""
    epsilon = delta = ZERO
    for e, d in steps:
        epsilon, delta = epsilon + num(e), delta + num(d)
    return Approx(epsilon, delta)


def basic_repeated(epsilon: Number, delta: Number, count: Number) -> Approx:
    """`count` rounds of one (epsilon, delta); `count` may be symbolic."""
    k = num(count)
    return Approx(k * num(epsilon), k * num(delta))


def advanced(steps: Iterable[Step], slack: Number) -> Approx:
    """Advanced composition of different mechanisms; see the module."""
    drift = squares = delta = ZERO
    for epsilon, d in steps:
        e = num(epsilon)
        drift, squares, delta = drift + pure_to_zcdp(e), squares + e**2, delta + num(d)
    return advanced_sums(drift, squares, delta, num(slack))


def advanced_repeated(epsilon: Number, delta: Number, count: Number, slack: Number) -> Approx:
    """Advanced composition of `count` rounds of one (epsilon, delta); `count` may be symbolic."""
    e, k = num(epsilon), num(count)
    return advanced_sums(k * pure_to_zcdp(e), k * e**2, k * num(delta), num(slack))


def advanced_sums(drift: Expr, squares: Expr, delta: Expr, slack: Expr) -> Approx:
    """Advanced composition from the sums of e tanh(e / 2), e^2 and delta over all steps."""
    epsilon = drift + root(2 * log(1 / slack) * squares)
    return Approx(epsilon, delta + slack, _slack(slack), "advanced composition")


def _slack(slack: Expr) -> tuple[Relation, ...]:
    return (Relation(slack, ">", ZERO), Relation(slack, "<", ONE))


def better_of(first: Approx, second: Approx) -> Approx:
    """Both rules at once: Min of the epsilons at the larger delta, which one rule has.

    Args:
        first: a bound whose delta is at most that of `second`, as basic composition's is.
    """
    epsilon = minimum(first.epsilon, second.epsilon)
    if epsilon == first.epsilon:
        return first
    rule = second.rule if epsilon == second.epsilon else f"{first.rule} or {second.rule}"
    return Approx(epsilon, second.delta, (*first.requires, *second.requires), rule)


def repeated(epsilon: Number, delta: Number, count: Number, slack: Number | None = None) -> Approx:
    """`count` rounds: basic composition, or with a slack the better of basic and advanced."""
    plain = basic_repeated(epsilon, delta, count)
    if slack is None:
        return plain
    return better_of(plain, advanced_repeated(epsilon, delta, count, slack))


def advanced_short(epsilon: Number, delta: Number, count: Number, slack: Number) -> Approx:
    """2 epsilon sqrt(2 k ln(1/slack)), with the requirement without which it is false."""
    e, k, s = num(epsilon), num(count), num(slack)
    length = log(1 / s)
    need = Relation(k * e**2, "<=", 8 * length)
    return Approx(
        2 * e * root(2 * k * length),
        k * num(delta) + s,
        (*_slack(s), need),
        "advanced composition, short form",
    )


def selected(epsilon: Number, stop: Number, shape: Number) -> Expr:
    """Epsilon of the best of rounds of one epsilon each, approached by rare results.

    epsilon + (1 + shape) ln((e^epsilon + stop) / (1 + stop e^epsilon)): epsilon where stop is 1,
    and below (2 + shape) epsilon otherwise.

    Args:
        stop: in (0, 1].
        shape: in (-1, 1].
    """
    e, g = num(epsilon), num(stop)
    return e + (1 + num(shape)) * (log(1 + g * exp(-e)) - log(g + exp(-e)))


def group_pure(epsilon: Number, units: Number) -> Expr:
    """k epsilon: the triangle inequality of the max divergence."""
    return num(units) * num(epsilon)


def group_zcdp(rho: Number, units: Number) -> Expr:
    """k^2 rho.  Source: Bun and Steinke (2016), Proposition 1.9."""
    return num(units) ** 2 * num(rho)


def group_approx(epsilon: Number, delta: Number, units: Number) -> tuple[Expr, Expr]:
    """(k epsilon, delta (1 + e^epsilon + ... + e^((k - 1) epsilon))), tight; k delta is unsound.

    Source: iterate P(S) <= e^epsilon Q(S) + delta along a path of k unit steps; Vadhan (2017),
    Lemma 2.2.

    Args:
        units: a whole number of steps (an expression known to be one, or an int).
    """
    e, d, k = num(epsilon), num(delta), num(units)
    if k == ONE:
        return e, d
    step = sym("_step", nonneg=True, integer=True)
    return k * e, d * sum_over(exp(e * step), "_step", ZERO, k - 1)


def group_renyi(alpha: Fraction, epsilon: Fraction, doublings: int) -> tuple[Fraction, Fraction]:
    """(alpha / 2^c, 3^c epsilon): the order and the bound at 2^c units; not tight.

    Source: Mironov (2017), Proposition 2.

    Raises:
        ParameterError: alpha < 2^(c + 1), where the proposition does not apply.
    """
    if alpha < 2 ** (doublings + 1):
        raise ParameterError(
            f"order {alpha} is too small for {2**doublings} units",
            place="alpha",
            remedy=f"start from an order of at least {2 ** (doublings + 1)}",
        )
    return Fraction(alpha) / 2**doublings, 3**doublings * Fraction(epsilon)
