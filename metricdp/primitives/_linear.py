"""Operations on two arguments entry by entry: shapes that fit, and what each argument costs."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import msgspec

from metricdp.expr import ONE, D, Expr
from metricdp.primitives._common import (
    NORMS,
    Container,
    Range,
    discrete,
    discrete_conversion,
    joint_kind,
    kind_of,
    numbers_only,
    range_of,
    spread,
    times,
    whole,
)
from metricdp.record import ONE_METRIC, Arg, Conclusion, Moves, Requirement, refuse
from metricdp.spaces import Matrix, Scalar, Space
from metricdp.spaces.vectors import Entries


def linear_pair(
    x: Arg,
    y: Arg,
    a: Expr,
    b: Expr,
    ranges: Callable[[Range, Range], Range],
    operator: str,
) -> Conclusion:
    """Conclusion of a*x + b*y.

    Over the reals and one shape the conclusion is linear; a private number that is added to every
    entry of a container moves all of them; over discrete entries the result is any function of its
    arguments: 1 per argument.

    Args:
        a, b: public factors, 1 or -1.
        ranges: range of the result from the ranges of x and y.
        operator: the sign, for messages.
    Raises:
        Refusal: shapes that do not fit, text and numbers mixed.
    """
    if not x.private and not y.private:
        known = x.value is not None and y.value is not None
        return Conclusion(value=a * x.value + b * y.value if known else None)  # type: ignore[operator]
    if not (operator == "+" and kind_of(x) == kind_of(y) == "str"):
        numbers_only(operator, x, y)
    template, requires = common_shape(x, y, operator)
    space = result_space(x, y, template, ranges(range_of(x), range_of(y)), whole(x) and whole(y))
    if discrete(space) or _broadcast(x, template) or _broadcast(y, template):
        return Conclusion(
            space, entrywise_maps({"x": (x, ONE), "y": (y, ONE)}, space), requires=requires
        )
    return Conclusion(_in_balls(space, x, y), linear={"x": a, "y": b}, requires=requires)


def _in_balls(space: Scalar | Container, x: Arg, y: Arg) -> Scalar | Container:
    """A sum or difference of two values in balls lies in the ball with both radii."""
    if not (isinstance(x.space, Entries) and isinstance(y.space, Entries)):
        return space
    other = dict(y.space.radius)
    both = tuple((p, c + other[p]) for p, c in x.space.radius if p in other)
    return msgspec.structs.replace(space, radius=both) if x.private and y.private else space


def _broadcast(x: Arg, template: Space) -> bool:
    return x.private and isinstance(x.space, Scalar) and not isinstance(template, Scalar)


def common_shape(
    x: Arg, y: Arg, operator: str
) -> tuple[Scalar | Container, tuple[Requirement, ...]]:
    """The space whose shape the result has, and the equalities of sizes that this needs.

    Raises:
        Refusal: "size-mismatch", when the shapes are certainly different.
    """
    for arg in (x, y):
        known_shape(arg, operator)
    containers = [s for s in (x.space, y.space) if isinstance(s, (Entries, Matrix))]
    if not containers:
        first = x.space if x.private else y.space
        assert isinstance(first, Scalar)
        return first, ()
    if len(containers) == 1:
        return containers[0], ()
    left, right = containers
    if type(left) is not type(right):
        raise _mismatch(x, y, operator)
    requires = []
    for n, m in zip(_sizes(left), _sizes(right), strict=True):
        if n == m:
            continue
        if (n - m).is_number:
            raise _mismatch(x, y, operator)
        requires.append(
            Requirement(n, "==", m, "size-mismatch", f"give {x.text} and {y.text} one size")
        )
    return right if discrete(right) and not discrete(left) else left, tuple(requires)


def known_shape(x: Arg, operator: str) -> None:
    """A public argument has to be known as a number, or as a container of a known shape: an array
    of unknown shape would make several private results out of one.

    Raises:
        Refusal: "size-mismatch".
    """
    if x.private or isinstance(x.space, Scalar | Entries | Matrix) or x.value is not None:
        return
    if isinstance(x.literal, int | float | str):
        return
    raise refuse(
        "size-mismatch",
        f"nothing says how many numbers {x.text} holds, and `{operator}` would apply to each",
        need="a public number",
        help=f"use single numbers: declare {x.text} as float, or index it with a literal",
    )


def _mismatch(x: Arg, y: Arg, operator: str) -> Exception:
    assert x.space is not None and y.space is not None
    left, right = x.space.describe(), y.space.describe()
    return refuse(
        "size-mismatch",
        f"{x.text} ({left}) and {y.text} ({right}) have different shapes",
        need=f"one shape on both sides of `{operator}`",
        help=f"{x.text}[0] {operator} {y.text}[0] works on single entries",
    )


def _sizes(space: Container) -> tuple[Expr, ...]:
    sizes = (space.rows, space.cols) if isinstance(space, Matrix) else (space.size,)
    return tuple(n for n in sizes if n is not None)


def result_space(
    x: Arg, y: Arg, template: Scalar | Container, bounds: Range, integral: bool
) -> Scalar | Container:
    """The space of an entrywise result: discrete if one argument is, integer if both are."""
    is_discrete = any(discrete(arg.space) for arg in (x, y) if arg.private)
    kind = joint_kind({kind_of(x), kind_of(y)})
    if is_discrete and kind == "int" and not integral:
        kind = "float"
    element = "Data" if is_discrete else "Int" if integral else "Real"
    return reshaped(template, element, bounds, kind if is_discrete else "")


def reshaped(
    template: Scalar | Container, element: str, bounds: Range, kind: str = ""
) -> Scalar | Container:
    """A space of the template's shape and norm with other entries; radii are dropped."""
    lo, hi = bounds
    if isinstance(template, Scalar):
        return Scalar(element, lo, hi, kind)
    return msgspec.structs.replace(template, element=element, lo=lo, hi=hi, radius=())


def entrywise_maps(args: Mapping[str, tuple[Arg, Expr]], result: Space) -> dict[str, Moves]:
    """Moves per private argument, from {name: (argument, movement of an entry per unit)}."""
    return {
        name: entrywise_moves(arg.space, result, factor)
        for name, (arg, factor) in args.items()
        if arg.private and arg.space is not None
    }


def entrywise_moves(space: Space, result: Space, factor: Expr) -> Moves:
    """Moves of an entrywise operation that moves an entry by `factor` times the argument's entry.

    A scalar argument of a container result reaches every entry.  Over discrete results the factor
    does not matter: an entry has changed or not.
    """
    if not isinstance(result, (Entries, Matrix)):
        bound = ONE if discrete(result) else times(factor, D)
        return {(ONE_METRIC, ONE_METRIC): bound}
    if discrete(result):
        q = result.norm
        if isinstance(space, Scalar):
            return {(ONE_METRIC, q): spread(result, q)}
        assert isinstance(space, (Entries, Matrix))
        if space.element == "Real":  # one small step may change every entry
            return {(p, q): spread(result, q) for p in NORMS}
        if space.element == "Data":
            return {(space.norm, q): discrete_conversion(space.norm, q, result)}
        # Whole entries move by 1 or more; the checker knows their movement in every norm.  However
        # far they move, in LInf they have changed once.
        return {(q, q): ONE if q == "LInf" and not isinstance(result, Matrix) else D}
    if isinstance(space, Scalar):
        return {(ONE_METRIC, q): times(spread(result, q), times(factor, D)) for q in NORMS}
    return {(p, p): times(factor, D) for p in NORMS}
