"""histogram: how many rows equal each of the public categories, as one vector of counts.

Stability.  A row that equals none of the categories is counted nowhere, one that equals several
only in the first, so a row moves one count; with `null_category` one count more, at the end, holds
the rows that equal none.  Records: k rows added or removed move the counts by at
most k in L1, and, when all are equal, in L2 and LInf as well: 1 in every norm.  Under change-one
and Hamming distance a replaced row leaves one count and enters another: 2 in L1, sqrt(2) in L2,
1 in LInf, k times that for k rows.  A vector of discrete entries is the same with k changed
entries; k is at most the distance in L1, sqrt(n) times that in L2, n times that in LInf.
Tight: add equal rows; turn rows of one category into another.
Source: folklore; the constants of disjoint counting queries (Dwork and Roth 2014, section 3.3).
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import msgspec

from metricdp.expr import ONE, ZERO, D, Expr, num
from metricdp.primitives._common import given
from metricdp.record import ONE_METRIC, Arg, Conclusion, Instance, Moves, Spelling, Witness, refuse
from metricdp.spaces import Maybe, Records, Scalar, Space, Vector
from metricdp.spaces.metrics import PRIVATE_SIZE, PUBLIC_SIZE
from metricdp.spaces.norms import L1, NORMS, conversion

spelling = Spelling(opendp=("make_count_by_categories",))

#: How far the counts move, per norm, when one row is replaced.
_REPLACED = {name: norm.of_ones(num(2)) for name, norm in NORMS.items()}


NONE = Arg(literal=None)


def rule(x: Arg, categories: Arg, null_category: Arg = NONE) -> Conclusion:
    """Single-column records, or a vector of discrete entries; public categories."""
    space = x.space
    if isinstance(space, Records) and not isinstance(space.row, Scalar | Maybe):
        raise refuse(
            "unsupported-call",
            f"`histogram` counts single values, and the rows of {x.text} have several fields",
            need="one value per row",
            help=f"dp.histogram([row.field for row in {x.text}], {categories.text})",
        )
    if not (isinstance(space, Records) or (isinstance(space, Vector) and space.element == "Data")):
        raise refuse(
            "unsupported-call",
            f"`histogram` counts the rows of a table, and {x.text} is none",
            need="a Records argument, or a vector of discrete entries",
            help=f"dp.histogram({x.text}, categories)",
        )
    rows = space.size
    if given(null_category) and not isinstance(null_category.literal, bool):
        raise refuse(
            "private-argument",
            "`null_category` decides how many counts there are, and it is not written",
            need="True or False",
            help=f"dp.histogram({x.text}, {categories.text}, null_category=True)",
        )
    more = ONE if null_category.literal else ZERO
    result = Vector("Int", "L1", _number(categories) + more, ZERO)
    if rows is not None:
        result = msgspec.structs.replace(result, hi=rows, radius=(("L1", rows),))
    return Conclusion(result, {"x": _moves(space)})


def _number(categories: Arg) -> Expr:
    """How many categories there are."""
    if categories.private:
        raise refuse(
            "private-argument",
            f"the categories {categories.text} are private",
            need="public categories",
            help="a tuple of categories as a public parameter",
        )
    if isinstance(categories.literal, tuple | list):
        return num(len(categories.literal))
    size = categories.space.size if isinstance(categories.space, Vector) else None
    if size is None or categories.released:
        raise refuse(
            "size-mismatch",
            f"nothing says how many categories {categories.text} holds",
            need="a literal tuple, or a public parameter that is one",
            help=f"declare {categories.text} as tuple[str, ...]",
        )
    return size


def _moves(space: Space) -> Moves:
    if isinstance(space, Records):
        rows = space.row_metric.moved()
        return {(ONE_METRIC, name): norm.of_ones(rows) * D for name, norm in NORMS.items()}
    assert isinstance(space, Vector) and space.size is not None
    changed = conversion(space.norm, L1.name, space.size)
    return {(space.norm, norm): bound * changed * D for norm, bound in _REPLACED.items()}


def run(x: Any, categories: Any, null_category: Any = None) -> list[int]:
    """The count of every category, 0 for one that appears a second time; then of all others."""
    places: dict[Any, int] = {}
    for place, category in enumerate(categories):
        places.setdefault(category, place)
    counts = [0] * (len(categories) + 1)
    for row in x:
        counts[places.get(row, -1)] += 1
    return counts if null_category else counts[:-1]


def tabular(x: Any, categories: Any, null_category: Any = None) -> Any:
    """The same counts, found in arrays."""
    from metricdp.columns.nullable import dropped
    from metricdp.values import Numbers

    there = dropped(x)
    counts = there.tallies(categories)
    missing = len(x) - len(there)
    if missing:
        counts[[*categories, None].index(None)] += missing
    return Numbers(counts if null_category else counts[:-1])


def instances() -> Iterable[Instance]:
    row = Scalar("Data", kind="int")
    for metric in PRIVATE_SIZE:
        yield Instance({"x": Records(row, metric)}, {"categories": (0, 1, 5)})
    for metric in PUBLIC_SIZE:
        yield Instance({"x": Records(row, metric, num(4))}, {"categories": (0, 1, 0)})
    yield Instance({"x": Records(row)}, {"categories": (1, 1, 0)})
    for metric, size in (("Symmetric", None), ("ChangeOne", num(4))):
        public = {"categories": (1, 5), "null_category": True}
        yield Instance({"x": Records(row, metric, size)}, public)
    for norm in NORMS:
        tight = "attained" if norm == "L1" else "unknown"
        yield Instance({"x": Vector("Data", norm, num(4))}, {"categories": (0, 1)}, tight=tight)


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """Equal rows are added, or turned into another category."""
    if instance.tight == "unknown":
        return None
    space = instance.private["x"]
    if isinstance(space, Records) and not space.row_metric.replaces:
        return {"x": []}, {"x": [1] * d}
    return {"x": [0] * 4}, {"x": [1] * d + [0] * (4 - d)}
