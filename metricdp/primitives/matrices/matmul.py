"""matmul: the product with a public matrix or vector on either side, `x @ y`.

Stability.  X B with B public: every row moves by |B|_{p -> q} times its movement (row-summed).
A X with A public: row i of the result is sum_k A_ik X_k, so the row-summed distance moves by at
most max_k sum_i |A_ik|, times c^max(0, 1/q - 1/p) from L_p to L_q.  A vector is one row; A v is
v A^T.  v w with a public vector w: the dual norm of w.  Tight: one row moved along the extreme
direction (L1: a unit vector).  Two private operands: no bound, and a shape from their public sizes;
a table of private length is refused, because an error would tell its length.
Source: operator norms and norm duality; see `_operator` for which are exact.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import msgspec

from metricdp.expr import INF, D, Expr, num
from metricdp.primitives.matrices._operator import Rows, column_sums, operator_norm, transposed
from metricdp.record import (
    Arg,
    Conclusion,
    Failure,
    Instance,
    Moves,
    Requirement,
    Spelling,
    Witness,
    infinite,
    refuse,
)
from metricdp.spaces import Gradient, Matrix, Scalar, Space, Vector, conversion
from metricdp.spaces.norms import NORM_NAMES

example = (
    "m: Annotated[dp.Matrix[dp.Real, dp.L1], dp.Size(2, 2)] = [[1, 2], [3, 4]]; "
    "dp.matmul(m, (1, 1))"
)

spelling = Spelling(("@",), ("numpy.matmul", "numpy.dot"))


def rule(x: Arg, y: Arg) -> Conclusion:
    """One operand is a private real vector or matrix; the other is public and known."""
    if x.private and y.private:
        space, requirement = _of_two(_real(x), _real(y))
        why = Failure(
            "unbounded-product",
            f"{x.text} and {y.text} are both private, and the product of two moves without limit",
            need="one public operand",
            help=_row_by_row(x, y),
        )
        endless = infinite(why, space, "x", "y")
        return msgspec.structs.replace(endless, requires=(requirement,))
    if not x.private and not y.private:
        raise refuse(
            "private-argument",
            f"`matmul` of public {x.text} and {y.text} needs no rule",
            need="a private operand",
        )
    private, public, name = (x, y, "x") if x.private else (y, x, "y")
    space, literal = _real(private), _literal(public)
    if literal is None:
        why = Failure(
            "unbounded-product",
            f"the entries of {public.text} are not known when checking",
            need="a public matrix that is written out",
            help=_an_example(public),
        )
        result, requires = _with_unknown(space, public, name)
        return msgspec.structs.replace(infinite(why, result, name), requires=requires)
    flat = not isinstance(literal[0], tuple)
    b: Rows = tuple((v,) for v in literal) if flat else literal
    if name == "y" and not flat:
        return _from_left(space, literal)
    return _from_right(space, b, flat, name)


def _row_by_row(x: Arg, y: Arg) -> str:
    """How to write a product of two private operands as a sum over rows, which are bounded."""
    rows = x.text.removesuffix(".T")
    if rows == x.text or not rows.isidentifier() or not y.text.isidentifier():
        return "dp.sum of entrywise products of clipped rows"
    if rows == y.text:
        return f"for row in {rows}: total = total + np.outer(row, row)"
    if isinstance(y.space, Vector):
        return f"for row, v in zip({rows}, {y.text}): total = total + dp.clip(row * v, dp.L2)"
    return "dp.sum of entrywise products of clipped rows"


def _an_example(public: Arg) -> str:
    return f"{public.text} = ((1, 0), (0, 1))" if public.text.isidentifier() else "((1, 0), (0, 1))"


def _with_unknown(
    space: Matrix | Vector, public: Arg, name: str
) -> tuple[Space, tuple[Requirement, ...]]:
    """The space of the product with a public operand whose entries are not known, by its shape.

    Args:
        name: of the private operand: "x" on the left, "y" on the right.

    Raises:
        Refused: a shape that is not known.
    """
    held = public.space
    inner = space.cols if isinstance(space, Matrix) else space.size
    if name == "y" and isinstance(space, Matrix):
        inner = space.rows
    assert inner is not None
    if isinstance(held, Vector) and held.size is not None and isinstance(space, Vector):
        return Scalar("Real"), _fits(inner, held.size)
    if isinstance(held, Vector) and held.size is not None and isinstance(space, Matrix):
        outer = space.rows if name == "x" else space.cols
        return Vector("Real", space.norm, outer), _fits(inner, held.size)
    if isinstance(held, Gradient) and len(held.shape) == 2:
        ends = held.shape if name == "x" else held.shape[::-1]
        fits = _fits(inner, ends[0])
        if isinstance(space, Vector):
            return Vector("Real", space.norm, ends[1]), fits
        sides = (space.rows, ends[1]) if name == "x" else (ends[1], space.cols)
        return Matrix("Real", space.norm, *sides), fits
    # With more entries than were thought of, what is clipped behind it moves by more.
    raise refuse(
        "unbounded-product",
        f"neither the entries nor the shape of {public.text} are known when checking",
        need="a public vector or matrix whose shape is known",
        help="a shape that is known: np.zeros(n), np.ones((n, k)), or numbers that are written out",
    )


def _fits(inner: Expr, length: Expr) -> tuple[Requirement, ...]:
    fit = Requirement(inner, "==", length, "size-mismatch", "make the inner sizes equal")
    return () if inner == length else (fit,)


def _from_right(space: Matrix | Vector, b: Rows, flat: bool, name: str) -> Conclusion:
    """X B, v B, or a product with a public vector."""
    inner = space.cols if isinstance(space, Matrix) else space.size
    assert inner is not None
    moves: Moves = {(p, q): operator_norm(b, p, q) * D for p in NORM_NAMES for q in NORM_NAMES}
    result = _result(space, b)
    if flat and isinstance(space, Vector):
        moves = {(p, ""): moves[p, "LInf"] for p in NORM_NAMES}
        result = Scalar(result.element, result.lo, result.hi)
    elif flat and isinstance(space, Matrix):
        # One number per row: the row-summed distance is the L1 distance of the column.
        moves = {(p, q): moves[p, "LInf"] for p in NORM_NAMES for q in NORM_NAMES}
        result = Vector(result.element, space.norm, space.rows, result.lo, result.hi)
    return Conclusion(result, {name: moves}, requires=(_same(inner, len(b)),))


def _from_left(space: Matrix | Vector, a: Rows) -> Conclusion:
    """A X or A v."""
    if isinstance(space, Vector):
        assert space.size is not None
        b = transposed(a)
        moves: Moves = {(p, q): operator_norm(b, p, q) * D for p in NORM_NAMES for q in NORM_NAMES}
        requires = (_same(space.size, len(b)),)
        return Conclusion(_result(space, b), {"y": moves}, requires=requires)
    assert space.rows is not None and space.cols is not None
    factor = column_sums(a)
    moves = {
        (p, q): factor * conversion(p, q, space.cols) * D for p in NORM_NAMES for q in NORM_NAMES
    }
    lo, hi = _range(space, transposed(a))
    element = _element(space, a)
    result = Matrix(element, space.norm, num(len(a)), space.cols, lo, hi)
    return Conclusion(result, {"y": moves}, requires=(_same(space.rows, len(a[0])),))


def _of_two(x: Matrix | Vector, y: Matrix | Vector) -> tuple[Space, Requirement]:
    """The space of the product of two private operands, whose sizes are public and fit."""
    inner = x.cols if isinstance(x, Matrix) else x.size
    outer = y.rows if isinstance(y, Matrix) else y.size
    assert inner is not None and outer is not None
    fit = Requirement(inner, "==", outer, "size-mismatch", "make the inner sizes equal")
    rows = x.rows if isinstance(x, Matrix) else None
    cols = y.cols if isinstance(y, Matrix) else None
    if rows is not None and cols is not None:
        return Matrix("Real", x.norm, rows, cols), fit
    size = rows if rows is not None else cols
    return (Scalar("Real") if size is None else Vector("Real", x.norm, size)), fit


def _same(size: Expr, length: int) -> Requirement:
    return Requirement(size, "==", num(length), "size-mismatch", "make the inner sizes equal")


def _real(x: Arg) -> Matrix | Vector:
    space = x.space
    if isinstance(space, (Matrix, Vector)) and space.element != "Data":
        return space
    real = f"dp.undisc(dp.clip({x.text}, dp.L2))"
    if isinstance(space, Matrix):
        real = f"dp.map_rows(lambda row: dp.undisc(dp.clip(row, dp.L2)), {x.text})"
    raise refuse(
        "wrong-norm",
        f"`matmul` needs real entries, and {x.text} lies in {space}",
        need="a vector or matrix over the reals",
        help=f"{x.text} = {real} before this line" if x.text.isidentifier() else real,
    )


def _literal(public: Arg) -> Any:
    """The public operand as (nested) tuples of fractions; None if its entries are not known."""
    value = public.literal
    if not isinstance(value, (tuple, list)) or not value:
        return None
    try:
        if all(isinstance(row, (tuple, list)) for row in value):
            rows = tuple(tuple(Fraction(v) for v in row) for row in value)
            return rows if len({len(row) for row in rows}) == 1 and rows[0] else None
        return tuple(Fraction(v) for v in value)
    except (TypeError, ValueError, OverflowError):
        return None


def _element(space: Space, b: Rows) -> str:
    whole = all(v.denominator == 1 for row in b for v in row)
    return "Int" if whole and getattr(space, "element", "") in ("Int", "Bool") else "Real"


def _result(space: Matrix | Vector, b: Rows) -> Any:
    """Space of rows times B."""
    lo, hi = _range(space, b)
    element, cols = _element(space, b), num(len(b[0]))
    if isinstance(space, Vector):
        return Vector(element, space.norm, cols, lo, hi)
    return Matrix(element, space.norm, space.rows, cols, lo, hi)


def _range(space: Matrix | Vector, b: Rows) -> tuple[Expr, Expr]:
    """Range of the entries of a row times B, when the row's entries have numbers as bounds."""
    lo, hi = space.lo.as_fraction(), space.hi.as_fraction()
    if lo is None or hi is None:
        return -INF, INF
    ends = [
        (sum((v * (lo if v > 0 else hi) for v in c), Fraction(0)),
         sum((v * (hi if v > 0 else lo) for v in c), Fraction(0)))
        for c in transposed(b)
    ]  # fmt: skip
    return num(min(e[0] for e in ends)), num(max(e[1] for e in ends))


