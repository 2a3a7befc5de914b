"""index: x[i], an entry of a vector, a row of a matrix, a record of a table of public length.

Stability.  A public position: the entry moves by at most the norm of the vector, 1 from every
norm; a row by the distance of the matrix.  A private position: the result jumps between entries,
by at most their diameter, a constant; infinite where the entries have no bounds.  Discrete
entries: 1 each.  A table under Hamming distance: 1; a part that a text certainly has: 1.  At run
time a private position is clamped into range.
Tight: change the entry that is read; entries at both ends of the range.
Source: |x_i| <= |x|_p; any function into diameter w.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from metricdp.columns.language import Untraceable, at
from metricdp.columns.words import TextPieces
from metricdp.expr import ONE, D, Expr, num
from metricdp.primitives._common import discrete, in_floats, kind_of, no_bound, spread
from metricdp.primitives._witnesses import zero_and_step
from metricdp.record import (
    ONE_METRIC,
    Arg,
    Conclusion,
    Instance,
    Moves,
    Requirement,
    Spelling,
    Witness,
    refuse,
    scalar_moves,
)
from metricdp.spaces import Matrix, Records, Scalar, Space, Vector, diameter
from metricdp.spaces.norms import NORM_NAMES
from metricdp.spaces.texts import Cells
from metricdp.spaces.vectors import Entries

example = "v: dp.Vector[dp.Real, dp.L1] = [5, 6, 7]; dp.index(v, 1)"

spelling = Spelling(("[]",))


def rule(x: Arg, i: Arg) -> Conclusion:
    """A container and one public or private whole position."""
    if not x.private and not i.private:
        return Conclusion(value=_public_entry(x, i))
    if not x.private:
        return _from_public(x, i)
    maps: dict[str, Moves] = {}
    space = x.space
    size: Expr
    result: Space
    if isinstance(space, Entries):
        assert space.size is not None
        size, result = space.size, space.entry
        norms = (space.norm,) if discrete(space) else NORM_NAMES
        maps["x"] = {(p, ONE_METRIC): ONE if discrete(space) else D for p in norms}
    elif isinstance(space, Matrix):
        assert space.rows is not None
        size, result = space.rows, space.row
        norms = (space.norm,) if discrete(space) else NORM_NAMES
        maps["x"] = {(p, p): D for p in norms}
    elif isinstance(space, Records) and space.row_metric.ordered and space.size is not None:
        size, result = space.size, space.row
        maps["x"] = scalar_moves(ONE)
    elif isinstance(space, Cells):
        return _part(x, i, space)
    elif isinstance(space, Scalar) and space.kind == "str":
        first = i.value.as_fraction() if i.value is not None else None
        cut = f"[{first}:]" if first == -1 else f"[{first}:{first + 1}]" if first else "[:1]"
        raise refuse(
            "partial-operation",
            f"{x.text} is a private text, which may be too short to have a character there",
            need="a part that every text has, if only an empty one",
            help=f"{x.text}{cut}",
        )
    else:
        raise refuse(
            "unsupported-call",
            f"{x.text} lies in {space}, whose rows have no public positions",
            need="a vector, a matrix, or Records under Hamming distance",
            help="dp.sum, dp.count or a loop over the rows",
        )
    requires = [Requirement(size, ">=", ONE, remedy=f"give {x.text} at least one entry")]
    why = None
    if i.private:
        _whole_position(i)
        maps["i"] = _jumps(result)
        if any(g.is_infinite for g in maps["i"].values()):
            why = _unbounded(x, i)
    elif i.value is not None:
        _no_float(i)
        bad = f"choose a position below {size}"
        requires = [Requirement(i.value, "<", size, remedy=bad)]
        if i.value.sign() not in ("0", "+", ">=0"):
            requires.append(Requirement(i.value, ">=", -size, remedy=bad))
    elif not (isinstance(i.space, Scalar) and i.space.element == "Int"):
        # A released position stays: it is the same whatever the private data are.
        raise _no_position(x, i)
    return Conclusion(result, maps, requires=tuple(requires), why_infinite=why)


def _part(x: Arg, i: Arg, space: Cells) -> Conclusion:
    """One of the parts that a text certainly has."""
    at = i.value.as_fraction() if i.value is not None and not i.private else None
    if space.different:
        raise refuse(
            "unsupported-call",
            f"{x.text} is a set, which has no positions",
            need="the parts in their order, or whether one is among them",
            help=f'"a" in {x.text}',
        )
    if at is None or at.denominator != 1 or not -space.least <= at < space.least:
        raise refuse(
            "partial-operation",
            f"{x.text} may have too few parts for the position {i.text}",
            need="the first or the last part of a split, or one of the three of a partition",
            help=f"{x.text}[0]"
            if space.least
            else "give the split a separator: then there is a first and a last part",
        )
    return Conclusion(Scalar("Data", kind="str"), {"x": scalar_moves(ONE)})


def _jumps(result: Space) -> Moves:
    """A changed position: any value of the domain instead of any other."""
    if isinstance(result, Vector):
        if discrete(result):
            return {(ONE_METRIC, result.norm): _diameter_discrete(result)}
        return {(ONE_METRIC, q): diameter(result, q) for q in NORM_NAMES}
    return scalar_moves(
        ONE if discrete(result) or not isinstance(result, Scalar) else diameter(result)
    )


def _diameter_discrete(row: Vector) -> Expr:
    """The largest distance of two rows of discrete entries: all of them differ."""
    return spread(row, row.norm)


def _whole_position(i: Arg) -> None:
    if not isinstance(i.space, Scalar) or kind_of(i) not in ("int", "bool"):
        raise refuse(
            "private-index",
            f"the position {i.text} is private and no whole number",
            need="an integer position",
            help=f"declare {i.text} as Int",
        )
    _no_float(i)


def _no_float(i: Arg) -> None:
    if in_floats(i):
        raise refuse(
            "private-index",
            f"{i.text} is a number that Python holds in a float, and a float is no position",
            need="an integer",
            help=f"int({i.text})",
        )


def _unbounded(x: Arg, i: Arg) -> Any:
    return no_bound(
        "private-index",
        f"{i.text} is private and chooses between entries that are any distance apart",
        f"finite bounds on the entries of {x.text}",
        f"dp.clamp({x.text}, lower, upper)[{i.text}]",
    )


def _no_position(x: Arg, i: Arg) -> Exception:
    return refuse(
        "unsupported-call",
        f"{i.text} is no single public position",
        need="one whole number",
        help=f"{x.text}[0], or dp.map_rows for a part of every row",
    )


def _public_entry(x: Arg, i: Arg) -> Expr | None:
    at = i.value.as_fraction() if i.value is not None else None
    if isinstance(x.literal, (tuple, list)) and at is not None and at.denominator == 1:
        entry = x.literal[int(at)] if -len(x.literal) <= at < len(x.literal) else None
        return num(entry) if isinstance(entry, (int, float, Fraction)) else None
    return None


def _from_public(x: Arg, i: Arg) -> Conclusion:
    """A private position in a public sequence of numbers."""
    _whole_position(i)
    items = x.literal if isinstance(x.literal, (tuple, list)) else ()
    if not items or not all(isinstance(v, (int, float, Fraction)) for v in items):
        why = _unbounded(x, i)
        return Conclusion(
            Scalar("Real"), {"i": scalar_moves(diameter(Scalar("Real")))}, why_infinite=why
        )
    values = [Fraction(v) for v in items]
    element = "Int" if all(v.denominator == 1 for v in values) else "Real"
    space = Scalar(element, num(min(values)), num(max(values)))
    return Conclusion(space, {"i": scalar_moves(diameter(space))})


def run(x: Any, i: Any) -> Any:
    """Python's meaning of positions; those out of range are clamped into it; 0 for no entries."""
    n = len(x)
    return x[max(-n, min(int(i), n - 1))] if n else 0


