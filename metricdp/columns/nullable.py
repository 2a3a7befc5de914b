"""Values of a row that may be missing: a value in every row, and whether it is there.

What stands where a value is missing is some value of its kind and in its range, and no function of
a row sees it: `filled` and `dropped` are the only ways to the value.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from metricdp.columns import language, moments
from metricdp.columns.language import (
    Node,
    Perhaps,
    Untraceable,
    both,
    condition,
    constant,
    either,
    nearest,
    negated,
    select,
)
from metricdp.columns.moments import Instant, chosen
from metricdp.columns.words import lies_in

if TYPE_CHECKING:
    from metricdp.columns.table import Table


class Nullable(Perhaps):
    """A value of every row, or None.

    Attributes:
        value: the value; of no account where it is missing.
        there: whether it is there, a Boolean.
    """

    __slots__ = ("there", "value")
    __array_ufunc__ = None

    def __init__(self, value: Node | Instant, there: Node) -> None:
        self.value, self.there = value, there

    def truth(self) -> Node:
        """Whether the value is there, and no false one; dates and times are true."""
        if not isinstance(self.value, Instant):
            return both(self.there, condition(self.value))
        if self.value.kind == "timedelta":
            raise Untraceable("the truth value of a duration")
        return self.there

    def __bool__(self) -> bool:
        raise Untraceable("the truth value of a value that may be missing")

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        raise Untraceable("a comparison of a value that may be missing")

    def __repr__(self) -> str:
        return "Nullable(private)"


def parts(x: Any) -> tuple[Node, Node]:
    """The value, and whether it is there; what cannot be missing is.

    Raises:
        Untraceable: anything but one value of a row.
    """
    value, there = (x.value, x.there) if isinstance(x, Nullable) else (x, constant(True))
    if not isinstance(value, Node) or value.width is not None:
        raise Untraceable("rows that are no single values")
    return value, there


def missing(x: Any) -> Node:
    """Whether a value is missing."""
    if isinstance(x, Nullable) and isinstance(x.value, Instant):
        return negated(x.there)
    return negated(parts(x)[1])


def compared(name: str, x: Any, y: Any) -> Node:
    """`x == y` ("eq") or `x != y` ("ne"), where one of them may be missing: None equals None alone.

    Raises:
        Untraceable: any other comparison, or values that are no single ones.
    """
    if name not in ("eq", "ne"):
        raise Untraceable("the order of a value that may be missing")
    equal = _equal(x, y)
    return equal if name == "eq" else negated(equal)


def _equal(x: Any, y: Any) -> Node:
    (a, a_there), (b, b_there) = _split(x), _split(y)
    if a is None or b is None:
        return negated(a_there if b is None else b_there)
    times = isinstance(a, Instant) or isinstance(b, Instant)
    same = moments.compared("eq", a, b) if times else language.eq(a, b)
    if same.width is not None:
        raise Untraceable("a comparison with several values at once")
    here = both(both(a_there, b_there), same)
    if isinstance(x, Nullable) and isinstance(y, Nullable):
        return either(here, both(negated(a_there), negated(b_there)))
    return here


def _split(x: Any) -> tuple[Any, Node]:
    """A value, and whether it is there; None and never, of None."""
    if isinstance(x, Nullable):
        return x.value, x.there
    return x, constant(x is not None)


def member(x: Nullable, among: Any) -> Node:
    """Whether a value is one of some public ones: one that is missing, where None is among them.

    Raises:
        Untraceable: values that are not public, or no single ones.
    """
    items = among.tolist() if hasattr(among, "tolist") else among
    if isinstance(items, str):
        return both(x.there, lies_in(x.value, items))
    if not isinstance(items, list | tuple | set | frozenset | dict):
        raise Untraceable("what holds a value that may be missing")
    here = both(x.there, lies_in(x.value, [item for item in items if item is not None]))
    return either(here, negated(x.there)) if any(item is None for item in items) else here


def mapped(x: Any, function: Callable[[Node], Node]) -> Any:
    """What a function makes of a value where it is there."""
    value, there = parts(x)
    made = function(value)
    return Nullable(made, there) if isinstance(x, Nullable) else made


def holds(x: Any, test: Callable[[Node], Node]) -> Node:
    """Whether a value is there, and a condition holds of it."""
    value, there = parts(x)
    return both(there, test(value)) if isinstance(x, Nullable) else test(value)


def filled(x: Any, default: Any) -> Any:
    """The value, and a public one of its kind where it is missing.

    Raises:
        Untraceable: a default that is no value of the kind: no double, or no integer.
    """
    if isinstance(x, Nullable) and isinstance(x.value, Instant):
        return chosen(x.there, x.value, default)
    if isinstance(x, Instant):
        return x
    value, there = parts(x)
    if not isinstance(x, Nullable):
        return value
    other = like(value, default)
    found: Node = select(there, value, other)
    if value.range is not None and found is not value:
        low, high = value.range
        found.range = min(low, other.public), max(high, other.public)
    return found


def like(value: Node, default: Any) -> Node:
    """A public value as a constant of the kind of a node.

    Raises:
        Untraceable: it is no value of the kind.
    """
    if value.base == "double" and not isinstance(default, str | bool):
        found = constant(nearest(default))
    elif value.base == "integer" and isinstance(default, Fraction) and default.denominator == 1:
        found = constant(default.numerator)
    else:
        found = constant(default)
    if found.base != value.base or found.public != default:
        raise Untraceable("a constant that is no value of the rows")
    return found


def known_there(row: Any, test: Node) -> Any:
    """A row of which a condition holds: values that the condition says are there are no longer ones
    that may be missing."""
    known = _conjuncts(test, True)
    return _known(row, {id(node) for node in known}) if known else row


def _known(row: Any, there: Collection[int]) -> Any:
    if isinstance(row, Nullable):
        return row.value if id(row.there) in there else row
    if isinstance(row, dict):
        return {key: _known(part, there) for key, part in row.items()}
    if isinstance(row, tuple):
        parts = [_known(part, there) for part in row]
        if all(a is b for a, b in zip(parts, row, strict=True)):
            return row
        return type(row)(*parts) if hasattr(row, "_fields") else tuple(parts)
    return row


def _conjuncts(test: Node, holds: bool) -> list[Node]:
    """Nodes that are true wherever a condition holds, or does not."""
    found, pending = [], [(test, holds)]
    while pending:
        node, here = pending.pop()
        if node.operator == "not":
            pending.append((node.arguments[0], not here))
            continue
        if here:
            found.append(node)
        if node.operator == ("and" if here else "or"):
            pending += [(part, here) for part in node.arguments]
    return found


def dropped(table: Table) -> Table:
    """The rows of a table that are there.

    Raises:
        Untraceable: rows that are no single values.
    """
    row = table.row
    if isinstance(row, Nullable) and isinstance(row.value, Instant):
        return table.filtered(row.there).with_row(row.value)
    if isinstance(row, Instant):
        return table
    value, there = parts(row)
    return table.filtered(there).with_row(value) if isinstance(row, Nullable) else table


def replaced_missing(
    table: Table, numbers: Callable[[int], Sequence[Any]], ends: tuple[float, float]
) -> Table:
    """The rows of a table of doubles, with public numbers in place of the missing ones, in order.

    Args:
        numbers: how many are missing -> as many doubles.
        ends: the least and the greatest of them that there can be.

    Raises:
        Untraceable: rows that are no single doubles.
    """
    import numpy as np

    from metricdp.columns.stored import Stored

    value, there = parts(table.row)
    if value.base != "double":
        raise Untraceable("rows that are no doubles")
    if not isinstance(table.row, Nullable):
        return table
    held, kept = table.array(value), table.array(there)
    missing = np.flatnonzero(~kept)
    held = held.copy()
    held[missing] = [float(number) for number in numbers(len(missing))]
    low, high = value.range or (None, None)
    if low is not None and high is not None:
        low, high = min(low, ends[0]), max(high, ends[1])
    column = Stored("double", held, low, high)
    return type(table)((column,), column.node(0), value=table.value)
