"""Rows that a function of one row makes: a tuple of values is a row with fields."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from metricdp.check.values.forms import Source
from metricdp.check.values.objects import Obj, TupleValue, Value
from metricdp.check.values.regions import Term
from metricdp.check.values.terms import kept
from metricdp.expr import Expr, maximum
from metricdp.spaces import Maybe, Moment, Row, Scalar
from metricdp.spaces.fields import field_space

#: What one value moves by, per source and norm.
Movement = Mapping[Source, Mapping[str, Expr]]
Field = Scalar | Moment | Maybe


def is_row(result: Obj) -> bool:
    """Whether a function gives a tuple of values: no list, which can change, and no instance."""
    return (
        isinstance(result, TupleValue)
        and not (result.is_list or result.names or result.kind)
        and bool(result.items)
        and all(isinstance(item, Value) for item in result.items)
    )


def row_of(items: Sequence[Value], narrowed: Callable[[Value], Scalar]) -> Row | None:
    """The space of a row with these fields; None where one is no value that a field can hold.

    Args:
        narrowed: the space of a number, with the range that its form has.
    """
    fields = [_field(item, narrowed) for item in items]
    if any(field is None for field in fields):
        return None
    names = tuple(map(str, range(len(items))))
    return Row(names, tuple(fields), f"tuple[{', '.join(map(_shown, fields))}]")  # type: ignore[arg-type]


def _field(item: Value, narrowed: Callable[[Value], Scalar]) -> Field | None:
    space = item.space
    if isinstance(space, Scalar):
        return field_space(narrowed(item))
    return space if isinstance(space, Maybe | Moment) else None


def _shown(field: Field | None) -> str:
    kind = getattr(field, "kind", "")
    return kind or getattr(field, "element", "") or str(field)


def together(parts: Iterable[Movement]) -> dict[Source, dict[str, Expr]]:
    """A bound on what a tuple moves by: the row is another one where any part of it is."""
    found: dict[Source, dict[str, Expr]] = {}
    for movement in parts:
        for source, bounds in movement.items():
            largest = maximum(*bounds.values())
            before = found.get(source)
            found[source] = {"": largest if before is None else before[""] + largest}
    return found


def term_of(terms: Sequence[Term | None]) -> Term | None:
    """Which function of a row a tuple is."""
    if any(term is None for term in terms):
        return None
    return kept(("rule", "tuple", *((str(i), term) for i, term in enumerate(terms))))
