"""What a program was checked with, held fast: records, builtins, and functions that bound data.

A program runs with the reference functions that were registered when it was checked.  Code objects,
builtins and functions of `math` that are replaced in place are noticed before data are read.
"""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable
from operator import attrgetter
from typing import Any

import msgspec

from metricdp.columns import language
from metricdp.errors import SourceError
from metricdp.record import REGISTRY, Record
from metricdp.run.meanings import changed_name, changes
from metricdp.run.unwritten import Unwritten

#: Builtins of the checked language, and those that exactness rests on.
_NAMES = (
    "abs all any bool dict divmod enumerate filter float format frozenset getattr hasattr hash int "
    "isinstance issubclass iter len list map max min next pow range repr reversed round set sorted "
    "str sum super tuple type zip"
).split()
_BUILTINS = {name: getattr(builtins, name) for name in _NAMES}
_MATH = {name: value for name, value in vars(math).items() if not name.startswith("_")}
_CODE = attrgetter("__code__")
_OUTSIDE: tuple[tuple[Any, Callable[[], bool], dict[str, Any]], ...] = (
    (builtins, changes(vars(builtins), _BUILTINS), _BUILTINS),
    (math, changes(vars(math), _MATH), _MATH),
)


class Pinned(msgspec.Struct, frozen=True):
    """The functions of one record, and the names of its rule's parameters."""

    run: Callable[..., Any]
    columnar: Callable[..., Any] | None
    tabular: Callable[..., Any] | None
    of_rows: Callable[..., Any] | None
    mechanism: bool
    parameters: tuple[str, ...]


def pinned(record: Record) -> Pinned:
    """The functions of a record as they are now."""
    code = getattr(record.rule, "__code__", None)
    names = code.co_varnames[: code.co_argcount] if code is not None else ()
    column: Any = record.columnar
    if isinstance(column, str):
        column = getattr(language, column)
    mechanism = record.kind == "mechanism"
    forms = column, record.tabular, record.of_rows
    return Pinned(record.run, *forms, mechanism, tuple(names))


class Pins:
    """Every record as it was when this was made."""

    def __init__(self) -> None:
        self._records: dict[str, Pinned] = {}
        self._functions: list[Any] = []
        self._names: list[str] = []
        for name, record in REGISTRY.items():
            held = self._records[name] = pinned(record)
            for function in (held.run, held.columnar, held.tabular, held.of_rows):
                if hasattr(function, "__code__"):
                    self._functions.append(function)
                    self._names.append(name)
        found = self._functions
        self._codes = [f.__code__ for f in found]
        self._defaults = [(f, f.__defaults__) for f in found if f.__defaults__]
        self._named = [(f, dict(f.__kwdefaults__)) for f in found if f.__kwdefaults__]
        self._written = Unwritten([vars(module) for module, _, _ in _OUTSIDE], found)
        #: What showed writes when all was last compared.
        self._same: bytes | None = None

    def __getitem__(self, name: str) -> Pinned:
        return self._records[name]

    def verify(self) -> None:
        """Compare with the present state of the interpreter, where something was written to.

        Raises:
            SourceError: a builtin, a function of math or a reference function was replaced.
        """
        now = self._written.now()
        if now is None or now != self._same:
            self._compare()
            self._same = now  # as it was before: what was written meanwhile is seen the next time

    def _compare(self) -> None:
        # What walks a list fetches ahead what lies far apart.
        for held in (self._functions, self._codes):
            held.copy()
        for module, changed, kept in _OUTSIDE:
            try:
                if changed():
                    name = changed_name(vars(module), kept)
                    raise _replaced(f"{module.__name__}.{name}")
            except NameError as error:
                raise _replaced(f"{module.__name__}.{error.name}") from None
        codes = [*map(_CODE, self._functions)]
        if codes != self._codes:  # a code object is compared by all that it is
            now = zip(self._names, codes, self._codes, strict=True)
            name = next(name for name, code, kept in now if code != kept)
            raise _replaced(f"the reference function of {name}")
        for function, defaults in self._defaults:
            if function.__defaults__ is not defaults:
                raise _replaced(f"a default of the reference function {function.__qualname__}")
        for function, named in self._named:
            if function.__kwdefaults__ != named:
                raise _replaced(f"the reference function {function.__name__}")


def _replaced(what: str) -> SourceError:
    return SourceError(
        f"{what} was replaced after metricdp was loaded, so what runs is not what was checked",
        remedy="undo the replacement, or start a fresh interpreter",
    )
