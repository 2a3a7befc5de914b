"""Rules of numbers, applied to numbers, and to vectors and matrices entry by entry.

A rule states what it knows of one number (`EntryRule`); `lifted` makes of that the space and the
moves over the reals and over discrete entries, of numbers and of containers.  A container moves by
the slope of its entries in every norm, and a private number that meets every entry moves all of
them.  Over discrete entries the result is any function of its arguments, so slopes do not count
there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from metricdp.expr import ONE, ZERO, D, Expr, absolute, sym
from metricdp.primitives import _exact
from metricdp.primitives._common import (
    Container,
    Range,
    discrete,
    discrete_conversion,
    in_floats,
    joint_kind,
    kind_of,
    numbers_only,
    range_of,
    spread,
    times,
    whole,
)
from metricdp.record import (
    ONE_METRIC,
    Arg,
    Conclusion,
    Failure,
    Moves,
    Requirement,
    Rule,
    Run,
    refuse,
)
from metricdp.spaces import Gradient, Matrix, Scalar, Space, Vector
from metricdp.spaces.norms import NORM_NAMES
from metricdp.spaces.vectors import Entries


class EntryRule(msgspec.Struct, frozen=True):
    """What a rule knows of its result where the arguments are numbers.

    Attributes:
        bounds: range of the result.
        slopes: per argument, how far the result moves at most per unit of its movement.
        whole: whether the result is an integer.
        kind: Python type of the result over discrete entries.
        in_float: whether Python holds a whole result in a float; None: if one argument is held so.
        linear: whether the result is the sum of slope * argument, public ones included.
        together: how movements of several real numbers combine (`Conclusion.combine`).
        keeps_balls: whether the result is at most as large as `x`, so that it stays in its balls.
        moves: over the reals, instead of the slopes, where the movement is no multiple of d_in.
        rounding, rests_on, why_infinite: over the reals, as in `Conclusion`.
    """

    bounds: Range
    slopes: Mapping[str, Expr]
    whole: bool = False
    kind: str = "float"
    in_float: bool | None = None
    linear: bool = False
    together: str = "sum"
    keeps_balls: bool = False
    moves: Moves | None = None
    rounding: Expr = ZERO
    rests_on: tuple[str, ...] = ()
    why_infinite: Failure | None = None


def entrywise(
    verb: str,
    entry: Callable[[Arg], EntryRule],
    reference: Callable[[Any], Any],
    value: Callable[[Expr], Expr | None] = lambda x: None,
) -> tuple[Rule, Run]:
    """Rule and reference function of a primitive with one argument.

    Args:
        entry: what is known of the result, from the private argument; its docstring says which
            arguments the rule takes.
        reference: the function on one plain number.
        value: the result for a public argument; None if it is no expression.
    """

    def rule(x: Arg) -> Conclusion:
        if not x.private:
            return Conclusion(value=None if x.value is None else value(x.value))
        numbers_only(verb, x)
        assert isinstance(x.space, (Scalar, Entries, Matrix))
        return lifted({"x": x}, entry(x), x.space)

    def run(x: Any) -> Any:
        return _exact.entrywise(reference, x)

    rule.__doc__ = entry.__doc__
    return rule, run


def lifted(
    args: Mapping[str, Arg],
    entry: EntryRule,
    template: Scalar | Container,
    requires: tuple[Requirement, ...] = (),
) -> Conclusion:
    """The conclusion about every entry.

    Args:
        template: a space of the result's shape and norm.
    """
    private = {name: arg for name, arg in args.items() if arg.private}
    over_data = any(discrete(arg.space) for arg in private.values())
    element = "Data" if over_data else "Int" if entry.whole else "Real"
    kind = entry.kind if over_data else ""
    held = in_floats(*args.values()) if entry.in_float is None else entry.in_float
    kind = "float" if element == "Int" and held else kind
    space = reshaped(template, element, entry.bounds, kind)
    inside = args["x"].space if entry.keeps_balls else None
    if isinstance(inside, (Entries, Matrix)) and not isinstance(space, Scalar):
        space = msgspec.structs.replace(space, radius=inside.radius)
    reaching = any(_reaches(arg, template) for arg in private.values())
    if entry.linear and not over_data and not reaching:
        return Conclusion(space, linear=entry.slopes, requires=requires)
    maps = {}
    for name, arg in private.items():
        slope = entry.slopes[name]
        assert arg.space is not None
        maps[name] = entrywise_moves(arg.space, space, absolute(slope) if entry.linear else slope)
    if over_data:
        return Conclusion(space, maps, requires=requires)
    return Conclusion(
        space,
        maps if entry.moves is None else dict.fromkeys(private, entry.moves),
        combine=entry.together if isinstance(space, Scalar) else "sum",
        requires=requires,
        rounding=entry.rounding,
        rests_on=entry.rests_on,
        why_infinite=entry.why_infinite,
    )


def _reaches(x: Arg, template: Space) -> bool:
    """Whether a private number meets every entry of a container."""
    return isinstance(x.space, Scalar) and not isinstance(template, Scalar)


def reshaped(
    template: Scalar | Container, element: str, bounds: Range, kind: str = ""
) -> Scalar | Container:
    """A space of the template's shape and norm with other entries; radii are dropped."""
    lo, hi = bounds
    if isinstance(template, Scalar):
        return Scalar(element, lo, hi, kind)
    return msgspec.structs.replace(template, element=element, lo=lo, hi=hi, radius=())


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
            return {(p, q): spread(result, q) for p in NORM_NAMES}
        if space.element == "Data":
            return {(space.norm, q): discrete_conversion(space.norm, q, result)}
        # Whole entries move by 1 or more; the checker knows their movement in every norm.  However
        # far they move, in LInf they have changed once.
        return {(q, q): ONE if q == "LInf" and not isinstance(result, Matrix) else D}
    if isinstance(space, Scalar):
        return {(ONE_METRIC, q): times(spread(result, q), times(factor, D)) for q in NORM_NAMES}
    return {(p, p): times(factor, D) for p in NORM_NAMES}


