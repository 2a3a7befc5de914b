"""row: one row of a matrix, at a public or private index.

Stability.  One row moves by at most the row-summed distance: 1 in its own norm; over R,
c^max(0, 1/q - 1/p) from L_p to L_q with c columns.  A private index from a discrete or integer
space can choose any other row, so it moves the result by the diameter of the rows, never by 0; an
index from the reals has no bound.  An index outside the matrix is clamped into it.
Tight: move the row that is read; two rows at opposite ends and an index that moves between them.
Source: projection of a sum of norms; rules of private indices.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from metricdp.expr import INF, ONE, ZERO, D, Expr, minimum, num
from metricdp.primitives._witnesses import move_one_row
from metricdp.primitives.matrices._norms import converting, power_of
from metricdp.record import Arg, Conclusion, Failure, Instance, Moves, Requirement, Witness, refuse
from metricdp.spaces import Matrix, Scalar, Vector, conversion
from metricdp.spaces.norms import NORM_NAMES, norm_of

example = "m: Annotated[dp.Matrix[dp.Real, dp.L1], dp.Size(2, 2)] = [[1, 2], [3, 4]]; dp.row(m, 0)"


def rule(m: Arg, i: Arg) -> Conclusion:
    """The row `m[i]`; a public negative index counts from the end."""
    space = m.space
    if not isinstance(space, Matrix):
        raise refuse(
            "unsupported-call",
            f"`row` needs a matrix, and {m.text} is none",
            need="a Matrix argument",
            help="dp.row(rows, 0)",
        )
    assert space.rows is not None and space.cols is not None
    result = Vector(space.element, space.norm, space.cols, space.lo, space.hi, space.radius)
    real = space.element != "Data"
    maps: dict[str, Moves] = {}
    if m.private:
        # Two discrete rows are at LInf distance 0 or 1.
        discrete_row = ONE if space.norm == "LInf" else D
        own: Moves = {(space.norm, space.norm): discrete_row}
        maps["m"] = converting(space.cols) if real else own
    if not i.private:
        return Conclusion(result, maps, requires=_inside(i.value, space.rows))
    discrete = isinstance(i.space, Scalar) and i.space.element != "Real"
    widths = {q: _diameter(space, q) if discrete else INF for q in NORM_NAMES}
    maps["i"] = {("", q): width * D for q, width in widths.items() if real or q == space.norm}
    why = None
    if widths[space.norm].is_infinite:
        why = Failure(
            "private-index",
            f"the private index {i.text} chooses among rows without bounds",
            need="a public index, or rows with finite bounds and a discrete index",
            help=f"dp.clamp({m.text}, lower, upper) before reading a row",
        )
    return Conclusion(result, maps, why_infinite=why)


def _inside(i: Expr | None, rows: Expr) -> tuple[Requirement, ...]:
    if i is None:
        return ()
    if i.sign() in ("-", "<=0"):
        return (Requirement(-i, "<=", rows, "size-mismatch", "choose a row of the matrix"),)
    return (Requirement(i + 1, "<=", rows, "size-mismatch", "choose a row of the matrix"),)


def _diameter(space: Matrix, q: str) -> Expr:
    """Largest L_q distance of two rows."""
    assert space.cols is not None
    if space.element == "Data":
        return power_of(space.cols, norm_of(q).inverse)
    known: list[Expr] = []
    if not (space.lo.is_infinite or space.hi.is_infinite):
        known.append(power_of(space.cols, norm_of(q).inverse) * (space.hi - space.lo))
    known += [2 * bound * conversion(p, q, space.cols) for p, bound in space.radius]
    return minimum(*known) if known else INF


def run(m: Any, i: Any) -> Any:
    """The row, with the index clamped into the matrix."""
    index = int(i)
    if index < 0:
        index += len(m)
    return m[min(max(index, 0), len(m) - 1)]


def instances() -> Iterable[Instance]:
    for norm in NORM_NAMES:
        yield Instance({"m": Matrix("Real", norm, num(3), num(4))}, {"i": 1})
        yield Instance({"m": Matrix("Data", norm, num(3), num(2))}, {"i": 0})
    box = Matrix("Real", "L1", num(2), num(2), ZERO, num(5))
    yield Instance({"m": box, "i": Scalar("Int", ZERO, num(1))})


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """The row that is read moves by d, or the index moves by 1."""
    if "i" in instance.private:
        ends = [[0, 0], [5, 5]]
        return ({"m": ends, "i": 0}, {"m": ends, "i": 1}) if d == 1 else None
    space = instance.private["m"]
    assert isinstance(space, Matrix)
    if space.element == "Data":
        changed = {"L1": d, "L2": d * d, "LInf": 2 if d == 1 else 3}[space.norm]
        zero = [[0, 0], [0, 0], [0, 0]]
        if changed > 2:
            return None
        return {"m": zero}, {"m": [[1] * changed + [0] * (2 - changed), *zero[1:]]}
    zero_pair, moved_pair = move_one_row(space, d)
    first, second, *rest = moved_pair["m"]
    return zero_pair, {"m": [second, first, *rest]}
