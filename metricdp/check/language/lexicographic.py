"""`(a, b) < (c, d)`: tuples are compared item by item, and the first that differ decide.

Python asks first whether items are equal and then which is less, so `<` of two tuples is
`a < c or a == c and b < d`.  What it is made of are comparisons of one value with another, each of
which has a value whatever the data are; a pair of items that Python could not order is rejected,
also where an earlier pair would have decided.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from metricdp.check.values.objects import Obj, TupleValue

#: A comparison of one item with another; "and" or "or" of truth values.
Compared = Callable[[str, Obj, Obj], Obj]
Connected = Callable[[str, list[Obj]], Obj]

#: Operators -> what decides where the items differ.
_STRICT = {"<": "<", "<=": "<", ">": ">", ">=": ">", "==": "==", "!=": "!="}


def lengths(operator: str, left: Obj, right: Obj) -> tuple[int, int] | None:
    """How many items two plain tuples have that are compared; None for any other comparison."""
    if operator not in _STRICT:
        return None
    x, y = items_of(left), items_of(right)
    return None if x is None or y is None else (len(x), len(y))


def items_of(value: Obj) -> tuple[Obj, ...] | None:
    """The items of a plain tuple, or of a row that is one; None of anything else."""
    if not isinstance(value, TupleValue) or value.is_list or value.kind:
        return None
    plain = not value.names or value.names == tuple(map(str, range(len(value.items))))
    return value.items if plain else None


def compared_items(
    operator: str,
    left: Sequence[Obj],
    right: Sequence[Obj],
    compare: Compared,
    logic: Connected,
) -> Obj:
    """The truth value of a comparison of tuples, as comparisons of their items."""
    *pairs, last = zip(left, right, strict=True)
    found = compare(operator, *last)
    for x, y in reversed(pairs):
        if operator in ("==", "!="):
            found = logic("and" if operator == "==" else "or", [compare(operator, x, y), found])
            continue
        behind = logic("and", [compare("==", x, y), found])
        found = logic("or", [compare(_STRICT[operator], x, y), behind])
    return found