# -- two arguments


def linear_pair(
    x: Arg,
    y: Arg,
    a: Expr,
    b: Expr,
    ranges: Callable[[Range, Range], Range],
    operator: str,
) -> Conclusion:
    """Conclusion of a*x + b*y.

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
    bounds, integral = ranges(range_of(x), range_of(y)), whole(x) and whole(y)
    kind = arithmetic_kind(x, y, integral)
    entry = EntryRule(bounds, {"x": a, "y": b}, integral, kind, linear=True)
    found = lifted({"x": x, "y": y}, entry, *common_shape(x, y, operator))
    if found.linear is None or not (x.private and y.private and isinstance(found.space, Entries)):
        return found
    # A sum or difference of two values in balls lies in the ball with both radii.
    assert isinstance(x.space, Entries) and isinstance(y.space, Entries)
    other = dict(y.space.radius)
    radius = tuple((p, c + other[p]) for p, c in x.space.radius if p in other)
    space = msgspec.structs.replace(found.space, radius=radius)
    return msgspec.structs.replace(found, space=space)


def arithmetic_kind(x: Arg, y: Arg, integral: bool) -> str:
    """Python type of the result of two discrete operands, which is an integer if `integral`."""
    kind = joint_kind({kind_of(x), kind_of(y)})
    return "float" if kind == "int" and not integral else kind


def common_shape(
    x: Arg, y: Arg, operator: str
) -> tuple[Scalar | Container, tuple[Requirement, ...]]:
    """The space whose shape the result has, and the equalities of sizes that this needs.

    Raises:
        Refusal: "size-mismatch", when the shapes are certainly different.
    """
    for arg in (x, y):
        known_shape(arg, operator)
    spaces = _beside(x, y), _beside(y, x)
    containers = [s for s in spaces if isinstance(s, (Entries, Matrix))]
    if not containers:
        first = x.space if x.private else y.space
        assert isinstance(first, Scalar)
        return first, ()
    if len(containers) == 1:
        return containers[0], ()
    left, right = containers
    if type(left) is not type(right) or getattr(left, "shape", ()) != getattr(right, "shape", ()):
        raise _mismatch(x, y, operator)
    requires = []
    for n, m in zip(_sizes(left), _sizes(right), strict=True):
        if n == m or _plain(n) == _plain(m):
            continue
        if (n - m).is_number:
            raise _mismatch(x, y, operator)
        requires.append(
            Requirement(n, "==", m, "size-mismatch", f"give {x.text} and {y.text} one size")
        )
    return right if discrete(right) and not discrete(left) else left, tuple(requires)


def _beside(x: Arg, y: Arg) -> Space | None:
    """The space of x; of a public array with one axis beside a gradient, that of its entries."""
    of_entries = isinstance(y.space, Gradient) and not y.space.shape
    if x.private or not of_entries or type(x.space) is not Vector:
        return x.space
    names = ("element", "norm", "size", "lo", "hi", "radius")
    return Gradient(*(getattr(x.space, name) for name in names))


def _plain(size: Expr) -> Expr:
    """A size without what is known of its names: one name is one number."""
    return size.subs({name: sym(name, integer=True) for name in size.symbols})


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
        help="arrays of one shape"
        if getattr(x.space, "shape", ()) or getattr(y.space, "shape", ())
        else f"{x.text}[0] {operator} {y.text}[0] works on single entries",
    )


def _sizes(space: Container) -> tuple[Expr, ...]:
    sizes = (space.rows, space.cols) if isinstance(space, Matrix) else (space.size,)
    return tuple(n for n in sizes if n is not None)
