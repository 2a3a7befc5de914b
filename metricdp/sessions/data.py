"""The tables of a session: copies of the caller's data, with their spaces at the data's sizes."""

from __future__ import annotations

import copy
import pickle
import weakref
from collections.abc import Mapping
from fractions import Fraction
from types import NoneType
from typing import Any

from metricdp.errors import MetricdpError, SchemaError, SpaceError, bare
from metricdp.plain import refuse_read_once
from metricdp.run.entering.engines import source_of
from metricdp.run.entering.entered import Entered
from metricdp.run.entering.sequences import is_column, is_frame
from metricdp.run.guards import admit
from metricdp.run.sizes import sizes
from metricdp.spaces import Owned, Records, Row, Space, space_of
from metricdp.spaces.base import symbols_of
from metricdp.spaces.instants import as_instants
from metricdp.spaces.joining import fits

#: Modules of the kinds of data that public arguments may share memory with.
_ARRAYS = ("numpy", "pandas", "pandas.core.frame", "pandas.core.series")
_SCALARS = frozenset({int, float, bool, str, NoneType})
_SURFACE = '{"visits": (dp.Records[float], values)}'


class HeldTable:
    """One table: its space, with numbers for its sizes, and its data.

    Attributes:
        raw: a copy of what the caller gave, for functions that admit it themselves; private.
        admitted: reference values; private.
        part: whether it is a part of a divided table.
    """

    __slots__ = ("_given", "admitted", "name", "part", "raw", "space")

    def __init__(self, name: str, space: Space, raw: Any) -> None:
        self.name, self.part = name, False
        # The copy has lost what a public argument could share with the caller's data.
        self._given = weakref.ref(raw) if type(raw).__module__ in _ARRAYS else None
        self.raw = _copied(name, space, raw)
        named = space.named(name)
        self.admitted = admit(name, space, self.raw)
        counts = sizes(name, space, self.admitted)
        self.space = named.at({n: Fraction(c) for n, c in counts.items()})
        unknown = sorted(symbols_of(self.space))
        if unknown:
            raise SpaceError(
                f"the space of {name} mentions `{unknown[0]}`, which has no number",
                place=name,
                remedy="write numbers in the bounds of a session's tables",
            )

    @classmethod
    def entered(cls, name: str, space: Space, table: Any) -> HeldTable:
        """A part of a divided table, of rows that have entered."""
        found = cls.__new__(cls)
        found.name, found.space, found.part = name, space, True
        found.raw, found.admitted, found._given = Entered(space, table), table, None
        return found

    def given(self) -> Any:
        """The caller's array or frame, while it is alive; private."""
        return None if self._given is None else self._given()

    def __repr__(self) -> str:
        return f"<table {self.name}: {self.space.describe()}>"


def tables_of(data: Any) -> dict[str, HeldTable]:
    """The tables of `{"name": (annotation, values)}`.

    Raises:
        SpaceError: another form, or an annotation that is no metric space.
        SchemaError: data that do not fit; see `run.guards`.
    """
    if not isinstance(data, Mapping) or not data:
        raise _form("data are given by name")
    found: dict[str, HeldTable] = {}
    failed: MetricdpError | None = None
    for name, given in data.items():
        if not isinstance(name, str) or not name.isidentifier():
            raise _form("the name of a table is an identifier")
        if not isinstance(given, tuple) or len(given) != 2:
            raise _form(f"`{name}` is no pair of an annotation and values")
        annotation, values = given
        space = space_of(annotation, name)
        if not isinstance(space, Space) or type(space).__name__ == "Public":
            raise _form(f"the annotation of `{name}` is no metric space")
        try:
            found[name] = HeldTable(name, space, values)
        except MetricdpError as error:
            failed = bare(error)
            break
    if failed is not None:
        data = given = values = None  # no frame of the error shows private data
        raise failed from None
    return found


def _form(fact: str) -> SpaceError:
    return SpaceError(fact, place="data", remedy=f"dp.Session({_SURFACE}, budget=...)")


def _copied(name: str, space: Space, raw: Any) -> Any:
    """A copy, so that the data of a session cannot change under its ledger.

    Raises:
        SchemaError: data that cannot be copied, or can be read once.
    """
    refuse_read_once(raw, name)
    # The text of a single value is private, and no path.
    opened = source_of(raw) if isinstance(space, Records | Owned) else None
    if opened is not None:
        return opened
    try:
        if hasattr(raw, "copy") and (hasattr(raw, "dtype") or hasattr(raw, "iloc")):
            return raw.copy()
        if isinstance(raw, list | tuple) and set(map(type, raw)) <= _SCALARS:
            return list(raw)
        if is_column(raw) or is_frame(raw):
            # Their own copies share memory, which may be that of an array of the caller.
            return pickle.loads(pickle.dumps(raw))
        return copy.deepcopy(raw)
    except Exception as error:
        kind = type(error).__name__
    raw = None
    raise SchemaError(
        f"the data cannot be copied ({kind})",
        place=name,
        remedy="pass a list, a NumPy array or a data frame",
    )


def sizes_of(wanted: Space, table: Space) -> dict[str, Fraction]:
    """Size names of one space -> the numbers that the other one has in their place."""
    found: dict[str, Fraction] = {}
    for field in ("size", "rows", "cols"):
        name, number = getattr(wanted, field, None), getattr(table, field, None)
        if name is None or number is None or not name.symbols:
            continue
        value = number.as_fraction()
        if str(name) in name.symbols and value is not None:
            found[str(name)] = value
    for field in ("row", "parts", "fields"):
        inner, outer = getattr(wanted, field, None), getattr(table, field, None)
        if isinstance(inner, Space) and isinstance(outer, Space):
            found.update(sizes_of(inner, outer))
        elif isinstance(inner, tuple) and isinstance(outer, tuple):
            for one, other in zip(inner, outer, strict=False):
                found.update(sizes_of(one, other))
    return found


def require_fit(table: HeldTable, wanted: Space, place: str) -> None:
    """Raises SpaceError unless the table's values, under its metric, are arguments of `wanted`."""
    if not fits(table.space, wanted) or (
        # Its rows have entered, and would enter anew.
        isinstance(wanted, Owned) and wanted.day and table.space != wanted
    ):
        raise SpaceError(
            f"the table {table.name} is {table.space.describe()}, and "
            f"{place} takes {wanted.describe()}",
            place=place,
            remedy="declare the table as the function does",
        )


def handed(table: HeldTable, wanted: Space) -> Any:
    """The data of a table for a function that takes `wanted` and admits them itself; private."""
    if table.space == wanted:
        return table.raw
    if isinstance(getattr(table.space, "row", None), Row):
        from metricdp.run.machine import natural

        # A field of whole numbers takes no floats, and one of floats takes whole numbers.
        return as_instants(table.space, natural(table.admitted))
    from metricdp.maps.functions import Leave

    return as_instants(table.space, Leave(table.space)(table.admitted))
