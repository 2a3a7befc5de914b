"""loop: a number of rounds of state' = f(state, captured), the number public.

Stability.  If one round moves the state by at most a * (movement of the state) + (movement of what
the body captures), then n rounds give a^n in the initial state and the geometric sum
1 + a + ... + a^(n-1) in the captured part; with a = 1 that is n.  Induction over the rounds.
Tight for state' = a * state + captured.  n = 0 gives 1 and 0.  Using n in place of the geometric
sum, or dropping a, is unsound for a > 1.
Source: linear recurrences; the fold and loop rules of stability calculi.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from metricdp.expr import ONE, ZERO, D, Expr, power, sum_over, sym
from metricdp.record import Arg, Conclusion, Instance, Witness, scalar_moves
from metricdp.spaces import Scalar

__all__ = ["rounds"]

kind = "control"

INDEX = "i"


def rounds(count: Expr, growth: Expr) -> Expr:
    """1 + a + ... + a^(n-1)."""
    if growth == ONE:
        return count
    if growth.is_zero:
        return ONE
    return sum_over(power(growth, sym(INDEX, nonneg=True, integer=True)), INDEX, ZERO, count - 1)


def rule(init: Arg, captured: Arg, count: Arg, growth: Arg) -> Conclusion:
    """Scalars; `count` a public nonnegative integer, `growth` a public nonnegative number."""
    n, a = count.value, growth.value
    assert n is not None and a is not None
    start = ONE if a == ONE else power(a, n)
    if a.is_zero and n.sign() != "+":
        start = ONE
    return Conclusion(
        Scalar("Real"),
        {"init": scalar_moves(start * D), "captured": scalar_moves(rounds(n, a) * D)},
    )


def run(init: Any, captured: Any, count: int, growth: Any) -> Any:
    """The recurrence state' = growth * state + captured."""
    for _ in range(count):
        init = growth * init + captured
    return init


def instances() -> Iterable[Instance]:
    real = Scalar("Real")
    for count, growth in ((1, 1), (3, 1), (10, 2), (4, Fraction(1, 2)), (2, 0), (0, 1)):
        yield Instance(
            {"init": real, "captured": real}, {"count": count, "growth": Fraction(growth)}
        )


def tight(instance: Instance, d: int, tol: Fraction) -> Witness:
    """Both arguments move up by d."""
    zero = {"init": Fraction(0), "captured": Fraction(0)}
    return zero, {"init": Fraction(d), "captured": Fraction(d)}
