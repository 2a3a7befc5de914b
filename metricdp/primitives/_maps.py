"""Maps: one function applied to every entry of vectors, or to every row or column of matrices.

Piece i of the result depends on pieces i of the arguments only.  One argument moves while the
others stay, and the triangle inequality adds them up; a private variable that the function captures
reaches every piece.  What differs is the metric on the pieces (`Traversal`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from metricdp.expr import (
    INF,
    ONE,
    D,
    Expr,
    best,
    compose,
    linear_coefficient,
    root,
    total_over_rows,
)
from metricdp.primitives._common import discrete, discrete_conversion, times
from metricdp.primitives.matrices._norms import power_of, total
from metricdp.record import ONE_METRIC, Arg, Body, Conclusion, Moves, Requirement, refuse
from metricdp.spaces import Matrix, Scalar, Space, Vector
from metricdp.spaces.norms import NORM_NAMES, NORMS, norm_of
from metricdp.spaces.vectors import Entries


class Traversal(msgspec.Struct, frozen=True):
    """One way to go through containers.

    Attributes:
        container: the space of an argument; refuses arguments that it does not go through.
        summary: what the function does, from it and the first container; refuses other values.
        piece: what the function receives of a container.
        number: how many pieces a container has.
        results: the space of all results; refuses functions of other results.
        moves: the moves of all results, from those of one.
        equal: what containers with different numbers of pieces should be given.
        captured: factor on the movement of what the function captures.
    """

    container: Callable[[Arg], Any]
    summary: Callable[[Arg, Arg], Body]
    piece: Callable[[Any], Space]
    number: Callable[[Any], Expr]
    results: Callable[[Body, Any], Space]
    moves: Callable[[Moves, Any, Any], Moves]
    equal: str
    captured: Callable[[Space, Expr], Expr] = lambda result, number: number

    def formals(self, *names: str) -> dict[str, Callable[..., tuple[Space, ...]]]:
        """What the function `f` receives: one piece of each of these arguments."""
        return {"f": lambda args: tuple(self.piece(self.container(args[n])) for n in names)}

    def applied(self, f: Arg, **args: Arg) -> Conclusion:
        """The conclusion about these arguments.

        Raises:
            Refusal: arguments of other spaces, a function that cannot be read or has other results.
        """
        spaces = {name: self.container(x) for name, x in args.items()}
        first, *others = spaces
        body = self.summary(f, args[first])
        result = self.results(body, spaces[first])
        maps = {
            name: self.moves(moves, space, result)
            for (name, space), moves in zip(spaces.items(), body.maps, strict=True)
        }
        number = self.number(spaces[first])
        requires = tuple(
            Requirement(
                number,
                "==",
                self.number(spaces[name]),
                "size-mismatch",
                f"give {args[first].text} and {args[name].text} {self.equal}",
            )
            for name in others
            if number != self.number(spaces[name])
        )
        return Conclusion(result, maps, captured=self.captured(result, number), requires=requires)


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


# -- entries of vectors


def entries_mapped(body: Body, space: Entries) -> Vector:
    """The vector of the results.

    Raises:
        Refusal: the function returns no number.
    """
    result = body.space
    if not isinstance(result, Scalar):
        raise refuse(
            "unsupported-call",
            f"the function given to `map` returns {result}, and entries are numbers",
            need="a function from numbers to numbers",
            help="dp.map_rows for functions of rows",
        )
    return Vector(result.element, space.norm, space.size, result.lo, result.hi)


def entries_moved(found: Moves, space: Entries, result: Vector) -> Moves:
    """Moves of a vector whose entries move by `found` of their own movement."""
    assert space.size is not None
    g = found.get((ONE_METRIC, ONE_METRIC), INF)
    n, p = space.size, space.norm
    factor = linear_coefficient(g)
    if discrete(space):
        width = g.subs({"d_in": ONE})  # the movement of one changed entry
        if discrete(result):
            return {(p, p): D if not g.is_zero else g}
        return {(p, q): times(width, discrete_conversion(p, q, space)) for q in NORM_NAMES}
    if factor is None and space.element in ("Int", "Bool"):
        factor = linear_coefficient(total_over_rows(g, True, n))  # entries move by 1 or more
    if discrete(result):
        each = INF if factor is None else factor
        return {
            (p, result.norm): times(each, discrete_conversion(p, result.norm, space))
            for p in NORM_NAMES
        }
    if factor is not None:
        return {(q, q): times(factor, D) for q in NORM_NAMES}
    together = best([total_over_rows(g, False, n), n * g])
    return {("L1", "L1"): together, ("L2", "L2"): root(n) * g, ("LInf", "LInf"): g}


def through_entries(
    container: Callable[[Arg], Any], summary: Callable[[Arg, Arg], Body]
) -> Traversal:
    """The entries of vectors."""
    return Traversal(
        container=container,
        summary=summary,
        piece=lambda space: space.entry,
        number=lambda space: space.size,
        results=entries_mapped,
        moves=entries_moved,
        equal="one size",
    )


# -- rows of matrices


def rows_mapped(body: Body, space: Matrix, help: str) -> Matrix | Vector:
    """The matrix of the rows that the function returns, or the vector of its numbers.

    Raises:
        Refusal: the function returns neither.
    """
    result = body.space
    if isinstance(result, Vector):
        return Matrix(
            result.element,
            result.norm,
            space.rows,
            result.size,
            result.lo,
            result.hi,
            result.radius,
        )
    if isinstance(result, Scalar):
        return Vector(result.element, "L1", space.rows, result.lo, result.hi)
    raise refuse(
        "unsupported-call",
        "the function given to `map_rows` returns neither a row nor a number",
        need="a function from rows to vectors or numbers",
        help=help,
    )


def rows_moved(found: Moves, space: Matrix, result: Matrix | Vector) -> Moves:
    """The row-summed distance is the sum of the rows' movements."""
    known = space.element != "Real"
    return {
        (p, "L1" if isinstance(result, Vector) else q): total_over_rows(g, known, space.rows)
        for (p, q), g in found.items()
    }


