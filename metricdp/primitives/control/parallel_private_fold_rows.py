"""parallel_private_fold_rows: goes through the rows of two aligned containers together:
acc = f(acc, row_m, row_n).

Stability, and privacy.  Check reads the fold as the loop over zip(m, n) that it is.  A round may
add noise to what it computes from its own rows and from the released accumulator, and to nothing
else; then a changed row reaches the noise of its own round only, and of two neighbours at distance
d, at most d rounds differ: one round's cost per changed row (parallel composition), for each
container.  This needs containers whose rows are the rows of a person: parameters, or images in
which one changed row changes one row (1-stable); twice a matrix over the reals moves each row by 2,
and is rejected.
Without noise the fold is a transformation: an accumulator that moves by a times its own movement
pays a^n, and rows add up as in `loop_rows`.
Tight: one row changes; for a > 1 the first row.
Source: McSherry (2009), Theorem 4, for parallel composition; the seed system's rule, with the
condition on its arguments that it forgets.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from metricdp.expr import INF, ONE, D, Expr, linear_coefficient, num, power
from metricdp.primitives.control.loop import rounds
from metricdp.primitives.control.loop_rows import element_total, rows_of
from metricdp.record import (
    ONE_METRIC,
    Arg,
    Body,
    Conclusion,
    Failure,
    Instance,
    Moves,
    Spelling,
    Witness,
    refuse,
    scalar_moves,
)
from metricdp.spaces import Scalar, Vector

example = (
    "m: Annotated[dp.Vector[dp.Real, dp.L1], dp.Size(2)] = [1, 2]; "
    "n: Annotated[dp.Vector[dp.Real, dp.L1], dp.Size(2)] = [3, 4]; "
    "dp.parallel_private_fold_rows(lambda total, a, b: total + a + b, 0, m, n)"
)

kind = "transformation"
spelling = Spelling(seed=("parallel_private_fold_rows",))

NAME = "parallel_private_fold_rows"


def rule(f: Arg, init: Arg, m: Arg, n: Arg) -> Conclusion:
    """A deterministic round: `f` summarises the accumulator and one row of each container."""
    body = f.body
    if body is None or len(body.maps) != 3 or m.space is None or n.space is None:
        raise refuse(
            "unsupported-call",
            f"`{NAME}` needs a function of the accumulator and two rows, and {f.text} is none",
            need="a function that can be read, and two private containers of one length",
            help=f"dp.{NAME}(lambda acc, x, y: acc, 0, m, n)",
        )
    growth = linear_coefficient(body.maps[0].get((ONE_METRIC, ONE_METRIC), INF))
    a: Expr = INF if growth is None else growth
    count = rows_of(m.space)
    maps: dict[str, Moves] = {}
    for name, arg, moves in (("m", m, body.maps[1]), ("n", n, body.maps[2])):
        assert arg.space is not None
        norm = getattr(arg.space, "norm", ONE_METRIC)
        maps[name] = {(norm, out): element_total(g, arg.space, a) for (_, out), g in moves.items()}
    if init.private:
        kept = ONE if a == ONE else INF if count is None else power(a, count)
        maps["init"] = scalar_moves(kept * D)
    why = None
    if any(g.is_infinite for moves in maps.values() for g in moves.values()):
        why = Failure(
            "loop-growth",
            "what one row adds to the accumulator has no finite bound over all rounds",
            need="a finite bound on what each row adds",
            help="dp.clamp(value, lower, upper) inside the function",
        )
    captured = INF if count is None else rounds(count, a)
    return Conclusion(body.space, maps, captured=captured, why_infinite=why)


def run(f: Any, init: Any, m: Any, n: Any) -> Any:
    """The fold from the first pair of rows to the last."""
    for row_m, row_n in zip(m, n, strict=False):
        init = f(init, row_m, row_n)
    return init


def instances() -> Iterable[Instance]:
    body = Body(Scalar("Real"), (scalar_moves(D), scalar_moves(2 * D), scalar_moves(3 * D)))
    double = Body(Scalar("Real"), (scalar_moves(2 * D), scalar_moves(2 * D), scalar_moves(3 * D)))
    real = Vector("Real", "L1", num(3))
    spaces = {"init": Scalar("Real"), "m": real, "n": real}
    yield Instance(spaces, {"f": _step}, {"f": body})
    yield Instance(spaces, {"f": _doubling}, {"f": double})


def _step(acc: Any, x: Any, y: Any) -> Any:
    return acc + 2 * x + 3 * y


def _doubling(acc: Any, x: Any, y: Any) -> Any:
    return 2 * acc + 2 * x + 3 * y


def tight(instance: Instance, d: int, tol: Fraction) -> Witness:
    """The first rows, and the initial value, move by d."""
    zero, rows = Fraction(0), [Fraction(0)] * 3
    moved = [Fraction(d), zero, zero]
    return {"init": zero, "m": rows, "n": rows}, {"init": Fraction(d), "m": moved, "n": moved}
