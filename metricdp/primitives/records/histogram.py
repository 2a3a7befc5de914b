"""histogram: how many rows equal each of the public categories, or lie between each two public
edges, as one vector of counts.

By edges: bin i holds the rows from edge i on up to edge i + 1, which lies in the next bin; the
last bin holds its last edge as well.  A row outside of all edges is counted nowhere, as
numpy.histogram does it.

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

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import pairwise
from math import ulp
from typing import Any

import msgspec

from metricdp.expr import ONE, ZERO, D, Expr, num
from metricdp.primitives._common import given
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
)
from metricdp.spaces import Maybe, Moment, Records, Row, Scalar, Space, Vector
from metricdp.spaces.metrics import PRIVATE_SIZE, PUBLIC_SIZE
from metricdp.spaces.norms import L1, NORMS, conversion

example = (
    "towns: dp.Records[str] = ['Rome', 'Oslo', 'Rome']; "
    "dp.histogram(towns, categories=('Oslo', 'Rome'))"
)

spelling = Spelling(opendp=("make_count_by_categories",))

#: How far the counts move, per norm, when one row is replaced.
_REPLACED = {name: norm.of_ones(num(2)) for name, norm in NORMS.items()}


NONE = Arg(literal=None)


def rule(
    x: Arg, *, categories: Arg = NONE, edges: Arg = NONE, null_category: Arg = NONE
) -> Conclusion:
    """A table with one column, or a vector of discrete entries; public categories, or edges."""
    space = x.space
    if edges is not NONE:
        _edges(x, categories, null_category, edges)
    elif categories is NONE:
        raise refuse(
            "wrong-arguments",
            f"`histogram` is not told what to count in {x.text}",
            need="public categories, or public edges that rise",
            help=f"dp.histogram({x.text}, edges=[0, 10, 20])",
        )
    if isinstance(space, Records):
        row = space.row.inner if isinstance(space.row, Maybe) else space.row
        if isinstance(row, Moment):
            raise refuse(
                "unsupported-call",
                f"`histogram` counts numbers and texts, and the rows of {x.text} are dates",
                need="what is counted of a date, or one count for each date",
                help=f"[sum(1 for row in {x.text} if row == day) for day in {_keys(categories)}]",
            )
    if isinstance(space, Records) and not isinstance(space.row, Scalar | Maybe):
        raise refuse(
            "unsupported-call",
            f"`histogram` counts single values, and the rows of {x.text} have several fields",
            need="one value per row",
            help=f"[sum(1 for row in {x.text} if row == key) for key in {_keys(categories)}]"
            if isinstance(space.row, Row) and space.row.kind == "tuple"
            else f"dp.histogram([row.field for row in {x.text}], categories={categories.text})",
        )
    if not (isinstance(space, Records) or (isinstance(space, Vector) and space.element == "Data")):
        raise refuse(
            "unsupported-call",
            f"`histogram` counts the rows of a table, and {x.text} is none",
            need="a Records argument, or a vector of discrete entries",
            help=f"dp.histogram({x.text}, categories=categories)"
            if edges is NONE
            else f"declare {x.text} as dp.Records[float]",
        )
    rows = space.size
    if edges is not NONE:
        bins = _number(edges, "edges") - ONE
        few = Requirement(bins, ">=", ONE, "size-mismatch", "give at least two edges")
        return Conclusion(_counts(bins, rows), {"x": _moves(space)}, requires=(few,))
    if given(null_category) and not isinstance(null_category.literal, bool):
        raise refuse(
            "private-argument",
            "`null_category` decides how many counts there are, and it is not written",
            need="True or False",
            help=f"dp.histogram({x.text}, categories={categories.text}, null_category=True)",
        )
    more = ONE if null_category.literal else ZERO
    result = _counts(_number(categories, "categories") + more, rows)
    return Conclusion(result, {"x": _moves(space)})


def _keys(categories: Arg) -> str:
    return categories.text if given(categories) else "KEYS"


def _counts(number: Expr, rows: Expr | None) -> Vector:
    """The space of so many counts of so many rows."""
    result = Vector("Int", "L1", number, ZERO)
    if rows is None:
        return result
    return msgspec.structs.replace(result, hi=rows, radius=(("L1", rows),))


def _edges(x: Arg, categories: Arg, null_category: Arg, edges: Arg) -> None:
    """Raises:
    Refusal: rows without an order, edges that do not rise, or categories beside them.
    """
    if categories is not NONE or given(null_category):
        raise refuse(
            "wrong-arguments",
            "`histogram` counts by categories or by edges, and not by both",
            need="categories for values, or edges for ranges of numbers",
            help=f"dp.histogram({x.text}, edges={edges.text})",
        )
    row = getattr(x.space, "row", x.space)
    if isinstance(row, Maybe) or getattr(row, "kind", "") in ("str", "bool"):
        raise refuse(
            "unsupported-call",
            f"the rows of {x.text} are not all numbers, and lie between no edges",
            need="a number in every row",
            help=f"dp.histogram({x.text}, categories=categories), with the values to count",
        )
    if isinstance(edges.literal, tuple | list) and not _rising(edges.literal):
        raise refuse(
            "wrong-arguments",
            "edges are numbers, each larger than the one before",
            need="public numbers that rise",
            help=f"dp.histogram({x.text}, edges=[0, 10, 20])",
        )


def _rising(edges: Sequence[Any]) -> bool:
    numbers = all(isinstance(e, int | float | Fraction) and type(e) is not bool for e in edges)
    finite = numbers and all(e - e == 0 for e in edges)
    return finite and all(a < b for a, b in pairwise(edges))


def _number(categories: Arg, name: str) -> Expr:
    """How many categories, or edges, there are."""
    if categories.private:
        raise refuse(
            "private-argument",
            f"the {name} {categories.text} are private",
            need=f"public {name}",
            help=f"write the {name}, or pass what is known without the data",
        )
    if isinstance(categories.literal, tuple | list):
        return num(len(categories.literal))
    size = categories.space.size if isinstance(categories.space, Vector) else None
    kind = "float" if name == "edges" else "str"
    if size is None or categories.released:
        raise refuse(
            "size-mismatch",
            f"nothing says how many {name} {categories.text} holds",
            need="a literal tuple, or a public parameter that is one",
            help=f"declare {categories.text} as tuple[{kind}, ...]",
        )
    return size


def _moves(space: Space) -> Moves:
    if isinstance(space, Records):
        rows = space.row_metric.moved()
        return {(ONE_METRIC, name): norm.of_ones(rows) * D for name, norm in NORMS.items()}
    assert isinstance(space, Vector) and space.size is not None
    changed = conversion(space.norm, L1.name, space.size)
    return {(space.norm, norm): bound * changed * D for norm, bound in _REPLACED.items()}


def run(
    x: Any, *, categories: Any = None, edges: Any = None, null_category: Any = None
) -> list[int]:
    """The count of every category, 0 for one that appears a second time; then of all others.

    By edges, the count of every bin.

    Raises:
        ParameterError: edges that do not rise.
    """
    if edges is not None:
        ends = _ends(edges)
        found = [0] * (len(ends) + 1)
        for row in x:
            found[bisect_right(ends, row)] += 1
        return found[1:-1]
    places: dict[Any, int] = {}
    for place, category in enumerate(categories):
        places.setdefault(category, place)
    counts = [0] * (len(categories) + 1)
    for row in x:
        counts[places.get(row, -1)] += 1
    return counts if null_category else counts[:-1]


def _ends(edges: Any) -> list[Fraction]:
    """Where bins begin, the last of which is behind the last edge and before any other number."""
    from metricdp.errors import ParameterError

    if hasattr(edges, "tolist"):
        edges = edges.tolist()
    if len(edges) < 2 or not _rising(edges):
        raise ParameterError(
            "the edges of a histogram are numbers, each larger than the one before",
            place="histogram",
            remedy="give at least two public numbers that rise",
        )
    ends = [Fraction(edge) for edge in edges]
    near = abs(ends[-1]) < 2**53  # beyond it doubles are further apart than whole numbers
    step = Fraction(ulp(float(ends[-1]))) if near else Fraction(1)
    return [*ends[:-1], ends[-1] + step / 4]


def tabular(x: Any, *, categories: Any = None, edges: Any = None, null_category: Any = None) -> Any:
    """The same counts, found in arrays."""
    from metricdp.columns.nullable import dropped
    from metricdp.values import Numbers

    if edges is not None:
        from metricdp.columns.keys import bin_of

        ends = _ends(edges)
        found = x.with_row(bin_of(x.row, ends)).tallies(range(1, len(ends)))
        return Numbers(found[:-1])
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
    for metric, size in (("Symmetric", None), ("ChangeOne", num(4)), ("Hamming", num(4))):
        number = Scalar("Data", kind="float")
        yield Instance({"x": Records(number, metric, size)}, {"edges": (0, 1, Fraction(5, 2))})
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
