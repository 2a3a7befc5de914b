"""What map_cols and map_cols2 share: how a function of columns moves the matrix of its results."""

from __future__ import annotations

from metricdp.expr import INF, D, Expr, best, compose, linear_coefficient, root, total_over_rows
from metricdp.primitives._common import times
from metricdp.primitives.matrices._norms import INVERSE, NORMS, power_of, total
from metricdp.record import ONE_METRIC, Arg, Body, Moves, refuse
from metricdp.spaces import Matrix, Scalar, Space, Vector


def column_space(m: Matrix) -> Vector:
    """The space of one column, measured in the norm of the rows."""
    return Vector(m.element, m.norm, m.rows, m.lo, m.hi)


def matrix_of(x: Arg, verb: str) -> Matrix:
    """The space of a private matrix.

    Raises:
        Refusal: the argument is none.
    """
    if not x.private or not isinstance(x.space, Matrix):
        raise refuse(
            "unsupported-call",
            f"`{verb}` goes through the columns of a private matrix, and {x.text} is none",
            need="a Matrix argument",
            help=f"dp.{verb}(f, rows)",
        )
    return x.space


def body_of(f: Arg, verb: str) -> Body:
    """The summary of a function argument.

    Raises:
        Refusal: it is no function that can be read, or adds noise.
    """
    if f.body is None or not f.body.deterministic or f.body.space is None:
        raise refuse(
            "unsupported-call",
            f"`{verb}` applies a function that is read from its source, and {f.text} is none",
            need="a function without noise",
            help=f"dp.{verb}(lambda v: dp.sum(v), x)",
        )
    return f.body


def results(body: Body, cols: Expr, verb: str) -> Space:
    """The vector of numbers, or the matrix whose columns are the results.

    Raises:
        Refusal: the function returns neither a number nor a vector.
    """
    result = body.space
    if isinstance(result, Scalar):
        return Vector(result.element, "L1", cols, result.lo, result.hi)
    if isinstance(result, Vector):
        return Matrix(result.element, result.norm, result.size, cols, result.lo, result.hi)
    raise refuse(
        "unsupported-call",
        f"the function given to `{verb}` returns neither a column nor a number",
        need="a function from columns to vectors or numbers",
        help=f"dp.{verb}(lambda column: dp.sum(column), rows)",
    )


def moves_of_columns(found: Moves, space: Matrix, result: Space) -> Moves:
    """Moves of all results from the moves of one.

    The columns are t_j apart in L_p, each at most d, and sum t_j <= c^(1 - 1/p) d: the results move
    by at most sum g(t_j) in L1.
    """
    assert space.cols is not None
    p, c, known = space.norm, space.cols, space.element != "Real"
    g = found.get((p, "L1" if isinstance(result, Matrix) else ONE_METRIC), INF)
    if g.is_zero:
        return {(p, q): g for q in NORMS}
    together = _together(g, p, c, known)
    if isinstance(result, Matrix):
        # The results may move in different rows, where every row norm adds up alike.
        wanted = (result.norm,) if result.element == "Data" else NORMS
        return {(p, q): together for q in wanted}
    if getattr(result, "element", "") == "Data":
        return {(p, "L1"): together}
    factor = linear_coefficient(g)
    if space.element == "Real" and factor is not None:
        # A norm of the matrix, whose largest values are at single rows: a vector of c entries.
        return {(p, q): times(factor * power_of(c, INVERSE[q] - INVERSE[p]), D) for q in NORMS}
    return {
        (p, "L1"): together,
        (p, "L2"): best([together, times(root(c), g)]),
        (p, "LInf"): best([together, g]),
    }


def _together(g: Expr, p: str, c: Expr, known: bool) -> Expr:
    if g.is_infinite:
        return INF
    spread = compose(total_over_rows(g, known, c), total(c, p) * D)
    return best([spread, c * g])


def captured_factor(result: Space, cols: Expr) -> Expr:
    """Every column sees a captured variable; its movement may lie in different rows each time.

    The factor serves every norm of one result, of which the largest to L1 is the size.
    """
    if isinstance(result, Matrix):
        assert result.rows is not None
        return cols * result.rows
    return cols