def through_rows(
    container: Callable[[Arg], Any], summary: Callable[[Arg, Arg], Body], help: str
) -> Traversal:
    """The rows of matrices.

    Args:
        help: what to write instead of a function with other results.
    """
    return Traversal(
        container=container,
        summary=summary,
        piece=lambda space: space.row,
        number=lambda space: space.rows,
        results=lambda body, space: rows_mapped(body, space, help),
        moves=rows_moved,
        equal="as many rows",
    )


# -- columns of matrices


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


def columns_mapped(body: Body, space: Matrix, verb: str) -> Matrix | Vector:
    """The vector of numbers, or the matrix whose columns are the results.

    Raises:
        Refusal: the function returns neither a number nor a vector.
    """
    result = body.space
    if isinstance(result, Scalar):
        return Vector(result.element, "L1", space.cols, result.lo, result.hi)
    if isinstance(result, Vector):
        return Matrix(result.element, result.norm, result.size, space.cols, result.lo, result.hi)
    raise refuse(
        "unsupported-call",
        f"the function given to `{verb}` returns neither a column nor a number",
        need="a function from columns to vectors or numbers",
        help=f"dp.{verb}(lambda column: dp.sum(column), rows)",
    )


def columns_moved(found: Moves, space: Matrix, result: Space) -> Moves:
    """Moves of all results from the moves of one.

    The columns are t_j apart in L_p, each at most d, and sum t_j <= c^(1 - 1/p) d: the results move
    by at most sum g(t_j) in L1.
    """
    assert space.cols is not None
    p, c, known = space.norm, space.cols, space.element != "Real"
    g = found.get((p, "L1" if isinstance(result, Matrix) else ONE_METRIC), INF)
    if g.is_zero:
        return {(p, q): g for q in NORM_NAMES}
    together = _together(g, p, c, known)
    if isinstance(result, Matrix):
        # The results may move in different rows, where every row norm adds up alike.
        wanted = (result.norm,) if result.element == "Data" else NORM_NAMES
        return {(p, q): together for q in wanted}
    if getattr(result, "element", "") == "Data":
        return {(p, "L1"): together}
    factor = linear_coefficient(g)
    if space.element == "Real" and factor is not None:
        # A norm of the matrix, whose largest values are at single rows: a vector of c entries.
        own = norm_of(p).inverse
        return {
            (p, q): times(factor * power_of(c, norm.inverse - own), D) for q, norm in NORMS.items()
        }
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


def captured_by_columns(result: Space, cols: Expr) -> Expr:
    """Every column sees a captured variable; its movement may lie in different rows each time.

    The factor serves every norm of one result, of which the largest to L1 is the size.
    """
    if isinstance(result, Matrix):
        assert result.rows is not None
        return cols * result.rows
    return cols


def through_columns(verb: str) -> Traversal:
    """The columns of matrices, for this map."""
    return Traversal(
        container=lambda x: matrix_of(x, verb),
        summary=lambda f, _: body_of(f, verb),
        piece=column_space,
        number=lambda space: space.cols,
        results=lambda body, space: columns_mapped(body, space, verb),
        moves=columns_moved,
        equal="as many columns",
        captured=captured_by_columns,
    )


def over_columns(f: Any, *matrices: Any) -> Any:
    """f of the columns at one place, as the columns of the result."""
    from metricdp.values import wrap

    columns = zip(*(zip(*m, strict=True) for m in matrices), strict=False)
    found = [f(*(wrap(list(column)) for column in each)) for each in columns]
    if found and isinstance(found[0], list):
        return [list(row) for row in zip(*found, strict=True)]
    return found
