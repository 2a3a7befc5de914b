"""What the rules of tables share: the predicate's formal, the element of numeric rows."""

from __future__ import annotations

from metricdp.expr import INF, ZERO, Expr
from metricdp.record import Arg, Failure, refuse
from metricdp.spaces import Matrix, Owned, Records, Scalar, Space, Vector


def number_element(row: Scalar) -> str:
    """The element of a sum of such rows: "Int" where every row is a whole number, else "Real"."""
    return "Int" if row.kind in ("int", "bool") or row.element in ("Int", "Bool") else "Real"


def element_of(space: Space | None, text: str, verb: str) -> Space:
    """The space of one row of records or of a matrix, or of one entry of a vector.

    Raises:
        Refusal: the argument is no container.
    """
    if isinstance(space, Records) or (verb == "filter" and isinstance(space, Owned)):
        return space.row
    if isinstance(space, Vector):
        return Scalar(space.element, space.lo, space.hi)
    if isinstance(space, Matrix):
        return Vector(space.element, space.norm, space.cols, space.lo, space.hi, space.radius)
    raise refuse(
        "unsupported-call",
        f"`{verb}` goes through the rows of a table or a vector, and {text} is neither",
        need="a Records, Vector or Matrix argument",
        help=f"dp.{verb}(lambda row: row > 0, rows)",
    )


def captured_factor(predicate: Arg, rows: Expr | None) -> Expr:
    """Factor on the movement of what a predicate captures, when `rows` rows are tested.

    A discrete result flips on at most every row.  A real result is only tested for being nonzero,
    which its movement does not bound.
    """
    space = predicate.body.space if predicate.body else None
    if space is None:
        return ZERO
    real = isinstance(space, Scalar) and space.element == "Real"
    return INF if real or rows is None else rows


def real_test(text: str, verb: str) -> Failure:
    """Why a predicate on real entries has no bound."""
    return Failure(
        "real-comparison",
        f"an arbitrarily small step of a real entry can change which entries `{verb}` accepts",
        need="discrete entries",
        help=f"declare {text} as Vector[Data, L1]",
    )