def columnar(x: Any, y: Any) -> Any:
    """The product of a vector of a row with a public vector or matrix, or with another vector."""
    from metricdp.columns.language import dot, stack

    if getattr(y, "ndim", 1) == 2:
        return stack([dot(x, column) for column in y.T])
    return stack([dot(row, y) for row in x]) if getattr(x, "ndim", 1) == 2 else dot(x, y)


def run(x: Any, y: Any) -> Any:
    """Exact product; a vector on the left is a row, on the right a column."""
    left, right = _is_matrix(x), _is_matrix(y)
    columns = list(zip(*y, strict=True)) if right else [y]
    rows = [[_dot(row, column) for column in columns] for row in (x if left else [x])]
    if not right:
        flat = [row[0] for row in rows]
        return flat if left else flat[0]
    return rows if left else rows[0]


def _is_matrix(value: Any) -> bool:
    return bool(len(value)) and hasattr(value[0], "__len__")


def _dot(u: Any, v: Any) -> Fraction:
    # strict: sizes are public and were required to be equal.
    return sum((_exact(a) * _exact(b) for a, b in zip(u, v, strict=True)), Fraction(0))


def _exact(value: Any) -> Any:
    return Fraction(value) if isinstance(value, (int, float)) else value


_B = ((1, -2), (3, Fraction(1, 2)), (0, 1))