def columnar(x: Any, i: Any) -> Any:
    """An entry of a vector of a row, or a part of a text."""
    return x.at(i) if isinstance(x, TextPieces) else at(x, i)


def tabular(x: Any, i: Any) -> Any:
    """One row of a table."""
    from metricdp.columns.table import Table

    if not isinstance(x, Table):
        raise Untraceable("a table as a position")
    n = len(x)
    return x.taken([max(-n, min(int(i), n - 1)) % n]).rows()[0] if n else 0


def instances() -> Iterable[Instance]:
    for norm in NORM_NAMES:
        yield Instance({"x": Vector("Real", norm, num(3))}, {"i": 0})
        yield Instance({"x": Vector("Data", norm, num(3))}, {"i": 0})
        yield Instance({"x": Matrix("Real", norm, num(2), num(2))}, {"i": 0})
        yield Instance({"x": Matrix("Data", norm, num(2), num(2))}, {"i": -2}, tight="unknown")
        boxed = Vector("Real", norm, num(3), num(-2), num(5))
        yield Instance({"x": boxed, "i": Scalar("Int")}, tight="unknown")
    yield Instance({"x": Vector("Real", "L1", num(3)), "i": Scalar("Int")}, tight="unknown")
    boxed_rows = Matrix("Real", "L2", num(2), num(2), num(0), num(4))
    yield Instance({"x": boxed_rows, "i": Scalar("Int")}, tight="unknown")
    yield Instance({"i": Scalar("Int")}, {"x": (4, -1, 9)})
    yield Instance({"x": Cells(1)}, {"i": -1})
    yield Instance({"x": Cells(3)}, {"i": 2})
    yield Instance({"x": Records(Scalar("Data", kind="int"), "Hamming", num(3))}, {"i": 0})


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """The entry that is read moves; or the position steps between the extreme entries."""
    if instance.tight == "unknown":
        return None
    if "x" in instance.private:
        space = instance.private["x"]
        if isinstance(space, Records):
            return {"x": [0] * 3}, {"x": [1] * d + [0] * (3 - d)}
        if isinstance(space, Cells):
            return None if d > 1 else ({"x": ("a",) * 3}, {"x": ("b",) * 3})
        if d > 1 and discrete(space):
            return None
        a, b = zero_and_step(space, d)
        return {"x": a}, {"x": b}
    return {"i": 1}, {"i": 1 + d}
