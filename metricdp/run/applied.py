"""A record, applied to values as they are held: tables, arrays, or plain Python.

A value enters the form of the record that is made for it; where the record has none, the reference
function reads the same value as rationals and lists.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from types import FunctionType
from typing import Any, Protocol

from metricdp.columns.closed import RECORDS
from metricdp.columns.language import Node, Untraceable
from metricdp.columns.moments import Instant
from metricdp.columns.nullable import Nullable
from metricdp.columns.part_tables import PartTables
from metricdp.columns.planned import kept_rows
from metricdp.columns.table import Table
from metricdp.columns.tracing import symbolic
from metricdp.run import gradients
from metricdp.run.rows import RowTables
from metricdp.values import Exact, NumberMatrix, Numbers, in_arrays, listed, wrap

#: Public numbers that tell what a record makes of a row.
_NUMBERS = frozenset({bool, int, Exact})
#: Private numbers in arrays.
_ARRAYS = frozenset({Numbers, NumberMatrix})


@lru_cache(maxsize=512)
def _held_in(kind: type) -> type | None:
    """Which of a table, a matrix and a vector of numbers holds values of a type; None: no one."""
    return next((each for each in (Table, *_ARRAYS) if issubclass(kind, each)), None)


class Forms(Protocol):
    """What is asked of a record, or of one that was pinned."""

    @property
    def run(self) -> Callable[..., Any]: ...
    @property
    def columnar(self) -> Callable[..., Any] | None: ...
    @property
    def tabular(self) -> Callable[..., Any] | None: ...
    @property
    def of_rows(self) -> Callable[..., Any] | None: ...


def applied(
    name: str,
    record: Forms,
    args: tuple[Any, ...],
    keywords: Mapping[str, Any],
    by_row: Callable[[str], Any] | None = None,
    tables: Callable[[Any], Table | None] | None = None,
) -> Any:
    """The value of a record at these arguments.

    Args:
        by_row: told what stands in the way where rows are gone through one by one.
        tables: container -> the table of its rows, where a run remembers them.

    Raises:
        Untraceable: an argument stands for a value of a row, and the record has no form in the
            columnar language.
    """
    given = (*args, *keywords.values())
    if any(map(symbolic, given)):
        if record.columnar is None:
            raise Untraceable(f"`{name}`")
        return record.columnar(*args, **keywords)
    kinds = {*map(_held_in, map(type, given))}
    if record.of_rows is not None and NumberMatrix in kinds:
        of = tables or RowTables().of
        held = [of(arg) if isinstance(arg, NumberMatrix) else arg for arg in given]
        if not any(arg is None for arg in held):
            named = dict(zip(keywords, held[len(args) :], strict=True))
            return wrap(record.of_rows(*held[: len(args)], **named))
    slow = ""
    if Table in kinds:
        try:
            return _of_tables(name, record, args, keywords)
        except Untraceable as error:
            slow = error.what
            args = tuple(map(_plain, args))
            keywords = {key: _plain(arg) for key, arg in keywords.items()}
    if name in gradients.BUILTINS:
        released = gradients.of_public(name, args, keywords)
        if released is not None:
            return released
    # Public arrays, as reference functions read them.
    args = tuple(_read(name, a) if hasattr(a, "tolist") else a for a in args)
    given = (*args, *keywords.values())
    if not _ARRAYS.isdisjoint(map(_held_in, map(type, given))):
        found = in_arrays(name, args, dict(keywords))
        if found is not None:
            return found
        args = tuple(map(listed, args))
        keywords = {key: listed(arg) for key, arg in keywords.items()}
    if by_row is not None and (slow or any(map(_is_function, given))):
        by_row(slow or "rows that are no columns")
    return wrap(record.run(*args, **keywords))


#: The record that reads public arrays with two axes as matrices; others go from entry to entry.
_OF_MATRICES = "matmul"


def _read(name: str, array: Any) -> Any:
    several = getattr(array, "ndim", 1) == 2 and name != _OF_MATRICES
    return wrap((array.ravel() if several else array).tolist())


def _is_function(value: Any) -> bool:
    return isinstance(value, FunctionType)


def _of_tables(name: str, record: Forms, args: tuple[Any, ...], keywords: Mapping[str, Any]) -> Any:
    """The record's own form, or that of its rows where they are single values."""
    if record.tabular is not None:
        made = record.tabular(*args, **keywords)
        return made if isinstance(made, Table | PartTables) else wrap(made)
    tables = [arg for arg in (*args, *keywords.values()) if isinstance(arg, Table)]
    row = tables[0].row
    single = isinstance(row, Nullable | Instant) or (isinstance(row, Node) and row.width is None)
    if record.columnar is None or len(tables) > 1 or not single:
        raise Untraceable("a table")
    kept = kept_rows()
    same = kept.row(row) if kept is not None and args[0] is tables[0] and name in RECORDS else None
    public = tuple([(type(arg), arg) for arg in (*args[1:], *keywords.values())])
    if kept is not None and same is not None and all(kind in _NUMBERS for kind, _ in public):
        key = name, id(same), public, tuple(keywords)
        form = partial(record.columnar, same, *args[1:], **keywords)
        return tables[0].with_row(kept.once(key, record.columnar, form))
    rows = tuple(arg.row if isinstance(arg, Table) else arg for arg in args)
    named = {key: arg.row if isinstance(arg, Table) else arg for key, arg in keywords.items()}
    return tables[0].with_row(record.columnar(*rows, **named))


def _plain(value: Any) -> Any:
    return value.plain() if isinstance(value, Table) else value