def instances() -> Iterable[Instance]:
    for norm in NORM_NAMES:
        tight = "attained" if norm == "L1" else "unknown"
        rows = Matrix("Real", norm, num(2), num(3))
        yield Instance({"x": rows}, {"y": _B}, tight=tight)
        yield Instance({"y": Matrix("Real", norm, num(2), num(3))}, {"x": _B}, tight=tight)
        yield Instance({"x": Vector("Real", norm, num(3))}, {"y": _B}, tight=tight)
        dual = "unknown" if norm == "L2" else "attained"
        yield Instance({"x": Vector("Real", norm, num(3))}, {"y": (1, -4, 2)}, tight=dual)
        yield Instance({"y": Vector("Real", norm, num(2))}, {"x": _B}, tight=tight)


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """The extreme unit vector (L1), or signs of a public vector (LInf), d times."""
    ((name, space),) = instance.private.items()
    public = instance.public["y" if name == "x" else "x"]
    if isinstance(space, Matrix):
        if space.norm != "L1":
            return None
        zero = [[Fraction(0)] * 3 for _ in range(2)]
        best = 1 if name == "x" else 0
        moved = [list(row) for row in zero]
        if name == "x":
            moved[0][best] = Fraction(d)
        else:
            moved[_best_column(public)][0] = Fraction(d)
        return {name: zero}, {name: moved}
    assert isinstance(space, Vector)
    size = len(_B) if name == "x" else len(_B[0])
    zero_vector = [Fraction(0)] * size
    if not isinstance(public[0], tuple):
        moved_vector = list(zero_vector)
        if space.norm == "L1":
            moved_vector[1] = Fraction(d)
        elif space.norm == "LInf":
            moved_vector = [Fraction(d if v > 0 else -d) for v in public]
        else:
            return None
        return {name: zero_vector}, {name: moved_vector}
    if space.norm != "L1":
        return None
    moved_vector = list(zero_vector)
    moved_vector[1 if name == "x" else _best_column(public)] = Fraction(d)
    return {name: zero_vector}, {name: moved_vector}


def _best_column(a: Any) -> int:
    sums = [sum(abs(row[k]) for row in a) for k in range(len(a[0]))]
    return sums.index(max(sums))
