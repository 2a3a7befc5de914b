"""loop_rows: one round of state' = f(state, row) for each row of a container of public length.

Stability.  With state' moving by at most a * (movement of the state) + g(movement of the row): for
a = 1 the movements of the rows add up, and the row-summed metric is that sum, so the state moves
by g over the whole container: each row is paid once, whatever the number of rounds.  For a > 1 the
first row is amplified n - 1 times, so a linear g = s * d gives s * a^(n-1) * d; for a < 1, s * d.
Over LInf vectors every entry may move by d: s * (1 + a + ... + a^(n-1)).
Tight: a = 1, any row; a > 1, the first row.
Source: fold rule of stability calculi, with the growth of the accumulator.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from metricdp.expr import (
    INF,
    ONE,
    ZERO,
    D,
    Expr,
    compare,
    linear_coefficient,
    maximum,
    num,
    power,
    total_over_rows,
)
from metricdp.primitives.control.loop import rounds
from metricdp.record import Arg, Body, Conclusion, Failure, Instance, Witness
from metricdp.spaces import Matrix, Scalar, Space, Vector
from metricdp.spaces.norms import L1, NORM_NAMES, conversion

__all__ = ["element_total", "rows_of"]

kind = "control"


def rows_of(space: Space) -> Expr | None:
    """Number of rows that a loop reads; None if it is not public."""
    found: Expr | None = (
        getattr(space, "rows", None) if not isinstance(space, Vector) else space.size
    )
    return found


def element_total(g: Expr, space: Space, growth: Expr) -> Expr:
    """Movement of the final state when one round moves it by g(movement of its row)."""
    discrete = getattr(space, "element", "Data") != "Real"
    n = rows_of(space)
    if g.is_zero:
        return ZERO
    if isinstance(space, Vector) and space.norm != L1.name:
        slope = linear_coefficient(g if not discrete else total_over_rows(g, True, n))
        if slope is None or n is None:
            return INF
        if growth == ONE:
            return slope * conversion(space.norm, L1.name, n) * D
        return slope * rounds(n, growth) * D
    once = total_over_rows(g, discrete, n)
    if growth == ONE:
        return once
    slope = linear_coefficient(once)
    if slope is None or n is None:
        return INF
    if compare(growth, "<=", ONE) is True:
        return slope * D
    return slope * power(maximum(ONE, growth), n - 1) * D


def rule(init: Arg, rows: Arg, growth: Arg, f: Arg) -> Conclusion:
    """`f` summarises one round: its first formal is the row, its result the increment."""
    assert rows.space is not None and growth.value is not None and f.body is not None
    a, n = growth.value, rows_of(rows.space)
    start = ONE if a == ONE else power(a, n) if n is not None else INF
    maps = {
        (getattr(rows.space, "norm", ""), out): element_total(g, rows.space, a)
        for (_, out), g in f.body.maps[0].items()
    }
    why = None
    if any(g.is_infinite for g in maps.values()):
        why = Failure(
            "loop-growth",
            "what one row adds to the state has no finite bound over the whole loop",
            need="a finite bound on what each row adds",
            help="dp.clamp(value, lower, upper) or dp.clip(row, norm) inside the loop",
        )
    return Conclusion(
        f.body.space or Scalar("Real"),
        {"init": {("", ""): start * D}, "rows": maps},
        why_infinite=why,
    )


def run(init: Any, rows: Any, growth: Any, f: Any) -> Any:
    """The recurrence state' = growth * state + f(row)."""
    for row in rows:
        init = growth * init + f(row)
    return init


def instances() -> Iterable[Instance]:
    step = Body(Scalar("Real"), ({("", ""): 2 * D},))
    for norm in NORM_NAMES:
        for growth in (1, 2):
            yield Instance(
                {"init": Scalar("Real"), "rows": Vector("Real", norm, num(4))},
                {"growth": Fraction(growth), "f": lambda v: 2 * v},
                {"f": step},
                "attained" if (norm, growth) != ("L2", 2) else "unknown",
            )
    yield Instance(
        {"init": Scalar("Real"), "rows": Matrix("Real", "L1", num(3), num(2))},
        {"growth": Fraction(1), "f": sum},
        {"f": Body(Scalar("Real"), ({("L1", ""): D},))},
    )


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """The row that is amplified most moves by d (all of them under L2 and LInf)."""
    space = instance.private["rows"]
    zero = Fraction(0)
    assert isinstance(space, Matrix | Vector)
    if isinstance(space, Matrix):
        flat = [[zero, zero] for _ in range(3)]
        return (
            {"init": zero, "rows": flat},
            {"init": Fraction(d), "rows": [[Fraction(d), zero], *flat[1:]]},
        )
    assert isinstance(space, Vector)
    if space.norm == "L2" and instance.public["growth"] != 1:
        return None
    moved = space.geometry.widest(Fraction(d), 4)
    return {"init": zero, "rows": [zero] * 4}, {"init": Fraction(d), "rows": moved}
