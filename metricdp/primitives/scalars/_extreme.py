"""What min and max share: the largest (smallest) of several numbers, or of one vector."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

from metricdp.columns.language import Untraceable
from metricdp.expr import INF, ONE, D, Expr, maximum, minimum, num
from metricdp.primitives._common import (
    Range,
    in_floats,
    joint_kind,
    kind_of,
    no_bound,
    range_of,
    row_range,
    scalar_only,
    whole,
)
from metricdp.primitives._witnesses import step_all
from metricdp.record import (
    ONE_METRIC,
    Arg,
    Conclusion,
    Instance,
    Requirement,
    Witness,
    infinite,
    refuse,
    scalar_moves,
)
from metricdp.spaces import NEG_INF, Matrix, Records, Scalar, Vector
from metricdp.spaces.norms import NORM_NAMES
from metricdp.spaces.vectors import Entries

#: No value for an empty table is written.
NOTHING = Arg()


def extreme(verb: str, xs: tuple[Arg, ...], default: Arg) -> Conclusion:
    """`min` or `max` of the arguments; private argument i is named str(i)."""
    if default is not NOTHING:
        return _or_default(verb, xs, default)
    if len(xs) == 1 and xs[0].private:
        return _container(verb, xs[0])
    if all(not x.private for x in xs):
        values = [x.value for x in xs if x.value is not None]
        pick = minimum if verb == "min" else maximum
        return Conclusion(value=pick(*values) if len(values) == len(xs) > 1 else None)
    scalar_only(verb, *xs)
    bounds = _range(verb, [range_of(x) for x in xs])
    private = {str(i): x for i, x in enumerate(xs) if x.private}
    if any(isinstance(x.space, Scalar) and x.space.element == "Data" for x in private.values()):
        space = Scalar("Data", *bounds, kind=joint_kind({kind_of(x) for x in xs}))
        return Conclusion(space, {name: scalar_moves(ONE) for name in private})
    integral = all(map(whole, xs))
    held = "float" if integral and in_floats(*xs) else ""
    space = Scalar("Int" if integral else "Real", *bounds, kind=held)
    return Conclusion(space, {name: scalar_moves(D) for name in private}, combine="max")


def _range(verb: str, ranges: list[Range]) -> Range:
    pick = minimum if verb == "min" else maximum
    return pick(*(lo for lo, _ in ranges)), pick(*(hi for _, hi in ranges))


def _container(verb: str, x: Arg) -> Conclusion:
    space = x.space
    if isinstance(space, Records):
        return _records(verb, x, space)
    if not isinstance(space, Entries):
        raise _refusal(verb, x)
    assert space.size is not None
    requires = (Requirement(space.size, ">=", ONE, remedy=f"give {x.text} at least one entry"),)
    if space.element == "Data":
        result = Scalar("Data", space.lo, space.hi)
        return Conclusion(result, {"0": {(space.norm, ONE_METRIC): ONE}}, requires=requires)
    result = Scalar("Real" if space.element == "Real" else "Int", space.lo, space.hi)
    return Conclusion(result, {"0": {(p, ONE_METRIC): D for p in NORM_NAMES}}, requires=requires)


def _or_default(verb: str, xs: tuple[Arg, ...], default: Arg) -> Conclusion:
    """A table that may be empty, and the public value of the empty one."""
    (x,) = xs if len(xs) == 1 else (NOTHING,)
    if not isinstance(x.space, Records) or default.private or default.value is None:
        raise refuse(
            "unsupported-call",
            f"`default=` of `{verb}` is the public number that stands for an empty table",
            need="one private table, and a number that is known while checking",
            help=f"{verb}({x.text}, default=0)"
            if isinstance(x.space, Records)
            else f"{verb}({', '.join(each.text for each in xs)})",
        )
    return _records(verb, x, x.space, default.value)


def _records(verb: str, x: Arg, space: Records, default: Expr | None = None) -> Conclusion:
    lo, hi, _ = row_range(space, x.text, verb)
    kind = getattr(space.row, "kind", "")
    element = "Int" if kind in ("int", "bool") else "Real"
    if default is not None:
        lo, hi = minimum(lo, default), maximum(hi, default)
        element = element if default.is_integer() else "Real"
    elif not space.sized:
        raise refuse(
            "unsupported-call",
            f"{x.text} may be empty, and `{verb}` of nothing has no value; of rows it is the exact "
            "value of one person",
            need="a value for the empty table; `dp.private_quantile` near 0 or 1 has less noise",
            help=f"{verb}({x.text}, default={_empty(lo)})",
        )
    result = Scalar(element, lo, hi)
    if lo == NEG_INF or hi == INF:
        why = no_bound(
            "infinite-stability",
            f"one person can move this {verb} by any amount",
            "finite public bounds on each row",
            f"{verb}(dp.clamp({x.text}, lower, upper))",
        )
        return infinite(why, result, "0")
    requires: tuple[Requirement, ...] = ()
    if space.size is not None and default is None:
        requires = (Requirement(space.size, ">=", ONE, remedy=f"give {x.text} at least one row"),)
    return Conclusion(result, {"0": scalar_moves(hi - lo)}, requires=requires)


def _empty(lo: Expr) -> str:
    """A number for the empty table: the least of the rows, where that is written."""
    known = lo.as_fraction()
    return str(known) if known is not None and known.denominator == 1 else "0"


def _refusal(verb: str, x: Arg) -> Exception:
    return refuse(
        "unsupported-call",
        f"`{verb}` compares numbers or the entries of a vector, and {x.text} lies in {x.space}",
        need="numbers, or one vector",
        help=f"dp.map_rows(lambda row: {verb}(row), {x.text})"
        if isinstance(x.space, Matrix)
        else f"{verb}({x.text}, 0)",
    )


def end_of_table(xs: tuple[Any, ...], pick: Callable[..., Any], default: Any) -> Any:
    """`pick` (max or min) of the rows of one table; of none `default`, or 0.

    Raises:
        Untraceable: several arguments, or rows that are no single numbers.
    """
    from metricdp.columns.table import Table

    x = xs[0]
    base = getattr(x.row, "base", "") if isinstance(x, Table) and len(xs) == 1 else ""
    if base not in ("double", "integer") or x.row.width is not None:
        raise Untraceable("rows that are no numbers")
    ends = [getattr(values[0], pick.__name__)() for count, values in x.pieces(x.row) if count]
    found = pick(ends, default=0 if default is None else default)
    return found.item() if hasattr(found, "item") else found


def extreme_instances() -> Iterable[Instance]:
    """Numbers, mixed public and private arguments, vectors and tables."""
    real = Scalar("Real")
    yield Instance({"0": real, "1": real})
    yield Instance({"0": real, "1": real, "2": Scalar("Real", num(-2), num(2))})
    yield Instance({"0": Scalar("Int")}, {"1": 0}, tight="unknown")
    yield Instance(
        {"0": Scalar("Data", num(0), num(9), "int"), "1": Scalar("Data", num(0), num(9), "int")},
        tight="unknown",
    )
    for norm in NORM_NAMES:
        yield Instance({"0": Vector("Real", norm, num(3))})
        yield Instance({"0": Vector("Data", norm, num(4), num(0), num(9))}, tight="unknown")
    row = Scalar("Data", num(-3), num(5), "int")
    yield Instance({"0": Records(row, "Hamming", num(3))}, tight="unknown")
    yield Instance({"0": Records(row, "ChangeOne", num(3))}, tight="unknown")
    for metric in ("Symmetric", "InsertDelete"):
        yield Instance({"0": Records(row, metric)}, {"default": 2})
        yield Instance({"0": Records(row, metric)}, {"default": -7 if metric == "Symmetric" else 9})


def extreme_tight(instance: Instance, d: int, sign: int) -> Witness | None:
    """Everything moves by d in the direction of `sign`; the extreme one moves with it."""
    if instance.tight == "unknown":
        return None
    if instance.public:
        return _rows_tight(instance.public["default"], d, sign)
    a, b = step_all(instance.private, d)
    if sign < 0:
        for name, x in b.items():
            b[name] = [-v for v in x] if isinstance(x, list) else 2 * a[name] - x
    if "2" in b:  # bounded: stays, and never is the extreme one
        fixed = Fraction(-2 * sign)
        a["2"] = b["2"] = fixed
    return a, b


def _rows_tight(default: int, d: int, sign: int) -> Witness:
    """A row at the end that counts is added to one at the other end, or to none."""
    near, far = (-3, 5) if sign > 0 else (5, -3)
    outside = (near - default) * sign > 0
    first = [] if outside else [near]
    if (default - far) * sign > 0:  # the default lies beyond the end that counts
        first, far = [], near
    return {"0": first}, {"0": [*first, *[far] * d]}
